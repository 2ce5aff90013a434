// Short ways to write rows and effects in tests.
#pragma once

#include <string>
#include <utility>

#include "pawl/driver/effects.h"

namespace pawl::testing {

using driver::CursorKey;
using driver::CursorRow;
using driver::kNever;

inline driver::EventRow event(std::int64_t index, const std::string& type = "t",
                              const std::string& payload = "1") {
  return {index, "e" + std::to_string(index), type, payload, 1, {}, {}};
}

inline CursorRow on_lane(const std::string& consumer, const std::string& lane, std::int64_t head,
                         std::int64_t due = 0) {
  CursorRow row;
  row.key = {consumer, lane, 0};
  row.kind = CursorKind::kLane;
  row.head = head;
  row.due = due;
  row.since = due == 0 ? 1 : 0;
  return row;
}

inline CursorRow on_event(const std::string& consumer, std::int64_t head, std::int64_t due = 0) {
  CursorRow row = on_lane(consumer, "", head, due);
  row.key = {consumer, std::nullopt, head};
  row.kind = CursorKind::kEvent;
  return row;
}

inline CursorRow on_log(const std::string& consumer, std::int64_t head, driver::Types types = {}) {
  CursorRow row = on_lane(consumer, "log", head, head > 0 ? 0 : kNever);
  row.kind = CursorKind::kLog;
  row.types = std::move(types);
  return row;
}

inline CursorRow dead(CursorRow row) {
  row.due = kNever;
  row.since = 0;
  row.failed_at = 1;
  return row;
}

inline CursorRow in_era(CursorRow row, std::int64_t era) {
  row.era = era;
  return row;
}

// Appends events 1 to `last` and writes the row that goes with them.
inline driver::SessionEffects session(const std::string& name, std::int64_t last) {
  driver::SessionEffects effects;
  effects.session = name;
  effects.row = driver::SessionRow{.last_index = last};
  for (std::int64_t i = 1; i <= last; ++i) effects.append.push_back(event(i));
  return effects;
}

inline driver::Effects only(driver::SessionEffects session) {
  driver::Effects effects;
  effects.sessions.push_back(std::move(session));
  return effects;
}

}  // namespace pawl::testing
