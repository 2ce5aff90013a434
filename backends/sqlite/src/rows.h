// Rows of the tables as rows of the core, read from the column lists of statements.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "connection.h"
#include "names.h"
#include "pawl/driver/rows.h"

namespace pawl::sqlite {

class SessionCache;

// What a window met behind the heads that it took: the next head that is due at any time, which is
// the first key once nothing before it is.
struct Behind {
  std::int64_t session = 0;
  std::int64_t consumer = 0;
  std::int64_t handle = 0;
  std::int64_t since = 0;
  std::vector<std::int64_t> before;  // the handles of all that come before it, ascending
};

// What statements of one operation need.
struct Scope {
  Connection& connection;
  Names& names;
  SessionCache* cache = nullptr;  // of the connection that writes
  std::int64_t now = 0;
  std::vector<Behind> behind = {};
};

// A session of the transaction. id 0: it is not stored (yet).
struct Session {
  std::string name;
  std::int64_t id = 0;
  driver::SessionRow row;

  bool stored() const { return id != 0; }
};

driver::SessionRow read_session(const Statement& statement, int first_column);
driver::EventRow read_event(Scope& scope, const Statement& statement);
// Without cause and payload: the columns of kSupersededEvents.
driver::EventRow read_event_key(Scope& scope, const Statement& statement);
inline constexpr int kHeadColumn = 6;  // of a cursor
inline constexpr int kDueColumn = 7;
inline constexpr int kSinceColumn = 8;
inline constexpr int kHandleColumn = 22;
driver::CursorRow read_cursor(Scope& scope, const Statement& statement);
driver::WorkRow read_work(Scope& scope, const Statement& statement);
driver::SnapshotRow read_snapshot(const Statement& statement, bool with_state);
driver::PinRow read_pin(Scope& scope, const Statement& statement);
driver::PresenceRow read_presence(const Statement& statement);

}  // namespace pawl::sqlite
