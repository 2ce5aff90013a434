// Clocks, and generated ids: the layout of RFC 9562 and that ids only increase.
#include "pawl/clock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace pawl {
namespace {

std::int64_t unix_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::int64_t time_of(const std::string& id) {
  return std::stoll(id.substr(0, 8) + id.substr(9, 4), nullptr, 16);
}

TEST(ManualClock, StandsStillUntilItIsSet) {
  ManualClock clock;
  EXPECT_EQ(clock.now_ms(), 1);
  EXPECT_EQ(clock.now_ms(), 1);
  clock.advance(41);
  EXPECT_EQ(clock.now_ms(), 42);
  clock.set(7);
  EXPECT_EQ(clock.now_ms(), 7);
  EXPECT_EQ(ManualClock(99).now_ms(), 99);
}

TEST(SystemClock, CountsMillisecondsSinceTheEpoch) {
  const std::int64_t before = unix_ms();
  const std::int64_t now = system_clock()->now_ms();
  EXPECT_GE(now, before);
  EXPECT_LE(now, unix_ms());
}

TEST(SequentialIds, CountFromOneEach) {
  const auto source = sequential_id_source();
  EXPECT_EQ(source->next(), "id-1");
  EXPECT_EQ(source->next(), "id-2");
  EXPECT_EQ(sequential_id_source()->next(), "id-1");
}

TEST(UuidV7, HasTheLayoutOfRfc9562) {
  const auto source = uuid_v7_source();
  for (int i = 0; i < 1'000; ++i) {
    const std::string id = source->next();
    ASSERT_EQ(id.size(), 36u);
    for (std::size_t place = 0; place < id.size(); ++place) {
      const bool dash = place == 8 || place == 13 || place == 18 || place == 23;
      EXPECT_EQ(id[place] == '-', dash) << id;
      EXPECT_TRUE(dash || std::string("0123456789abcdef").find(id[place]) != std::string::npos)
          << id;
    }
    EXPECT_EQ(id[14], '7') << "the version: " << id;
    EXPECT_TRUE(std::string("89ab").find(id[19]) != std::string::npos) << "the variant: " << id;
  }
}

TEST(UuidV7, BeginsWithTheTime) {
  const std::int64_t before = unix_ms();
  const std::int64_t time = time_of(uuid_v7_source()->next());
  EXPECT_GE(time, before);
  EXPECT_LE(time, unix_ms() + 1'000) << "it runs ahead only by as much as ids were drawn";
}

TEST(UuidV7, IncreasesStrictly) {
  const auto source = uuid_v7_source();
  std::string last = source->next();
  std::set<std::string> tails;
  for (int i = 0; i < 100'000; ++i) {
    std::string id = source->next();
    ASSERT_LT(last, id) << i;
    tails.insert(id.substr(19));
    last = std::move(id);
  }
  EXPECT_GT(tails.size(), 99'990u) << "rand_b is fresh for each";
  EXPECT_LT(last, uuid_v7_source()->next()) << "one source for the process";
}

TEST(UuidV7, IncreasesInEachThreadAndRepeatsInNone) {
  constexpr int kThreads = 8;
  constexpr int kEach = 5'000;
  std::vector<std::vector<std::string>> drawn(kThreads);
  std::vector<std::thread> threads;
  for (auto& ids : drawn) {
    threads.emplace_back([&ids] {
      for (int i = 0; i < kEach; ++i) ids.push_back(uuid_v7_source()->next());
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<std::string> all;
  for (const auto& ids : drawn) {
    EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end(), std::less<>()));
    all.insert(ids.begin(), ids.end());
  }
  EXPECT_EQ(all.size(), std::size_t{kThreads} * kEach);
}

// What both sides of a fork draw at once differs in more than the counter.
TEST(UuidV7, AForksChildDrawsOthers) {
  uuid_v7_source()->next();
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::string text;
    for (int i = 0; i < 100; ++i) text += uuid_v7_source()->next();
    const ssize_t written = write(ends[1], text.data(), text.size());
    _exit(written == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  std::set<std::string> tails;
  for (int i = 0; i < 100; ++i) tails.insert(uuid_v7_source()->next().substr(19));
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  ASSERT_EQ(text.size(), 3'600u);
  for (std::size_t i = 0; i < text.size(); i += 36) {
    EXPECT_FALSE(tails.contains(text.substr(i + 19, 17))) << text.substr(i, 36);
  }
}

}  // namespace
}  // namespace pawl
