// What belongs to this backend alone: what it leaves behind, what it takes for damage, how it
// waits and closes. What all backends do is the conformance suite's matter.
#include "sqlite_backend.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <filesystem>
#include <thread>

#include "driver_rows.h"
#include "pawl/sqlite.h"
#include "schema.h"
#include "scratch.h"

namespace pawl::sqlite {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

class SqliteStore : public ::testing::Test {
 protected:
  // Changes what is stored behind the backend's back.
  void damage(const std::string& sql) {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(scratch_.path().c_str(), &db), SQLITE_OK);
    sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(db);
    sqlite3_close(db);
  }

  void append_with_cursor() {
    backend_.transact(query_of("s"), [](driver::Facts&& facts) {
      driver::Effects effects = append_one("s")(std::move(facts));
      driver::EventRow& appended = effects.sessions.front().append.front();
      appended.cause = Cause{"c", "k", 1, 1, {}};
      appended.targets = {{"c", "k"}};
      effects.sessions.front().put.push_back(lane_cursor("c", "k", 1));
      return effects;
    });
  }

  driver::Query look_at_all() {
    driver::Query query = query_of("s");
    driver::SessionQuery& session = query.sessions.front();
    session.events = first_events(100);
    session.list_cursors = driver::HeadPage{.after = {}, .limit = 100};
    session.window =
        driver::Window{.consumers = {}, .through = driver::kNever, .free = 9, .due = 9, .later = 9};
    return query;
  }

  void expect_idle() {
    EXPECT_FALSE(backend_.writer().has_busy_statement());
    EXPECT_FALSE(backend_.writer().in_transaction());
    for (const auto& reader : backend_.readers().idle()) {
      EXPECT_FALSE(reader->has_busy_statement());
      EXPECT_FALSE(reader->in_transaction());
    }
  }

  Scratch scratch_;
  SqliteBackend backend_{find_place(scratch_.path()), {}};
};

TEST_F(SqliteStore, DamagedRowsAreCorruptAndTheFileIsNamed) {
  append_with_cursor();
  append_with_cursor();
  for (const char* sql : {
           "UPDATE cursor SET kind = 3",
           "UPDATE cursor SET position = -1",
           "UPDATE cursor SET attempt_count = -9223372036854775808",
           "UPDATE cursor SET due = -1",
           "UPDATE cursor SET slot = 4",
           "UPDATE cursor SET lane = x'00'",
           "UPDATE cursor SET lane = 7",
           "UPDATE cursor SET kind = 0, types = x'02'",
           "UPDATE cursor SET completion = x''",
           "UPDATE cursor SET consumer = 99",
           "UPDATE event SET targets = x'01ff'",
           "UPDATE event SET cause = x'0100'",
           "UPDATE event SET type = 99",
           "UPDATE event SET created_at = -1",
           "DELETE FROM event WHERE idx = 1",
           "DELETE FROM event WHERE idx = 2",
           "DELETE FROM event",
           "UPDATE session SET last_index = 0",
           "UPDATE session SET last_index = 3",
           "UPDATE session SET clear_index = 9",
           "UPDATE session SET upkeep = 2",
           "UPDATE session SET era = -1",
           "DROP TABLE event",
       }) {
    damage(
        "CREATE TABLE kept_cursor AS SELECT * FROM cursor;"
        "CREATE TABLE kept_event AS SELECT * FROM event;"
        "CREATE TABLE kept_session AS SELECT * FROM session;");
    const std::string before = std::filesystem::temp_directory_path();
    damage("SAVEPOINT s; RELEASE s;" + std::string(sql));
    try {
      backend_.look(look_at_all());
      ADD_FAILURE() << "was not noticed: " << sql;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kCorrupt) << sql << ": " << error.what();
      EXPECT_NE(std::string(error.what()).find(scratch_.path()), std::string::npos) << sql;
    }
    expect_idle();
    if (std::string(sql).starts_with("DROP")) return;
    damage(
        "DELETE FROM cursor; INSERT INTO cursor SELECT * FROM kept_cursor;"
        "DELETE FROM event; INSERT INTO event SELECT * FROM kept_event;"
        "DELETE FROM session; INSERT INTO session SELECT * FROM kept_session;"
        "DROP TABLE kept_cursor; DROP TABLE kept_event; DROP TABLE kept_session;");
    backend_.look(look_at_all());
  }
}

TEST_F(SqliteStore, ATakenIdAmongManyWritesNone) {
  append_with_cursor();  // e1
  const driver::SessionRow before = row_of(backend_, "s");
  for (int at = 0; at < 21; ++at) {
    const auto append_many = [&](driver::Facts&& facts) {
      driver::Effects effects;
      driver::SessionEffects& changed = effects.sessions.emplace_back();
      changed.session = "s";
      changed.row = facts.sessions.front().row;
      for (int i = 0; i < 21; ++i) {
        changed.append.push_back(event(++changed.row->last_index));
        if (i == at) changed.append.back().id = "e1";
      }
      return effects;
    };
    EXPECT_THROW(backend_.transact(query_of("s"), append_many), IdTaken) << at;
    expect_idle();
    EXPECT_EQ(row_of(backend_, "s"), before);
  }
}

