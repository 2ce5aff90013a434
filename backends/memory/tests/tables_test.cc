// The tables: indexes follow rows, and whatever fails leaves no trace.
#include "tables.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <new>
#include <random>

#include "pawl/backend.h"
#include "rows.h"
#include "write.h"

namespace {

// Counts down to the allocation that fails; negative: none does.
thread_local long g_allocations_left = -1;

}  // namespace

// Not inlined: the compiler would see malloc where it expects the library's operator.
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (g_allocations_left == 0) throw std::bad_alloc();
  if (g_allocations_left > 0) --g_allocations_left;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace pawl::memory {
namespace {

using namespace pawl::testing;  // NOLINT

// Every index, made anew from the rows.
Session with_indexes_made_anew(const Session& stored) {
  Session made;
  made.row = stored.row;
  made.events = stored.events;
  made.cursors = stored.cursors;
  made.work = stored.work;
  made.snapshots = stored.snapshots;
  made.pins = stored.pins;
  for (const auto& [index, row] : stored.events) {
    made.ids[row.id] = index;
    made.types.emplace(row.type, index);
  }
  std::map<std::string, std::tuple<Int, Int, CursorKey>> least;
  for (const auto& [key, row] : stored.cursors) {
    if (row.kind == CursorKind::kLog) made.logs[row.key] = row.era;
    if (row.dead()) made.dead.emplace(row.era, row.head, row.key);
    if (row.due == kNever) continue;
    made.due.emplace(row.era, row.key.consumer, row.due, row.head, row.key);
    const std::tuple order{row.due, row.head, row.key};
    if (row.era != stored.row.era) continue;
    const auto first = least.find(row.key.consumer);
    if (first == least.end() || order < first->second) {
      least[row.key.consumer] = order;
      made.first_keys[row.key.consumer] = {row.due, row.since};
    }
  }
  for (const auto& [key, row] : stored.work) {
    if (row.finished_at > 0) made.finished.emplace(row.finished_at, key);
  }
  return made;
}

Tables with_indexes_made_anew(const Tables& stored) {
  Tables made;
  for (const auto& [name, session] : stored.sessions) {
    made.sessions[name] = with_indexes_made_anew(session);
    if (session.row.listed()) made.listed.insert(name);
    if (session.row.upkeep) made.upkeep.insert(name);
    if (session.row.finished_since > 0) made.finished.emplace(session.row.finished_since, name);
    for (const auto& [consumer, first] : made.sessions[name].first_keys) {
      made.ready[consumer].emplace(first.due, first.due == 0 ? first.since : 0, name);
    }
  }
  for (const auto& [name, space] : stored.presence) {
    for (const auto& [key, row] : space.rows) {
      made.presence[name].rows[key] = row;
      made.presence[name].expiry.emplace(row.expires_at, row.participant, row.field);
      made.expiry.emplace(row.expires_at, name, row.participant, row.field);
    }
  }
  return made;
}

void apply(Tables& tables, const driver::Effects& effects) {
  Journal journal;
  write(tables, effects, journal);
  journal.keep();
}

// A store with a row of every kind, and effects that touch every table.
Tables some_tables() {
  Tables tables;
  driver::Effects effects = only(session("s", 3));
  driver::SessionEffects& s = effects.sessions[0];
  s.row->upkeep = true;
  s.row->finished_since = 4;
  s.put = {on_lane("a", "k", 1), on_event("a", 2), dead(on_event("b", 3)), on_log("c", 1)};
  s.put_work = {{"a", "k", 1, 0, 0, {}}, {"a", "k", 2, 0, 0, {}}, {"b", {}, 1, 0, 4, {}}};
  s.put_snapshots = {{"r", 1, 0, 1, 1, "{}"}};
  s.put_pins = {{0, {"a", "k", 0}, 1, "r", 1}};
  effects.presence.put = {{"n", {"p", "f", "1", false, {}, 1, 9}}};
  apply(tables, effects);
  return tables;
}

driver::Effects broad_effects() {
  driver::Effects effects = only({});
  driver::SessionEffects& s = effects.sessions[0];
  s.session = "s";
  s.row = driver::SessionRow{.last_index = 5, .clear_index = 4, .era = 1, .finished_since = 7};
  s.new_era = true;
  s.erase = {{1, "e1", "t"}};
  s.drop = {on_event("a", 2), dead(on_event("b", 3))};
  s.drop_work = {{"a", "k", 1, 0, 0, {}}, {"b", {}, 1, 0, 4, {}}};
  s.drop_snapshots = {{"r", 1, 0, 0, 0, {}}};
  s.drop_pins = {{0, {"a", "k", 0}, 1, "r", 1}};
  s.append = {event(4, "pawl.clear", "null"), event(5)};
  s.put = {in_era(on_lane("a", "k", 5), 1), in_era(on_log("c", 5), 1), in_era(on_event("d", 5), 1)};
  s.put_work = {{"a", "k", 5, 0, 7, {}}};
  s.put_snapshots = {{"r", 5, 1, 1, 1, "[]"}};
  s.put_pins = {{1, {"a", "k", 0}, 5, "r", 5}};
  effects.sessions.push_back(session("other", 1));
  effects.sessions[1].put = {on_lane("a", "k", 1)};
  effects.presence.drop = {{"n", {"p", "f", "", false, {}, 0, 0}}};
  effects.presence.put = {{"m", {"p", "f", "2", false, 5, 1, 9}}};
  return effects;
}

TEST(Tables, IndexesFollowRows) {
  Tables tables = some_tables();
  EXPECT_TRUE(with_indexes_made_anew(tables) == tables);
  apply(tables, broad_effects());
  EXPECT_TRUE(with_indexes_made_anew(tables) == tables);
  EXPECT_EQ(tables.sessions.at("s").first_keys.size(), 3U);
  EXPECT_EQ(tables.ready.at("a").size(), 2U);
}

TEST(Tables, WhatIsNotKeptIsUndone) {
  const Tables before = some_tables();
  Tables tables = before;
  {
    Journal journal;
    write(tables, broad_effects(), journal);
    EXPECT_FALSE(tables == before);
  }
  EXPECT_TRUE(tables == before);
}

TEST(Tables, ATakenIdUndoesWhatWasWrittenBeforeIt) {
  const Tables before = some_tables();
  Tables tables = before;
  driver::Effects effects = broad_effects();
  effects.sessions[0].append[1].id = "e2";
  EXPECT_THROW(apply(tables, effects), IdTaken);
  EXPECT_TRUE(tables == before);
}

TEST(Tables, AnErasedEventGivesItsIdBack) {
  Tables tables = some_tables();
  driver::Effects effects = broad_effects();
  effects.sessions[0].append[1].id = "e1";
  apply(tables, effects);
  EXPECT_EQ(tables.sessions.at("s").ids.at("e1"), 5);
}

TEST(Tables, ANewOwnerKeepsAnIdWhenTheOldEventIsErased) {
  Tables tables = some_tables();
  driver::Effects effects = only({});
  effects.sessions[0].session = "s";
  effects.sessions[0].erase = {{2, "e1", "t"}};  // e1 is the id of event 1
  apply(tables, effects);
  EXPECT_EQ(tables.sessions.at("s").ids.at("e1"), 1);
}

TEST(Tables, RunningOutOfMemoryAnywhereLeavesNoTrace) {
  const Tables before = some_tables();
  const driver::Effects effects = broad_effects();
  bool done = false;
  long failures = 0;
  for (; !done; ++failures) {
    Tables tables = before;
    try {
      g_allocations_left = failures;
      Journal journal;
      write(tables, effects, journal);
      g_allocations_left = -1;
      done = true;
    } catch (const std::bad_alloc&) {
      g_allocations_left = -1;
    }
    ASSERT_TRUE(tables == before) << "after allocation " << failures;
  }
  EXPECT_GT(failures, 50);
}

// Random rows over few keys, so that most puts replace something.
driver::Effects random_effects(std::mt19937& random, Tables& tables) {
  const auto pick = [&random](int n) { return static_cast<Int>(random() % n); };
  const std::string name = "s" + std::to_string(pick(2));
  driver::Effects effects = only({});
  driver::SessionEffects& s = effects.sessions[0];
  s.session = name;
  driver::SessionRow row = tables.sessions[name].row;
  if (pick(3) == 0) {
    s.append.push_back(event(++row.last_index, "t" + std::to_string(pick(2))));
  }
  if (pick(10) == 0) {
    ++row.era;
    s.new_era = true;
  }
  row.upkeep = pick(2) == 0;
  row.finished_since = pick(3);
  s.row = row;
  for (Int n = pick(4); n > 0; --n) {
    const std::string consumer = "c" + std::to_string(pick(2));
    const std::array<Int, 4> dues{0, 5, 9, kNever};
    CursorRow cursor;
    switch (pick(4)) {
      case 0:
        cursor = on_lane(consumer, "k" + std::to_string(pick(2)), 1 + pick(4), dues[pick(4)]);
        break;
      case 1:
        cursor = on_event(consumer, 1 + pick(3), dues[pick(4)]);
        break;
      case 2:
        cursor = on_log(consumer, pick(3));
        break;
      default:
        cursor = dead(on_event(consumer, 1 + pick(3)));
    }
    (pick(4) == 0 ? s.drop : s.put).push_back(in_era(cursor, row.era));
  }
  s.put_work.push_back({"c0", "k0", 1 + pick(3), 0, pick(2) * 3, {}});
  s.drop_work.push_back({"c0", "k0", 1 + pick(3), 0, 0, {}});
  const driver::PresenceEffects::Row presence{
      "n", {"p", "f" + std::to_string(pick(3)), "1", false, {}, 1, 1 + pick(5)}};
  (pick(2) == 0 ? effects.presence.put : effects.presence.drop).push_back(presence);
  return effects;
}

TEST(Tables, IndexesFollowRandomWrites) {
  constexpr unsigned kSeed = 7;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  Tables tables;
  for (int step = 0; step < 500; ++step) {
    const driver::Effects effects = random_effects(random, tables);
    const Tables before = tables;
    {
      Journal journal;
      write(tables, effects, journal);
    }
    ASSERT_TRUE(tables == before) << "undone at step " << step;
    apply(tables, effects);
    ASSERT_TRUE(with_indexes_made_anew(tables) == tables) << "step " << step;
  }
}

}  // namespace
}  // namespace pawl::memory
