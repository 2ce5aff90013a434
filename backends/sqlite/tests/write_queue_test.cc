// Group commit: who is combined, who is disturbed, who waits.
#include "write_queue.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include "driver_rows.h"
#include "scratch.h"
#include "sqlite_backend.h"

namespace pawl::sqlite {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

class Group : public ::testing::Test {
 protected:
  // Holds the queue with one operation while others are queued, then lets them all go. Returns
  // what each of the others threw.
  std::vector<std::exception_ptr> run_behind_one(const std::vector<Backend::Decide>& others) {
    std::promise<void> entered;
    std::promise<void> go;
    std::thread first([&] {
      backend_.transact(query_of("first"), [&](driver::Facts&& facts) {
        entered.set_value();
        go.get_future().wait();
        return append_one("first")(std::move(facts));
      });
    });
    entered.get_future().wait();
    std::vector<std::exception_ptr> errors(others.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < others.size(); ++i) {
      threads.emplace_back([&, i] {
        try {
          backend_.transact(query_of("s"), others[i]);
        } catch (...) {
          errors[i] = std::current_exception();
        }
      });
      while (backend_.queue().size() < i + 2) std::this_thread::yield();
    }
    go.set_value();
    first.join();
    for (std::thread& thread : threads) thread.join();
    return errors;
  }

  Scratch scratch_;
  SqliteBackend backend_{find_place(scratch_.path()), {}};
};

TEST_F(Group, WaitingWritersShareACommit) {
  const std::uint64_t before = backend_.changes();
  const auto errors = run_behind_one(std::vector<Backend::Decide>(20, append_one("s")));
  for (const auto& error : errors) EXPECT_EQ(error, nullptr);
  EXPECT_EQ(row_of(backend_, "s").last_index, 20);
  EXPECT_EQ(backend_.changes() - before, 2U);
}

TEST_F(Group, ALoneWriterStaysOnItsThread) {
  std::thread::id decided;
  backend_.transact(query_of("s"), [&](driver::Facts&& facts) {
    decided = std::this_thread::get_id();
    return append_one("s")(std::move(facts));
  });
  EXPECT_EQ(decided, std::this_thread::get_id());
}

TEST_F(Group, ADecisionThatThrowsDisturbsNobody) {
  std::atomic<int> decisions = 0;
  const Backend::Decide good = [&](driver::Facts&& facts) {
    ++decisions;
    return append_one("s")(std::move(facts));
  };
  const Backend::Decide bad = [](driver::Facts&&) -> driver::Effects {
    throw Error(ErrorCode::kReplayMismatch, "as decided");
  };
  const std::uint64_t before = backend_.changes();
  const auto errors = run_behind_one({good, bad, good});
  EXPECT_EQ(errors[0], nullptr);
  EXPECT_EQ(errors[2], nullptr);
  try {
    ASSERT_NE(errors[1], nullptr);
    std::rethrow_exception(errors[1]);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kReplayMismatch);
  }
  EXPECT_EQ(row_of(backend_, "s").last_index, 2);
  EXPECT_EQ(decisions, 2);
  EXPECT_EQ(backend_.changes() - before, 2U);
}

TEST_F(Group, ATakenIdUndoesItsOwnOperationAlone) {
  backend_.transact(query_of("s"), append_one("s", "taken"));
  const std::uint64_t before = backend_.changes();
  const auto errors = run_behind_one({append_one("s"), append_one("s", "taken"), append_one("s")});
  EXPECT_EQ(errors[0], nullptr);
  EXPECT_EQ(errors[2], nullptr);
  ASSERT_NE(errors[1], nullptr);
  EXPECT_THROW(std::rethrow_exception(errors[1]), IdTaken);
  EXPECT_EQ(row_of(backend_, "s").last_index, 3);
  EXPECT_EQ(backend_.changes() - before, 3U);  // the first, and two by themselves
}

