// The lock and the bell of all stores on one file.
#include "side_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <memory>
#include <thread>
#include <vector>

#include "pawl/error.h"
#include "scratch.h"

namespace pawl::sqlite {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

steady_clock::time_point in(int ms) { return steady_clock::now() + milliseconds(ms); }
constexpr int kLong = 60'000;

template <typename Condition>
void until(const Condition& condition) {
  while (!condition()) std::this_thread::yield();
}

class SideFiles : public ::testing::Test {
 protected:
  std::unique_ptr<SideFile> open() {
    return std::make_unique<SideFile>(scratch_.path("lock"), 0600, in(kLong));
  }

  Scratch scratch_;
};

TEST_F(SideFiles, TheLockIsHeldByOneStoreAtATime) {
  const auto a = open();
  const auto b = open();
  ASSERT_TRUE(a->lock(in(kLong)));
  EXPECT_FALSE(b->lock(in(0)));
  EXPECT_FALSE(b->lock(in(30)));
  a->unlock();
  EXPECT_TRUE(b->lock(in(0)));
  b->unlock();
}

TEST_F(SideFiles, WhoWaitsGetsTheLockBeforeItsHolderGetsItAgain) {
  const auto a = open();
  const auto b = open();
  for (int round = 0; round < 50; ++round) {
    ASSERT_TRUE(a->lock(in(kLong)));
    std::atomic<bool> b_had_it = false;
    std::thread waiter([&] {
      ASSERT_TRUE(b->lock(in(kLong)));
      b_had_it = true;
      b->unlock();
    });
    // Only once it waits in the line does a holder have to queue behind it.
    until([&] { return a->waiting() == 1; });
    until([&] { return !a->line_is_free(); });
    a->unlock();
    ASSERT_TRUE(a->lock(in(kLong)));
    EXPECT_TRUE(b_had_it);
    a->unlock();
    waiter.join();
  }
}

TEST_F(SideFiles, ManyTakeTheirTurns) {
  constexpr int kStores = 4;
  constexpr int kTurns = 200;
  std::atomic<int> inside = 0;
  std::atomic<int> turns = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kStores; ++i) {
    threads.emplace_back([&] {
      const auto file = open();
      for (int turn = 0; turn < kTurns; ++turn) {
        ASSERT_TRUE(file->lock(in(kLong)));
        EXPECT_EQ(++inside, 1);
        ++turns;
        --inside;
        file->unlock();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(turns, kStores * kTurns);
  EXPECT_EQ(open()->waiting(), 0U);
}

TEST_F(SideFiles, AHolderThatDiesGivesTheLockUp) {
  const auto mine = open();
  const pid_t child = fork();
  if (child == 0) {
    SideFile file(scratch_.path("lock"), 0600, in(kLong));
    _exit(file.lock(in(kLong)) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(mine->lock(in(kLong)));
  mine->unlock();
}

TEST_F(SideFiles, ASleeperIsWokenByACommitOfAnotherStore) {
  const auto a = open();
  const auto b = open();
  const std::uint64_t seen = a->commits();
  std::thread sleeper([&] { a->sleep(seen, in(kLong), [] { return false; }); });
  until([&] { return b->sleepers() == 1; });
  b->announce();
  sleeper.join();
  EXPECT_EQ(a->commits(), seen + 1);
}

TEST_F(SideFiles, ACommitBeforeTheSleepIsNotMissed) {
  const auto a = open();
  const auto b = open();
  const std::uint64_t seen = a->commits();
  b->announce();
  const auto begun = steady_clock::now();
  a->sleep(seen, in(kLong), [] { return false; });
  EXPECT_LT(steady_clock::now() - begun, milliseconds(kLong / 2));
}

TEST_F(SideFiles, TheDeadLeaveNoCountsBehind) {
  const pid_t child = fork();
  if (child == 0) {
    SideFile file(scratch_.path("lock"), 0600, in(kLong));
    file.sleep(file.commits(), in(kLong), [&file] {
      _exit(file.sleepers() == 1 ? 0 : 1);
      return true;
    });
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  EXPECT_EQ(open()->sleepers(), 0U);
}

TEST_F(SideFiles, AForeignFileIsRefusedAndLeftAlone) {
  const std::string text = "somebody's lock\n";
  std::ofstream(scratch_.path("lock")) << text;
  try {
    open();
    ADD_FAILURE() << "was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kNotConfigured);
    EXPECT_NE(std::string(error.what()).find(scratch_.path("lock")), std::string::npos);
  }
  std::ifstream file(scratch_.path("lock"));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), text);
}

TEST_F(SideFiles, ItsPermissionsAreThoseOfTheStore) {
  const mode_t old = umask(0777);
  const SideFile hidden(scratch_.path("private"), 0600, in(kLong));
  const SideFile shared(scratch_.path("shared"), 0660, in(kLong));
  umask(old);
  struct stat status {};
  ASSERT_EQ(stat(scratch_.path("private").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  ASSERT_EQ(stat(scratch_.path("shared").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0660U);
}

}  // namespace
}  // namespace pawl::sqlite
