// wake_log of a session without events, and maintain: the answers that are put together by Store.
#include <gtest/gtest.h>

#include "tests/store/support.h"

namespace pawl::testing {
namespace {

TEST(WakeLog, OfASessionWithoutEventsAnswersAnIdleCursor) {
  const Memory memory;
  Store store = memory.open();
  const Consumer audit{"audit", Log{.lane = "l", .types = {{"t"}}, .backfill = true}};
  const auto expect_idle = [&](std::int64_t position) {
    const WakeLogResult result = store.wake_log("s", audit);
    EXPECT_EQ(result.last_index, position) << "wake_log.2";
    EXPECT_EQ(result.cursor.consumer, "audit");
    EXPECT_EQ(result.cursor.kind, CursorKind::kLog);
    EXPECT_EQ(result.cursor.lane, "l");
    EXPECT_EQ(result.cursor.position, position);
    EXPECT_EQ(result.cursor.head, std::nullopt);
    EXPECT_TRUE(store.cursors("s").empty()) << "nothing is written";
  };
  expect_idle(0);
  store.append("s", {event("x")});
  store.clear("s");
  expect_idle(2);
  while (!store.delete_session("s").done) {
  }
  expect_idle(2);
  store.append("s", {event("y")});
  EXPECT_EQ(store.wake_log("s", audit).cursor.head, 3);
}

// Sessions s0, s1, ...: of each, three events are cleared away, one is left and finished.
void fill(Store& store, int sessions) {
  for (int i = 0; i < sessions; ++i) {
    const std::string name = "s" + std::to_string(i);
    store.append(name, {event({}, {{"c"}}), event({}, {{"c", "k"}}), event({})});
    store.clear(name);
    store.append(name, {event({}, {{"c"}})});
    const Head head = store.claim(name, {.holder = "w", .ttl = Duration(50)}).heads.at(0);
    EXPECT_EQ(store.complete(name, head).outcome, FinishOutcome::kCompleted);
  }
}

DeletedResult until_done(Store& store, const MaintainOptions& options, int most_calls) {
  DeletedResult all;
  for (int i = 0; i < most_calls && !all.done; ++i) {
    const DeletedResult one = store.maintain(options);
    all.deleted += one.deleted;
    all.done = one.done;
  }
  return all;
}

TEST(Maintain, DoesAllThatIsToDo) {
  const Memory memory;
  Store store = memory.open();
  fill(store, 3);
  store.append("gone", {event({}), event({}), event({})});
  EXPECT_FALSE(store.delete_session("gone", 1).done);
  store.set_presence("n", "p", {{"f", "1"}, {"g", "1"}}, {.at = ms(1), .ttl = Duration(10)});
  memory.clock->advance(10);

  const DeletedResult kept = store.maintain();
  EXPECT_TRUE(kept.done) << "maintain.1";
  EXPECT_EQ(kept.deleted, 3 * 3 + 3 + 2) << "events, those of a deletion begun, presence";
  EXPECT_EQ(store.maintain().deleted, 0);
  EXPECT_EQ(store.prune("s1", ms(200)).deleted, 1) << "records stay without finished_before";
  const DeletedResult pruned = store.maintain({.finished_before = ms(101)});
  EXPECT_TRUE(pruned.done);
  EXPECT_EQ(pruned.deleted, 2);
  EXPECT_TRUE(store.delete_session("gone").done);
  EXPECT_TRUE(store.maintain({.finished_before = ms(101)}).done);
}

TEST(Maintain, GoesInSmallStepsUntilItIsDone) {
  for (const std::int64_t limit : {1, 2, 5}) {
    const Memory memory;
    Store store = memory.open();
    fill(store, 4);
    memory.clock->advance(1);
    EXPECT_LE(store.maintain({.limit = limit}).deleted, limit) << "maintain.2";
    const DeletedResult rest = until_done(store, {.limit = limit, .finished_before = ms(101)}, 100);
    EXPECT_TRUE(rest.done) << limit;
    for (int i = 0; i < 4; ++i) {
      const std::string name = "s" + std::to_string(i);
      EXPECT_TRUE(store.reclaim(name).done);
      EXPECT_EQ(store.prune(name, ms(101)).deleted, 0);
      EXPECT_EQ(indexes(store.read(name)), "4 5") << "the marker and what is above it stay";
    }
  }
}

// Rows of every kind count for the limit, not only the events that are answered.
TEST(Maintain, CountsWhatAnEventTakesWithIt) {
  const Memory memory;
  Store store = memory.open();
  std::vector<Target> targets;
  for (int i = 0; i < 20; ++i) targets.push_back({"c" + std::to_string(i)});
  for (const char* name : {"a", "b", "d"}) {
    store.append(name, {event({}, targets)});
    store.clear(name);
  }
  const DeletedResult first = store.maintain({.limit = 20});
  EXPECT_EQ(first.deleted, 1) << "maintain.2: with its entries that is all a call may do";
  EXPECT_FALSE(first.done);
  EXPECT_TRUE(until_done(store, {.limit = 20}, 100).done);
}

TEST(Maintain, IsNotDoneWhileADeletionLeavesALaterClear) {
  const Memory memory;
  Store store = memory.open();
  store.append("s", {event({}), event({})});
  EXPECT_FALSE(store.delete_session("s", 1).done);
  store.append("s", {event({}), event({})});
  store.clear("s");
  const DeletedResult all = until_done(store, {}, 10);
  EXPECT_TRUE(all.done);
  EXPECT_EQ(all.deleted, 4) << "two and their marker less one, two of the new life";
  EXPECT_EQ(indexes(store.read("s")), "6");
}

}  // namespace
}  // namespace pawl::testing
