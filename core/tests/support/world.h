// Hand-made facts: rows in vectors, and a plain reading of pawl/driver/query.h over them.
//
// Nothing is indexed and nothing is kept: a World is what a table of tests says is stored.
// Histories apply the effects of one decision before they make the next.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "pawl/driver/effects.h"
#include "pawl/driver/facts.h"
#include "pawl/driver/query.h"
#include "tests/support/rows.h"

namespace pawl::core::testing {

struct SessionRows {
  driver::SessionRow row;
  std::vector<driver::CursorRow> cursors;
  std::vector<driver::WorkRow> work;
  std::vector<driver::EventRow> events;
  std::vector<driver::SnapshotRow> snapshots;
  std::vector<driver::PinRow> pins;
};

class World {
 public:
  std::int64_t now = kNow;
  std::map<std::string, SessionRows> sessions;
  std::map<std::string, std::vector<driver::PresenceRow>> presence;

  // The session that `with` adds to; the last one that `session` named.
  SessionRows& rows() { return sessions[current_]; }
  const SessionRows& rows() const { return sessions.at(current_); }

  // Begins a session that has the events e1 to e`last` of type t, with the marker m at `clear`,
  // if that is above 0; then its era is 1, and what lies below is still stored.
  World& session(const std::string& name, std::int64_t last, std::int64_t clear = 0);
  World& with(const Cur& cursor);
  World& with(driver::WorkRow work);
  World& with(driver::PinRow pin);  // of its era unless it says one; counts it everywhere
  World& with_snapshot(const std::string& reducer, std::int64_t index, std::int64_t pins = 0);
  World& typed(std::int64_t index, std::string type);
  World& event_of(std::int64_t index, Cause cause);
  World& targeted(std::int64_t index, std::vector<driver::TargetRow> targets);
  World& at(std::int64_t time) {
    now = time;
    return *this;
  }

  driver::Facts find(const driver::Query& query) const;
  // Also tells, as a failure of the test, of effects that do not fit what is stored.
  void apply(const driver::Effects& effects);

 private:
  std::string current_ = "s";
};

// A world with the session s.
inline World given(std::int64_t last, std::int64_t clear = 0) {
  return World().session("s", last, clear);
}

}  // namespace pawl::core::testing
