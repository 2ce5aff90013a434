// What holds for every decision on whatever is stored, over random histories without a backend.
//
// PAWL_SEED=n runs the histories of another seed than the fixed one.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "tests/support/histories.h"
#include "tests/support/show.h"

namespace pawl::core::testing {
namespace {

using driver::CursorRow;
using driver::kNever;
using driver::SessionEffects;
using driver::SessionRow;
using driver::WorkRow;

constexpr int kHistories = 40;
constexpr int kSteps = 250;

// ---- equality of what two decisions give

void expect_same(const SessionEffects& a, const SessionEffects& b) {
  EXPECT_EQ(a.session, b.session);
  EXPECT_EQ(a.row, b.row);
  EXPECT_EQ(a.drop, b.drop);
  EXPECT_EQ(a.drop_work, b.drop_work);
  EXPECT_EQ(a.drop_snapshots, b.drop_snapshots);
  EXPECT_EQ(a.drop_pins, b.drop_pins);
  EXPECT_EQ(a.append, b.append);
  EXPECT_EQ(a.put, b.put);
  EXPECT_EQ(a.put_work, b.put_work);
  EXPECT_EQ(a.put_snapshots, b.put_snapshots);
  EXPECT_EQ(a.put_pins, b.put_pins);
  EXPECT_EQ(show(a, {}), show(b, {}));
}

void expect_same(const driver::Effects& a, const driver::Effects& b) {
  ASSERT_EQ(a.sessions.size(), b.sessions.size());
  for (std::size_t i = 0; i < a.sessions.size(); ++i) expect_same(a.sessions[i], b.sessions[i]);
  ASSERT_EQ(a.read.events.size(), b.read.events.size());
  for (std::size_t i = 0; i < a.read.events.size(); ++i) {
    EXPECT_EQ(a.read.events[i].session, b.read.events[i].session);
    EXPECT_EQ(a.read.events[i].index, b.read.events[i].index);
  }
}

// ---- properties of rows that are stored

// Due tells by itself whether, and from when on, a head may be claimed.
void expect_due(const CursorRow& row) {
  SCOPED_TRACE(show(row));
  if (row.head == 0) {
    CursorRow idle = row;
    make_idle(idle);
    EXPECT_EQ(row, idle) << "idle, but with a dispatch state";
    EXPECT_EQ(row.due, kNever);
    return;
  }
  EXPECT_LT(row.position, row.head);
  EXPECT_EQ(row.due == kNever, row.dead());
  EXPECT_TRUE(row.due != 0 || row.since > 0);
  if (row.claim_holder) {
    EXPECT_TRUE(row.due > 0 && row.due < kNever);
    EXPECT_GT(row.attempt_count, 0);
  }
  if (row.dead()) {
    EXPECT_FALSE(row.claim_holder);
    EXPECT_EQ(row.pins, 0);
  }
  EXPECT_LE(row.last_failed_attempt, row.attempt_count);
  EXPECT_LE(row.last_released_attempt, row.attempt_count);
  EXPECT_LE(row.failure_count, row.attempt_count);
}

void expect_events(const SessionRows& s) {
  std::set<std::string> ids;
  std::set<std::int64_t> indexes;
  for (const driver::EventRow& event : s.events) {
    EXPECT_TRUE(ids.insert(event.id).second) << show(event);
    EXPECT_TRUE(indexes.insert(event.index).second) << show(event);
    EXPECT_GE(event.index, s.row.first_index) << show(event);
    EXPECT_LE(event.index, s.row.last_index) << show(event);
  }
  for (std::int64_t index = s.row.visible_from(); index <= s.row.last_index; ++index) {
    EXPECT_TRUE(indexes.contains(index)) << "a gap at " << index;
  }
}

std::vector<WorkRow> work_of(const SessionRows& s, const driver::CursorKey& lane) {
  std::vector<WorkRow> found;
  for (const WorkRow& work : s.work) {
    const bool of_it = work.consumer == lane.consumer && work.lane == lane.lane;
    if (of_it && work.index > s.row.clear_index) found.push_back(work);
  }
  return found;
}

// First in, first out: nothing that is not finished lies before a lane's head.
void expect_lane(const SessionRows& s, const CursorRow& lane) {
  for (const WorkRow& work : work_of(s, lane.key)) {
    if (work.finished_at > 0) {
      EXPECT_LE(work.index, lane.position) << show(work) << " of " << show(lane);
    } else {
      EXPECT_GT(lane.head, 0) << "idle before " << show(work) << ": " << show(lane);
      EXPECT_GE(work.index, lane.head) << show(work) << " of " << show(lane);
    }
  }
}

void expect_cursors(const SessionRows& s, const std::set<std::string>& deleted) {
  std::set<driver::CursorKey> keys;
  for (const CursorRow& stored : s.cursors) {
    EXPECT_LE(stored.era, s.row.era) << show(stored);
    const std::optional<CursorRow> row = as_of(stored, s.row);
    if (!row) continue;
    EXPECT_TRUE(keys.insert(row->key).second) << "twice: " << show(*row);
    expect_due(*row);
    EXPECT_TRUE(row->head == 0 || row->head > s.row.clear_index) << show(*row);
    EXPECT_LE(row->head, s.row.last_index) << show(*row);
    EXPECT_LE(row->position, s.row.last_index) << show(*row);
    EXPECT_GE(row->position + (row->kind == CursorKind::kEvent), s.row.clear_index) << show(*row);
    // A lane that opens while its consumer is deleted comes before the old entries that are left.
    const bool whole = !deleted.contains(row->key.consumer);
    if (row->kind == CursorKind::kLane && whole) expect_lane(s, *row);
    if (row->kind == CursorKind::kEvent) {
      EXPECT_EQ(row->head, row->key.index);
      for (const WorkRow& work : s.work) {
        EXPECT_FALSE(work.consumer == row->key.consumer && !work.lane && work.index == row->head)
            << "finished, but a cursor: " << show(*row);
      }
    }
  }
  for (const WorkRow& work : s.work) {
    if (work.finished_at == 0) continue;
    EXPECT_GT(s.row.finished_since, 0) << show(work);
    EXPECT_LE(s.row.finished_since, work.finished_at) << show(work);
  }
}

// Queued work has a cursor that will come to it.
void expect_no_orphans(const SessionRows& s, const std::set<std::string>& deleted) {
  for (const WorkRow& work : s.work) {
    const bool live = work.finished_at == 0 && work.index > s.row.clear_index;
    if (!live || deleted.contains(work.consumer)) continue;
    const auto lane = std::find_if(s.cursors.begin(), s.cursors.end(), [&](const CursorRow& row) {
      return row.era == s.row.era && row.key == driver::CursorKey{work.consumer, work.lane, 0};
    });
    EXPECT_TRUE(lane != s.cursors.end() && lane->kind == CursorKind::kLane) << show(work);
  }
}

void expect_pins(const SessionRows& s) {
  std::map<std::pair<driver::CursorKey, std::int64_t>, std::int64_t> of_heads;
  std::map<std::pair<std::string, std::int64_t>, std::int64_t> of_snapshots;
  for (const driver::PinRow& pin : s.pins) {
    if (pin.era != s.row.era) continue;
    ++of_heads[{pin.cursor, pin.head}];
    ++of_snapshots[{pin.reducer, pin.snapshot}];
  }
  for (const CursorRow& row : s.cursors) {
    if (row.era != s.row.era) continue;
    EXPECT_EQ(row.pins, (of_heads[{row.key, row.head}])) << show(row);
    of_heads.erase({row.key, row.head});
  }
  for (const auto& [head, pins] : of_heads) {
    EXPECT_EQ(pins, 0) << "pinned, but no head: " << show(head.first) << "#" << head.second;
  }
  std::map<std::string, std::int64_t> newest;
  for (const driver::SnapshotRow& row : s.snapshots) {
    if (row.era == s.row.era) newest[row.reducer] = std::max(newest[row.reducer], row.index);
  }
  for (const driver::SnapshotRow& row : s.snapshots) {
    if (row.era != s.row.era) continue;
    EXPECT_GE(row.index, s.row.clear_index) << show(row);
    EXPECT_EQ(row.pins, (of_snapshots[{row.reducer, row.index}])) << show(row);
    EXPECT_TRUE(row.pins > 0 || row.index == newest[row.reducer]) << "unheld: " << show(row);
    of_snapshots.erase({row.reducer, row.index});
  }
  for (const auto& [snapshot, pins] : of_snapshots) {
    EXPECT_EQ(pins, 0) << "pinned, but no snapshot: " << snapshot.first << "@" << snapshot.second;
  }
}

bool has_superseded(const World& world, const std::string& session) {
  driver::Query query;
  query.sessions.resize(1);
  query.sessions[0].session = session;
  query.sessions[0].superseded = driver::SupersededQuery{1, false};
  const driver::SupersededFacts found = world.find(query).sessions[0].superseded;
  return !found.events.empty() || !found.cursors.empty() || !found.snapshots.empty() ||
         !found.pins.empty();
}

void expect_session(const World& world, const std::string& name,
                    const std::set<std::string>& deleted) {
  const SessionRows& s = world.sessions.at(name);
  SCOPED_TRACE("session " + name + ": " + show(s.row, {}));
  EXPECT_LE(s.row.clear_index, s.row.last_index);
  EXPECT_LE(s.row.deleted_index, s.row.clear_index);
  EXPECT_LE(s.row.deleted_era, s.row.era);
  expect_events(s);
  expect_cursors(s, deleted);
  expect_no_orphans(s, deleted);
  expect_pins(s);
  const bool has_more = s.row.deleting || has_superseded(world, name);
  EXPECT_TRUE(s.row.upkeep || !has_more) << "maintain would not see it";
}

// ---- properties of a step

void expect_row_forward(const SessionRow& before, const SessionRow& after) {
  EXPECT_GE(after.last_index, before.last_index);
  EXPECT_GE(after.clear_index, before.clear_index);
  EXPECT_GE(after.era, before.era);
  EXPECT_GE(after.first_index, before.first_index);
  EXPECT_GE(after.deleted_index, before.deleted_index);
  EXPECT_GE(after.deleted_era, before.deleted_era);
  EXPECT_EQ(after.era > before.era,
            after.clear_index > before.clear_index || after.deleted_era > before.deleted_era);
}

// A cursor only moves forward, an attempt of a head only counts up, and a new head is fresh.
void expect_cursor_forward(const std::optional<CursorRow>& before, const CursorRow& after,
                           bool redrives) {
  SCOPED_TRACE((before ? show(*before) : "none") + " -> " + show(after));
  if (!before) {
    EXPECT_LE(after.attempt_count, 1);
    return;
  }
  EXPECT_GE(after.position, before->position);
  if (after.head > 0 && after.head == before->head) {
    EXPECT_GE(after.attempt_count, before->attempt_count);
    EXPECT_LE(after.attempt_count, before->attempt_count + 1);
    EXPECT_TRUE(redrives || after.failure_count >= before->failure_count);
    EXPECT_TRUE(redrives || !before->dead() || after.dead());
    EXPECT_EQ(after.position, before->position);
  } else if (after.head > 0) {
    EXPECT_GT(after.head, before->head);
    EXPECT_LE(after.attempt_count, 1) << "not fresh";
    EXPECT_EQ(after.failure_count, 0) << "not fresh";
    EXPECT_FALSE(after.last_error) << "not fresh";
    EXPECT_EQ(after.pins, 0) << "not fresh";
  }
}

std::optional<CursorRow> stored_before(const SessionRows& before, const CursorRow& put) {
  std::optional<CursorRow> found;
  for (const CursorRow& row : before.cursors) {
    const std::optional<CursorRow> now = as_of(row, before.row);
    if (now && now->key == put.key) found = now;
  }
  return found;
}

void expect_forward(const SessionRows& before, const SessionEffects& effects, std::int64_t now,
                    bool redrives) {
  const SessionRow& after = effects.row ? *effects.row : before.row;
  expect_row_forward(before.row, after);
  EXPECT_EQ(effects.new_era, after.era > before.row.era);
  EXPECT_TRUE(!effects.row || *effects.row != before.row) << "a row is written for nothing";
  std::int64_t last = before.row.last_index;
  for (const driver::EventRow& event : effects.append) {
    EXPECT_EQ(event.index, ++last);
    EXPECT_EQ(event.created_at, now);
    EXPECT_FALSE(event.id.empty());
  }
  for (const CursorRow& row : effects.put) {
    EXPECT_EQ(row.era, after.era) << show(row);
    expect_cursor_forward(stored_before(before, row), row, redrives);
  }
  for (const driver::SnapshotRow& row : effects.put_snapshots) EXPECT_EQ(row.era, after.era);
  for (const driver::PinRow& row : effects.put_pins) EXPECT_EQ(row.era, after.era);
  for (const WorkRow& work : effects.put_work) {
    EXPECT_TRUE(work.finished_at == 0 || work.finished_at == now) << show(work);
    EXPECT_GT(work.index, after.clear_index) << show(work);
  }
}

// ---- running histories

class Run {
 public:
  explicit Run(std::uint64_t seed) : histories_(seed), random_(seed) {}

