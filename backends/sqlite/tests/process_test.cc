// Several processes on one file, and children of fork.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <thread>

#include "check_first_keys.h"
#include "children.h"
#include "driver_rows.h"
#include "pawl/sqlite.h"
#include "schema.h"
#include "scratch.h"
#include "sqlite_backend.h"

namespace pawl::sqlite {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

class Processes : public ::testing::Test {
 protected:
  // Children wait in `wait_for_start` until all are there.
  Processes() { EXPECT_EQ(pipe(start_), 0); }
  ~Processes() override {
    close(start_[0]);
    if (start_[1] >= 0) close(start_[1]);
  }
  void wait_for_start() {
    close(start_[1]);
    char byte = 0;
    EXPECT_EQ(read(start_[0], &byte, 1), 0);
  }
  void start() {
    close(start_[1]);
    start_[1] = -1;
  }

  void check_integrity() {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(scratch_.path().c_str(), &db), SQLITE_OK);
    std::string answer;
    sqlite3_exec(
        db, "PRAGMA integrity_check",
        [](void* to, int, char** values, char**) {
          *static_cast<std::string*>(to) += values[0];
          return 0;
        },
        &answer, nullptr);
    EXPECT_EQ(answer, "ok");
    sqlite3_close(db);
  }

  Scratch scratch_;
  int start_[2] = {-1, -1};
};

TEST_F(Processes, ManyOpenANewFileAtOnce) {
  constexpr int kProcesses = 8;
  constexpr int kRounds = 12;
  OpenOptions options;
  options.durability = Durability::kRelaxed;  // of the appends: the layout is synced all the same
  for (int round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(round);
    const std::string path = scratch_.path("new" + std::to_string(round));
    int barrier[2];
    ASSERT_EQ(pipe(barrier), 0);
    std::vector<pid_t> children;
    for (int i = 0; i < kProcesses; ++i) {
      children.push_back(in_child([&] {
        close(barrier[1]);
        char byte = 0;
        EXPECT_EQ(read(barrier[0], &byte, 1), 0);
        const auto backend = open_backend(path, options);
        backend->transact(query_of("s"), append_one("s"));
        return 0;
      }));
    }
    close(barrier[1]);
    for (const pid_t child : children) EXPECT_EQ(exit_code(child), 0);
    close(barrier[0]);
    EXPECT_EQ(row_of(*open_backend(path, {}), "s").last_index, kProcesses);
  }
}

TEST_F(Processes, WriteWithoutGapsAndWithoutLoss) {
  constexpr int kProcesses = 4;
  constexpr int kEach = 150;
  OpenOptions options;
  options.durability = Durability::kRelaxed;
  options.busy_timeout = Duration(60'000);
  options.engine = {{"checkpoint_pages", "16"}};  // many checkpoints beside many commits
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    children.push_back(in_child([&] {
      wait_for_start();
      const auto backend = open_backend(scratch_.path(), options);
      for (int n = 0; n < kEach; ++n) {
        backend->transact(query_of("s"), append_one("s"));
        driver::Query query = query_of("s");
        query.sessions.front().events = first_events(10, n);
        backend->look(query);  // throws where an event is missing
      }
      return 0;
    }));
  }
  start();
  for (const pid_t child : children) EXPECT_EQ(exit_code(child), 0);
  const auto backend = open_backend(scratch_.path(), options);
  driver::Query query = query_of("s");
  query.sessions.front().events = first_events(10'000);
  EXPECT_EQ(backend->look(query).sessions.front().events.size(), std::size_t{kProcesses * kEach});
  check_first_keys(scratch_.path());
  check_integrity();
}

TEST_F(Processes, AWaitIsWokenByAnotherProcess) {
  OpenOptions options;
  options.wake_poll = Duration(3'600'000);
  SqliteBackend backend(find_place(scratch_.path()), options);
  const pid_t child = in_child([&] {
    SqliteBackend own(find_place(scratch_.path()), options);
    const std::uint64_t seen = own.changes();
    own.wait(seen, steady_clock::now() + std::chrono::minutes(5));
    return own.changes() == seen + 1 ? 0 : 1;
  });
  while (backend.side_file().sleepers() == 0) std::this_thread::yield();
  backend.transact(query_of("s"), append_one("s"));
  EXPECT_EQ(exit_code(child), 0);
}

TEST_F(Processes, OneThatIsKilledInTheMiddleLeavesNothingAndBlocksNobody) {
  const auto backend = open_backend(scratch_.path(), {});
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = in_child([&] {
    const auto own = open_backend(scratch_.path(), {});
    own->transact(query_of("s"), [&](driver::Facts&& facts) {
      EXPECT_EQ(write(ready[1], "x", 1), 1);
      pause();
      return append_one("s")(std::move(facts));
    });
    return 0;
  });
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);  // now it holds the lock, inside its transaction
  kill(child, SIGKILL);
  EXPECT_EQ(exit_code(child), 128 + SIGKILL);
  backend->transact(query_of("s"), append_one("s"));
  EXPECT_EQ(row_of(*backend, "s").last_index, 1);
  close(ready[0]);
  close(ready[1]);
}

