// Query -> Facts, on the transaction that the connection is in.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "pawl/clock.h"
#include "pawl/driver/facts.h"
#include "pawl/driver/query.h"
#include "rows.h"

namespace pawl::sqlite {

Session find_session(Scope& scope, std::string_view name);

// Loads the facts. Sets scope.now, once the named sessions are locked. `sessions` gets every
// session that was met, for the writer.
driver::Facts load(Scope& scope, Clock& clock, const driver::Query& query,
                   std::vector<Session>& sessions);

// ---- look-ups by key (load_cursors.cc)

driver::FoundCursor find_cursor(Scope& scope, const Session& session,
                                const driver::CursorQuery& query);
std::optional<driver::CursorRow> cursor_by_key(Scope& scope, const Session& session,
                                               const driver::CursorKey& key);
std::optional<driver::WorkRow> work_by_key(Scope& scope, const Session& session,
                                           const driver::WorkKey& key);
std::vector<driver::PinFact> pins_of_head(Scope& scope, const Session& session,
                                          const driver::CursorRow& row);
bool has_pin(Scope& scope, const Session& session, const driver::PinRow& pin);
driver::FoundSnapshots find_snapshots(Scope& scope, const Session& session,
                                      const driver::SnapshotQuery& query);
std::optional<driver::FoundCursor> find_dead(Scope& scope, const Session& session,
                                             const driver::DeadQuery& query);
void load_window(Scope& scope, const Session& session, const driver::Window& window,
                 std::vector<driver::FoundCursor>& found);

// ---- events (load_events.cc)

driver::EventRow event_at(Scope& scope, const Session& session, std::int64_t index);
std::optional<driver::EventRow> event_by_id(Scope& scope, const Session& session,
                                            std::string_view id);
// The first event above `place` that has one of the types, at or below the last index.
std::optional<std::int64_t> next_event(Scope& scope, const Session& session,
                                       const driver::Types& types, std::int64_t place);
std::vector<driver::EventRow> events_in(Scope& scope, const Session& session,
                                        const driver::EventRange& range,
                                        std::int64_t snapshot_index);

// ---- pages and batches of one session (load_ranges.cc)

std::vector<driver::CursorRow> list_cursors(Scope& scope, const Session& session,
                                            const driver::HeadPage& page);
std::vector<driver::CursorRow> list_dead(Scope& scope, const Session& session,
                                         const driver::HeadPage& page);
driver::FinishedFacts finished_work(Scope& scope, const Session& session,
                                    const driver::FinishedQuery& query);
driver::OfConsumerFacts of_consumer(Scope& scope, const Session& session,
                                    const driver::OfConsumerQuery& query);
driver::SupersededFacts superseded(Scope& scope, const Session& session,
                                   const driver::SupersededQuery& query);

// ---- first keys (readiness.cc)

std::vector<driver::ReadyRow> ready_rows(Scope& scope, const driver::ReadyQuery& query);
// Every consumer that has a first key somewhere, found without walking them.
std::vector<std::int64_t> ready_consumers(Scope& scope);

}  // namespace pawl::sqlite
