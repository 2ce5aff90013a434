// Parts that several decisions share: served consumers, eras, plans, and the workspace.
#include "decide/workspace.h"

#include <gtest/gtest.h>

#include "decide/append.h"
#include "tests/support/rows.h"
#include "tests/support/show.h"

namespace pawl::core {
namespace {

using testing::on_event;
using testing::on_lane;
using testing::on_log;
using testing::reads;

TEST(TypeSet, IsSortedAndWithoutRepeats) {
  EXPECT_EQ(type_set(std::nullopt), std::nullopt);
  EXPECT_EQ(type_set({{}}), driver::Types(std::vector<std::string>{}));
  EXPECT_EQ(type_set({{"b", "a", "b", "B", "\xC3\xA4"}}),
            driver::Types({"B", "a", "b", "\xC3\xA4"}));
  EXPECT_TRUE(takes(std::nullopt, "t"));
  EXPECT_FALSE(takes({{}}, "t"));
  EXPECT_TRUE(takes(type_set({{"u", "t"}}), "t"));
  EXPECT_FALSE(takes(type_set({{"u", "t"}}), "tt"));
}

TEST(ServedSet, AbsentServesAllEmptyServesNone) {
  const ServedSet all = served_set(std::nullopt);
  EXPECT_TRUE(all.serves("c"));
  EXPECT_TRUE(all.logs.empty());
  const ServedSet none = served_set(std::span<const Consumer>());
  EXPECT_FALSE(none.serves("c"));
  const std::vector<Consumer> some{{"d"}, reads("b", {{"u", "t"}}, true, "l"), {"a"}};
  const ServedSet served = served_set(std::span(some));
  EXPECT_EQ(served.names, (std::vector<std::string>{"a", "b", "d"}));
  for (const char* name : {"a", "b", "d"}) EXPECT_TRUE(served.serves(name));
  EXPECT_FALSE(served.serves("c"));
  ASSERT_EQ(served.logs.size(), 1u);
  const ServedLog* log = served.log_of({"b", "l", 0});
  ASSERT_NE(log, nullptr);
  EXPECT_EQ(log->log.types, driver::Types({"t", "u"}));
  EXPECT_TRUE(log->backfill);
  EXPECT_EQ(served.log_of({"b", "log", 0}), nullptr);
  EXPECT_EQ(served.log_of({"b", {}, 3}), nullptr);
  EXPECT_EQ(served.log_of({"a", "l", 0}), nullptr);
}

TEST(AsOf, SaysWhatARowOfAnOlderEraMeans) {
  const driver::SessionRow session{.last_index = 9, .clear_index = 7, .era = 3};
  driver::SessionRow deleted = session;
  deleted.deleted_index = 5;
  deleted.deleted_era = 2;
  const auto as = [](const testing::Cur& cursor, std::int64_t era, const driver::SessionRow& in) {
    const auto row = as_of(cursor.row(era), in);
    return row ? testing::show(*row) : "none";
  };
  const testing::Cur lane = on_lane("c", "k").at(8).held("w", 150);
  const testing::Cur log =
      on_log("c").takes({{"t"}}).at(6).held("w", 150).failed(1, 2, 1).pinned(1).completed(4, 1);
  EXPECT_EQ(as(lane, 3, session), testing::show(lane.row(3)));
  EXPECT_EQ(as(lane, 2, session), "none");
  EXPECT_EQ(as(on_event("c", 8), 2, session), "none");
  EXPECT_EQ(as(log, 3, session), testing::show(log.row(3)));
  EXPECT_EQ(as(log, 2, session), "c/log era=3 pos=7 types=[t]");
  EXPECT_EQ(as(log, 0, session), "c/log era=3 pos=7 types=[t]");
  EXPECT_EQ(as(log, 2, deleted), "c/log era=3 pos=7 types=[t]") << "of the new life";
  EXPECT_EQ(as(log, 1, deleted), "none") << "of the deleted one";
}

TEST(TakeHead, IsFreshAndWaitsForItsTime) {
  driver::CursorRow row = on_log("c").at(3).tried(2).failed(1, 2, 1).dead(5).completed(2, 1).row(0);
  take_head(row, 7, 0, 100);
  EXPECT_EQ(testing::show(row), "c/log pos=2 head=7 since=100 types=* completed=2/1[]");
  take_head(row, 8, 101, 100);
  EXPECT_EQ(testing::show(row), "c/log pos=2 head=8 due=101 types=* completed=2/1[]");
  take_head(row, 9, 100, 100);
  EXPECT_EQ(testing::show(row), "c/log pos=2 head=9 since=100 types=* completed=2/1[]");
  make_idle(row);
  EXPECT_EQ(testing::show(row), "c/log pos=2 types=* completed=2/1[]");
}

TEST(MergeCursors, AsksOnceForAllThatIsAsked) {
  driver::SessionQuery query;
  const driver::LogTypes types{"log", {{"t"}}};
  plan_cursor(query, {"b", {}, 3}, false, false, nullptr, false);
  plan_cursor(query, {"b", "log", 0}, false, false, nullptr, false);
  plan_cursor(query, {"a", "k", 0}, true, false, nullptr, false);
  plan_cursor(query, {"b", "log", 0}, true, true, &types, false);
  plan_cursor(query, {"a", "k", 0}, true, true, nullptr, false);
  plan_cursor(query, {"b", "log", 0}, false, false, nullptr, true);
  merge_cursors(query);
  ASSERT_EQ(query.cursors.size(), 3u);
  const driver::CursorQuery& lane = query.cursors[0];
  EXPECT_EQ(lane.key, (driver::CursorKey{"a", "k", 0}));
  ASSERT_TRUE(lane.next);
  EXPECT_FALSE(lane.next->if_idle) << "it is needed in any case";
  EXPECT_FALSE(lane.next->log);
  const driver::CursorQuery& log = query.cursors[1];
  EXPECT_EQ(log.key, (driver::CursorKey{"b", "log", 0}));
  EXPECT_TRUE(log.pins);
  ASSERT_TRUE(log.next);
  EXPECT_TRUE(log.next->if_idle);
  ASSERT_TRUE(log.next->log);
  EXPECT_EQ(log.next->log->types, driver::Types({"t"}));
  EXPECT_EQ(query.cursors[2].key, (driver::CursorKey{"b", {}, 3}));
  EXPECT_FALSE(query.cursors[2].next);
  EXPECT_FALSE(query.cursors[2].pins);
}

TEST(IdPool, DrawsTheSameAgain) {
  const auto source = sequential_id_source();
  IdPool pool(*source);
  EXPECT_EQ(pool.next(), "id-1");
  EXPECT_EQ(pool.next(), "id-2");
  pool.rewind();
  EXPECT_EQ(pool.next(), "id-1");
  EXPECT_EQ(pool.next(), "id-2");
  EXPECT_EQ(pool.next(), "id-3");
  EXPECT_EQ(pool.drawn().size(), 3u);
}

// Facts may be large: a workspace is moved, never copied, and what points into it stays right.
TEST(Workspace, KeepsItsPlaceWhenMoved) {
  driver::SessionFacts facts;
  facts.session = "s";
  facts.row.last_index = 3;
  for (std::int64_t i = 1; i <= 3; ++i) {
    facts.ids.emplace_back(driver::EventRow{i, "e" + std::to_string(i), "t", "1", 1, {}, {}, 0});
  }
  facts.work.emplace_back(testing::completed("c", {}, 2, 90, 1));
  std::vector<Workspace> spaces;
  for (int i = 0; i < 20; ++i) {
    driver::SessionFacts copy = facts;
    spaces.emplace_back(std::move(copy), std::vector<driver::CursorQuery>(), 100);
  }
  for (const Workspace& space : spaces) {
    ASSERT_NE(space.owner("e2"), nullptr);
    EXPECT_EQ(space.owner("e2")->index, 2);
    ASSERT_NE(space.work({"c", {}, 2}, 2), nullptr);
    EXPECT_EQ(space.work({"c", {}, 2}, 2)->finished_at, 90);
    EXPECT_EQ(space.work({"c", {}, 3}, 3), nullptr);
  }
}

}  // namespace
}  // namespace pawl::core