TEST_F(Group, AnAnswerThatIsTooLargeUndoesItsOwnOperationAlone) {
  const Backend::Decide too_large = [](driver::Facts&& facts) {
    driver::Effects effects = append_one("s")(std::move(facts));
    effects.sessions.front().append.front().payload = R"("longer than four bytes")";
    effects.read.events.push_back({"s", effects.sessions.front().row->last_index});
    effects.read.events.push_back({"s", 1});
    effects.read.max_bytes = 4;
    return effects;
  };
  const auto errors = run_behind_one({append_one("s"), too_large, append_one("s")});
  EXPECT_EQ(errors[0], nullptr);
  EXPECT_EQ(errors[2], nullptr);
  try {
    ASSERT_NE(errors[1], nullptr);
    std::rethrow_exception(errors[1]);
  } catch (const AnswerTooLarge& error) {
    EXPECT_EQ(error.fits, 1);
  }
  EXPECT_EQ(row_of(backend_, "s").last_index, 2);
}

TEST_F(Group, ThreadsLoseNothing) {
  constexpr int kThreads = 8;
  constexpr int kEach = 100;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < kEach; ++n) {
        backend_.transact(query_of("s"), append_one("s"));
        row_of(backend_, "s");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  driver::Query query = query_of("s");
  query.sessions.front().events = first_events(10'000);
  EXPECT_EQ(backend_.look(query).sessions.front().events.size(), std::size_t{kThreads * kEach});
}

class Busy : public ::testing::Test {
 protected:
  static OpenOptions options() {
    OpenOptions options;
    options.busy_timeout = milliseconds(40);
    return options;
  }

  Scratch scratch_;
  SqliteBackend backend_{find_place(scratch_.path()), options()};
  // Another process's, say.
  SideFile other_{scratch_.path() + "-lock", 0600, steady_clock::now() + milliseconds(60'000)};
};

TEST_F(Busy, AnotherHolderOfTheLockIsWaitedForNoLongerThanAllowed) {
  ASSERT_TRUE(other_.lock(steady_clock::now()));
  const auto begun = steady_clock::now();
  try {
    backend_.transact(query_of("s"), append_one("s"));
    ADD_FAILURE() << "was not busy";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBusy);
    EXPECT_TRUE(error.retryable());
  }
  EXPECT_GE(steady_clock::now() - begun, milliseconds(40));
  EXPECT_EQ(row_of(backend_, "s").last_index, 0);  // reading goes on
  other_.unlock();
  backend_.transact(query_of("s"), append_one("s"));
  EXPECT_EQ(row_of(backend_, "s").last_index, 1);
}

// Those who have joined a writer that gives up wait for the lock themselves, and are told so, too.
TEST_F(Busy, EachOfTheWaitingWritersIsTold) {
  constexpr int kWriters = 6;
  ASSERT_TRUE(other_.lock(steady_clock::now()));
  std::vector<std::future<void>> writers;
  for (int i = 0; i < kWriters; ++i) {
    writers.push_back(std::async(std::launch::async, [&] {
      const auto begun = steady_clock::now();
      EXPECT_THROW(backend_.transact(query_of("s"), append_one("s")), Error);
      EXPECT_GE(steady_clock::now() - begun, milliseconds(40));
    }));
  }
  for (std::future<void>& writer : writers) writer.get();
  EXPECT_EQ(backend_.queue().size(), 0U);
  other_.unlock();
  for (int i = 0; i < kWriters; ++i) backend_.transact(query_of("s"), append_one("s"));
  EXPECT_EQ(row_of(backend_, "s").last_index, kWriters);
}

TEST_F(Busy, AForeignWriterIsWaitedForNoLongerThanAllowed) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(scratch_.path().c_str(), &db), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(db, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  try {
    backend_.transact(query_of("s"), append_one("s"));
    ADD_FAILURE() << "was not busy";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kBusy);
    EXPECT_EQ(error.native(), "SQLITE_BUSY");
  }
  sqlite3_exec(db, "ROLLBACK", nullptr, nullptr, nullptr);
  sqlite3_close(db);
  backend_.transact(query_of("s"), append_one("s"));
  EXPECT_EQ(row_of(backend_, "s").last_index, 1);
}

}  // namespace
}  // namespace pawl::sqlite