TEST_F(SqliteStore, NoStatementIsLeftOpenWhateverIsThrown) {
  append_with_cursor();
  EXPECT_THROW(
      backend_.transact(look_at_all(), [](driver::Facts&&) -> driver::Effects { throw IdTaken(); }),
      IdTaken);
  expect_idle();
  EXPECT_THROW(backend_.transact(query_of("s"), append_one("s", "e1")), IdTaken);
  expect_idle();
  EXPECT_THROW(backend_.transact(query_of("s"),
                                 [](driver::Facts&&) {
                                   driver::Effects effects;
                                   effects.read.events = {{"s", 1}, {"s", 99}};
                                   return effects;
                                 }),
               Error);
  expect_idle();
  backend_.transact(look_at_all(), append_one("s"));
  backend_.look(look_at_all());
  expect_idle();
}

TEST_F(SqliteStore, AnEventAtATakenIndexIsCorrupt) {
  append_with_cursor();
  try {
    backend_.transact(query_of("s"), [](driver::Facts&& facts) {
      driver::Effects effects = append_one("s")(std::move(facts));
      effects.sessions.front().append.front().index = 1;
      return effects;
    });
    ADD_FAILURE() << "was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
    EXPECT_EQ(error.native(), "SQLITE_CONSTRAINT_UNIQUE");
  }
  EXPECT_EQ(row_of(backend_, "s").last_index, 1);
}

// The one row that is in two unique indexes at once.
TEST_F(SqliteStore, ALogCursorHasOneRowWhateverItsEra) {
  const auto put = [&](std::int64_t era, std::int64_t position) {
    backend_.transact(query_of("s"), [&](driver::Facts&& facts) {
      driver::Effects effects = append_one("s")(std::move(facts));
      effects.sessions.front().row->era = era;
      driver::CursorRow row = lane_cursor("c", "log", 0, driver::kNever);
      row.kind = CursorKind::kLog;
      row.since = 0;
      row.era = era;
      row.position = position;
      row.types = std::vector<std::string>{"t"};
      effects.sessions.front().put.push_back(row);
      return effects;
    });
  };
  put(0, 1);
  put(0, 2);
  put(1, 3);
  put(2, 4);
  driver::Query query = query_of("s");
  query.sessions.front().list_cursors = driver::HeadPage{.after = {}, .limit = 9};
  query.sessions.front().cursors.push_back({.key = {"c", "log", 0}, .next = {}});
  const driver::SessionFacts facts = backend_.look(query).sessions.front();
  ASSERT_EQ(facts.list.size(), 1U);
  EXPECT_EQ(facts.list[0].position, 4);
  EXPECT_EQ(facts.list[0].era, 2);
  EXPECT_EQ(facts.cursors[0].row, facts.list[0]);
}

