// What backend.h and driver/*.h promise, of the memory backend: ranges, pointers, orders,
// read-back, transactions, waiting and closing.
// Queries name only the fields that matter to a test.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#include "pawl/backend.h"

#include <gtest/gtest.h>

#include <future>
#include <string>
#include <thread>
#include <vector>

#include "first_keys.h"
#include "pawl/memory.h"
#include "rows.h"

namespace pawl {
namespace {

using namespace pawl::testing;  // NOLINT

ErrorCode code_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorCode::kCorrupt;
}

class MemoryBackend : public ::testing::Test {
 protected:
  MemoryBackend() : clock_(std::make_shared<ManualClock>()) {
    OpenOptions options;
    options.clock = clock_;
    backend_ = std::make_unique<CheckedBackend>(memory::open_backend("", options),
                                                [](const std::string& f) { ADD_FAILURE() << f; });
  }

  driver::Readings apply(const driver::Effects& effects) {
    return backend_->transact({}, [&](driver::Facts&&) { return effects; });
  }
  driver::SessionFacts look(driver::SessionQuery query) {
    if (query.session.empty()) query.session = "s";
    driver::Query all;
    all.sessions.push_back(std::move(query));
    return backend_->look(all).sessions.at(0);
  }
  std::vector<std::string> window(driver::Window window) {
    std::vector<std::string> found;
    for (const driver::FoundCursor& cursor : look({.window = std::move(window)}).window) {
      const CursorKey& key = cursor.row->key;
      found.push_back(key.consumer + key.lane.value_or("") + std::to_string(cursor.row->head));
    }
    return found;
  }
  std::vector<std::int64_t> read(driver::EventRange range) {
    std::vector<std::int64_t> found;
    if (range.limit == 0) range.limit = 100;
    if (range.max_bytes == 0) range.max_bytes = 100;
    for (const auto& event : look({.events = std::move(range)}).events) {
      found.push_back(event.index);
    }
    return found;
  }

