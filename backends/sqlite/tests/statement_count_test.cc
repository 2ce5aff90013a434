// How many statements an operation runs in the steady state. The numbers are what they are
// now: one more is a cost on every call, and has to be meant. A look-up of a name is seen once.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <array>
#include <functional>
#include <memory>
#include <string>

#include "check_first_keys.h"
#include "pawl/clock.h"
#include "pawl/store.h"
#include "scratch.h"
#include "sqlite_backend.h"

namespace pawl::sqlite {
namespace {

using namespace std::chrono_literals;

// "kFindSession" for the text of a statement.
std::string name_of(const std::string& text) {
  for (const StatementText& statement : kStatements) {
    if (text == statement.text) return statement.name;
  }
  return text;
}

class StatementCount : public ::testing::Test {
 protected:
  StatementCount() {
    OpenOptions options;
    options.clock = clock_;
    options.durability = Durability::kRelaxed;
    auto backend = std::make_unique<SqliteBackend>(find_place(scratch_.path()), options);
    backend_ = backend.get();
    store_ = std::make_unique<Store>(std::move(backend));
  }
  ~StatementCount() override { check_first_keys(scratch_.path()); }

  // Runs it twice to reach the steady state, and tells what the third runs.
  std::string statements(const std::function<void()>& operation) {
    operation();
    operation();
    return statements_of(operation);
  }

  std::string statements_of(const std::function<void()>& operation) {
    trace(backend_->writer());
    for (const auto& reader : backend_->readers().idle()) trace(*reader);
    run_.clear();
    operation();
    return run_;
  }

  void trace(Connection& connection) {
    sqlite3_trace_v2(
        connection.handle(), SQLITE_TRACE_STMT,
        [](unsigned, void* to, void* statement, void*) {
          std::string& run = *static_cast<std::string*>(to);
          if (!run.empty()) run += ' ';
          run += name_of(sqlite3_sql(static_cast<sqlite3_stmt*>(statement))).substr(1);
          return 0;
        },
        &run_);
  }

  NewEvent on_lane(const std::string& lane) {
    return {.id = "id" + std::to_string(++ids_),
            .type = "t",
            .payload = "{}",
            .targets = {{.consumer = "c", .lane = lane}}};
  }
  NewEvent independent() {
    return {.id = "id" + std::to_string(++ids_),
            .type = "t",
            .payload = "{}",
            .targets = {{.consumer = "c"}}};
  }
  NewEvent plain() { return {.id = "id" + std::to_string(++ids_), .type = "t", .payload = "{}"}; }
  NewEvent without_id() { return {.type = "t", .payload = "{}"}; }

  std::vector<Head> claim(std::int64_t limit) {
    const ClaimOptions options{.holder = "w", .ttl = 60s, .consumers = served_, .limit = limit};
    return store_->claim("s", options).heads;
  }

