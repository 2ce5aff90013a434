// The texts. Parameters are arrays, so that one statement serves any number of keys; each key is
// looked up by a LATERAL sub-select, which leaves the planner no other way than to seek by it.
//
// `pawl.now` and `pawl.picked` are settings of the transaction: what the statements of one
// pipeline tell one another. Rows that a locking statement finds beside those it locks may be
// older than the lock, so the clock and all rows are read by later ones.
#include "statements.h"

namespace pawl::postgres {
namespace {

#define CLOCK "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
#define NOW "current_setting('pawl.now')::bigint"  // kNow
// A time of a parameter (moments.h).
#define MOMENT(column) "CASE WHEN " column " < 0 THEN " NOW " - 1 - " column " ELSE " column " END"
#define PICKED "current_setting('pawl.picked')::text[]"

#define SESSION_COLUMNS                                                                     \
  "last_index, clear_index, era, first_index, deleted_index, deleted_era, finished_since, " \
  "upkeep, deleting"
#define STORED_SESSION "name, " SESSION_COLUMNS ", revision"
#define EVENT_COLUMNS(t)                                                                           \
  t "idx, " t "id, " t "type, " t "created_at, " t "era, " t "cause_consumer, " t "cause_lane, " t \
    "cause_index, " t "cause_attempt, " t "cause_batch_size, " t "target_consumers, " t            \
    "target_lanes, " t "payload"
#define CURSOR_COLUMNS(t)                                                                         \
  t "era, " t "consumer, " t "lane, " t "slot, " t "kind, " t "position, " t "head, " t "due, " t \
    "since, " t "attempt_count, " t "first_claimed_at, " t "last_claimed_at, " t                  \
    "claim_holder, " t "failure_count, " t "last_failed_at, " t "last_failed_attempt, " t         \
    "last_error, " t "failed_at, " t "last_released_attempt, " t "pins, " t "types, " t           \
    "completion_index, " t "completion_attempt, " t "completion_ids"
#define WORK_COLUMNS(t)                                                      \
  t "consumer, " t "lane, " t "idx, " t "available_at, " t "finished_at, " t \
    "completion_index, " t "completion_attempt, " t "completion_ids"
#define PRESENCE_COLUMNS "participant, field, tombstone, seen, at, expires_at, value"

// Look-ups by a key whose index has rivals: with such an ORDER BY only that index gives the order,
// so that the planner has no choice even where all indexes seem equal, as they do in tables that
// were empty when the plan was made.
#define EVENT_AT(columns, session_, idx_)                                                        \
  "(SELECT * FROM (SELECT " columns " FROM @event WHERE session = " session_ " AND idx >= " idx_ \
  " ORDER BY idx LIMIT 1) sought WHERE sought.idx = " idx_ ")"
#define READY_AT(columns, session_, consumer_)                                                   \
  "(SELECT * FROM (SELECT " columns " FROM @ready WHERE (session, consumer) >= (" session_       \
  ", " consumer_ ") ORDER BY session, consumer LIMIT 1) sought WHERE sought.session = " session_ \
  " AND sought.consumer = " consumer_ ")"
#define PRESENCE_AT(columns, ns_, participant_, field_)               \
  "(SELECT * FROM (SELECT " columns " FROM @presence WHERE ns = " ns_ \
  " AND participant = " participant_ " AND field >= " field_          \
  " ORDER BY field LIMIT 1) sought WHERE sought.field = " field_ ")"
#define READY_OF(columns, session_)                                                        \
  "(SELECT " columns " FROM @ready WHERE session >= " session_ " AND session <= " session_ \
  " ORDER BY session, consumer)"

// The session row `s` of a name.
#define SESSION_OF(name) \
  "CROSS JOIN LATERAL (SELECT * FROM @session WHERE name = " name " LIMIT 1) s "

// What follows cursor `c` (which may be missing) of request `k`, as `n`, and the floor as `f`.
// k.next: 0 not asked, 1 asked, 2 only if idle. k.log_lane: NULL if no log is given; k.log_types:
// NULL for all.
#define NEXT                                                                                    \
  "LEFT JOIN LATERAL (SELECT position AS floor FROM @cursor WHERE "                             \
  "(c.kind IS NULL OR c.era < s.deleted_era) AND "                                              \
  "k.next > 0 AND k.log_lane IS NOT NULL AND session = s.name AND era = s.era AND "             \
  "consumer = k.consumer AND slot = 0 AND lane = '' LIMIT 1) f ON true "                        \
  "CROSS JOIN LATERAL (SELECT "                                                                 \
  "CASE WHEN c.era = s.era AND c.head > 0 THEN c.head "                                         \
  "WHEN c.era = s.era THEN greatest(c.position, s.clear_index) "                                \
  "ELSE greatest(s.clear_index, coalesce(f.floor, 0)) END AS place, "                           \
  "k.log_lane IS NOT NULL AND (c.kind IS NULL OR c.lane = k.log_lane) AS given) p "             \
  "CROSS JOIN LATERAL (SELECT "                                                                 \
  "CASE WHEN p.given THEN k.log_types::text[] ELSE c.types END AS types) t "                    \
  "CROSS JOIN LATERAL (SELECT CASE "                                                            \
  "WHEN k.next = 0 OR k.slot > 0 OR c.kind = 2 THEN 'none' "                                    \
  "WHEN k.next = 2 AND c.era = s.era AND c.head > 0 THEN 'none' "                               \
  "WHEN c.kind = 1 THEN 'work' "                                                                \
  "WHEN c.kind IS NULL AND NOT p.given THEN 'none' "                                            \
  "WHEN t.types IS NULL THEN 'any' ELSE 'typed' END AS way) y "                                 \
  "LEFT JOIN LATERAL (SELECT x.idx, x.available_at FROM ("                                      \
  "(SELECT w.idx, w.available_at FROM @work w WHERE y.way = 'work' AND w.session = s.name AND " \
  "w.consumer = c.consumer AND w.kind = 1 AND w.lane = c.lane AND w.idx > p.place "             \
  "ORDER BY w.idx LIMIT 1) UNION ALL "                                                          \
  "(SELECT p.place + 1, 0 WHERE y.way = 'any' AND p.place < s.last_index) UNION ALL "           \
  "(SELECT min(e.idx), 0 FROM unnest(t.types) o(type) CROSS JOIN LATERAL "                      \
  "(SELECT idx FROM (SELECT type, idx FROM @event WHERE session = s.name AND (type, idx) > "    \
  "(o.type, p.place) ORDER BY type, idx LIMIT 1) sought WHERE sought.type = o.type) e "         \
  "WHERE y.way = 'typed')) x "                                                                  \
  "WHERE x.idx IS NOT NULL LIMIT 1) n ON true "

// The pins of cursor `c`'s head, each with its snapshot and the reducer's newest: one row each.
#define PINS(wanted)                                                                         \
  "LEFT JOIN LATERAL (SELECT i.reducer, i.snapshot, m.updated_at, m.pins, g.idx AS newest "  \
  "FROM @pin i "                                                                             \
  "LEFT JOIN LATERAL (SELECT updated_at, pins FROM @snapshot WHERE session = i.session AND " \
  "era = i.era AND reducer = i.reducer AND idx = i.snapshot LIMIT 1) m ON true "             \
  "LEFT JOIN LATERAL (SELECT idx FROM @snapshot WHERE session = i.session AND era = i.era "  \
  "AND reducer = i.reducer ORDER BY idx DESC LIMIT 1) g ON true "                            \
  "WHERE c.pins > 0 AND c.era = s.era AND " wanted                                           \
  " AND i.session = s.name AND "                                                             \
  "i.era = c.era AND i.consumer = c.consumer AND i.slot = c.slot AND i.lane = c.lane AND "   \
  "i.head = c.head OFFSET 0) i ON true "
#define PIN_COLUMNS "i.reducer, i.snapshot, i.updated_at, i.pins, i.newest"

// FoundCursors of the keys `k` of sessions `s`.
#define FOUND_CURSORS                                                                           \
  "LEFT JOIN LATERAL (SELECT * FROM (("                                                         \
  "SELECT * FROM @cursor WHERE session = s.name AND era = s.era AND consumer = k.consumer AND " \
  "slot = k.slot AND lane = k.lane LIMIT 1) UNION ALL "                                         \
  "(SELECT * FROM @cursor WHERE k.slot = 0 AND k.lane <> '' AND session = s.name AND "          \
  "consumer = k.consumer AND lane = k.lane AND kind = 0 LIMIT 1)) b "                           \
  "ORDER BY b.era DESC LIMIT 1) c ON true " NEXT PINS("k.pins")
#define CURSOR_KEYS                                                                     \
  "unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::bigint[], $6::text[], " \
  "$7::text[], $8::boolean[]) WITH ORDINALITY "                                         \
  "k(session, consumer, slot, lane, next, log_lane, log_types, pins, ord) "
#define FOUND_COLUMNS CURSOR_COLUMNS("c.") ", n.idx, n.available_at, f.floor, " PIN_COLUMNS

// The consumers of $number, or all that have a first key somewhere: found by leaping from one to
// the next.
#define READY_CONSUMERS(number)                                                   \
  "(SELECT unnest(" number                                                        \
  "::text[]) UNION ALL (WITH RECURSIVE leap(consumer) AS ("                       \
  "(SELECT consumer FROM @ready WHERE " number                                    \
  "::text[] IS NULL ORDER BY consumer LIMIT 1) "                                  \
  "UNION ALL SELECT (SELECT consumer FROM @ready WHERE consumer > leap.consumer " \
  "ORDER BY consumer LIMIT 1) FROM leap WHERE leap.consumer IS NOT NULL) "        \
  "SELECT consumer FROM leap WHERE consumer IS NOT NULL)) q(consumer) "

// The window's three ranges of (session, consumer): `w` bounds them. They give the places of rows,
// for a statement that carries a cursor's columns through many nodes takes long to begin.
#define WINDOW \
  "CROSS JOIN LATERAL (SELECT unnest(w.consumers::text[]) UNION ALL SELECT a.consumer "        \
  "FROM " READY_OF("consumer", "s.name") " a WHERE w.consumers IS NULL) q(consumer) "          \
  "CROSS JOIN LATERAL ("                                                                       \
  "(SELECT ctid FROM @cursor WHERE session = s.name AND era = s.era AND consumer = "           \
  "q.consumer AND due = 0 AND head <= w.through ORDER BY head FETCH FIRST (w.free) ROWS "      \
  "WITH TIES) "                                                                                \
  "UNION ALL (SELECT ctid FROM @cursor WHERE session = s.name AND era = s.era AND "            \
  "consumer = q.consumer AND due > 0 AND due <= " NOW " AND head <= w.through "                \
  "ORDER BY due LIMIT w.due) "                                                                 \
  "UNION ALL (SELECT ctid FROM @cursor WHERE session = s.name AND era = s.era AND "            \
  "consumer = q.consumer AND due > " NOW " AND head <= w.through "                             \
  "ORDER BY due LIMIT w.later)) v(place) "                                                     \
  "CROSS JOIN LATERAL (SELECT * FROM @cursor WHERE ctid = v.place) c "                         \
  PINS("w.pins AND c.claim_holder IS NOT NULL")

// The events that SupersededQuery names: $1 session, $2 whole life, $3 limit.
#define SUPERSEDED_EVENTS                                                                \
  "FROM @session s CROSS JOIN LATERAL (SELECT * FROM @event WHERE session = s.name AND " \
  "idx >= s.first_index AND idx <= CASE WHEN NOT $2::boolean THEN s.clear_index - 1 "    \
  "WHEN s.deleting THEN s.deleted_index ELSE s.last_index END "                          \
  "ORDER BY idx LIMIT $3::bigint) e WHERE s.name = $1::text"
#define SUPERSEDED_ERA                                         \
  "CASE WHEN NOT $2::boolean THEN s.era WHEN s.deleting THEN " \
  "s.deleted_era ELSE s.era + 1 END"

// Rows cut where their payloads have become longer than `most` in all; the first always stays.
#define WITHIN(most) "WHERE total <= " most "::bigint OR place = 1"
#define RUNNING(order, text)                          \
  "sum(octet_length(" text ")) OVER (ORDER BY " order \
  " ROWS UNBOUNDED PRECEDING) AS total, row_number() OVER (ORDER BY " order ") AS place"

// Where the range of events begins: $1 session, $2 after, $3 after_snapshot, $4 its reducer,
// $5 its through.
#define EVENTS_FROM                                                                           \
  "FROM @session s "                                                                          \
  "LEFT JOIN LATERAL (SELECT idx FROM @snapshot WHERE $3::boolean AND session = s.name AND "  \
  "era = s.era AND reducer = $4::text AND idx <= $5::bigint ORDER BY idx DESC LIMIT 1) m "    \
  "ON true "                                                                                  \
  "CROSS JOIN LATERAL (SELECT greatest($2::bigint + 1, "                                      \
  "CASE WHEN s.deleted_index = s.clear_index THEN s.clear_index + 1 ELSE s.clear_index END, " \
  "CASE WHEN $3::boolean THEN greatest(s.clear_index, coalesce(m.idx, 0)) + 1 ELSE 0 END) "   \
  "AS low) b "

// The rows of a parameter, whose times are to be taken by `time`.
#define CURSOR_ARRAYS                                                                        \
  "unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], "                  \
  "$6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], "   \
  "$12::bigint[], $13::bigint[], $14::text[], $15::bigint[], $16::bigint[], $17::bigint[], " \
  "$18::text[], $19::bigint[], $20::bigint[], $21::bigint[], $22::text[], $23::bigint[], "   \
  "$24::bigint[], $25::text[])"
#define CURSOR_VALUES \
  "SELECT session, era, consumer, lane, slot, kind, position, head, " MOMENT("due")             \
  " AS due, " MOMENT("since") " AS since, attempt_count, " MOMENT("first_claimed_at")             \
  " AS first_claimed_at, " MOMENT("last_claimed_at") " AS last_claimed_at, claim_holder, "      \
  "failure_count, " MOMENT("last_failed_at") " AS last_failed_at, last_failed_attempt, "        \
  "last_error, " MOMENT("failed_at") " AS failed_at, last_released_attempt, pins, "             \
  "types::text[] AS types, completion_index, completion_attempt, "                            \
  "completion_ids::text[] AS completion_ids "                                                 \
  "FROM " CURSOR_ARRAYS " "                                                                          \
  "u(session, era, consumer, lane, slot, kind, position, head, due, since, attempt_count, "   \
  "first_claimed_at, last_claimed_at, claim_holder, failure_count, last_failed_at, "          \
  "last_failed_attempt, last_error, failed_at, last_released_attempt, pins, types, "          \
  "completion_index, completion_attempt, completion_ids) "
#define SET(column, row) #column " = " #row "." #column
#define CURSOR_STATE(row) \
  SET(kind, row) ", " SET(position, row) ", " SET(head, row) ", " SET(due, row) ", "            \
  SET(since, row) ", " SET(attempt_count, row) ", " SET(first_claimed_at, row) ", "             \
  SET(last_claimed_at, row) ", " SET(claim_holder, row) ", " SET(failure_count, row) ", "       \
  SET(last_failed_at, row) ", " SET(last_failed_attempt, row) ", " SET(last_error, row) ", "    \
  SET(failed_at, row) ", " SET(last_released_attempt, row) ", " SET(pins, row) ", "             \
  SET(types, row) ", " SET(completion_index, row) ", " SET(completion_attempt, row) ", "        \
  SET(completion_ids, row)
#define SESSION_VALUES \
  "INSERT INTO @session (name, " SESSION_COLUMNS                                              \
  ", listed, revision) "                                                                      \
  "SELECT name, last_index, clear_index, era, first_index, deleted_index, deleted_era, "      \
  MOMENT("finished_since") ", upkeep, deleting, listed, $12::bigint FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], " \
  "$6::bigint[], $7::bigint[], $8::bigint[], $9::boolean[], $10::boolean[], $11::boolean[]) "   \
  "u(name, " SESSION_COLUMNS ", listed)"

// The first keys of the cursors of consumers $2 in sessions $1, whose eras are $3.
#define FIRST_KEYS(join, on)                                                                   \
  "SELECT k.session, k.consumer, c.due, CASE WHEN c.due = 0 THEN c.since ELSE 0 END AS since " \
  "FROM unnest($1::text[], $2::text[], $3::bigint[]) k(session, consumer, era) " join          \
  " JOIN LATERAL (SELECT due, since FROM @cursor WHERE session = k.session AND era = k.era "   \
  "AND consumer = k.consumer AND due >= 0 ORDER BY due, head, slot, lane LIMIT 1) c " on
#define MOVE_READY                                                              \
  " ON CONFLICT (session, consumer) DO UPDATE SET due = excluded.due, since = " \
  "excluded.since WHERE r.due <> excluded.due OR r.since <> excluded.since"

// Deletes by the places of the rows that a look-up found.
#define DELETE_FROM(table, keys, condition)                                        \
  "DELETE FROM @" table " WHERE ctid = ANY (ARRAY(SELECT d.ctid FROM unnest(" keys \
  " CROSS JOIN LATERAL (SELECT ctid FROM @" table " WHERE " condition " LIMIT 1) d))"

// $1 how long a lock is waited for, $2 the longest that a statement may take, $3 whether commits
// are relaxed. With tables that were empty when the plan was made a scan seems cheap, and the plan
// stays. A machine that is lost amid a transaction holds locks until its silence is noticed; on a
// local socket nothing is to be noticed, and nothing set.
#define SETTINGS(local) \
  SETTING("search_path", "'pg_catalog'", local) ", "                                              \
  SETTING("plan_cache_mode", "'force_generic_plan'", local) ", "                                  \
  SETTING("enable_seqscan", "'off'", local) ", " SETTING("enable_bitmapscan", "'off'", local) ", "\
  SETTING("enable_sort", "'off'", local) ", " SETTING("enable_incremental_sort", "'off'", local)  \
  ", " SETTING("enable_hashagg", "'off'", local) ", "                                             \
  SETTING("enable_hashjoin", "'off'", local) ", " SETTING("enable_mergejoin", "'off'", local)     \
  ", " SETTING("join_collapse_limit", "'1'", local) ", "                                          \
  SETTING("from_collapse_limit", "'1'", local) ", " SETTING("jit", "'off'", local) ", "           \
  SETTING("max_parallel_workers_per_gather", "'0'", local) ", "                                   \
  SETTING("lock_timeout", "$1::pg_catalog.text", local) ", "                                      \
  SETTING("statement_timeout", "$2::pg_catalog.text", local) ", "                                 \
  SETTING("idle_in_transaction_session_timeout", "$2::pg_catalog.text", local) ", "               \
  SETTING("tcp_keepalives_idle", "'30'", local) ", "                                              \
  SETTING("tcp_keepalives_interval", "'10'", local) ", "                                          \
  SETTING("tcp_keepalives_count", "'3'", local) ", "                                              \
  SETTING("synchronous_commit",                                                                   \
          "CASE WHEN $3::pg_catalog.bool THEN 'off' WHEN "                                        \
          "pg_catalog.current_setting('synchronous_commit') OPERATOR(pg_catalog.=) 'off' THEN "   \
          "'on' ELSE pg_catalog.current_setting('synchronous_commit') END", local)
#define SETTING(name, value, local) "pg_catalog.set_config('" name "', " value ", " local ")"

#define SQL(id, text) \
  StatementText { Sql::id, #id, text }

// clang-format off
constexpr std::array<StatementText, kStatementCount> kTexts{{
    SQL(kBegin, "BEGIN"),
    SQL(kBeginRead, "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"),
    SQL(kBeginWrite, "BEGIN ISOLATION LEVEL READ COMMITTED, READ WRITE"),
    SQL(kSettings, "SELECT " SETTINGS("true")),
    // For good, where the connection is one with the server itself: a pooler, which may give the
    // next transaction to another session, does not tell the server's process id.
    SQL(kAdoptSession,
        "SELECT " SETTINGS("false") ", pg_catalog.set_config('default_transaction_isolation', "
        "'read committed', false), pg_catalog.set_config('default_transaction_read_only', 'off', "
        "false) WHERE pg_catalog.pg_backend_pid() OPERATOR(pg_catalog.=) $4::pg_catalog.int8"),
    SQL(kClock,
        "SELECT set_config('pawl.now', coalesce($1::bigint, " CLOCK ")::text, true)::bigint"),
    SQL(kCommit, "COMMIT"),
    SQL(kRollback, "ROLLBACK"),
    SQL(kFindSessions,
        "SELECT " STORED_SESSION " FROM unnest($1::text[]) k(session) CROSS JOIN LATERAL "
        "(SELECT * FROM @session WHERE name = k.session LIMIT 1) s"),
    SQL(kLockSessions,
        "SELECT " STORED_SESSION " FROM @session WHERE name = ANY ($1::text[]) ORDER BY "
        "name FOR NO KEY UPDATE"),
    // The clock is read when all are locked.
    SQL(kLockSessionsAndClock,
        "WITH l AS MATERIALIZED (SELECT " STORED_SESSION " FROM @session WHERE name = ANY "
        "($1::text[]) ORDER BY name FOR NO KEY UPDATE) SELECT n.now, l.* FROM (SELECT "
        "set_config('pawl.now', " CLOCK "::text, true)::bigint AS now FROM (SELECT count(*) FROM l "
        "OFFSET 0) c OFFSET 0) n LEFT JOIN l ON true"),
    // $1 consumers, $2 how many sessions, $3 how many first keys are looked at to find them.
    SQL(kPick,
        "SELECT set_config('pawl.picked', coalesce((SELECT array_agg(l.name)::text FROM (SELECT "
        "s.name FROM (SELECT r.session FROM " READY_CONSUMERS("$1") "CROSS JOIN LATERAL ((SELECT "
        "session, since AS ready_at FROM @ready WHERE consumer = q.consumer AND due = 0 ORDER BY "
        "since, session LIMIT $3::bigint) UNION ALL (SELECT session, due FROM @ready WHERE "
        "consumer = q.consumer AND due > 0 AND due <= " NOW " ORDER BY due, session LIMIT "
        "$3::bigint)) r GROUP BY r.session ORDER BY min(r.ready_at), r.session LIMIT $3::bigint) "
        "c CROSS JOIN LATERAL (SELECT name FROM @session WHERE name = c.session FOR NO KEY UPDATE "
        "SKIP LOCKED) s LIMIT $2::bigint) l), '{}'), true)"),
    SQL(kPickedSessions,
        "SELECT " STORED_SESSION " FROM unnest(" PICKED ") k(session) CROSS JOIN LATERAL "
        "(SELECT * FROM @session WHERE name = k.session LIMIT 1) s"),
    SQL(kListSessions,
        "SELECT name, " SESSION_COLUMNS " FROM @session WHERE listed AND (listed, name) > (true, "
        "$1::text) ORDER BY listed, name LIMIT $2::bigint"),
    SQL(kUpkeepSessions,
        "SELECT name, " SESSION_COLUMNS " FROM @session WHERE upkeep ORDER BY upkeep, name LIMIT "
        "$1::bigint"),
    SQL(kFinishedSessions,
        "SELECT name FROM @session WHERE finished_since > 0 AND finished_since < $1::bigint ORDER "
        "BY finished_since, name LIMIT $2::bigint"),
    SQL(kCursors,
        "SELECT k.ord, " FOUND_COLUMNS " FROM " CURSOR_KEYS SESSION_OF("k.session") FOUND_CURSORS),
    SQL(kPickedCursors,
        "SELECT s.name, k.ord, " FOUND_COLUMNS " FROM unnest(" PICKED ") x(session) "
        SESSION_OF("x.session") "CROSS JOIN " CURSOR_KEYS FOUND_CURSORS),
    SQL(kWindows,
        "SELECT s.name, " CURSOR_COLUMNS("c.") ", " PIN_COLUMNS " FROM unnest($1::text[], "
        "$2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::boolean[]) "
        "w(session, consumers, through, free, due, later, pins) " SESSION_OF("w.session") WINDOW),
    SQL(kPickedWindows,
        "SELECT s.name, " CURSOR_COLUMNS("c.") ", " PIN_COLUMNS " FROM unnest(" PICKED
        ") x(session) " SESSION_OF("x.session") "CROSS JOIN (SELECT $1::text[] AS consumers, "
        "$2::bigint AS through, $3::bigint AS free, $4::bigint AS due, $5::bigint AS later, "
        "$6::boolean AS pins) w " WINDOW),
    SQL(kWork,
        "SELECT k.ord, " WORK_COLUMNS("w.") " FROM unnest($1::text[], $2::text[], $3::bigint[], "
        "$4::text[], $5::bigint[]) WITH ORDINALITY k(session, consumer, kind, lane, idx, ord) "
        "CROSS JOIN LATERAL (SELECT * FROM @work WHERE session = k.session AND consumer = "
        "k.consumer AND kind = k.kind AND lane = k.lane AND idx = k.idx LIMIT 1) w"),
    SQL(kIds,
        "SELECT k.ord, " EVENT_COLUMNS("e.") " FROM unnest($1::text[], $2::text[]) WITH "
        "ORDINALITY k(session, id, ord) CROSS JOIN LATERAL (SELECT * FROM (SELECT * FROM @event "
        "WHERE session = k.session AND id >= k.id ORDER BY id LIMIT 1) sought WHERE sought.id = "
        "k.id) e"),
    SQL(kDead,
        "SELECT k.session, " CURSOR_COLUMNS("c.") ", n.idx, n.available_at, f.floor FROM "
        "unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[]) "
        "d(session, consumer, head, lane, log_lane, log_types) " SESSION_OF("d.session")
        "CROSS JOIN LATERAL (SELECT * FROM @cursor WHERE session = s.name AND era = s.era AND "
        "(head, consumer) >= (d.head, d.consumer) AND (head, consumer) <= (d.head, d.consumer) "
        "AND failed_at IS NOT NULL AND (d.lane IS NULL OR slot = 0 AND lane = d.lane) ORDER BY "
        "head, consumer, slot, lane LIMIT 1) c CROSS JOIN LATERAL (SELECT "
        "d.session, d.consumer, 1 AS next, c.slot, d.log_lane, d.log_types) k " NEXT),
    // k.low: the index itself for a look-up by index, else 0.
    SQL(kSnapshots,
        "SELECT k.ord, m.reducer, m.idx, m.era, m.updated_at, m.pins, CASE WHEN k.state THEN "
        "m.state END FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], "
        "$5::boolean[]) WITH ORDINALITY k(session, reducer, low, high, state, ord) "
        SESSION_OF("k.session") "CROSS JOIN LATERAL (SELECT * FROM @snapshot WHERE session = "
        "s.name AND era = s.era AND reducer = k.reducer AND idx >= k.low AND idx <= k.high ORDER "
        "BY idx DESC LIMIT 1) m"),
    SQL(kHasPins,
        "SELECT k.ord FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::bigint[], "
        "$6::text[], $7::bigint[]) WITH ORDINALITY k(session, consumer, slot, lane, head, "
        "reducer, snapshot, ord) " SESSION_OF("k.session") "CROSS JOIN LATERAL (SELECT 1 FROM "
        "@pin WHERE session = s.name AND era = s.era AND consumer = k.consumer AND slot = k.slot "
        "AND lane = k.lane AND head = k.head AND reducer = k.reducer AND snapshot = k.snapshot "
        "LIMIT 1) i"),
    SQL(kEvents,
        "SELECT " EVENT_COLUMNS("") " FROM (SELECT e.*, " RUNNING("e.idx", "e.payload") " "
        EVENTS_FROM "CROSS JOIN LATERAL (SELECT * FROM @event WHERE session = s.name AND idx >= "
        "b.low AND idx <= $6::bigint ORDER BY idx LIMIT $7::bigint) e WHERE s.name = $1::text) z "
        WITHIN("$8") " ORDER BY idx"),
    SQL(kEventsOfTypes,
        "SELECT " EVENT_COLUMNS("") " FROM (SELECT e.*, " RUNNING("e.idx", "e.payload") " "
        EVENTS_FROM "CROSS JOIN LATERAL (SELECT v.idx FROM unnest($9::text[]) o(type) CROSS JOIN "
        "LATERAL (SELECT idx FROM @event WHERE session = s.name AND (type, idx) >= (o.type, b.low) "
        "AND (type, idx) <= (o.type, $6::bigint) ORDER BY type, idx LIMIT $7::bigint) v ORDER BY "
        "v.idx LIMIT $7::bigint) x CROSS JOIN LATERAL " EVENT_AT("*", "s.name", "x.idx")
        " e WHERE s.name = $1::text) z " WITHIN("$8") " ORDER BY idx"),
    // $2, $3, $4: the place after which the page begins.
    SQL(kListCursors,
        "SELECT " CURSOR_COLUMNS("c.") " FROM @session s CROSS JOIN LATERAL (SELECT * FROM "
        "((SELECT * FROM @cursor WHERE session = s.name AND era = s.era AND (consumer, slot, "
        "lane) > ($2::text, $3::bigint, $4::text) AND (slot > 0 OR lane <> '') ORDER BY consumer, "
        "slot, lane LIMIT $5::bigint) UNION ALL (SELECT * FROM @cursor WHERE session = s.name AND "
        "kind = 0 AND consumer >= $2::text AND (consumer, slot, lane) > ($2::text, $3::bigint, "
        "$4::text) AND era <> s.era AND era >= s.deleted_era ORDER BY consumer, lane LIMIT "
        "$5::bigint)) b ORDER BY b.consumer, b.slot, b.lane LIMIT $5::bigint) c WHERE s.name = "
        "$1::text ORDER BY c.consumer, c.slot, c.lane"),
    SQL(kListDead,
        "SELECT " CURSOR_COLUMNS("z.") ", " EVENT_COLUMNS("e.") " FROM (SELECT c.*, "
        "sum(octet_length(e.payload)) OVER o AS total, row_number() OVER o AS place FROM @session "
        "s CROSS JOIN LATERAL (SELECT * FROM @cursor WHERE session = s.name AND era = s.era AND "
        "failed_at IS NOT NULL AND (head, consumer, slot, lane) > ($2::bigint, $3::text, "
        "$4::bigint, $5::text) ORDER BY head, consumer, slot, lane LIMIT $6::bigint) c CROSS JOIN "
        "LATERAL " EVENT_AT("idx, payload", "s.name", "c.head") " e WHERE s.name = $1::text "
        "WINDOW o AS (ORDER BY c.head, c.consumer, c.slot, c.lane ROWS UNBOUNDED PRECEDING)) z "
        "CROSS JOIN LATERAL " EVENT_AT("*", "$1::text", "z.head") " e " WITHIN("$7")
        " ORDER BY z.place"),
    SQL(kFinishedWork,
        "SELECT " WORK_COLUMNS("") " FROM @work WHERE session = $1::text AND finished_at IS NOT "
        "NULL ORDER BY finished_at LIMIT $2::bigint"),
    SQL(kFinishedLanes,
        "SELECT " CURSOR_COLUMNS("c.") ", l.consumer, l.lane, ARRAY(SELECT idx FROM @work WHERE "
        "session = s.name AND consumer = l.consumer AND kind = 1 AND lane = l.lane AND idx > "
        "s.clear_index ORDER BY idx LIMIT l.finished + 1) FROM (SELECT consumer, lane, count(*) "
        "AS finished FROM (SELECT consumer, lane, kind FROM @work WHERE session = $1::text AND "
        "finished_at IS NOT NULL AND finished_at < $3::bigint ORDER BY finished_at LIMIT "
        "$2::bigint) w WHERE kind = 1 GROUP BY consumer, lane) l " SESSION_OF("$1::text")
        "LEFT JOIN LATERAL (SELECT * FROM @cursor WHERE session = s.name AND era = s.era AND "
        "consumer = l.consumer AND slot = 0 AND lane = l.lane LIMIT 1) c ON true"),
    SQL(kLogsOfConsumer,
        "SELECT " CURSOR_COLUMNS("c.") ", " PIN_COLUMNS " FROM @session s CROSS JOIN LATERAL "
        "(SELECT * FROM @cursor WHERE session = s.name AND consumer = $2::text AND kind = 0 ORDER "
        "BY lane) c " PINS("true") "WHERE s.name = $1::text"),
    SQL(kCursorsOfConsumer,
        "SELECT " CURSOR_COLUMNS("c.") ", " PIN_COLUMNS " FROM @session s CROSS JOIN LATERAL "
        "(SELECT * FROM @cursor WHERE session = s.name AND era = s.era AND consumer = $2::text "
        "AND kind <> 0 AND (slot > 0 OR lane <> '') ORDER BY slot, lane LIMIT $3::bigint) c "
        PINS("true") "WHERE s.name = $1::text ORDER BY c.slot, c.lane"),
    SQL(kWorkOfConsumer,
        "SELECT " WORK_COLUMNS("") " FROM @work WHERE session = $1::text AND consumer = $2::text "
        "ORDER BY kind, lane, idx LIMIT $3::bigint"),
    SQL(kSupersededEvents,
        "SELECT e.idx, e.id, e.type, e.created_at, e.era, e.target_consumers, e.target_lanes "
        SUPERSEDED_EVENTS " ORDER BY e.idx"),
    SQL(kSupersededEventCursors,
        "SELECT " CURSOR_COLUMNS("c.") " FROM (SELECT e.session, e.idx, e.era, "
        "e.target_consumers, e.target_lanes " SUPERSEDED_EVENTS ") v CROSS JOIN LATERAL "
        "unnest(v.target_consumers, v.target_lanes) o(consumer, lane) CROSS JOIN LATERAL (SELECT "
        "* FROM @cursor WHERE o.lane IS NULL AND session = v.session AND era = v.era AND consumer "
        "= o.consumer AND slot = v.idx AND lane = '' LIMIT 1) c"),
    // Event cursors of the events above have been listed with them.
    SQL(kSupersededCursors,
        "SELECT " CURSOR_COLUMNS("c.") " FROM @session s CROSS JOIN LATERAL (SELECT "
        "coalesce(max(idx), 0) AS idx FROM (SELECT e.idx " SUPERSEDED_EVENTS ") e) v CROSS JOIN "
        "LATERAL (SELECT * FROM @cursor WHERE session = s.name AND era < " SUPERSEDED_ERA
        " AND NOT slot BETWEEN s.first_index AND v.idx ORDER BY era, consumer, slot, lane LIMIT "
        "$3::bigint) c WHERE s.name = $1::text"),
    SQL(kSupersededSnapshots,
        "SELECT m.reducer, m.idx, m.era, m.updated_at, m.pins FROM @session s CROSS JOIN LATERAL "
        "(SELECT * FROM @snapshot WHERE session = s.name AND era < " SUPERSEDED_ERA
        " ORDER BY era, reducer, idx LIMIT $3::bigint) m WHERE s.name = $1::text"),
    SQL(kSupersededPins,
        "SELECT i.era, i.consumer, i.lane, i.slot, i.head, i.reducer, i.snapshot FROM @session s "
        "CROSS JOIN LATERAL (SELECT * FROM @pin WHERE session = s.name AND era < " SUPERSEDED_ERA
        " ORDER BY era, consumer, slot, lane, head LIMIT $3::bigint) i WHERE s.name = $1::text"),
    SQL(kReady,
        "SELECT r.session, q.consumer, r.due, r.since FROM " READY_CONSUMERS("$1")
        "CROSS JOIN LATERAL ((SELECT session, due, since FROM @ready WHERE consumer = q.consumer "
        "AND due = 0 ORDER BY since, session LIMIT $2::bigint) UNION ALL (SELECT session, due, "
        "since FROM @ready WHERE consumer = q.consumer AND due > 0 AND due <= " NOW
        " ORDER BY due, session LIMIT $2::bigint) UNION ALL (SELECT session, due, since FROM "
        "@ready WHERE consumer = q.consumer AND due > " NOW " ORDER BY due LIMIT 1)) r"),
    SQL(kLockPresence, "SELECT pg_advisory_xact_lock(hashtextextended($1::text, 1885435756))"),
    SQL(kPresenceFields,
        "SELECT k.ord, " PRESENCE_COLUMNS " FROM unnest($2::text[], $3::text[]) WITH ORDINALITY "
        "k(wanted, wanted_field, ord) CROSS JOIN LATERAL "
        PRESENCE_AT("*", "$1::text", "k.wanted", "k.wanted_field") " r"),
    SQL(kPresenceAll,
        "SELECT " PRESENCE_COLUMNS " FROM (SELECT r.*, sum(octet_length(r.value)) OVER o AS "
        "total, row_number() OVER o AS place FROM @presence r WHERE r.ns = $1::text AND "
        "r.participant > '' AND r.expires_at > " NOW " WINDOW o AS (ORDER BY r.participant, "
        "r.field ROWS UNBOUNDED PRECEDING)) z " WITHIN("$2") " ORDER BY participant, field"),
    SQL(kPresenceExpired,
        "SELECT " PRESENCE_COLUMNS " FROM @presence WHERE ns >= $1::text AND ns <= $1::text AND "
        "(ns, expires_at) <= ($1::text, " NOW ") ORDER BY ns, expires_at LIMIT $2::bigint"),
    SQL(kPresenceOldest,
        "SELECT " PRESENCE_COLUMNS ", ns FROM @presence WHERE expires_at <= " NOW
        " ORDER BY expires_at LIMIT $1::bigint"),
    // What a decision from memory was made on, in a composed statement (composed.h): the session
    // as it was written last. The clock is read after the lock. $5: the time, if it is not the
    // server's.
    SQL(kGuardSession,
        "UPDATE @session SET last_index = $3::bigint, revision = $4::bigint WHERE name = $1::text "
        "AND revision = $2::bigint RETURNING coalesce($5::bigint, " CLOCK ") AS now"),
    SQL(kInsertSessions, SESSION_VALUES),
    SQL(kUpdateSessions,
        SESSION_VALUES " ON CONFLICT (name) DO UPDATE SET last_index = excluded.last_index, "
        "clear_index = excluded.clear_index, era = excluded.era, first_index = "
        "excluded.first_index, deleted_index = excluded.deleted_index, deleted_era = "
        "excluded.deleted_era, finished_since = excluded.finished_since, upkeep = "
        "excluded.upkeep, deleting = excluded.deleting, listed = excluded.listed, revision = "
        "excluded.revision"),
    // Where nothing else of their rows changes.
    SQL(kReviseSessions,
        "UPDATE @session SET revision = $2::bigint WHERE name = ANY ($1::text[])"),
    SQL(kDeleteReadyOfSessions,
        "DELETE FROM @ready WHERE ctid = ANY (ARRAY(SELECT r.ctid FROM unnest($1::text[]) "
        "k(session) CROSS JOIN LATERAL " READY_OF("ctid", "k.session") " r))"),
    SQL(kDeleteEvents,
        "DELETE FROM @event WHERE ctid = ANY (ARRAY(SELECT d.place FROM unnest($1::text[], "
        "$2::bigint[]) k(session, idx) CROSS JOIN LATERAL "
        EVENT_AT("ctid AS place, idx", "k.session", "k.idx") " d))"),
    SQL(kDeleteCursors,
        DELETE_FROM(
            "cursor",
            "$1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::text[]) k(session, era, "
            "consumer, slot, lane)",
            "session = k.session AND era = k.era AND consumer = k.consumer AND slot = k.slot "
            "AND lane = k.lane")),
    SQL(kDeleteWork,
        DELETE_FROM(
            "work",
            "$1::text[], $2::text[], $3::bigint[], $4::text[], $5::bigint[]) k(session, "
            "consumer, kind, lane, idx)",
            "session = k.session AND consumer = k.consumer AND kind = k.kind AND lane = "
            "k.lane AND idx = k.idx")),
    SQL(kDeleteSnapshots,
        DELETE_FROM(
            "snapshot",
            "$1::text[], $2::bigint[], $3::text[], $4::bigint[]) k(session, era, reducer, "
            "idx)",
            "session = k.session AND era = k.era AND reducer = k.reducer AND idx = k.idx")),
    SQL(kDeletePins,
        DELETE_FROM(
            "pin",
            "$1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::bigint[], "
            "$7::text[], $8::bigint[]) k(session, era, consumer, slot, lane, head, reducer, "
            "snapshot)",
            "session = k.session AND era = k.era AND consumer = k.consumer AND slot = k.slot "
            "AND lane = k.lane AND head = k.head AND reducer = k.reducer AND snapshot = "
            "k.snapshot")),
    SQL(kInsertEvents,
        "INSERT INTO @event (session, " EVENT_COLUMNS("") ") SELECT session, idx, id, type, "
        MOMENT("created_at") ", era, cause_consumer, cause_lane, cause_index, cause_attempt, "
        "cause_batch_size, target_consumers::text[], target_lanes::text[], payload FROM "
        "unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], "
        "$7::text[], $8::text[], $9::bigint[], $10::bigint[], $11::bigint[], $12::text[], "
        "$13::text[], $14::text[]) u(session, idx, id, type, created_at, era, cause_consumer, "
        "cause_lane, cause_index, cause_attempt, cause_batch_size, target_consumers, "
        "target_lanes, payload)"),
    // Of events that this write appends.
    SQL(kInsertEventCursors,
        "INSERT INTO @cursor (session, era, slot, position, head, due, since, attempt_count, "
        "first_claimed_at, last_claimed_at, failure_count, last_failed_at, last_failed_attempt, "
        "last_released_attempt, pins, kind, consumer, lane) SELECT session, era, slot, slot - 1, "
        "slot, " MOMENT("due") ", " MOMENT("since") ", 0, 0, 0, 0, 0, 0, 0, 0, 2, consumer, '' "
        "FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], "
        "$6::bigint[]) u(session, era, consumer, slot, due, since)"),
    SQL(kPutLogs,
        "INSERT INTO @cursor (session, " CURSOR_COLUMNS("") ") " CURSOR_VALUES
        "ON CONFLICT (session, consumer, lane) WHERE kind = 0 DO UPDATE SET era = excluded.era, "
        CURSOR_STATE(excluded)),
    SQL(kPutCursors,
        "INSERT INTO @cursor (session, " CURSOR_COLUMNS("") ") " CURSOR_VALUES
        "ON CONFLICT (session, era, consumer, slot, lane) DO UPDATE SET " CURSOR_STATE(excluded)),
    // Of cursors that are stored.
    SQL(kChangeCursors,
        "UPDATE @cursor c SET " CURSOR_STATE(d) " FROM (SELECT k.*, o.ctid AS place FROM ("
        CURSOR_VALUES ") k CROSS JOIN LATERAL (SELECT ctid FROM @cursor WHERE session = k.session "
        "AND era = k.era AND consumer = k.consumer AND slot = k.slot AND lane = k.lane LIMIT 1) o "
        "OFFSET 0) d WHERE c.ctid = d.place"),
    SQL(kPutWork,
        "INSERT INTO @work (session, kind, " WORK_COLUMNS("") ") SELECT session, kind, consumer, "
        "lane, idx, " MOMENT("available_at") ", " MOMENT("finished_at") ", completion_index, "
        "completion_attempt, completion_ids::text[] FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], "
        "$5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::text[]) "
        "u(session, kind, consumer, lane, idx, available_at, finished_at, completion_index, "
        "completion_attempt, completion_ids) ON CONFLICT (session, consumer, kind, lane, idx) DO "
        "UPDATE SET available_at = excluded.available_at, finished_at = excluded.finished_at, "
        "completion_index = excluded.completion_index, completion_attempt = "
        "excluded.completion_attempt, completion_ids = excluded.completion_ids"),
    SQL(kPutSnapshots,
        "INSERT INTO @snapshot (session, era, reducer, idx, updated_at, pins, state) SELECT * "
        "FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], "
        "$6::bigint[], $7::text[]) u ON CONFLICT (session, era, reducer, idx) DO UPDATE SET "
        "updated_at = excluded.updated_at, pins = excluded.pins, state = excluded.state"),
    SQL(kKeepStates,
        "UPDATE @snapshot m SET updated_at = d.updated_at, pins = d.pins FROM (SELECT k.*, o.ctid "
        "AS place FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], "
        "$6::bigint[]) k(session, era, reducer, idx, updated_at, pins) CROSS JOIN LATERAL (SELECT "
        "ctid FROM @snapshot WHERE session = k.session AND era = k.era AND reducer = k.reducer "
        "AND idx = k.idx LIMIT 1) o OFFSET 0) d WHERE m.ctid = d.place"),
    SQL(kPutPins,
        "INSERT INTO @pin (session, era, consumer, slot, lane, head, reducer, snapshot) SELECT * "
        "FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bigint[], $5::text[], "
        "$6::bigint[], $7::text[], $8::bigint[]) u ON CONFLICT DO NOTHING"),
    // For heads that are due, and behind all others.
    SQL(kOfferReady,
        "INSERT INTO @ready AS r (session, consumer, due, since) SELECT session, consumer, 0, "
        MOMENT("since") " FROM unnest($1::text[], $2::text[], $3::bigint[]) u(session, consumer, "
        "since) ON CONFLICT (session, consumer) DO UPDATE SET due = excluded.due, since = "
        "excluded.since WHERE r.due > 0"),
    // From the cursors as they are then. The first is for consumers that have a first key.
    SQL(kKeepReady, "INSERT INTO @ready AS r (session, consumer, due, since) " FIRST_KEYS("CROSS", "")
        MOVE_READY),
    SQL(kPutReady,
        "WITH f AS MATERIALIZED (" FIRST_KEYS("LEFT", "ON true") "), gone AS (DELETE FROM @ready WHERE ctid "
        "= ANY (ARRAY(SELECT r.place FROM f CROSS JOIN LATERAL "
        READY_AT("ctid AS place, session, consumer", "f.session", "f.consumer")
        " r WHERE f.due IS NULL))) INSERT INTO @ready AS r (session, consumer, due, since) SELECT "
        "session, consumer, due, since FROM f WHERE due IS NOT NULL" MOVE_READY),
    // First keys that are known. `moved`: another time when it is due, that the clock moves.
    SQL(kSetReady,
        "INSERT INTO @ready AS r (session, consumer, due, since) SELECT session, consumer, "
        "least(due, " MOMENT("moved") "), " MOMENT("since") " FROM unnest($1::text[], $2::text[], "
        "$3::bigint[], $4::bigint[], $5::bigint[]) u(session, consumer, due, moved, since) ON "
        "CONFLICT (session, consumer) DO UPDATE SET due = excluded.due, since = excluded.since"),
    SQL(kDropReady,
        "DELETE FROM @ready WHERE ctid = ANY (ARRAY(SELECT r.place FROM unnest($1::text[], "
        "$2::text[]) k(session, consumer) CROSS JOIN LATERAL "
        READY_AT("ctid AS place, session, consumer", "k.session", "k.consumer") " r))"),
    SQL(kDeletePresence,
        "DELETE FROM @presence WHERE ctid = ANY (ARRAY(SELECT d.place FROM unnest($1::text[], "
        "$2::text[], $3::text[]) k(of, who, what) CROSS JOIN LATERAL "
        PRESENCE_AT("ctid AS place, field", "k.of", "k.who", "k.what") " d))"),
    SQL(kPutPresence,
        "INSERT INTO @presence (ns, " PRESENCE_COLUMNS ") SELECT * FROM unnest($1::text[], "
        "$2::text[], $3::text[], $4::boolean[], $5::bigint[], $6::bigint[], $7::bigint[], "
        "$8::text[]) u ON CONFLICT (ns, participant, field) DO UPDATE SET tombstone = "
        "excluded.tombstone, seen = excluded.seen, at = excluded.at, expires_at = "
        "excluded.expires_at, value = excluded.value"),
    // Too long an answer, or a missing event, divides by zero, so that the COMMIT behind it does
    // nothing.
    SQL(kReadBack,
        "SELECT k.ord, " EVENT_COLUMNS("e.") ", CASE WHEN sum(octet_length(e.payload)) OVER () > "
        "$3::bigint OR bool_or(e.idx IS NULL) OVER () THEN 1 / (k.idx - k.idx) END FROM "
        "unnest($1::text[], $2::bigint[]) WITH ORDINALITY k(session, idx, ord) LEFT JOIN LATERAL "
        EVENT_AT("*", "k.session", "k.idx") " e ON true"),
    SQL(kReadBackOne,
        "SELECT " EVENT_COLUMNS("e.") ", CASE WHEN e.idx IS NULL THEN 1 / (k.idx - k.idx) END "
        "FROM (VALUES ($1::text, $2::bigint)) k(session, idx) LEFT JOIN LATERAL "
        EVENT_AT("*", "k.session", "k.idx") " e ON true"),
    SQL(kPayloadSizes,
        "SELECT k.ord, octet_length(e.payload) FROM unnest($1::text[], $2::bigint[]) WITH "
        "ORDINALITY k(session, idx, ord) CROSS JOIN LATERAL "
        EVENT_AT("idx, payload", "k.session", "k.idx") " e"),
    // k.consumer NULL: any consumer.
    SQL(kPending,
        "SELECT DISTINCT k.ord FROM unnest($1::bigint[], $2::text[], $3::text[]) k(ord, session, "
        "consumer) CROSS JOIN LATERAL (SELECT * FROM (SELECT session, consumer FROM @ready WHERE "
        "(session, consumer) >= (k.session, coalesce(k.consumer, '')) ORDER BY session, consumer "
        "LIMIT 1) sought WHERE sought.session = k.session AND (k.consumer IS NULL OR "
        "sought.consumer = k.consumer)) r"),
    SQL(kNextDue,
        "SELECT min(r.due) FROM " READY_CONSUMERS("$1") "CROSS JOIN LATERAL (SELECT due FROM "
        "@ready WHERE consumer = q.consumer ORDER BY due LIMIT 1) r"),
}};
// clang-format on

#undef SQL

constexpr bool in_order() {
  for (std::size_t i = 0; i < kTexts.size(); ++i) {
    if (static_cast<std::size_t>(kTexts[i].id) != i || kTexts[i].text == nullptr) return false;
  }
  return true;
}
static_assert(in_order());

}  // namespace

const std::array<StatementText, kStatementCount> kStatements = kTexts;

const char* const kReadEvent =
    "LEFT JOIN LATERAL " EVENT_AT("*", "$3::text", "$4::bigint") " e ON true";
const char* const kReadEventColumns = EVENT_COLUMNS("e.") ", 1 / coalesce(e.idx, 0)";

std::string quote_identifier(const std::string& name) {
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string for_one_row(const std::string& text) {
  constexpr std::string_view kFrom = " unnest($";
  constexpr std::string_view kOrdinality = " WITH ORDINALITY";
  const std::size_t begin = text.find(kFrom);
  const bool is_table = begin != std::string::npos && (text.substr(0, begin).ends_with("FROM") ||
                                                       text.substr(0, begin).ends_with("JOIN"));
  if (!is_table) return "";
  const std::size_t end = text.find(')', begin);
  std::string columns = text.substr(begin + kFrom.size() - 1, end - begin - kFrom.size() + 1);
  for (std::size_t at = 0; (at = columns.find("[]", at)) != std::string::npos;)
    columns.erase(at, 2);
  std::string rest = text.substr(end + 1);
  if (rest.starts_with(kOrdinality)) {
    columns += ", 1::bigint";
    rest.erase(0, kOrdinality.size());
  }
  return text.substr(0, begin) + " (VALUES (" + columns + "))" + rest;
}

std::string in_schema(const std::string& text, const std::string& schema) {
  const std::string prefix = quote_identifier(schema) + ".";
  std::string result;
  for (const char c : text) {
    if (c == '@') {
      result += prefix;
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace pawl::postgres