  void step() {
    const Step step = histories_.next(world_);
    const Decided decided = decide(world_, *step.operation);
    SCOPED_TRACE(step.verb + ": " + decided.text());
    ++answers_[step.verb + (decided.throws() ? " throws" : "")];
    expect_repeatable(*step.operation, decided);
    if (decided.throws()) {
      EXPECT_FALSE(decided.effects.writes());
      return;
    }
    for (const SessionEffects& effects : decided.effects.sessions) {
      const SessionRows& before = world_.sessions[effects.session];
      expect_forward(before, effects, world_.now, step.redrives);
      expect_fenced(before, effects);
    }
    world_.apply(decided.effects);
    note_deletion(step, decided);
    for (const auto& [name, session] : world_.sessions) {
      if (session.row.last_index > 0) expect_session(world_, name, deleted_[name]);
    }
    expect_again(step, decided);
  }

  const std::map<std::string, int>& answers() const { return answers_; }

 private:
  // On equal facts the same is decided; the order within a window says nothing.
  void expect_repeatable(const Operation& operation, const Decided& decided) {
    const Decided twice = decide(world_, operation);
    EXPECT_EQ(twice.answer, decided.answer);
    expect_same(twice.effects, decided.effects);
    if (decided.throws()) return;
    const driver::Query query = operation.plan();
    driver::Facts facts = world_.find(query);
    for (driver::SessionFacts& session : facts.sessions) {
      std::shuffle(session.window.begin(), session.window.end(), random_);
    }
    std::string answer;
    const driver::Effects shuffled = operation.decide(query, std::move(facts), answer);
    EXPECT_EQ(answer, decided.answer);
    expect_same(shuffled, decided.effects);
  }

