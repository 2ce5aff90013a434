// decide/append.h: append, append_batch and wake_log, and the part of appending that
// complete shares.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "decide/decision.h"
#include "decide/served.h"
#include "decide/workspace.h"
#include "pawl/clock.h"
#include "pawl/types.h"

namespace pawl::core {

// Generated ids, drawn as a decision needs them and kept for when it is made again. After
// the backend has said IdTaken they are looked up like supplied ones.
class IdPool {
 public:
  explicit IdPool(IdSource& source) : source_(&source) {}
  void rewind() { next_ = 0; }
  const std::string& next();
  const std::vector<std::string>& drawn() const { return drawn_; }

 private:
  IdSource* source_;
  std::vector<std::string> drawn_;
  std::size_t next_ = 0;
};

struct AppendRequest {
  std::string session;
  const std::vector<NewEvent>* events = nullptr;  // borrowed from the call
  ServedSet served;
  std::int64_t origin_index = 0;
};

struct AppendAnswer {
  std::vector<driver::EventRow> events;
};

// append is append_batch with one item; `items[3].` begins paths only of the latter.
struct AppendBatchRequest {
  std::vector<AppendRequest> items;
  bool is_batch = false;
};
driver::Query plan_append_batch(const AppendBatchRequest& request, const IdPool& ids);
Decision<std::vector<AppendAnswer>> decide_append_batch(const AppendBatchRequest& request,
                                                        const driver::Query& query,
                                                        driver::Facts&& facts, IdPool& ids);

// The types of some events, each once. Borrowed from the events.
using EventTypes = std::set<std::string_view>;
void add_types(EventTypes& types, const std::vector<NewEvent>& events);

// Adds to `query` the facts that appending `events` needs, apart from the logs. Generated ids
// are looked up if the pool has drawn some before.
void plan_append(driver::SessionQuery& query, const std::vector<NewEvent>& events,
                 const IdPool& ids);
// Adds the logs that events of these types wake.
void plan_wakes(driver::SessionQuery& query, const ServedSet& served, const EventTypes& types);
void plan_cursor(driver::SessionQuery& query, driver::CursorKey key, bool next, bool if_idle,
                 const driver::LogTypes* log, bool pins);
// Ends a plan: of a cursor that was asked for several times, all is asked at once.
void merge_cursors(driver::SessionQuery& query);

// Steps 2 to 8 of append. Events without an id are still to be named: see name_events.
AppendAnswer decide_append(Workspace& space, const AppendRequest& request);

// Steps 6 to 8, for events that are known to be new and allowed. With `cause`, that is the
// cause of each.
std::vector<driver::EventRow> write_events(Workspace& space, const std::vector<NewEvent>& events,
                                           const ServedSet& served, const Cause* cause);

// Draws the ids of what was written without one, when nothing of the call can be refused any
// more.
void name_events(Workspace& space, std::vector<driver::EventRow>& written, IdPool& ids);

// The stored events of a batch whose ids are all owned, in the batch's order, after
// checking that their contents are the same.
std::vector<driver::EventRow> replayed(const Workspace& space, const std::vector<NewEvent>& events);

// Throws partial_duplicate_batch if an id stands twice.
void refuse_repeated_ids(const std::vector<NewEvent>& events);

// Whether the cause is the current attempt at its head; if not, throws superseded_attempt.
void check_cause(const Workspace& space, const Cause& cause, const std::string& field);

// Step 8 for one log, with the position of a cursor that opens without backfill.
void wake(Workspace& space, const ServedLog& log, std::int64_t end);

// The cursor as it is then; not stored where there is nothing that it could follow.
void plan_wake_log(driver::SessionQuery& query, const ServedLog& log);
driver::CursorRow decide_wake_log(Workspace& space, const ServedLog& log);

// Type refresh: records the served logs' types on cursors that exist.
void refresh_types(Workspace& space, const ServedSet& served);
void plan_refresh(driver::SessionQuery& query, const ServedSet& served, bool pins = false);

}  // namespace pawl::core
