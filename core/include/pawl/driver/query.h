// pawl/driver/query.h: which facts an operation needs. For authors of backends.
//
// Everything is named up front and bounded: a keyed look-up, or the first N of a range
// that an index serves. Four kinds of pointer may be followed inside the load: the
// session's row (the era of every range), a cursor's place and types (what comes
// after it), a cursor's pins, and picked sessions. "The present era" is the session row's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pawl/driver/rows.h"

namespace pawl::driver {

// Names of served consumers. Absent: every consumer that has a ReadyRow. Empty: none.
using ConsumerNames = std::optional<std::vector<std::string>>;

// A log consumer as a call states it.
struct LogTypes {
  std::string lane;
  Types types;
};

// What follows a cursor's place: for a lane the first work record above it, for a log the
// first event of its types above it. The place is the cursor's head in the present era, or
// if it has none the greater of its position (if the row is of the present era) and the
// clear index; where no row is found, or one below deleted_era, the greater of the clear
// index and the consumer's floor. The types are `log`'s where `log` is given and the row found is a
// log cursor of that lane, or no row is found; else the row's own. An event cursor has nothing
// after it; nor has a missing row without `log`.
struct NextQuery {
  bool if_idle = false;  // not looked up if the row has a head in the present era
  std::optional<LogTypes> log;
};

// The cursor with this key of the present era; if there is none and the key has a lane,
// the log cursor with this key, of whatever era.
struct CursorQuery {
  CursorKey key;
  std::optional<NextQuery> next;
  bool pins = false;  // with the pins of its head, if the row counts any
};

// Heads of the present era, for each consumer:
//   due == 0, head <= through: by head, the first `free`, and all that tie with the last;
//   0 < due <= now, head <= through: by due, the first `due`;
//   now < due < kNever, head <= through: by due, the first `later`; they may be left out
//   where the first range has `free` rows.
// With `pins`, rows that have a claim_holder and pins > 0 come with their pins.
struct Window {
  ConsumerNames consumers;
  std::int64_t through = kNever;
  std::int64_t free = 0;
  std::int64_t due = 0;
  std::int64_t later = 0;
  bool pins = false;
};

// The dead letter of the consumer with that head in the present era: of that lane if
// `lane` is given, else the first in lane order (none last). With what follows it.
struct DeadQuery {
  std::string consumer;
  std::int64_t index = 0;
  std::optional<std::string> lane;
  std::optional<LogTypes> log;  // as in NextQuery
};

struct SnapshotQuery {
  std::string reducer;
  std::vector<std::int64_t> indexes;    // rows at these indexes, without state
  bool newest = false;                  // the newest row, without state
  std::optional<std::int64_t> through;  // the newest at or below it, with its state
};

// Events in index order: index >= the row's visible_from(), > after, <= through, of the
// types. With `after_snapshot`: also above the clear index, and above the snapshot that
// the query's first SnapshotQuery found by `through`. The first `limit`, and no more than
// fit `max_bytes` of payload, but at least one.
struct EventRange {
  std::int64_t after = 0;
  std::int64_t through = kNever;
  Types types;
  std::int64_t limit = 0;
  std::int64_t max_bytes = 0;
  bool after_snapshot = false;
};

// A page of a listing in the contract's order, strictly after `after` (a position in that
// order: for cursors the CursorKey, for dead letters (head, consumer, lane), none last): the
// first `limit`, and of dead letters no more than fit `max_bytes` of payload, but
// at least one. Cursors are those of the present era, idle lanes included and floors not, and
// the log cursors of every era from deleted_era on.
struct HeadPage {
  std::optional<HeadRef> after;
  std::int64_t limit = 0;
  std::int64_t max_bytes = kNever;
};

// Finished work records, by finished_at, strictly before `before`: the first `limit`.
struct FinishedQuery {
  std::int64_t before = 0;
  std::int64_t limit = 0;
};

// What a retired consumer still has: see SessionFacts::of_consumer.
struct OfConsumerQuery {
  std::string consumer;
  std::int64_t limit = 0;
};

// What reclaim and delete_session may remove: the first `limit` events from first_index on
// with their event cursors, and, where these events are fewer than `limit`, the first `limit`
// rows of other kinds (SupersededFacts). Events below the clear index and rows of an era
// below the present one; with `whole_life`, if the row says `deleting`, events through
// deleted_index and rows of an era below deleted_era, else everything.
struct SupersededQuery {
  std::int64_t limit = 0;
  bool whole_life = false;
};

struct SessionQuery {
  std::string session;
  std::vector<CursorQuery> cursors;  // in the order of their keys, none twice
  // A record need not be looked up where `cursors` has its cursor, and that one is found with
  // this index as its head.
  std::vector<WorkKey> work;
  std::vector<std::string> ids;  // events by id, of whatever era
  // Nothing to load: events are to be appended whose ids are drawn when nothing else refuses
  // them. Who decides before `ids` are looked up would have some drawn for nothing.
  bool draws_ids = false;
  std::optional<Window> window;
  std::optional<DeadQuery> dead;
  std::vector<SnapshotQuery> snapshots;
  std::vector<PinRow> pins;  // which of these are stored (their era is the present one)
  std::optional<EventRange> events;
  std::optional<HeadPage> list_cursors;
  std::optional<HeadPage> list_dead;
  std::optional<FinishedQuery> finished;
  std::optional<OfConsumerQuery> of_consumer;
  std::optional<SupersededQuery> superseded;
};

// First keys: for each consumer the first `limit` with due == 0 by (since, session), the
// first `limit` with 0 < due <= now by (due, session), and the first with due > now.
struct ReadyQuery {
  ConsumerNames consumers;
  std::int64_t limit = 0;
};

// Picks the `sessions` sessions that have waited longest (order_ready in backend.h over
// the rows of a ReadyQuery), passing over those that another transaction holds, and loads
// each as if it had been named with these cursors and this window. A session that is also
// named keeps its facts and gets the window besides.
struct Pick {
  ConsumerNames consumers;
  std::int64_t sessions = 0;
  std::vector<CursorQuery> cursors;
  Window window;
};

struct PresenceQuery {
  std::string name_space;
  std::vector<std::pair<std::string, std::string>> fields;  // (participant, field)
  bool all = false;                 // all that are unexpired, by participant, then field
  std::int64_t max_bytes = kNever;  // no more of `all` than fit so many bytes of value, but one
  std::int64_t expired = 0;         // the first N that have expired (expires_at <= now)
};

struct SessionPage {
  std::optional<std::string> after;  // a name; listed sessions strictly after it
  std::int64_t limit = 0;
};

// Sessions whose row says `upkeep`, or, with `finished_before`, whose finished_since is
// above 0 and before it: the first `limit` of each; and expired presence, the first
// `limit`, whatever its namespace. Found by indexes, not by walking sessions.
struct UpkeepQuery {
  std::int64_t limit = 0;
  std::int64_t finished_before = 0;
};

struct Query {
  std::vector<SessionQuery> sessions;  // no session twice
  std::optional<Pick> pick;
  std::optional<ReadyQuery> ready;
  std::optional<PresenceQuery> presence;
  std::optional<SessionPage> list;
  std::optional<UpkeepQuery> upkeep;
};

}  // namespace pawl::driver