  Scratch scratch_;
  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>(1'000);
  SqliteBackend* backend_ = nullptr;
  std::unique_ptr<Store> store_;
  std::string run_;
  int ids_ = 0;
  const std::array<Consumer, 1> consumers_{Consumer{.name = "c"}};
  const Served served_{consumers_};
};

TEST_F(StatementCount, OfAppends) {
  const AppendOptions options{.consumers = served_};
  EXPECT_EQ(statements([&] { store_->append("s", {without_id()}, options); }),
            "BeginImmediate MoveLastIndex InsertEvent FindName Commit");
  EXPECT_EQ(statements([&] { store_->append("s", {plain()}, options); }),
            "BeginImmediate EventById MoveLastIndex InsertEvent FindName Commit");
  EXPECT_EQ(
      statements([&] { store_->append("s", {on_lane("k")}, options); }),
      "BeginImmediate CursorByKey EventById MoveLastIndex InsertEvent PutWork HasReady Commit");
}

TEST_F(StatementCount, OfAppendsThatMakeHeads) {
  const AppendOptions options{.consumers = served_};
  EXPECT_EQ(statements([&] { store_->append("s", {independent()}, options); }),
            "BeginImmediate EventById MoveLastIndex InsertEvent PutCursor FirstKey Commit");
  int lane = 0;
  EXPECT_EQ(
      statements([&] { store_->append("s", {on_lane("new" + std::to_string(++lane))}, options); }),
      "BeginImmediate CursorByKey LogCursor EventById MoveLastIndex InsertEvent PutCursor PutWork "
      "FirstKey Commit");
}

TEST_F(StatementCount, OfAppendsForALog) {
  const std::array consumers{Consumer{.name = "log", .log = Log{}}};
  const AppendOptions options{.consumers = consumers};
  EXPECT_EQ(statements([&] { store_->append("s", {without_id()}, options); }),
            "BeginImmediate CursorByKey MoveLastIndex InsertEvent HasReady Commit");
}

TEST_F(StatementCount, OfAClaim) {
  for (int i = 0; i < 9; ++i) store_->append("s", {independent()});
  EXPECT_EQ(statements([&] { claim(1); }), "BeginImmediate Window UpdateCursor EventAt Commit");
  EXPECT_EQ(
      statements_of([&] { claim(100); }),
      "BeginImmediate Window UpdateCursor UpdateCursor UpdateCursor UpdateCursor UpdateCursor "
      "UpdateCursor FirstKey PutReady EventAt EventAt EventAt EventAt EventAt EventAt Commit");
}

// What the connection knows of sessions and first keys is asked again once another one has written.
TEST_F(StatementCount, AfterTheWriteOfAnotherConnection) {
  const AppendOptions options{.consumers = served_};
  store_->append("s", {independent()});
  Store other = open(scratch_.path(), {.clock = clock_});
  other.append("s", {independent()});
  const std::string first = statements_of([&] { store_->append("s", {independent()}, options); });
  const std::string second = statements_of([&] { store_->append("s", {independent()}, options); });
  EXPECT_EQ(first,
            "BeginImmediate FindSession EventById MoveLastIndex InsertEvent PutCursor FirstKey "
            "PutReady Commit");
  EXPECT_EQ(second, "BeginImmediate EventById MoveLastIndex InsertEvent PutCursor FirstKey Commit");
  EXPECT_EQ(store_->head("s").last_index, 4);
}

TEST_F(StatementCount, OfAClaimWithNothingToDo) {
  store_->append("s", {independent()});
  claim(1);
  const ClaimOptions options{.holder = "w", .ttl = 1s, .consumers = served_};
  EXPECT_EQ(
      statements([&] { EXPECT_EQ(store_->claim("s", options).outcome, ClaimOutcome::kBusy); }),
      "BeginImmediate Window Rollback");
}

TEST_F(StatementCount, OfCompletions) {
  for (int i = 0; i < 6; ++i) store_->append("s", {independent()});
  const std::vector<Head> heads = claim(6);
  std::size_t next = 0;
  const auto complete = [&](const std::vector<NewEvent>& events) {
    EXPECT_FALSE(store_->complete("s", heads.at(next++), events).superseded());
  };
  EXPECT_EQ(statements([&] { complete({}); }),
            "BeginImmediate CursorByKey DeleteCursor PutWork FirstKey Commit");
  EXPECT_EQ(statements([&] { complete({plain()}); }),
            "BeginImmediate CursorByKey EventById MoveLastIndex DeleteCursor InsertEvent PutWork "
            "FirstKey DeleteReady Commit");
}

TEST_F(StatementCount, OfCompletionsOnALane) {
  for (int i = 0; i < 4; ++i) store_->append("s", {on_lane("k")});
  std::string run;
  for (int i = 0; i < 3; ++i) {
    const Head head = claim(1).at(0);
    run = statements_of([&] { EXPECT_FALSE(store_->complete("s", head).superseded()); });
  }
  EXPECT_EQ(run,
            "BeginImmediate CursorByKey NextWork UpdateCursor PutWork FirstKey PutReady Commit");
}

TEST_F(StatementCount, OfFailAndRelease) {
  store_->append("s", {independent()});
  const FailOptions options{.error = "e", .max_failures = 100};
  std::string fail;
  std::string release;
  for (int i = 0; i < 3; ++i) {
    Head head = claim(1).at(0);
    fail = statements_of([&] { EXPECT_FALSE(store_->fail("s", head, options).superseded()); });
    head = claim(1).at(0);
    release = statements_of([&] { EXPECT_FALSE(store_->release("s", head).superseded()); });
  }
  EXPECT_EQ(fail, "BeginImmediate CursorByKey UpdateCursor FirstKey PutReady Commit");
  EXPECT_EQ(release, fail);
}

TEST_F(StatementCount, OfARenewal) {
  store_->append("s", {independent()});
  const Head head = claim(1).at(0);
  const RenewOptions options{.holder = "w", .ttl = 60s};
  EXPECT_EQ(statements([&] {
              clock_->advance(1);
              EXPECT_EQ(store_->renew("s", {head}, options).renewed.size(), 1U);
            }),
            "BeginImmediate CursorByKey UpdateCursor FirstKey PutReady Commit");
}

TEST_F(StatementCount, OfReads) {
  for (int i = 0; i < 20; ++i) store_->append("s", {independent()});
  EXPECT_EQ(statements([&] { store_->read("s"); }), "Begin FindSession EventRange Rollback");
  EXPECT_EQ(statements([&] { store_->head("s"); }), "Begin FindSession Rollback");
  EXPECT_EQ(statements([&] { store_->ready({.consumers = served_}); }),
            "Begin ReadyRange Rollback");
  EXPECT_EQ(statements([&] { store_->sessions(); }), "Begin ListSessions Rollback");
}

TEST_F(StatementCount, OfClaimReadyAndSettle) {
  for (int i = 0; i < 9; ++i) store_->append("s", {independent()});
  const ClaimReadyOptions options{.holder = "w", .ttl = 60s, .consumers = served_, .limit = 1};
  std::vector<SessionClaims> claims;
  EXPECT_EQ(statements([&] { claims = store_->claim_ready(options).claims; }),
            "BeginImmediate ReadyRange Window UpdateCursor EventAt FirstDue Commit");
  EXPECT_EQ(
      statements([&] {
        const std::vector<SettleItem> items{{.session = "s", .claim = claims.at(0).heads.at(0)}};
        claims = *store_->settle(items, {.consumers = served_, .claim = options}).claims;
      }),
      "BeginImmediate CursorByKey Window ReadyRange DeleteCursor UpdateCursor PutWork EventAt "
      "FirstDue Commit");
}

}  // namespace
}  // namespace pawl::sqlite
