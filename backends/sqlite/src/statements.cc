// Every statement that runs on a store.
//
// Ranges name their index (INDEXED BY), so that no statistics can change a plan: a statement
// that cannot use it fails to prepare. ?N are numbered as in the columns' order.
//
// What is written by the hundred has statements of 16 and of 4 rows, too: most of what SQLite does
// for a small row is opening and closing the table and its indexes, once for a statement. Events
// of 200 bytes with their cursors took 12.4 us of processor time by one, 9.4 by 4, 7.0 by 20 (50
// rows were no better).
#include "statements.h"

namespace pawl::sqlite {
namespace {

#define SESSION_COLUMNS                                                                     \
  "last_index, clear_index, era, first_index, deleted_index, deleted_era, finished_since, " \
  "upkeep, deleting"
#define EVENT_COLUMNS "idx, id, type, created_at, era, cause, targets, payload"
#define CURSOR_COLUMNS                                                               \
  "era, consumer, lane, slot, kind, position, head, due, since, attempt_count, "     \
  "first_claimed_at, last_claimed_at, claim_holder, failure_count, last_failed_at, " \
  "last_failed_attempt, last_error, failed_at, last_released_attempt, pins, types, completion"
#define CURSOR_ROW CURSOR_COLUMNS ", rowid"
#define CURSOR_STATE                                                                         \
  "kind = excluded.kind, position = excluded.position, head = excluded.head, "               \
  "due = excluded.due, since = excluded.since, attempt_count = excluded.attempt_count, "     \
  "first_claimed_at = excluded.first_claimed_at, "                                           \
  "last_claimed_at = excluded.last_claimed_at, claim_holder = excluded.claim_holder, "       \
  "failure_count = excluded.failure_count, last_failed_at = excluded.last_failed_at, "       \
  "last_failed_attempt = excluded.last_failed_attempt, last_error = excluded.last_error, "   \
  "failed_at = excluded.failed_at, last_released_attempt = excluded.last_released_attempt, " \
  "pins = excluded.pins, types = excluded.types, completion = excluded.completion"
#define WORK_COLUMNS "consumer, lane, idx, available_at, finished_at, completion"
#define SNAPSHOT_COLUMNS "reducer, idx, era, updated_at, pins"
#define PIN_COLUMNS "era, consumer, lane, slot, head, reducer, snapshot"
#define PRESENCE_COLUMNS "participant, field, tombstone, seen, at, expires_at, value"

#define ROWS_4(row) row ", " row ", " row ", " row
#define ROWS_16(row) ROWS_4(row) ", " ROWS_4(row) ", " ROWS_4(row) ", " ROWS_4(row)

#define INSERT_EVENTS(rows)                                     \
  "INSERT INTO event (session, " EVENT_COLUMNS ") VALUES " rows \
  " ON CONFLICT (session, id) DO NOTHING"
#define EVENT_VALUES "(?, ?, ?, ?, ?, ?, ?, ?, ?)"

#define PUT_CURSORS(rows)                                                         \
  "INSERT INTO cursor (session, " CURSOR_COLUMNS ") VALUES " rows                 \
  " ON CONFLICT (session, era, consumer, lane, slot) DO UPDATE SET " CURSOR_STATE \
  " ON CONFLICT (session, consumer, lane) WHERE kind = 0 DO UPDATE SET era = "    \
  "excluded.era, " CURSOR_STATE
#define CURSOR_VALUES "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

#define PUT_WORK(rows)                                                         \
  "INSERT INTO work (session, " WORK_COLUMNS ") VALUES " rows                  \
  " ON CONFLICT (session, consumer, lane, idx) DO UPDATE SET "                 \
  "available_at = excluded.available_at, finished_at = excluded.finished_at, " \
  "completion = excluded.completion"
#define WORK_VALUES "(?, ?, ?, ?, ?, ?, ?)"

#define SQL(id, text) \
  StatementText { Sql::id, #id, text }

constexpr std::array<StatementText, kStatementCount> kTexts{{
    SQL(kBegin, "BEGIN"),
    SQL(kBeginImmediate, "BEGIN IMMEDIATE"),
    SQL(kCommit, "COMMIT"),
    SQL(kRollback, "ROLLBACK"),

    SQL(kFindSession,
        "SELECT id, " SESSION_COLUMNS " FROM session INDEXED BY session_name WHERE name = ?1"),
    SQL(kInsertSession, "INSERT INTO session (name, " SESSION_COLUMNS ", listed) "
                        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"),
    SQL(kUpdateSession,
        "UPDATE session SET last_index = ?2, clear_index = ?3, era = ?4, first_index = ?5, "
        "deleted_index = ?6, deleted_era = ?7, finished_since = ?8, upkeep = ?9, deleting = ?10, "
        "listed = ?11 WHERE id = ?1"),
    SQL(kMoveLastIndex, "UPDATE session SET last_index = ?2 WHERE id = ?1"),
    SQL(kListSessions, "SELECT name, " SESSION_COLUMNS " FROM session INDEXED BY session_listed "
                       "WHERE listed = 1 AND name > ?1 ORDER BY name LIMIT ?2"),
    SQL(kUpkeepSessions, "SELECT name, " SESSION_COLUMNS " FROM session INDEXED BY session_upkeep "
                         "WHERE upkeep = 1 LIMIT ?1"),
    SQL(kFinishedSessions,
        "SELECT name FROM session INDEXED BY session_finished "
        "WHERE finished_since > 0 AND finished_since < ?1 ORDER BY finished_since LIMIT ?2"),

    SQL(kFindName, "SELECT id FROM name INDEXED BY name_text WHERE text = ?1"),
    SQL(kTextOfName, "SELECT text FROM name WHERE id = ?1"),
    SQL(kInsertName, "INSERT INTO name (text) VALUES (?1)"),

    SQL(kEventAt,
        "SELECT " EVENT_COLUMNS " FROM event INDEXED BY event_idx WHERE session = ?1 AND idx = ?2"),
    SQL(kEventById,
        "SELECT " EVENT_COLUMNS " FROM event INDEXED BY event_id WHERE session = ?1 AND id = ?2"),
    SQL(kEventRange, "SELECT " EVENT_COLUMNS " FROM event INDEXED BY event_idx "
                     "WHERE session = ?1 AND idx >= ?2 AND idx <= ?3 ORDER BY idx LIMIT ?4"),
    SQL(kTypeRange,
        "SELECT idx FROM event INDEXED BY event_type "
        "WHERE session = ?1 AND type = ?2 AND idx >= ?3 AND idx <= ?4 ORDER BY idx LIMIT ?5"),
    SQL(kNextOfType,
        "SELECT idx FROM event INDEXED BY event_type "
        "WHERE session = ?1 AND type = ?2 AND idx > ?3 ORDER BY idx LIMIT 1"),
    SQL(kSupersededEvents,
        "SELECT idx, id, type, created_at, era, targets FROM event INDEXED BY event_idx "
        "WHERE session = ?1 AND idx >= ?2 AND idx <= ?3 ORDER BY idx LIMIT ?4"),
    SQL(kInsertEvent, INSERT_EVENTS(EVENT_VALUES)),
    SQL(kInsertEvents4, INSERT_EVENTS(ROWS_4(EVENT_VALUES))),
    SQL(kInsertEvents16, INSERT_EVENTS(ROWS_16(EVENT_VALUES))),
    SQL(kDeleteEvent, "DELETE FROM event WHERE session = ?1 AND idx = ?2"),

    SQL(kCursorByKey,
        "SELECT " CURSOR_ROW " FROM cursor INDEXED BY cursor_key "
        "WHERE session = ?1 AND era = ?2 AND consumer = ?3 AND lane = ?4 AND slot = ?5"),
    SQL(kLogCursor, "SELECT " CURSOR_ROW " FROM cursor INDEXED BY cursor_log "
                    "WHERE session = ?1 AND consumer = ?2 AND lane = ?3 AND kind = 0"),
    SQL(kWindow,
        "SELECT " CURSOR_ROW " FROM cursor INDEXED BY cursor_due "
        "WHERE session = ?1 AND era = ?2 AND consumer = ?3 AND due >= ?4 ORDER BY due, head, lane"),
    SQL(kDeadAt, "SELECT " CURSOR_ROW " FROM cursor INDEXED BY cursor_dead "
                 "WHERE session = ?1 AND era = ?2 AND head = ?3 AND consumer = ?4 "
                 "AND failed_at IS NOT NULL ORDER BY lane LIMIT 1"),
    SQL(kDeadAtLane,
        "SELECT " CURSOR_ROW " FROM cursor INDEXED BY cursor_dead "
        "WHERE session = ?1 AND era = ?2 AND head = ?3 AND consumer = ?4 AND lane = ?5 "
        "AND failed_at IS NOT NULL LIMIT 1"),
    SQL(kDeadFrom,
        "SELECT " CURSOR_ROW " FROM cursor INDEXED BY cursor_dead "
        "WHERE session = ?1 AND era = ?2 AND head >= ?3 AND failed_at IS NOT NULL ORDER BY head"),
    SQL(kNextConsumer,
        "SELECT consumer FROM cursor INDEXED BY cursor_key "
        "WHERE session = ?1 AND era = ?2 AND consumer > ?3 ORDER BY consumer LIMIT 1"),
    SQL(kNextLogConsumer,
        "SELECT consumer FROM cursor INDEXED BY cursor_log "
        "WHERE session = ?1 AND consumer > ?2 AND kind = 0 ORDER BY consumer LIMIT 1"),
    SQL(kCursorsOfConsumer,
        "SELECT " CURSOR_ROW " FROM cursor INDEXED BY cursor_key "
        "WHERE session = ?1 AND era = ?2 AND consumer = ?3 AND (lane, slot) > (?4, ?5) "
        "AND NOT (lane = x'' AND slot = 0) ORDER BY lane, slot"),
    SQL(kLogsOfConsumer,
        "SELECT " CURSOR_ROW " FROM cursor INDEXED BY cursor_log "
        "WHERE session = ?1 AND consumer = ?2 AND lane > ?3 AND kind = 0 ORDER BY lane"),
    SQL(kSupersededCursors,
        "SELECT " CURSOR_ROW " FROM cursor INDEXED BY cursor_key WHERE session = ?1 AND era < ?2"),
    SQL(kFirstKey,
        "SELECT due, since FROM cursor INDEXED BY cursor_due "
        "WHERE session = ?1 AND era = ?2 AND consumer = ?3 AND due >= 0 "
        "ORDER BY due, head, lane LIMIT 1"),
    SQL(kPutCursor, PUT_CURSORS(CURSOR_VALUES)),
    SQL(kPutCursors4, PUT_CURSORS(ROWS_4(CURSOR_VALUES))),
    SQL(kPutCursors16, PUT_CURSORS(ROWS_16(CURSOR_VALUES))),
    SQL(kUpdateCursor,
        "UPDATE cursor SET position = ?2, head = ?3, due = ?4, since = ?5, attempt_count = ?6, "
        "first_claimed_at = ?7, last_claimed_at = ?8, claim_holder = ?9, failure_count = ?10, "
        "last_failed_at = ?11, last_failed_attempt = ?12, last_error = ?13, failed_at = ?14, "
        "last_released_attempt = ?15, pins = ?16, types = ?17, completion = ?18 "
        "WHERE rowid = ?1"),
    SQL(kDeleteCursor, "DELETE FROM cursor WHERE rowid = ?1"),

    SQL(kWorkByKey, "SELECT " WORK_COLUMNS " FROM work INDEXED BY work_key "
                    "WHERE session = ?1 AND consumer = ?2 AND lane = ?3 AND idx = ?4"),
    SQL(kNextWork,
        "SELECT idx, available_at FROM work INDEXED BY work_key "
        "WHERE session = ?1 AND consumer = ?2 AND lane = ?3 AND idx > ?4 ORDER BY idx LIMIT 1"),
    SQL(kLaneEntries,
        "SELECT idx FROM work INDEXED BY work_key "
        "WHERE session = ?1 AND consumer = ?2 AND lane = ?3 AND idx > ?4 ORDER BY idx LIMIT ?5"),
    SQL(kFinishedWork, "SELECT " WORK_COLUMNS " FROM work INDEXED BY work_finished "
                       "WHERE session = ?1 AND finished_at > 0 ORDER BY finished_at LIMIT ?2"),
    SQL(kWorkOfConsumer, "SELECT " WORK_COLUMNS " FROM work INDEXED BY work_key "
                         "WHERE session = ?1 AND consumer = ?2 ORDER BY lane, idx LIMIT ?3"),
    SQL(kPutWork, PUT_WORK(WORK_VALUES)),
    SQL(kPutWorks4, PUT_WORK(ROWS_4(WORK_VALUES))),
    SQL(kPutWorks16, PUT_WORK(ROWS_16(WORK_VALUES))),
    SQL(kDeleteWork,
        "DELETE FROM work WHERE session = ?1 AND consumer = ?2 AND lane = ?3 AND idx = ?4"),

    SQL(kReadyRange,
        "SELECT session_name, due, since FROM ready INDEXED BY ready_due "
        "WHERE consumer = ?1 AND due >= ?2 ORDER BY due, since, session_name"),
    SQL(kReadyConsumers,
        "SELECT consumer FROM ready INDEXED BY ready_due "
        "WHERE consumer > ?1 ORDER BY consumer LIMIT 1"),
    SQL(kReadyConsumersOfSession,
        "SELECT consumer FROM ready INDEXED BY ready_key WHERE session = ?1 ORDER BY consumer"),
    SQL(kHasReady, "SELECT 1 FROM ready INDEXED BY ready_key WHERE session = ?1 AND consumer = ?2"),
    SQL(kHasAnyReady, "SELECT 1 FROM ready INDEXED BY ready_key WHERE session = ?1 LIMIT 1"),
    SQL(kFirstDue,
        "SELECT due FROM ready INDEXED BY ready_due WHERE consumer = ?1 ORDER BY due LIMIT 1"),
    SQL(kPutReady,
        "INSERT INTO ready (session, consumer, due, since, session_name) "
        "VALUES (?1, ?2, ?3, ?4, ?5) "
        "ON CONFLICT (session, consumer) DO UPDATE SET due = excluded.due, since = excluded.since "
        "WHERE due <> excluded.due OR since <> excluded.since"),
    SQL(kDeleteReady, "DELETE FROM ready WHERE session = ?1 AND consumer = ?2"),
    SQL(kDeleteReadyOfSession, "DELETE FROM ready WHERE session = ?1"),

    SQL(kSnapshotAt, "SELECT " SNAPSHOT_COLUMNS " FROM snapshot INDEXED BY snapshot_key "
                     "WHERE session = ?1 AND era = ?2 AND reducer = ?3 AND idx = ?4"),
    SQL(kNewestSnapshot,
        "SELECT " SNAPSHOT_COLUMNS " FROM snapshot INDEXED BY snapshot_key "
        "WHERE session = ?1 AND era = ?2 AND reducer = ?3 ORDER BY idx DESC LIMIT 1"),
    SQL(kSnapshotThrough,
        "SELECT " SNAPSHOT_COLUMNS ", state FROM snapshot INDEXED BY snapshot_key "
        "WHERE session = ?1 AND era = ?2 AND reducer = ?3 AND idx <= ?4 "
        "ORDER BY idx DESC LIMIT 1"),
    SQL(kSupersededSnapshots,
        "SELECT " SNAPSHOT_COLUMNS
        " FROM snapshot INDEXED BY snapshot_key WHERE session = ?1 AND era < ?2 LIMIT ?3"),
    SQL(kPutSnapshot,
        "INSERT INTO snapshot (session, " SNAPSHOT_COLUMNS
        ", state) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) "
        "ON CONFLICT (session, era, reducer, idx) DO UPDATE SET "
        "updated_at = excluded.updated_at, pins = excluded.pins, state = excluded.state"),
    SQL(kKeepState,
        "UPDATE snapshot SET updated_at = ?5, pins = ?6 "
        "WHERE session = ?1 AND era = ?4 AND reducer = ?2 AND idx = ?3"),
    SQL(kDeleteSnapshot,
        "DELETE FROM snapshot WHERE session = ?1 AND era = ?2 AND reducer = ?3 AND idx = ?4"),

    SQL(kPinsOfHead,
        "SELECT reducer, snapshot FROM pin INDEXED BY pin_key "
        "WHERE session = ?1 AND era = ?2 AND consumer = ?3 AND lane = ?4 AND slot = ?5 "
        "AND head = ?6 ORDER BY reducer, snapshot"),
    SQL(kHasPin,
        "SELECT 1 FROM pin INDEXED BY pin_key "
        "WHERE session = ?1 AND era = ?2 AND consumer = ?3 AND lane = ?4 AND slot = ?5 "
        "AND head = ?6 AND reducer = ?7 AND snapshot = ?8"),
    SQL(kSupersededPins, "SELECT " PIN_COLUMNS
                         " FROM pin INDEXED BY pin_key WHERE session = ?1 AND era < ?2 LIMIT ?3"),
    SQL(kPutPin,
        "INSERT INTO pin (session, " PIN_COLUMNS ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) "
        "ON CONFLICT (session, era, consumer, lane, slot, head, reducer, snapshot) DO NOTHING"),
    SQL(kDeletePin,
        "DELETE FROM pin WHERE session = ?1 AND era = ?2 AND consumer = ?3 AND lane = ?4 "
        "AND slot = ?5 AND head = ?6 AND reducer = ?7 AND snapshot = ?8"),

    SQL(kPresenceField, "SELECT " PRESENCE_COLUMNS " FROM presence INDEXED BY presence_key "
                        "WHERE ns = ?1 AND participant = ?2 AND field = ?3"),
    SQL(kPresenceAll, "SELECT " PRESENCE_COLUMNS " FROM presence INDEXED BY presence_key "
                      "WHERE ns = ?1 AND expires_at > ?2 ORDER BY participant, field"),
    SQL(kPresenceExpired, "SELECT " PRESENCE_COLUMNS " FROM presence INDEXED BY presence_expiry "
                          "WHERE ns = ?1 AND expires_at <= ?2 ORDER BY expires_at LIMIT ?3"),
    SQL(kPresenceOldest, "SELECT " PRESENCE_COLUMNS ", ns FROM presence INDEXED BY presence_oldest "
                         "WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2"),
    SQL(kPutPresence,
        "INSERT INTO presence (ns, " PRESENCE_COLUMNS ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) "
        "ON CONFLICT (ns, participant, field) DO UPDATE SET tombstone = excluded.tombstone, "
        "seen = excluded.seen, at = excluded.at, expires_at = excluded.expires_at, "
        "value = excluded.value"),
    SQL(kDeletePresence, "DELETE FROM presence WHERE ns = ?1 AND participant = ?2 AND field = ?3"),
}};

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

}  // namespace pawl::sqlite
