// The plan of every statement: no scan, no sort, by the index that it is meant for.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <map>
#include <string>

#include "pawl/sqlite.h"
#include "schema.h"
#include "scratch.h"
#include "sqlite_backend.h"
#include "statements.h"

namespace pawl::sqlite {
namespace {

std::string plan_of(sqlite3* db, const char* text) {
  sqlite3_stmt* statement = nullptr;
  const std::string explain = std::string("EXPLAIN QUERY PLAN ") + text;
  EXPECT_EQ(sqlite3_prepare_v2(db, explain.c_str(), -1, &statement, nullptr), SQLITE_OK)
      << sqlite3_errmsg(db) << "\n"
      << text;
  std::string plan;
  while (sqlite3_step(statement) == SQLITE_ROW) {
    const char* detail = static_cast<const char*>(sqlite3_column_blob(statement, 3));
    plan.append(detail, static_cast<std::size_t>(sqlite3_column_bytes(statement, 3)));
    plan += "; ";
  }
  sqlite3_finalize(statement);
  return plan;
}

// The whole plan of each statement that reads: what it seeks by and in which index.
const std::map<Sql, std::string> kExpectedPlans = {
    {Sql::kFindSession, "SEARCH session USING INDEX session_name (name=?); "},
    {Sql::kUpdateSession, "SEARCH session USING INTEGER PRIMARY KEY (rowid=?); "},
    {Sql::kMoveLastIndex, "SEARCH session USING INTEGER PRIMARY KEY (rowid=?); "},
    {Sql::kListSessions, "SEARCH session USING INDEX session_listed (listed=? AND name>?); "},
    {Sql::kUpkeepSessions, "SEARCH session USING INDEX session_upkeep (upkeep=?); "},
    {Sql::kFinishedSessions,
     "SEARCH session USING INDEX session_finished (finished_since>? AND finished_since<?); "},
    {Sql::kFindName, "SEARCH name USING COVERING INDEX name_text (text=?); "},
    {Sql::kTextOfName, "SEARCH name USING INTEGER PRIMARY KEY (rowid=?); "},
    {Sql::kEventAt, "SEARCH event USING INDEX event_idx (session=? AND idx=?); "},
    {Sql::kEventById, "SEARCH event USING INDEX event_id (session=? AND id=?); "},
    {Sql::kEventRange, "SEARCH event USING INDEX event_idx (session=? AND idx>? AND idx<?); "},
    {Sql::kTypeRange,
     "SEARCH event USING COVERING INDEX event_type (session=? AND type=? AND idx>? AND idx<?); "},
    {Sql::kNextOfType,
     "SEARCH event USING COVERING INDEX event_type (session=? AND type=? AND idx>?); "},
    {Sql::kSupersededEvents,
     "SEARCH event USING INDEX event_idx (session=? AND idx>? AND idx<?); "},
    {Sql::kInsertEvents4, "SCAN 4 CONSTANT ROWS; "},
    {Sql::kInsertEvents16, "SCAN 16 CONSTANT ROWS; "},
    {Sql::kDeleteEvent, "SEARCH event USING INDEX event_idx (session=? AND idx=?); "},
    {Sql::kCursorByKey,
     "SEARCH cursor USING INDEX cursor_key (session=? AND era=? AND consumer=? AND lane=? AND "
     "slot=?); "},
    {Sql::kLogCursor,
     "SEARCH cursor USING INDEX cursor_log (session=? AND consumer=? AND lane=?); "},
    {Sql::kWindow,
     "SEARCH cursor USING INDEX cursor_due (session=? AND era=? AND consumer=? AND due>?); "},
    {Sql::kDeadAt,
     "SEARCH cursor USING INDEX cursor_dead (session=? AND era=? AND head=? AND consumer=?); "},
    {Sql::kDeadAtLane,
     "SEARCH cursor USING INDEX cursor_dead (session=? AND era=? AND head=? AND consumer=? AND "
     "lane=?); "},
    {Sql::kDeadFrom, "SEARCH cursor USING INDEX cursor_dead (session=? AND era=? AND head>?); "},
    {Sql::kNextConsumer,
     "SEARCH cursor USING COVERING INDEX cursor_key (session=? AND era=? AND consumer>?); "},
    {Sql::kNextLogConsumer, "SEARCH cursor USING INDEX cursor_log (session=? AND consumer>?); "},
    {Sql::kCursorsOfConsumer,
     "SEARCH cursor USING INDEX cursor_key (session=? AND era=? AND consumer=? AND "
     "(lane,slot)>(?,?)); "},
    {Sql::kLogsOfConsumer,
     "SEARCH cursor USING INDEX cursor_log (session=? AND consumer=? AND lane>?); "},
    {Sql::kSupersededCursors, "SEARCH cursor USING INDEX cursor_key (session=? AND era<?); "},
    {Sql::kFirstKey,
     "SEARCH cursor USING INDEX cursor_due (session=? AND era=? AND consumer=? AND due>?); "},
    {Sql::kPutCursors4, "SCAN 4 CONSTANT ROWS; "},
    {Sql::kPutCursors16, "SCAN 16 CONSTANT ROWS; "},
    {Sql::kUpdateCursor, "SEARCH cursor USING INTEGER PRIMARY KEY (rowid=?); "},
    {Sql::kDeleteCursor, "SEARCH cursor USING INTEGER PRIMARY KEY (rowid=?); "},
    {Sql::kWorkByKey,
     "SEARCH work USING INDEX work_key (session=? AND consumer=? AND lane=? AND idx=?); "},
    {Sql::kNextWork,
     "SEARCH work USING INDEX work_key (session=? AND consumer=? AND lane=? AND idx>?); "},
    {Sql::kLaneEntries,
     "SEARCH work USING COVERING INDEX work_key (session=? AND consumer=? AND lane=? AND "
     "idx>?); "},
    {Sql::kFinishedWork, "SEARCH work USING INDEX work_finished (session=? AND finished_at>?); "},
    {Sql::kWorkOfConsumer, "SEARCH work USING INDEX work_key (session=? AND consumer=?); "},
    {Sql::kPutWorks4, "SCAN 4 CONSTANT ROWS; "},
    {Sql::kPutWorks16, "SCAN 16 CONSTANT ROWS; "},
    {Sql::kDeleteWork,
     "SEARCH work USING INDEX work_key (session=? AND consumer=? AND lane=? AND idx=?); "},
    {Sql::kReadyRange, "SEARCH ready USING COVERING INDEX ready_due (consumer=? AND due>?); "},
    {Sql::kReadyConsumers, "SEARCH ready USING COVERING INDEX ready_due (consumer>?); "},
    {Sql::kReadyConsumersOfSession, "SEARCH ready USING COVERING INDEX ready_key (session=?); "},
    {Sql::kHasReady, "SEARCH ready USING COVERING INDEX ready_key (session=? AND consumer=?); "},
    {Sql::kHasAnyReady, "SEARCH ready USING COVERING INDEX ready_key (session=?); "},
    {Sql::kFirstDue, "SEARCH ready USING COVERING INDEX ready_due (consumer=?); "},
    {Sql::kDeleteReady, "SEARCH ready USING INDEX ready_key (session=? AND consumer=?); "},
    {Sql::kDeleteReadyOfSession, "SEARCH ready USING INDEX ready_key (session=?); "},
    {Sql::kSnapshotAt,
     "SEARCH snapshot USING INDEX snapshot_key (session=? AND era=? AND reducer=? AND idx=?); "},
    {Sql::kNewestSnapshot,
     "SEARCH snapshot USING INDEX snapshot_key (session=? AND era=? AND reducer=?); "},
    {Sql::kSnapshotThrough,
     "SEARCH snapshot USING INDEX snapshot_key (session=? AND era=? AND reducer=? AND idx<?); "},
    {Sql::kSupersededSnapshots, "SEARCH snapshot USING INDEX snapshot_key (session=? AND era<?); "},
    {Sql::kKeepState,
     "SEARCH snapshot USING INDEX snapshot_key (session=? AND era=? AND reducer=? AND idx=?); "},
    {Sql::kDeleteSnapshot,
     "SEARCH snapshot USING INDEX snapshot_key (session=? AND era=? AND reducer=? AND idx=?); "},
    {Sql::kPinsOfHead,
     "SEARCH pin USING COVERING INDEX pin_key (session=? AND era=? AND consumer=? AND lane=? AND "
     "slot=? AND head=?); "},
    {Sql::kHasPin,
     "SEARCH pin USING COVERING INDEX pin_key (session=? AND era=? AND consumer=? AND lane=? AND "
     "slot=? AND head=? AND reducer=? AND snapshot=?); "},
    {Sql::kSupersededPins, "SEARCH pin USING COVERING INDEX pin_key (session=? AND era<?); "},
    {Sql::kDeletePin,
     "SEARCH pin USING INDEX pin_key (session=? AND era=? AND consumer=? AND lane=? AND slot=? "
     "AND head=? AND reducer=? AND snapshot=?); "},
    {Sql::kPresenceField,
     "SEARCH presence USING INDEX presence_key (ns=? AND participant=? AND field=?); "},
    {Sql::kPresenceAll, "SEARCH presence USING INDEX presence_key (ns=?); "},
    {Sql::kPresenceExpired,
     "SEARCH presence USING INDEX presence_expiry (ns=? AND expires_at<?); "},
    {Sql::kPresenceOldest, "SEARCH presence USING INDEX presence_oldest (expires_at<?); "},
    {Sql::kDeletePresence,
     "SEARCH presence USING INDEX presence_key (ns=? AND participant=? AND field=?); "},
};

class Plans : public ::testing::Test {
 protected:
  Scratch scratch_;
  SqliteBackend backend_{find_place(scratch_.path()), {}};
};

TEST_F(Plans, NothingIsScannedOrSorted) {
  for (const StatementText& statement : kStatements) {
    const std::string plan = plan_of(backend_.writer().handle(), statement.text);
    // The rows of a VALUES clause are scanned, no table.
    const bool is_values = plan.starts_with("SCAN ") && plan.ends_with(" CONSTANT ROWS; ");
    EXPECT_TRUE(is_values || plan.find("SCAN") == std::string::npos)
        << statement.name << ": " << plan;
    EXPECT_EQ(plan.find("TEMP B-TREE"), std::string::npos) << statement.name << ": " << plan;
    EXPECT_EQ(plan.find("AUTOMATIC"), std::string::npos) << statement.name << ": " << plan;
  }
}

TEST_F(Plans, AreThoseThatAreMeant) {
  for (const StatementText& statement : kStatements) {
    const auto expected = kExpectedPlans.find(statement.id);
    EXPECT_EQ(plan_of(backend_.writer().handle(), statement.text),
              expected == kExpectedPlans.end() ? "" : expected->second)
        << statement.name;
  }
}

// Statistics that lie: everything in one session, of one consumer.
TEST_F(Plans, DoNotChangeWithStatistics) {
  sqlite3* db = backend_.writer().handle();
  ASSERT_EQ(sqlite3_exec(db,
                         "ANALYZE; DELETE FROM sqlite_stat1;"
                         "INSERT INTO sqlite_stat1 SELECT tbl_name, name, "
                         "'1000000 1000000 1000000 1000000 1000000 1000000 1000000 1000000 1' "
                         "FROM sqlite_schema WHERE type = 'index'; ANALYZE sqlite_schema",
                         nullptr, nullptr, nullptr),
            SQLITE_OK)
      << sqlite3_errmsg(db);
  for (const StatementText& statement : kStatements) {
    const auto expected = kExpectedPlans.find(statement.id);
    EXPECT_EQ(plan_of(db, statement.text), expected == kExpectedPlans.end() ? "" : expected->second)
        << statement.name;
  }
}

TEST_F(Plans, TransactionsThatWriteBeginAsWriters) {
  for (const StatementText& statement : kStatements) {
    const std::string text = statement.text;
    if (text.starts_with("BEGIN") && statement.id != Sql::kBegin) {
      EXPECT_EQ(text, "BEGIN IMMEDIATE");
    }
  }
}

}  // namespace
}  // namespace pawl::sqlite
