// Short ways to write rows, queries and effects in tests.
#pragma once

#include <string>
#include <utility>

#include "pawl/backend.h"

namespace pawl::sqlite {

inline driver::EventRow event(std::int64_t index, const std::string& payload = "1") {
  return {index, "e" + std::to_string(index), "t", payload, 1, {}, {}};
}

inline driver::CursorRow lane_cursor(const std::string& consumer, const std::string& lane,
                                     std::int64_t head, std::int64_t due = 0) {
  driver::CursorRow row;
  row.key = {consumer, lane, 0};
  row.kind = CursorKind::kLane;
  row.head = head;
  row.due = due;
  row.since = due == 0 ? 1 : 0;
  return row;
}

inline driver::Query query_of(const std::string& session) {
  driver::Query query;
  query.sessions.emplace_back().session = session;
  return query;
}

inline driver::EventRange first_events(std::int64_t limit, std::int64_t after = 0) {
  driver::EventRange range;
  range.after = after;
  range.limit = limit;
  range.max_bytes = driver::kNever;
  return range;
}

// Appends the next event, whatever the last index is.
inline Backend::Decide append_one(const std::string& session, const std::string& id = {}) {
  return [session, id](driver::Facts&& facts) {
    driver::SessionRow row = facts.sessions.front().row;
    driver::EventRow appended = event(++row.last_index);
    if (!id.empty()) appended.id = id;
    driver::Effects effects;
    driver::SessionEffects& changed = effects.sessions.emplace_back();
    changed.session = session;
    changed.row = row;
    changed.append.push_back(std::move(appended));
    return effects;
  };
}

inline driver::SessionRow row_of(Backend& backend, const std::string& session) {
  return backend.look(query_of(session)).sessions.front().row;
}

}  // namespace pawl::sqlite