  std::shared_ptr<ManualClock> clock_;
  std::unique_ptr<Backend> backend_;
};

using Names = std::vector<std::string>;
using Indexes = std::vector<std::int64_t>;

TEST_F(MemoryBackend, FactsOfAnUnknownSessionAreEmpty) {
  const driver::SessionFacts facts = look({.cursors = {{{"c", "k", 0}, driver::NextQuery{}, true}},
                                           .ids = {"e1"},
                                           .window = {{.free = 9}}});
  EXPECT_EQ(facts.row, driver::SessionRow{});
  EXPECT_FALSE(facts.cursors.at(0).row);
  EXPECT_FALSE(facts.ids.at(0));
  EXPECT_TRUE(facts.windowed);
  EXPECT_TRUE(facts.window.empty());
}

TEST_F(MemoryBackend, WindowTakesFreeHeadsByHeadWithTies) {
  driver::SessionEffects effects = session("s", 5);
  effects.put = {on_lane("c", "z", 2), on_lane("c", "a", 2), on_lane("c", "b", 1), on_event("c", 3),
                 on_lane("d", "k", 1)};
  apply(only(effects));
  EXPECT_EQ(window({.consumers = Names{"c"}, .free = 2}), (Names{"cb1", "ca2", "cz2"}));
  EXPECT_EQ(window({.consumers = Names{"c"}, .through = 1, .free = 9}), (Names{"cb1"}));
  EXPECT_EQ(window({.free = 9}).size(), 5U);
  EXPECT_EQ(window({.consumers = Names{}, .free = 9}), Names{});
  EXPECT_EQ(window({.due = 9, .later = 9}), Names{});
}

TEST_F(MemoryBackend, WindowTakesWaitingHeadsByTime) {
  driver::SessionEffects effects = session("s", 5);
  effects.put = {on_event("c", 1, 30), on_event("c", 2, 20), on_event("c", 3, 10),
                 on_event("c", 4, kNever), dead(on_event("c", 5))};
  apply(only(effects));
  clock_->set(20);
  EXPECT_EQ(window({.due = 9}), (Names{"c3", "c2"}));
  EXPECT_EQ(window({.due = 1}), (Names{"c3"}));
  EXPECT_EQ(window({.later = 9}), (Names{"c1"}));
  EXPECT_EQ(window({.through = 2, .due = 9}), (Names{"c2"}));
}

TEST_F(MemoryBackend, WindowBringsThePinsOfHeldHeads) {
  driver::SessionEffects effects = session("s", 2);
  effects.put = {on_event("c", 1), on_event("c", 2)};
  effects.put[0].claim_holder = "w";
  effects.put[0].pins = effects.put[1].pins = 1;
  effects.put_snapshots = {{"r", 1, 0, 1, 2, "{}"}, {"r", 2, 0, 1, 0, "[]"}};
  effects.put_pins = {{0, {"c", {}, 1}, 1, "r", 1}, {0, {"c", {}, 2}, 2, "r", 1}};
  apply(only(effects));
  const auto found = look({.window = {{.free = 9, .pins = true}}}).window;
  ASSERT_EQ(found.size(), 2U);
  ASSERT_EQ(found[0].pins.size(), 1U);
  EXPECT_EQ(found[0].pins[0].pin, effects.put_pins[0]);
  EXPECT_EQ(found[0].pins[0].snapshot->pins, 2);
  EXPECT_FALSE(found[0].pins[0].snapshot->state);
  EXPECT_EQ(found[0].pins[0].newest_index, 2);
  EXPECT_TRUE(found[1].pins.empty());
}

TEST_F(MemoryBackend, NextOfALaneIsItsFirstWorkAboveItsPlace) {
  driver::SessionEffects effects = session("s", 4);
  effects.put = {on_lane("c", "k", 2), on_lane("c", "idle", 0, kNever)};
  effects.put[1].position = 1;
  effects.put_work = {{"c", "k", 2, 0, 0, {}},
                      {"c", "k", 4, 70, 0, {}},
                      {"c", "idle", 1, 0, 5, {}},
                      {"c", "l", 3, 0, 0, {}}};
  apply(only(effects));
  const auto next = [&](const std::string& lane, bool if_idle) {
    return look({.cursors = {{{"c", lane, 0}, driver::NextQuery{if_idle, {}}}}}).cursors[0].next;
  };
  ASSERT_TRUE(next("k", false));
  EXPECT_EQ(next("k", false)->index, 4);
  EXPECT_EQ(next("k", false)->available_at, 70);
  EXPECT_FALSE(next("k", true));
  EXPECT_FALSE(next("idle", false));
  EXPECT_FALSE(next("none", false));
}

TEST_F(MemoryBackend, NextOfALogIsTheFirstEventOfTheGivenTypesOrItsOwn) {
  driver::SessionEffects effects = session("s", 5);
  effects.append[3].type = "u";
  effects.put = {on_log("c", 2, Names{"t"})};
  apply(only(effects));
  const auto next = [&](const std::string& consumer, std::optional<driver::LogTypes> log) {
    const auto found =
        look({.cursors = {{{consumer, "log", 0}, driver::NextQuery{false, std::move(log)}}}});
    return found.cursors[0].next ? found.cursors[0].next->index : 0;
  };
  EXPECT_EQ(next("c", {}), 3);
  EXPECT_EQ(next("c", driver::LogTypes{"log", Names{"u"}}), 4);
  EXPECT_EQ(next("c", driver::LogTypes{"another", Names{"u"}}), 3);
  EXPECT_EQ(next("c", driver::LogTypes{"log", {}}), 3);
  EXPECT_EQ(next("c", driver::LogTypes{"log", Names{}}), 0);
  EXPECT_EQ(next("new", driver::LogTypes{"log", Names{"u"}}), 4);
  EXPECT_EQ(next("new", {}), 0);
}

TEST_F(MemoryBackend, AnotherEraHidesAllCursorsButLogs) {
  driver::SessionEffects effects = session("s", 3);
  effects.put = {on_lane("c", "k", 1), on_event("c", 2), on_log("c", 2)};
  apply(only(effects));
  driver::SessionEffects clear;
  clear.session = "s";
  clear.row = driver::SessionRow{.last_index = 4, .clear_index = 4, .era = 1};
  clear.new_era = true;
  clear.append = {event(4, "pawl.clear", "null")};
  apply(only(clear));
  const auto facts = look(
      {.cursors = {{{"c", "k", 0}}, {{"c", {}, 2}}, {{"c", "log", 0}, driver::NextQuery{true, {}}}},
       .window = {{.free = 9}},
       .list_cursors = {{{}, 9}}});
  EXPECT_FALSE(facts.cursors[0].row);
  EXPECT_FALSE(facts.cursors[1].row);
  EXPECT_EQ(facts.cursors[2].row->era, 0);
  EXPECT_FALSE(facts.cursors[2].next);
  EXPECT_TRUE(facts.window.empty());
  ASSERT_EQ(facts.list.size(), 1U);
  EXPECT_EQ(facts.list[0].kind, CursorKind::kLog);

  clear.append.clear();
  clear.row->deleted_era = 1;
  apply(only(clear));
  EXPECT_TRUE(look({.list_cursors = {{{}, 9}}}).list.empty());

  clear.new_era = false;
  clear.put = {in_era(on_log("c", 0), 1)};
  apply(only(clear));
  EXPECT_EQ(look({.list_cursors = {{{}, 9}}}).list.size(), 1U);
  EXPECT_EQ(look({.superseded = {{.limit = 9}}}).superseded.cursors.size(), 2U);
}

TEST_F(MemoryBackend, ReadingMergesTypesInIndexOrder) {
  driver::SessionEffects effects = session("s", 6);
  effects.append[1].type = effects.append[4].type = "u";
  effects.append[2].type = "v";
  apply(only(effects));
  EXPECT_EQ(read({}), (Indexes{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(read({.after = 1, .through = 5, .types = Names{"u", "t"}}), (Indexes{2, 4, 5}));
  EXPECT_EQ(read({.types = Names{"none"}}), Indexes{});
  EXPECT_EQ(read({.types = Names{"t", "u"}, .limit = 2}), (Indexes{1, 2}));
}

TEST_F(MemoryBackend, ReadingStopsAtTheBytesButNotBeforeOneEvent) {
  driver::SessionEffects effects = session("s", 3);
  for (driver::EventRow& event : effects.append) event.payload = "12345";
  apply(only(effects));
  EXPECT_EQ(read({.max_bytes = 1}), (Indexes{1}));
  EXPECT_EQ(read({.max_bytes = 10}), (Indexes{1, 2}));
  EXPECT_EQ(read({.types = Names{"t"}, .max_bytes = 14}), (Indexes{1, 2}));
}

TEST_F(MemoryBackend, ReadingBeginsAtTheMarkerAndAfterADeletionAboveIt) {
  driver::SessionEffects effects = session("s", 5);
  effects.row->clear_index = 3;
  apply(only(effects));
  EXPECT_EQ(read({}), (Indexes{3, 4, 5}));
  EXPECT_EQ(read({.after_snapshot = false}), (Indexes{3, 4, 5}));
  effects.append.clear();
  effects.row->deleted_index = 3;
  apply(only(effects));
  EXPECT_EQ(read({}), (Indexes{4, 5}));
}

TEST_F(MemoryBackend, ReadingAfterASnapshotBeginsAboveIt) {
  driver::SessionEffects effects = session("s", 5);
  effects.put_snapshots = {{"r", 2, 0, 1, 0, "{}"}, {"r", 4, 0, 1, 0, "[]"}};
  apply(only(effects));
  const auto facts =
      look({.snapshots = {{.reducer = "r", .indexes = {2, 3}, .newest = true, .through = 3}},
            .events = {{.limit = 9, .max_bytes = 99, .after_snapshot = true}}});
  EXPECT_EQ(facts.events.front().index, 3);
  const driver::FoundSnapshots& found = facts.snapshots.at(0);
  EXPECT_EQ(found.through->state, "{}");
  EXPECT_EQ(found.newest->index, 4);
  EXPECT_FALSE(found.newest->state);
  EXPECT_EQ(found.at.at(0)->index, 2);
  EXPECT_FALSE(found.at.at(1));
}

TEST_F(MemoryBackend, ASnapshotWithoutStateKeepsTheStoredOne) {
  driver::SessionEffects effects = session("s", 1);
  effects.put_snapshots = {{"r", 1, 0, 1, 0, "{}"}};
  apply(only(effects));
  effects.append.clear();
  effects.put_snapshots = {{"r", 1, 0, 1, 3, {}}};
  apply(only(effects));
  const auto found = look({.snapshots = {{.reducer = "r", .through = 1}}}).snapshots[0].through;
  EXPECT_EQ(found->state, "{}");
  EXPECT_EQ(found->pins, 3);
}

TEST_F(MemoryBackend, CursorsAreListedByPages) {
  driver::SessionEffects effects = session("s", 3);
  effects.put = {on_event("b", 3), on_event("b", 2), on_lane("b", "k", 1), on_log("a", 1),
                 on_lane("b", "", 0, kNever)};
  apply(only(effects));
  Names found;
  std::optional<HeadRef> after;
  for (;;) {
    const auto page = look({.list_cursors = {{after, 1}}}).list;
    if (page.empty()) break;
    ASSERT_EQ(page.size(), 1U);
    const CursorKey& key = page[0].key;
    found.push_back(key.consumer + key.lane.value_or("-") + std::to_string(page[0].head));
    after = HeadRef{key.consumer, key.lane, page[0].head};
  }
  EXPECT_EQ(found, (Names{"alog1", "b0", "bk1", "b-2", "b-3"}));
}

TEST_F(MemoryBackend, DeadLettersAreListedByHeadWithTheirEvents) {
  driver::SessionEffects effects = session("s", 3);
  effects.put = {dead(on_event("a", 3)), dead(on_lane("b", "k", 1)), dead(on_event("a", 1)),
                 on_event("a", 2)};
  apply(only(effects));
  const auto all = look({.list_dead = {{{}, 9}}});
  ASSERT_EQ(all.list.size(), 3U);
  EXPECT_EQ(all.list[0].key.consumer, "a");
  EXPECT_EQ(all.list[1].key.consumer, "b");
  EXPECT_EQ(all.list_events[2].index, 3);
  EXPECT_EQ(look({.list_dead = {{HeadRef{"a", {}, 1}, 9}}}).list.size(), 2U);
  EXPECT_EQ(look({.list_dead = {{HeadRef{"b", "k", 1}, 9}}}).list.size(), 1U);
  EXPECT_EQ(look({.list_dead = {{{}, 9, 1}}}).list.size(), 1U);
}

TEST_F(MemoryBackend, ADeadLetterIsFoundByLaneOrFirstInLaneOrder) {
  driver::SessionEffects effects = session("s", 2);
  effects.put = {dead(on_event("c", 1)), dead(on_lane("c", "x", 1)), dead(on_lane("c", "y", 1)),
                 on_lane("c", "a", 1)};
  effects.put_work = {{"c", "x", 1, 0, 0, {}}, {"c", "x", 2, 0, 0, {}}};
  apply(only(effects));
  const auto find = [&](std::optional<std::string> lane) {
    return look({.dead = {{"c", 1, std::move(lane), {}}}}).dead;
  };
  EXPECT_EQ(find({})->row->key.lane, "x");
  EXPECT_EQ(find({})->next->index, 2);
  EXPECT_EQ(find("y")->row->key.lane, "y");
  EXPECT_FALSE(find("a"));
  EXPECT_FALSE(look({.dead = {{"c", 2, {}, {}}}}).dead);
}

TEST_F(MemoryBackend, FinishedWorkComesOldestFirstWithItsLanes) {
  driver::SessionEffects effects = session("s", 4);
  effects.put = {on_lane("c", "k", 3)};
  effects.put_work = {{"c", "k", 1, 0, 20, {}}, {"c", "k", 2, 0, 30, {}}, {"c", "k", 3, 0, 0, {}},
                      {"c", "k", 4, 0, 0, {}},  {"c", {}, 1, 0, 10, {}},  {"d", {}, 1, 0, 40, {}}};
  apply(only(effects));
  const driver::FinishedFacts facts = look({.finished = {{.before = 30, .limit = 9}}}).finished;
  ASSERT_EQ(facts.rows.size(), 2U);
  EXPECT_EQ(facts.rows[0].finished_at, 10);
  EXPECT_EQ(facts.next_finished_at, 30);
  ASSERT_EQ(facts.lanes.size(), 1U);
  EXPECT_EQ(facts.lanes[0].row->head, 3);
  EXPECT_EQ(facts.lanes[0].entries, (Indexes{1, 2}));
  EXPECT_EQ(look({.finished = {{.before = 99, .limit = 1}}}).finished.next_finished_at, 20);
  EXPECT_EQ(look({.finished = {{.before = 99, .limit = 9}}}).finished.next_finished_at, 0);
}

TEST_F(MemoryBackend, OfOneConsumerAllIsFoundToOneMoreThanTheLimit) {
  driver::SessionEffects effects = session("s", 3);
  effects.put = {on_log("c", 1), on_lane("c", "k", 1), on_event("c", 2), on_event("d", 2)};
  effects.put_work = {{"c", "k", 1, 0, 0, {}}, {"c", {}, 1, 0, 5, {}}, {"d", {}, 1, 0, 5, {}}};
  apply(only(effects));
  const driver::OfConsumerFacts all = look({.of_consumer = {{"c", 9}}}).of_consumer;
  EXPECT_EQ(all.logs.size(), 1U);
  EXPECT_EQ(all.cursors.size(), 2U);
  EXPECT_EQ(all.work.size(), 2U);
  const driver::OfConsumerFacts some = look({.of_consumer = {{"c", 0}}}).of_consumer;
  EXPECT_EQ(some.cursors.size(), 1U);
  EXPECT_EQ(some.work.size(), 1U);
}

TEST_F(MemoryBackend, SupersededRowsComeInBatches) {
  driver::SessionEffects effects = session("s", 4);
  effects.row = driver::SessionRow{.last_index = 4, .clear_index = 3, .era = 1, .first_index = 2};
  effects.put = {on_lane("c", "k", 1), in_era(on_lane("c", "k", 4), 1), on_log("c", 0)};
  effects.put_snapshots = {{"r", 1, 0, 1, 0, "{}"}, {"r", 4, 1, 1, 0, "{}"}};
  effects.put_pins = {{0, {"c", "k", 0}, 1, "r", 1}};
  apply(only(effects));
  const auto found = look({.superseded = {{.limit = 9}}}).superseded;
  ASSERT_EQ(found.events.size(), 1U);
  EXPECT_EQ(found.events[0].index, 2);
  EXPECT_EQ(found.events[0].payload, "");
  EXPECT_EQ(found.cursors.size(), 2U);
  EXPECT_EQ(found.snapshots.size(), 1U);
  EXPECT_EQ(found.pins.size(), 1U);
  const auto two = look({.superseded = {{.limit = 2}}}).superseded;
  EXPECT_EQ(two.cursors.size() + two.snapshots.size() + two.pins.size(), 2U);
  const auto life = look({.superseded = {{.limit = 9, .whole_life = true}}}).superseded;
  EXPECT_EQ(life.events.size(), 3U);
  EXPECT_EQ(life.cursors.size() + life.snapshots.size() + life.pins.size(), 6U);
}

TEST_F(MemoryBackend, ReadyAndPickFollowTheFirstKeys) {
  driver::Effects effects;
  const std::vector<std::int64_t> dues{0, 0, 5, 50, 60};
  for (std::size_t i = 0; i < dues.size(); ++i) {
    driver::SessionEffects& s = effects.sessions.emplace_back(session("s" + std::to_string(i), 1));
    s.put = {on_lane("c", "k", 1, dues[i])};
    if (dues[i] == 0) s.put[0].since = i == 0 ? 9 : 8;
  }
  apply(effects);
  clock_->set(10);
  driver::Query query;
  query.ready = driver::ReadyQuery{{}, 9};
  Names ready;
  for (const driver::ReadyRow& row : backend_->look(query).ready) ready.push_back(row.session);
  EXPECT_EQ(ready, (Names{"s1", "s0", "s2", "s3"}));

  driver::Query pick;
  pick.sessions.push_back({.session = "s0"});
  pick.pick = driver::Pick{Names{"c"}, 2, {{{"c", "k", 0}}}, {.free = 1, .due = 1}};
  driver::Facts facts;
  backend_->transact(pick, [&](driver::Facts&& found) {
    facts = std::move(found);
    return driver::Effects{};
  });
  ASSERT_EQ(facts.sessions.size(), 3U);
  EXPECT_FALSE(facts.sessions[0].windowed);  // s0 was named; s2 and s1 have waited longer
  EXPECT_EQ(facts.sessions[1].session, "s2");
  EXPECT_EQ(facts.sessions[2].session, "s1");
  EXPECT_TRUE(facts.sessions[2].windowed);
  EXPECT_EQ(facts.sessions[2].window.size(), 1U);
  EXPECT_TRUE(facts.sessions[2].cursors.at(0).row);

  pick.pick->sessions = 3;
  EXPECT_TRUE(backend_->look(pick).sessions.at(0).windowed);
}

TEST_F(MemoryBackend, ReadBackSeesTheWrite) {
  driver::SessionEffects s = session("s", 2);
  s.put = {on_lane("c", "k", 1), on_lane("d", "k", 1, 7)};
  driver::Effects effects = only(s);
  effects.read.events = {{"s", 2}, {"s", 1}};
  effects.read.pending = {{"s", Names{"d"}}, {"s", Names{"x"}}, {"s", {}}, {"none", {}}};
  effects.read.next_due = driver::ConsumerNames{Names{"d"}};
  const driver::Readings readings = apply(effects);
  EXPECT_EQ(readings.events.at(0).index, 2);
  EXPECT_EQ(readings.events.at(1).index, 1);
  EXPECT_EQ(readings.pending, (std::vector<bool>{true, false, true, false}));
  EXPECT_EQ(readings.next_due, 7);
}

TEST_F(MemoryBackend, AnAnswerTooLargeWritesNothing) {
  driver::Effects effects = only(session("s", 3));
  for (driver::EventRow& event : effects.sessions[0].append) event.payload = "12345";
  effects.read.events = {{"s", 1}, {"s", 2}, {"s", 3}};
  effects.read.max_bytes = 12;
  try {
    apply(effects);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const AnswerTooLarge& error) {
    EXPECT_EQ(error.fits, 2);
  }
  EXPECT_EQ(look({}).row.last_index, 0);
  effects.read.events.resize(1);
  effects.read.max_bytes = 1;
  EXPECT_EQ(apply(effects).events.size(), 1U);
}

TEST_F(MemoryBackend, ADecisionThatThrowsWritesNothing) {
  const std::uint64_t before = backend_->changes();
  EXPECT_THROW(backend_->transact({}, [](driver::Facts&&) -> driver::Effects { throw IdTaken(); }),
               IdTaken);
  EXPECT_EQ(backend_->changes(), before);
}

TEST_F(MemoryBackend, OnlyWritesCountAsChanges) {
  const std::uint64_t before = backend_->changes();
  apply({});
  EXPECT_EQ(backend_->changes(), before);
  apply(only(session("s", 1)));
  EXPECT_GT(backend_->changes(), before);
}

TEST_F(MemoryBackend, SessionsAreListedUntilDeleted) {
  driver::Effects effects;
  for (const std::string name : {"a", "b", "c"}) effects.sessions.push_back(session(name, 1));
  effects.sessions[1].row->deleted_index = 1;
  apply(effects);
  driver::Query query;
  query.list = {std::nullopt, 9};
  EXPECT_EQ(backend_->look(query).list.size(), 2U);
  query.list->after = "a";
  ASSERT_EQ(backend_->look(query).list.size(), 1U);
  EXPECT_EQ(backend_->look(query).list[0].first, "c");
}

TEST_F(MemoryBackend, UpkeepIsFoundByItsMarks) {
  driver::Effects effects;
  for (const std::string name : {"a", "b", "c"}) effects.sessions.push_back(session(name, 1));
  effects.sessions[1].row->upkeep = true;
  effects.sessions[0].row->finished_since = 7;
  effects.sessions[2].row->finished_since = 5;
  effects.presence.put = {{"n", {"p", "f", "1", false, {}, 1, 4}},
                          {"m", {"p", "f", "1", false, {}, 1, 3}},
                          {"m", {"p", "g", "1", false, {}, 1, 9}}};
  apply(effects);
  clock_->set(4);
  driver::Query query;
  query.upkeep = {9, 7};
  const driver::UpkeepFacts facts = backend_->look(query).upkeep;
  ASSERT_EQ(facts.superseded.size(), 1U);
  EXPECT_EQ(facts.superseded[0].first, "b");
  EXPECT_EQ(facts.finished, Names{"c"});
  ASSERT_EQ(facts.expired.size(), 2U);
  EXPECT_EQ(facts.expired[0].first, "m");
}

TEST_F(MemoryBackend, PresenceIsKeptByParticipantAndField) {
  driver::Effects effects;
  effects.presence.put = {{"n", {"q", "f", "1", false, {}, 1, 4}},
                          {"n", {"p", "g", "2", true, 5, 1, 9}},
                          {"n", {"p", "f", "3", false, {}, 1, 9}}};
  apply(effects);
  clock_->set(4);
  driver::Query query;
  query.presence = {
      .name_space = "n", .fields = {{"p", "g"}, {"x", "g"}}, .all = true, .expired = 9};
  const driver::PresenceFacts facts = backend_->look(query).presence;
  EXPECT_TRUE(facts.fields.at(0)->tombstone);
  EXPECT_FALSE(facts.fields.at(1));
  ASSERT_EQ(facts.rows.size(), 2U);
  EXPECT_EQ(facts.rows[0].field, "f");
  ASSERT_EQ(facts.expired.size(), 1U);
  EXPECT_EQ(facts.expired[0].participant, "q");
  effects.presence.drop = std::move(effects.presence.put);
  effects.presence.put.clear();
  apply(effects);
  EXPECT_TRUE(backend_->look(query).presence.rows.empty());
}

TEST_F(MemoryBackend, WaitReturnsWhenAnythingIsWritten) {
  const std::uint64_t seen = backend_->changes();
  std::future<void> waiting = std::async(std::launch::async, [&] {
    backend_->wait(seen, std::chrono::steady_clock::time_point::max());
  });
  apply(only(session("s", 1)));
  waiting.get();
  backend_->wait(seen, std::chrono::steady_clock::time_point::max());
  backend_->wait(backend_->changes(), std::chrono::steady_clock::now());
}

TEST_F(MemoryBackend, CloseEndsWaitsAndRefusesTheRest) {
  const std::uint64_t seen = backend_->changes();
  std::future<void> waiting = std::async(std::launch::async, [&] {
    try {
      backend_->wait(seen, std::chrono::steady_clock::time_point::max());
    } catch (const Error& error) {  // if it had not begun yet
      EXPECT_EQ(error.code(), ErrorCode::kClosed);
    }
  });
  backend_->close();
  backend_->close();
  waiting.get();
  EXPECT_EQ(code_of([&] { backend_->look({}); }), ErrorCode::kClosed);
  EXPECT_EQ(code_of([&] { backend_->transact({}, {}); }), ErrorCode::kClosed);
  EXPECT_EQ(code_of([&] { backend_->changes(); }), ErrorCode::kClosed);
  EXPECT_EQ(backend_->info().scheme, "memory");
}

TEST(MemoryNames, HandlesOfOneNameShareAStoreWhileOneIsOpen) {
  const std::string name = "HandlesOfOneNameShareAStoreWhileOneIsOpen";
  const auto last_index = [](Backend& backend) {
    driver::Query query;
    query.sessions.push_back({.session = "s"});
    return backend.look(query).sessions[0].row.last_index;
  };
  auto first = memory::open_backend(name);
  auto second = memory::open_backend(name);
  first->transact({}, [](driver::Facts&&) { return only(session("s", 1)); });
  EXPECT_EQ(last_index(*second), 1);
  EXPECT_EQ(last_index(*memory::open_backend("")), 0);
  first->close();
  EXPECT_EQ(last_index(*second), 1);
  first.reset();
  EXPECT_EQ(last_index(*memory::open_backend(name)), 1);
  second->close();
  EXPECT_EQ(last_index(*memory::open_backend(name)), 0);
}

TEST(MemoryNames, UnknownOptionsAreRefused) {
  OpenOptions options;
  options.engine["page_size"] = "1";
  EXPECT_EQ(code_of([&] { memory::open_backend("", options); }), ErrorCode::kInvalidArgument);
}

TEST(MemoryThreads, TransactionsAreSerial) {
  auto backend = memory::open_backend("");
  constexpr int kThreads = 4;
  constexpr int kEach = 200;
  driver::Query query;
  query.sessions.push_back({.session = "s"});
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kEach; ++i) {
        backend->transact(query, [](driver::Facts&& facts) {
          driver::SessionEffects effects;
          effects.session = "s";
          effects.row = facts.sessions[0].row;
          effects.append = {event(++effects.row->last_index)};
          return only(effects);
        });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(backend->look(query).sessions[0].row.last_index, kThreads * kEach);
}

}  // namespace
}  // namespace pawl
