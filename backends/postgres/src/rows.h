// Rows of the tables as rows of the core, read from the column lists of statements.cc; and keys
// of the core as columns.
#pragma once

#include <optional>
#include <string>

#include "pawl/driver/facts.h"
#include "pawl/driver/rows.h"
#include "wire.h"

namespace pawl::postgres {

// How many columns the lists have.
inline constexpr int kSessionColumns = 9;
inline constexpr int kEventColumns = 13;
inline constexpr int kCursorColumns = 24;

// Each reads from `first` on.
driver::SessionRow read_session(const Row& row, int first);
driver::EventRow read_event(const Row& row, int first);
driver::EventRow read_event_key(const Row& row);  // the columns of kSupersededEvents
driver::CursorRow read_cursor(const Row& row, int first);
// Nothing where a LEFT JOIN found none.
std::optional<driver::CursorRow> read_maybe_cursor(const Row& row, int first);
driver::WorkRow read_work(const Row& row, int first);
driver::SnapshotRow read_snapshot(const Row& row, int first, bool with_state);
driver::PinRow read_pin(const Row& row);
driver::PresenceRow read_presence(const Row& row, int first);
// The pin of `cursor` in PIN_COLUMNS, if there is one.
std::optional<driver::PinFact> read_pin_fact(const Row& row, int first,
                                             const driver::CursorRow& cursor);

// "No lane" is the empty text, and has the slot of its index.
std::string lane_column(const std::optional<std::string>& lane);
std::int64_t slot_column(const driver::CursorKey& key);
std::int64_t kind_column(const std::optional<std::string>& lane);  // of work

}  // namespace pawl::postgres