TEST_F(SqliteStore, TheLogIsWrittenBackInTime) {
  OpenOptions options;
  options.durability = Durability::kRelaxed;
  options.engine = {{"checkpoint_pages", "16"}};
  const Scratch scratch;
  SqliteBackend backend(find_place(scratch.path()), options);
  for (int i = 0; i < 500; ++i) backend.transact(query_of("s"), append_one("s"));
  struct stat log {};
  ASSERT_EQ(stat((scratch.path() + "-wal").c_str(), &log), 0);
  EXPECT_LT(log.st_size, 40 * 4'200);
  backend.close();
  ASSERT_EQ(stat((scratch.path() + "-wal").c_str(), &log), 0);
  EXPECT_EQ(log.st_size, 0);
}

TEST_F(SqliteStore, TheLogShrinksOnceAReaderHasGone) {
  OpenOptions options;
  options.durability = Durability::kRelaxed;
  options.busy_timeout = Duration(1'000);  // half of it is the longest that readers are waited for
  options.engine = {{"checkpoint_pages", "16"}};
  const Scratch scratch;
  SqliteBackend backend(find_place(scratch.path()), options);
  const auto append = [&](int times) {
    for (int i = 0; i < times; ++i) backend.transact(query_of("s"), append_one("s"));
  };
  append(1);
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(scratch.path().c_str(), &db), SQLITE_OK);
  sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  ASSERT_EQ(sqlite3_exec(db, "BEGIN; SELECT count(*) FROM event", nullptr, nullptr, nullptr),
            SQLITE_OK);
  append(60);
  EXPECT_GT(backend.writer().log_pages(), 64);
  sqlite3_exec(db, "COMMIT", nullptr, nullptr, nullptr);
  sqlite3_close(db);
  append(20);
  EXPECT_LT(backend.writer().log_pages(), 40);
  struct stat log {};
  ASSERT_EQ(stat((scratch.path() + "-wal").c_str(), &log), 0);
  EXPECT_LE(log.st_size, 4 * 16 * 4'096 + 4'096);
}

TEST_F(SqliteStore, WhatWasCommittedBetweenLookAndWaitIsNotMissed) {
  const std::uint64_t seen = backend_.changes();
  append_with_cursor();
  const auto begun = steady_clock::now();
  backend_.wait(seen, begun + std::chrono::minutes(5));
  EXPECT_LT(steady_clock::now() - begun, std::chrono::minutes(1));
  EXPECT_EQ(backend_.changes(), seen + 1);
}

TEST_F(SqliteStore, OnlyWritesCountAsChanges) {
  const std::uint64_t seen = backend_.changes();
  backend_.transact(query_of("s"), [](driver::Facts&&) { return driver::Effects(); });
  backend_.look(query_of("s"));
  EXPECT_EQ(backend_.changes(), seen);
}

TEST_F(SqliteStore, AWaitIsWokenByAnotherStoreOfTheProcess) {
  SqliteBackend other(find_place(scratch_.path()), {});
  const std::uint64_t seen = other.changes();
  std::thread waiter([&] { other.wait(seen, steady_clock::now() + std::chrono::minutes(5)); });
  while (backend_.side_file().sleepers() == 0) std::this_thread::yield();
  append_with_cursor();
  waiter.join();
  EXPECT_EQ(other.changes(), seen + 1);
}

TEST_F(SqliteStore, CloseWakesWaitersAndRefusesTheRest) {
  OpenOptions options;
  options.wake_poll = Duration(3'600'000);
  SqliteBackend other(find_place(scratch_.path()), options);
  std::thread waiter(
      [&] { other.wait(other.changes(), steady_clock::now() + std::chrono::minutes(5)); });
  while (backend_.side_file().sleepers() == 0) std::this_thread::yield();
  other.close();
  other.close();
  waiter.join();
  const auto expect_closed = [](const auto& call) {
    try {
      call();
      ADD_FAILURE() << "was not closed";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kClosed);
    }
  };
  expect_closed([&] { other.look(query_of("s")); });
  expect_closed([&] { other.transact(query_of("s"), append_one("s")); });
  expect_closed([&] { other.changes(); });
  expect_closed([&] { other.wait(0, steady_clock::now()); });
  append_with_cursor();  // the other store of the file goes on
}

TEST_F(SqliteStore, CloseLetsOperationsUnderWayFinish) {
  SqliteBackend other(find_place(scratch_.path()), {});
  std::atomic<bool> entered = false;
  std::atomic<bool> closing = false;
  std::thread writer([&] {
    other.transact(query_of("s"), [&](driver::Facts&& facts) {
      entered = true;
      while (!closing) std::this_thread::yield();
      return append_one("s")(std::move(facts));
    });
  });
  while (!entered) std::this_thread::yield();
  std::thread closer([&] {
    closing = true;
    other.close();
  });
  writer.join();
  closer.join();
  EXPECT_EQ(row_of(backend_, "s").last_index, 1);
}

TEST_F(SqliteStore, DurabilityIsAsItWasAskedFor) {
  constexpr const char* kSynchronous = "PRAGMA synchronous";
  EXPECT_EQ(backend_.writer().pragma_number(kSynchronous), 2);  // FULL
  EXPECT_EQ(backend_.info().durability, "full");
  OpenOptions options;
  options.durability = Durability::kRelaxed;
  SqliteBackend relaxed(find_place(scratch_.path()), options);
  EXPECT_EQ(relaxed.writer().pragma_number(kSynchronous), 1);  // NORMAL
  EXPECT_EQ(relaxed.info().durability, "relaxed");
  EXPECT_EQ(relaxed.writer().pragma_text("PRAGMA journal_mode"), "wal");
  EXPECT_EQ(relaxed.writer().pragma_number("PRAGMA wal_autocheckpoint"), 0);
}

TEST_F(SqliteStore, InfoSaysWhatItIs) {
  const Info info = backend_.info();
  EXPECT_EQ(info.scheme, "sqlite");
  EXPECT_EQ(info.engine, std::string("SQLite ") + sqlite3_libversion());
  EXPECT_EQ(info.details.at("layout"), "1");
  EXPECT_EQ(info.details.at("checkpoint_pages"), "2000");
}

TEST(WalReset, TheVersionsThatMustBeGuardedAreKnown) {
  for (const int version :
       {3'007'000, 3'040'001, 3'044'005, 3'045'000, 3'050'006, 3'051'000, 3'051'002}) {
    EXPECT_TRUE(has_wal_reset_bug(version)) << version;
  }
  for (const int version :
       {3'006'023, 3'044'006, 3'044'099, 3'050'007, 3'051'003, 3'052'000, 4'000'000}) {
    EXPECT_FALSE(has_wal_reset_bug(version)) << version;
  }
}

}  // namespace
}  // namespace pawl::sqlite