  // No (cursor, head, attempt) is handed out twice, over clears and deletions.
  void expect_fenced(const SessionRows& before, const SessionEffects& effects) {
    for (const CursorRow& row : effects.put) {
      const auto old = stored_before(before, row);
      const bool same_head = old && old->head == row.head;
      if (row.attempt_count == (same_head ? old->attempt_count : 0)) continue;
      EXPECT_TRUE(claims_.emplace(effects.session, row.key, row.head, row.attempt_count).second)
          << "claimed twice: " << show(row);
    }
  }

  void note_deletion(const Step& step, const Decided& decided) {
    if (step.deletes.empty()) return;
    const std::size_t slash = step.deletes.find('/');
    std::set<std::string>& consumers = deleted_[step.deletes.substr(0, slash)];
    const std::string consumer = step.deletes.substr(slash + 1);
    if (decided.answer.ends_with("done")) {
      consumers.erase(consumer);
    } else {
      consumers.insert(consumer);
    }
  }

  void expect_again(const Step& step, const Decided& decided) {
    const bool done = decided.answer.ends_with("done");
    if (step.again == Again::kUnknown || (step.again == Again::kIfDone && !done)) return;
    const Decided again = decide(world_, *step.operation);
    EXPECT_EQ(again.answer, step.again == Again::kIfDone ? "deleted 0 done" : decided.answer);
    EXPECT_EQ(again.written, "") << "a repeat writes";
  }

  World world_;
  Histories histories_;
  std::mt19937_64 random_;
  std::map<std::string, std::set<std::string>> deleted_;  // whose deletion is not done
  std::set<std::tuple<std::string, driver::CursorKey, std::int64_t, std::int64_t>> claims_;
  std::map<std::string, int> answers_;
};

void run_all(std::uint64_t seed) {
  std::cout << "seed " << seed << std::endl;
  std::map<std::string, int> answers;
  for (int i = 0; i < kHistories; ++i) {
    Run run(seed + static_cast<std::uint64_t>(i));
    for (int j = 0; j < kSteps; ++j) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", history " + std::to_string(i) + ", step " +
                   std::to_string(j));
      run.step();
      if (::testing::Test::HasFailure()) return;
    }
    for (const auto& [answer, count] : run.answers()) answers[answer] += count;
  }
  for (const auto& [answer, count] : answers) std::cout << answer << " " << count << "\n";
}

TEST(Properties, HoldOverRandomHistories) {
  const char* const given = std::getenv("PAWL_SEED");
  run_all(given == nullptr ? 1 : std::strtoull(given, nullptr, 10));
}

}  // namespace
}  // namespace pawl::core::testing
