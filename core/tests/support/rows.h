// Short ways to write rows: on_lane("c", "k").at(3).held("w", 150).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "pawl/driver/rows.h"
#include "pawl/types.h"

namespace pawl::core::testing {

inline constexpr std::int64_t kNow = 100;  // the time of a world, unless it says another

// A cursor, written as a sentence. Without `in_era` it is of its session's era.
class Cur {
 public:
  explicit Cur(driver::CursorKey key, CursorKind kind) {
    row_.key = std::move(key);
    row_.kind = kind;
  }

  // A head nobody has claimed, claimable since 1, behind the events before it.
  Cur& at(std::int64_t head) {
    row_.head = head;
    row_.position = head - 1;
    row_.due = 0;
    row_.since = 1;
    return *this;
  }
  Cur& pos(std::int64_t position) {
    row_.position = position;
    return *this;
  }
  Cur& since(std::int64_t time) {
    row_.since = time;
    return *this;
  }
  Cur& due(std::int64_t time) {
    row_.due = time;
    row_.since = 0;
    return *this;
  }
  Cur& tried(std::int64_t attempts) {
    row_.attempt_count = attempts;
    row_.first_claimed_at = 50;
    row_.last_claimed_at = 60;
    return *this;
  }
  // Claimed by `holder` until then, at the first attempt unless `tried` says another.
  Cur& held(std::string holder, std::int64_t until) {
    if (row_.attempt_count == 0) tried(1);
    row_.claim_holder = std::move(holder);
    return due(until);
  }
  Cur& failed(std::int64_t count, std::int64_t at, std::int64_t attempt) {
    row_.failure_count = count;
    row_.last_failed_at = at;
    row_.last_failed_attempt = attempt;
    row_.last_error = "boom";
    return *this;
  }
  Cur& failures(std::int64_t count) {
    row_.failure_count = count;
    return *this;
  }
  Cur& dead(std::int64_t at) {
    if (row_.attempt_count == 0) tried(1).failed(1, at, 1);
    row_.failed_at = at;
    return due(driver::kNever);
  }
  Cur& released(std::int64_t attempt) {
    row_.last_released_attempt = attempt;
    return *this;
  }
  Cur& pinned(std::int64_t pins) {
    row_.pins = pins;
    return *this;
  }
  Cur& takes(driver::Types types) {
    row_.types = std::move(types);
    return *this;
  }
  Cur& completed(std::int64_t index, std::int64_t attempt, std::vector<std::string> ids = {}) {
    row_.completion = driver::Completion{index, attempt, std::move(ids)};
    return *this;
  }
  Cur& in_era(std::int64_t era) {
    row_.era = era;
    has_era_ = true;
    return *this;
  }

  driver::CursorRow row(std::int64_t era) const {
    driver::CursorRow row = row_;
    if (!has_era_) row.era = era;
    return row;
  }

 private:
  driver::CursorRow row_;
  bool has_era_ = false;
};

inline Cur on_lane(std::string consumer, std::string lane) {
  return Cur({std::move(consumer), std::move(lane), 0}, CursorKind::kLane);
}
// An event cursor: its head is its index.
inline Cur on_event(std::string consumer, std::int64_t index) {
  return Cur({std::move(consumer), std::nullopt, index}, CursorKind::kEvent).at(index);
}
// A log cursor of all types unless `takes` says others.
inline Cur on_log(std::string consumer, std::string lane = "log") {
  return Cur({std::move(consumer), std::move(lane), 0}, CursorKind::kLog).takes(std::nullopt);
}

// A consumer's floor: see CursorRow.
inline Cur floor_at(std::string consumer, std::int64_t index) {
  return Cur({std::move(consumer), std::nullopt, 0}, CursorKind::kEvent).pos(index);
}

using Lane = std::optional<std::string>;

inline driver::WorkRow queued(std::string consumer, Lane lane, std::int64_t index,
                              std::int64_t available_at = 0) {
  return {std::move(consumer), std::move(lane), index, available_at, 0, std::nullopt};
}
inline driver::WorkRow completed(std::string consumer, Lane lane, std::int64_t index,
                                 std::int64_t finished_at, std::int64_t attempt,
                                 std::vector<std::string> ids = {}) {
  return {std::move(consumer),
          std::move(lane),
          index,
          0,
          finished_at,
          driver::Completion{index, attempt, std::move(ids)}};
}
inline driver::WorkRow skipped(std::string consumer, Lane lane, std::int64_t index,
                               std::int64_t finished_at) {
  return {std::move(consumer), std::move(lane), index, 0, finished_at, std::nullopt};
}

// What callers hand in.
inline NewEvent event(std::optional<std::string> id, std::string type = "t",
                      std::string payload = "1", std::vector<Target> targets = {}) {
  return {std::move(id), std::move(type), std::move(payload), std::nullopt, std::move(targets)};
}
inline NewEvent event_for(std::optional<std::string> id, std::vector<Target> targets) {
  return event(std::move(id), "t", "1", std::move(targets));
}
inline NewEvent caused(std::string id, Cause cause) {
  return {std::move(id), "t", "1", std::move(cause), {}};
}
inline Time ms(std::int64_t time) { return Time(Duration(time)); }

// A consumer with a log.
inline Consumer reads(std::string name, std::optional<std::vector<std::string>> types = {},
                      bool backfill = false, std::string lane = "log") {
  return {std::move(name), Log{std::move(lane), std::move(types), backfill}};
}

}  // namespace pawl::core::testing
