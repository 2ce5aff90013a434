// Effects -> rows, and the read-back: which statements they become.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "columns.h"
#include "connection.h"
#include "known_heads.h"
#include "pawl/driver/effects.h"

namespace pawl::postgres {

// The primary key of `session` and the unique index of event ids, as an error names them.
inline constexpr const char* kSessionKey = "session_key";
inline constexpr const char* kEventIds = "event_id";

// What an operation was decided on without a load, and from when until when that holds.
struct Guard {
  const driver::SessionRow& row;
  std::int64_t revision;
  std::int64_t from;
  std::int64_t before;
  std::optional<std::int64_t> now;  // absent: the server's
  std::function<KnownFirst(const std::string& consumer)> first_of;
};

class Writer {
 public:
  // `stored` are the sessions that the load found, and their eras. Both must outlive the writer.
  // Sessions that it writes to get the revision.
  Writer(Connection& connection, const driver::Effects& effects,
         const std::map<std::string, std::int64_t>& stored, std::int64_t revision)
      : connection_(connection), effects_(effects), stored_(stored), revision_(revision) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Sends the writes and the read-back behind a guard, which stands in for a load: it locks the
  // session and reads the clock into now(). Where anything is not as the guard has it, that is
  // refused with kGuardFailed.
  void send_guarded(const Guard& guard);
  // Sends the writes: of all sessions, one statement for each kind of row.
  void send_writes();
  // Sends what fetches the answer. An answer that is too long, or that
  // names an event which is not stored, is refused with kUnanswerable.
  void send_read_back();

  // After fetch().
  driver::Readings take();
  std::int64_t now() const { return now_; }

 private:
  // Sends the statement for the rows, if there are any, with further parameters behind theirs.
  void write(Sql sql, const Columns& rows, const Params& further = {});
  bool is_pending(const driver::ReadBack::Pending& query) const;
  void send_sessions();
  void send_drops();
  void send_cursors();
  void send_rows();
  void send_first_keys();
  void send_known_first_keys();
  void send_events_read_back();
  void send_pending();
  void send_presence();

  Connection& connection_;
  const driver::Effects& effects_;
  const std::map<std::string, std::int64_t>& stored_;
  driver::Readings readings_;
  const std::int64_t revision_;
  std::int64_t now_ = 0;
  // Of a guarded write: where its statements go, and whether the guard itself writes the session.
  std::function<void(Sql, Params&&)> write_;
  const Guard* guard_ = nullptr;
  bool moved_ = false;
};

inline constexpr const char* kUnanswerable = "22012";  // division_by_zero
inline constexpr const char* kGuardFailed = "2201E";   // invalid_argument_for_logarithm

// Whether somebody may wait for what these effects bring: an event, or a head that nobody holds.
bool wakes(const driver::Effects& effects);

}  // namespace pawl::postgres