// All of them go on until each has had its turns: with a lock that whoever has it takes again, or
// that is polled for, one would wait for good. (That the lock goes to who waits, side_file_test
// shows; how often a process comes to wait is up to the machine.)
TEST_F(Processes, NoneStarvesBehindTheOthers) {
  constexpr int kProcesses = 4;
  constexpr std::int64_t kTurns = 100;
  constexpr std::int64_t kMost = 100 * kProcesses * kTurns;  // of all
  OpenOptions options;
  options.durability = Durability::kRelaxed;
  options.busy_timeout = Duration(60'000);
  const auto backend = open_backend(scratch_.path(), options);
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    children.push_back(in_child([&] {
      const auto own = open_backend(scratch_.path(), options);
      own->transact(query_of("there"), append_one("there"));
      while (row_of(*own, "there").last_index < kProcesses) std::this_thread::yield();
      for (std::int64_t turns = 1; row_of(*own, "done").last_index < kProcesses; ++turns) {
        own->transact(query_of("all"), append_one("all"));
        if (turns == kTurns) own->transact(query_of("done"), append_one("done"));
        if (row_of(*own, "all").last_index >= kMost) return 1;
      }
      return 0;
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(exit_code(child), 0);
}

// The child sees the store closed, and letting go of it takes nothing from the parent: not its
// files, not its locks.
TEST_F(Processes, AChildOfForkFindsTheStoreClosed) {
  auto backend = std::make_unique<SqliteBackend>(find_place(scratch_.path()), OpenOptions());
  backend->transact(query_of("s"), append_one("s"));
  row_of(*backend, "s");
  const pid_t child = in_child([&] {
    int closed = 0;
    const auto expect_closed = [&](const std::function<void()>& call) {
      try {
        call();
      } catch (const Error& error) {
        if (error.code() == ErrorCode::kClosed) ++closed;
      }
    };
    expect_closed([&] { row_of(*backend, "s"); });
    expect_closed([&] { backend->transact(query_of("s"), append_one("s")); });
    expect_closed([&] { backend->changes(); });
    expect_closed([&] { backend->wait(0, steady_clock::now()); });
    backend->close();
    backend.reset();
    return closed == 4 ? 0 : 1;
  });
  EXPECT_EQ(exit_code(child), 0);

  // SQLite's shared lock on the file still stands, as another process sees.
  const pid_t observer = in_child([&] {
    const int file = ::open(scratch_.path().c_str(), O_RDWR);
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = 0x40000002;  // SQLite's shared bytes
    lock.l_len = 510;
    return fcntl(file, F_GETLK, &lock) == 0 && lock.l_type == F_RDLCK ? 0 : 1;
  });
  EXPECT_EQ(exit_code(observer), 0);

  for (int i = 0; i < 200; ++i) backend->transact(query_of("s"), append_one("s"));
  EXPECT_EQ(row_of(*backend, "s").last_index, 201);
  backend.reset();
  check_integrity();
}

// A lock of this kind lives as long as any copy of its descriptor.
TEST_F(Processes, AChildOfForkKeepsNoLockOfAParentThatDies) {
  OpenOptions options;
  options.busy_timeout = Duration(5'000);
  const auto backend = open_backend(scratch_.path(), options);
  int ready[2];
  int alive[2];  // until it is closed, the child's child lives
  ASSERT_EQ(pipe(ready), 0);
  ASSERT_EQ(pipe(alive), 0);
  const pid_t child = in_child([&] {
    const auto own = open_backend(scratch_.path(), {});
    own->transact(query_of("s"), [&](driver::Facts&& facts) {
      in_child([&] {
        close(alive[1]);
        char byte = 0;
        return static_cast<int>(read(alive[0], &byte, 1));
      });
      EXPECT_EQ(write(ready[1], "x", 1), 1);
      pause();
      return append_one("s")(std::move(facts));
    });
    return 0;
  });
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  kill(child, SIGKILL);
  EXPECT_EQ(exit_code(child), 128 + SIGKILL);
  backend->transact(query_of("s"), append_one("s"));
  EXPECT_EQ(row_of(*backend, "s").last_index, 1);
  for (const int end : {ready[0], ready[1], alive[0], alive[1]}) close(end);
}

}  // namespace
}  // namespace pawl::sqlite
