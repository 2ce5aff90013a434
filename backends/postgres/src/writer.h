// Effects -> rows, and the read-back: which statements they become.
#pragma once

#include <set>
#include <string>

#include "connection.h"
#include "pawl/driver/effects.h"

namespace pawl::postgres {

// The primary key of `session` and the unique index of event ids, as an error names them.
inline constexpr const char* kSessionKey = "session_key";
inline constexpr const char* kEventIds = "event_id";

class Writer {
 public:
  // `stored` are the sessions that the load found. Both must outlive the writer.
  Writer(Connection& connection, const driver::Effects& effects,
         const std::set<std::string>& stored)
      : connection_(connection), effects_(effects), stored_(stored) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Sends the writes: of all sessions, one statement for each kind of row.
  void send_writes();
  // Sends what fetches the answer. An answer that is too long, or that
  // names an event which is not stored, is refused with kUnanswerable.
  void send_read_back();

  // After fetch().
  driver::Readings take();

 private:
  void send_drops();
  void send_drops_of_cursors();
  void send_sessions();
  void send_events();
  void send_cursors(bool logs);
  void send_work();
  void send_snapshots(bool with_state);
  void send_pins();
  void send_first_keys();
  void send_presence();

  Connection& connection_;
  const driver::Effects& effects_;
  const std::set<std::string>& stored_;
  driver::Readings readings_;
};

inline constexpr const char* kUnanswerable = "22012";  // division_by_zero

// Whether somebody may wait for what these effects bring: an event, or a head that nobody holds.
bool wakes(const driver::Effects& effects);

}  // namespace pawl::postgres
