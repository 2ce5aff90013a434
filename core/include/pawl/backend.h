// pawl/backend.h: what a storage engine implements. Programs use Store (store.h).
//
// A backend loads facts and applies effects; it decides nothing. For every operation the
// Store hands it a Query (which facts), and a Decide function (facts -> effects), which is
// pure and may be called again on fresh facts. The rules live in the core; the only things
// a backend compares are keys, and `due` with now.
//
// An implementer's duties:
//  - A transaction is serializable on the sessions of its query: lock them, or the whole
//    store, before reading; several are locked in byte order. Picked sessions are only
//    tried, never waited for.
//  - Read the clock once, after the locks are held, before the windows are read.
//  - All effects become durable together or not at all; when transact returns they are.
//  - Keep the indexes that query.h's ranges name: no statement walks a session, its
//    finished work, superseded rows or other sessions.
//  - Keep the first keys (ReadyRow): recompute them after each write from the cursors of
//    the present era, for every consumer of a cursor that was put or dropped, or, with
//    new_era, for the whole session.
//  - Every native failure becomes a pawl::Error by one table.
//  - All methods may be called from any number of threads at once.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "pawl/driver/effects.h"
#include "pawl/driver/facts.h"
#include "pawl/driver/query.h"
#include "pawl/driver/rows.h"
#include "pawl/error.h"
#include "pawl/types.h"

namespace pawl {

// Thrown by transact, after undoing everything, when the events to be read back are
// longer than ReadBack::max_bytes. The Store decides again with less.
struct AnswerTooLarge : std::runtime_error {
  explicit AnswerTooLarge(std::int64_t count)
      : std::runtime_error("answer too large"), fits(count) {}
  std::int64_t fits;  // how many of the first events fit; at least 1
};

// Thrown by transact, after undoing everything, when an appended event's id is stored in
// its session already. Ids that a caller supplied are looked up before; only a generated
// one can be taken. The Store looks it up and decides again.
struct IdTaken : std::runtime_error {
  IdTaken() : std::runtime_error("event id is taken") {}
};

class Backend {
 public:
  // Called once per transaction, and again on fresh facts, or for another `now`, if the engine
  // asks for it: what the last call has decided is what is written. May throw: then nothing is
  // written and the exception leaves transact, unless the engine has fresher facts to decide on.
  using Decide = std::function<driver::Effects(driver::Facts&&)>;

  virtual ~Backend() = default;

  // One consistent view of the facts, without locks that make writers wait.
  virtual driver::Facts look(const driver::Query& query) = 0;

  // Locks the query's sessions, loads, decides, writes, reads back, commits. Effects
  // without writes commit nothing; their read-back is answered all the same.
  virtual driver::Readings transact(const driver::Query& query, const Decide& decide) = 0;

  // A number that grows with every commit to the store that this process can know of,
  // its own at least. Taken before a look, it closes the gap before wait.
  virtual std::uint64_t changes() = 0;

  // Returns when changes() is no longer `seen`, at `until` (by the steady clock), when
  // another process or machine may have committed (at most wake_poll after it did), or
  // when the store is closed. Returning for nothing is allowed.
  virtual void wait(std::uint64_t seen, std::chrono::steady_clock::time_point until) = 0;

  // Lets operations under way finish; later ones throw kClosed. Repeating it does nothing.
  virtual void close() = 0;

  virtual Info info() const = 0;

  // How it is doing. Reads only, and makes nobody wait. Throws kClosed.
  virtual Stats stats() {
    changes();
    return {};
  }
};

// The sessions that first keys tell to be ready, each once with its ready_at, ordered by
// ready_at, then name; the first `limit`. For Pick, and for the answer of `ready`.
struct ReadySession {
  std::string session;
  std::int64_t ready_at = 0;
};
std::vector<ReadySession> order_ready(const std::vector<driver::ReadyRow>& rows, std::int64_t now,
                                      std::int64_t limit);

// The earliest `due` to come among first keys.
std::optional<std::int64_t> next_due(const std::vector<driver::ReadyRow>& rows, std::int64_t now);

}  // namespace pawl
