// See world.h.
#include "tests/support/world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "pawl/backend.h"
#include "tests/support/show.h"

namespace pawl::core::testing {
namespace {

using driver::CursorKey;
using driver::CursorRow;
using driver::EventRow;
using driver::FoundCursor;
using driver::kNever;
using driver::NextWork;
using driver::SnapshotRow;
using driver::WorkRow;

template <class Row, class Is>
const Row* first(const std::vector<Row>& rows, const Is& is) {
  const auto found = std::find_if(rows.begin(), rows.end(), is);
  return found == rows.end() ? nullptr : &*found;
}

// The rows of which `is` holds, in the order of `key`, the first `limit`.
template <class Row, class Is, class Key>
std::vector<Row> select(const std::vector<Row>& rows, std::int64_t limit, const Is& is,
                        const Key& key) {
  std::vector<Row> found;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(found), is);
  std::sort(found.begin(), found.end(),
            [&](const Row& a, const Row& b) { return key(a) < key(b); });
  if (std::ssize(found) > limit) found.resize(static_cast<std::size_t>(limit));
  return found;
}

CursorKey key_of(const WorkRow& work) { return {work.consumer, work.lane, work.index}; }

SnapshotRow without_state(SnapshotRow row) {
  row.state.reset();
  return row;
}

// What query.h says, of one session.
class Finder {
 public:
  Finder(const SessionRows& rows, std::int64_t now) : s_(rows), era_(rows.row.era), now_(now) {}

  driver::SessionFacts find(const driver::SessionQuery& query) const {
    driver::SessionFacts facts;
    facts.session = query.session;
    facts.row = s_.row;
    for (const auto& asked : query.cursors) facts.cursors.push_back(cursor(asked));
    for (const auto& key : query.work) {
      const auto* found = first(s_.work, [&](const WorkRow& work) {
        return key == driver::WorkKey{work.consumer, work.lane, work.index};
      });
      facts.work.push_back(found ? std::optional(*found) : std::nullopt);
    }
    for (const std::string& id : query.ids) {
      const auto* found = first(s_.events, [&](const EventRow& event) { return event.id == id; });
      facts.ids.push_back(found ? std::optional(*found) : std::nullopt);
    }
    if (query.window) window(*query.window, facts);
    if (query.dead) facts.dead = dead(*query.dead);
    for (const auto& asked : query.snapshots) facts.snapshots.push_back(snapshots(asked));
    for (driver::PinRow pin : query.pins) {
      pin.era = era_;
      facts.pins.push_back(std::count(s_.pins.begin(), s_.pins.end(), pin) > 0);
    }
    if (query.finished) facts.finished = finished(*query.finished);
    if (query.of_consumer) facts.of_consumer = of_consumer(*query.of_consumer);
    if (query.superseded) facts.superseded = superseded(*query.superseded);
    return facts;
  }

  void window(const driver::Window& window, driver::SessionFacts& facts) const {
    facts.windowed = true;
    std::set<std::string> consumers;
    if (window.consumers) {
      consumers.insert(window.consumers->begin(), window.consumers->end());
    } else {
      for (const CursorRow& row : s_.cursors) consumers.insert(row.key.consumer);
    }
    const auto walk = [&](const std::string& consumer, std::int64_t from, std::int64_t until,
                          std::int64_t limit, bool ties) {
      const auto rows = select(
          s_.cursors, kNever,
          [&](const CursorRow& row) {
            return row.era == era_ && row.key.consumer == consumer && row.due >= from &&
                   row.due <= until && row.head <= window.through;
          },
          [](const CursorRow& row) { return std::tuple(row.due, row.head, row.key); });
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const bool tie = ties && i > 0 && rows[i].head == rows[i - 1].head;
        if (static_cast<std::int64_t>(i) >= limit && !tie) break;
        FoundCursor found{.row = rows[i], .next = {}, .pins = {}};
        if (window.pins && found.row->claim_holder) found.pins = pins(*found.row);
        facts.window.push_back(std::move(found));
      }
    };
    for (const std::string& consumer : consumers) {
      walk(consumer, 0, 0, window.free, true);
      walk(consumer, 1, now_, window.due, false);
      walk(consumer, now_ + 1, kNever - 1, window.later, false);
    }
  }

  // The first key of each consumer.
  std::map<std::string, CursorRow> first_keys() const {
    std::map<std::string, CursorRow> keys;
    for (const CursorRow& row : s_.cursors) {
      if (row.era != era_ || row.due == kNever) continue;
      const auto order = [](const CursorRow& r) { return std::tuple(r.due, r.head, r.key); };
      const auto [found, fresh] = keys.emplace(row.key.consumer, row);
      if (!fresh && order(row) < order(found->second)) found->second = row;
    }
    return keys;
  }

 private:
  const CursorRow* stored(const CursorKey& key) const {
    const auto* present =
        first(s_.cursors, [&](const CursorRow& row) { return row.key == key && row.era == era_; });
    if (present || !key.lane) return present;
    return first(s_.cursors, [&](const CursorRow& row) {
      return row.key == key && row.kind == CursorKind::kLog;
    });
  }

  FoundCursor cursor(const driver::CursorQuery& asked) const {
    FoundCursor found;
    const CursorRow* row = stored(asked.key);
    if (row) found.row = *row;
    if (asked.next) {
      const CursorRow* floor = stored(driver::floor_key(asked.key.consumer));
      const bool is_gone = !row || s_.row.is_deleted(row->era);
      if (is_gone && asked.next->log && floor) found.floor = floor->position;
      found.next = next(asked.key, row, found.floor, *asked.next);
    }
    if (asked.pins && row) found.pins = pins(*row);
    return found;
  }

  std::optional<NextWork> next(const CursorKey& key, const CursorRow* row, std::int64_t floor,
                               const driver::NextQuery& asked) const {
    if (!key.lane || (!row && !asked.log)) return std::nullopt;
    const bool present = row && row->era == era_;
    if (asked.if_idle && present && row->head > 0) return std::nullopt;
    std::int64_t place = std::max(s_.row.clear_index, present ? row->position : floor);
    if (present && row->head > 0) place = row->head;
    if (row && row->kind == CursorKind::kLane) {
      const auto work = select(
          s_.work, 1,
          [&](const WorkRow& w) {
            return w.consumer == key.consumer && w.lane == key.lane && w.index > place;
          },
          [](const WorkRow& w) { return w.index; });
      if (work.empty()) return std::nullopt;
      return NextWork{work[0].index, work[0].available_at};
    }
    const bool states = asked.log && asked.log->lane == key.lane;
    const driver::Types& types = states ? asked.log->types : row->types;
    const auto events = select(
        s_.events, 1,
        [&](const EventRow& e) {
          return e.index > place && (!types || std::count(types->begin(), types->end(), e.type));
        },
        [](const EventRow& e) { return e.index; });
    if (events.empty()) return std::nullopt;
    return NextWork{events[0].index, 0};
  }

  std::vector<driver::PinFact> pins(const CursorRow& row) const {
    std::vector<driver::PinFact> facts;
    for (const driver::PinRow& pin : s_.pins) {
      if (pin.era != era_ || row.era != era_ || !(pin.cursor == row.key)) continue;
      if (pin.head != row.head) continue;
      driver::PinFact fact{pin, std::nullopt, 0};
      for (const SnapshotRow& snapshot : s_.snapshots) {
        if (snapshot.era != era_ || snapshot.reducer != pin.reducer) continue;
        fact.newest_index = std::max(fact.newest_index, snapshot.index);
        if (snapshot.index == pin.snapshot) fact.snapshot = without_state(snapshot);
      }
      facts.push_back(std::move(fact));
    }
    return facts;
  }

  std::optional<FoundCursor> dead(const driver::DeadQuery& asked) const {
    const auto rows = select(
        s_.cursors, 1,
        [&](const CursorRow& row) {
          return row.era == era_ && row.dead() && row.key.consumer == asked.consumer &&
                 row.head == asked.index && (!asked.lane || row.key.lane == asked.lane);
        },
        [](const CursorRow& row) { return row.key; });
    if (rows.empty()) return std::nullopt;
    return FoundCursor{rows[0], next(rows[0].key, &rows[0], 0, {false, asked.log}), {}, 0};
  }

  driver::FoundSnapshots snapshots(const driver::SnapshotQuery& asked) const {
    driver::FoundSnapshots found;
    found.at.resize(asked.indexes.size());
    for (const SnapshotRow& row : s_.snapshots) {
      if (row.era != era_ || row.reducer != asked.reducer) continue;
      for (std::size_t i = 0; i < asked.indexes.size(); ++i) {
        if (asked.indexes[i] == row.index) found.at[i] = without_state(row);
      }
      const bool newer = !found.newest || row.index > found.newest->index;
      if (asked.newest && newer) found.newest = without_state(row);
    }
    return found;
  }

  driver::FinishedFacts finished(const driver::FinishedQuery& asked) const {
    driver::FinishedFacts facts;
    const auto all = select(
        s_.work, kNever, [](const WorkRow& w) { return w.finished_at > 0; },
        [](const WorkRow& w) { return std::tuple(w.finished_at, key_of(w)); });
    std::map<CursorKey, std::int64_t> lanes;
    for (const WorkRow& work : all) {
      if (work.finished_at >= asked.before || std::ssize(facts.rows) >= asked.limit) {
        facts.next_finished_at = work.finished_at;
        break;
      }
      facts.rows.push_back(work);
      if (work.lane) ++lanes[{work.consumer, work.lane, 0}];
    }
    for (const auto& counted : lanes) {
      const CursorKey& key = counted.first;
      const std::int64_t count = counted.second;
      driver::FinishedLane lane{key, std::nullopt, {}};
      for (const CursorRow& row : s_.cursors) {
        if (row.era == era_ && row.key == key) lane.row = row;
      }
      const auto entries = select(
          s_.work, count + 1,
          [&](const WorkRow& w) {
            return w.consumer == key.consumer && w.lane == key.lane && w.index > s_.row.clear_index;
          },
          [](const WorkRow& w) { return w.index; });
      for (const WorkRow& work : entries) lane.entries.push_back(work.index);
      facts.lanes.push_back(std::move(lane));
    }
    return facts;
  }

  driver::OfConsumerFacts of_consumer(const driver::OfConsumerQuery& asked) const {
    driver::OfConsumerFacts facts;
    const auto of_it = [&](const CursorRow& row) { return row.key.consumer == asked.consumer; };
    const auto by_key = [](const CursorRow& row) { return row.key; };
    const auto logs = select(
        s_.cursors, kNever,
        [&](const CursorRow& row) { return of_it(row) && row.kind == CursorKind::kLog; }, by_key);
    for (const CursorRow& row : logs) facts.logs.push_back({row, std::nullopt, pins(row), 0});
    const auto others = select(
        s_.cursors, asked.limit + 1,
        [&](const CursorRow& row) {
          return of_it(row) && row.kind != CursorKind::kLog && row.era == era_ &&
                 !row.key.is_floor();
        },
        by_key);
    for (const CursorRow& row : others) facts.cursors.push_back({row, std::nullopt, pins(row), 0});
    facts.work = select(
        s_.work, asked.limit + 1,
        [&](const WorkRow& work) { return work.consumer == asked.consumer; }, key_of);
    return facts;
  }

  driver::SupersededFacts superseded(const driver::SupersededQuery& asked) const {
    std::int64_t last_event = s_.row.clear_index - 1;
    std::int64_t below_era = era_;
    if (asked.whole_life) {
      last_event = s_.row.deleting ? s_.row.deleted_index : kNever;
      below_era = s_.row.deleting ? s_.row.deleted_era : kNever;
    }
    driver::SupersededFacts facts;
    facts.events = select(
        s_.events, asked.limit,
        [&](const EventRow& e) { return e.index >= s_.row.first_index && e.index <= last_event; },
        [](const EventRow& e) { return e.index; });
    for (EventRow& event : facts.events) {
      event.payload.clear();
      event.cause.reset();
    }
    std::set<CursorKey> of_events;
    for (const EventRow& event : facts.events) {
      for (const driver::TargetRow& target : event.targets) {
        const CursorKey key{target.consumer, std::nullopt, event.index};
        const CursorRow* row = first(s_.cursors, [&](const CursorRow& cursor) {
          return !target.lane && cursor.key == key && cursor.era == event.era;
        });
        if (!row) continue;
        of_events.insert(key);
        facts.event_cursors.push_back(*row);
      }
    }
    if (std::ssize(facts.events) >= asked.limit) return facts;
    const auto is_old = [&](const auto& row) { return row.era < below_era; };
    facts.cursors = select(
        s_.cursors, asked.limit,
        [&](const CursorRow& row) { return is_old(row) && !of_events.contains(row.key); },
        [](const CursorRow& row) { return std::tuple(row.era, row.key); });
    const std::int64_t snapshots = asked.limit - std::ssize(facts.cursors);
    for (const SnapshotRow& row : s_.snapshots) {
      if (is_old(row) && std::ssize(facts.snapshots) < snapshots) {
        facts.snapshots.push_back(without_state(row));
      }
    }
    const std::int64_t pins = snapshots - std::ssize(facts.snapshots);
    for (const driver::PinRow& row : s_.pins) {
      if (is_old(row) && std::ssize(facts.pins) < pins) facts.pins.push_back(row);
    }
    return facts;
  }

  const SessionRows& s_;
  const std::int64_t era_;
  const std::int64_t now_;
};

std::vector<driver::ReadyRow> ready_rows(const World& world, const driver::ConsumerNames& served) {
  std::vector<driver::ReadyRow> rows;
  for (const auto& [name, session] : world.sessions) {
    for (const auto& [consumer, row] : Finder(session, world.now).first_keys()) {
      const bool is_served = !served || std::count(served->begin(), served->end(), consumer) > 0;
      if (is_served) rows.push_back({name, consumer, row.due, row.due == 0 ? row.since : 0});
    }
  }
  return rows;
}

void find_picked(const World& world, const driver::Pick& pick, driver::Facts& facts) {
  const auto rows = ready_rows(world, pick.consumers);
  for (const ReadySession& ready : order_ready(rows, world.now, pick.sessions)) {
    const Finder finder(world.sessions.at(ready.session), world.now);
    const auto named = std::find_if(
        facts.sessions.begin(), facts.sessions.end(),
        [&](const driver::SessionFacts& session) { return session.session == ready.session; });
    if (named != facts.sessions.end()) {
      finder.window(pick.window, *named);
      continue;
    }
    driver::SessionQuery query;
    query.session = ready.session;
    query.cursors = pick.cursors;
    query.window = pick.window;
    facts.sessions.push_back(finder.find(query));
  }
}

driver::PresenceFacts find_presence(const World& world, const driver::PresenceQuery& query) {
  driver::PresenceFacts facts;
  facts.fields.resize(query.fields.size());
  const auto space = world.presence.find(query.name_space);
  if (space == world.presence.end()) return facts;
  for (const driver::PresenceRow& row : space->second) {
    for (std::size_t i = 0; i < query.fields.size(); ++i) {
      if (query.fields[i] == std::pair(row.participant, row.field)) facts.fields[i] = row;
    }
    if (row.expires_at <= world.now && std::ssize(facts.expired) < query.expired) {
      facts.expired.push_back(row);
    }
  }
  return facts;
}

// Applies one session's effects, and tells what does not fit.
class Applier {
 public:
  Applier(SessionRows& rows, const driver::SessionEffects& effects) : s_(rows), e_(effects) {}

  void apply() {
    for (const driver::EventKey& event : e_.erase) {
      erase(s_.events, [&](const EventRow& row) { return row.index == event.index; });
    }
    for (const CursorRow& row : e_.drop) {
      const auto gone = erase(s_.cursors, [&](const CursorRow& old) { return old == row; });
      EXPECT_EQ(gone, 1u) << "dropped, but not as stored: " << show(row);
    }
    for (const WorkRow& row : e_.drop_work) drop_work(key_of(row));
    for (const SnapshotRow& row : e_.drop_snapshots) drop_snapshot(row);
    for (const driver::PinRow& row : e_.drop_pins) {
      const auto gone = erase(s_.pins, [&](const driver::PinRow& old) { return old == row; });
      EXPECT_EQ(gone, 1u) << "released, but not stored: " << show(row);
    }
    for (const EventRow& event : e_.append) append(event);
    if (e_.row) s_.row = *e_.row;
    for (const CursorRow& row : e_.put) put(row);
    for (const WorkRow& row : e_.put_work) {
      drop_work(key_of(row));
      s_.work.push_back(row);
    }
    for (const SnapshotRow& row : e_.put_snapshots) put_snapshot(row);
    for (const driver::PinRow& row : e_.put_pins) {
      EXPECT_EQ(std::count(s_.pins.begin(), s_.pins.end(), row), 0) << "pinned: " << show(row);
      s_.pins.push_back(row);
    }
  }

 private:
  template <class Row, class Is>
  static std::size_t erase(std::vector<Row>& rows, const Is& is) {
    return std::erase_if(rows, is);
  }

  void append(const EventRow& event) {
    for (const EventRow& old : s_.events) {
      EXPECT_LT(old.index, event.index) << "appended below " << show(old);
      EXPECT_NE(old.id, event.id) << "an id is taken: " << show(event);
    }
    s_.events.push_back(event);
  }

  void put(const CursorRow& row) {
    erase(s_.cursors, [&](const CursorRow& old) {
      const bool both_logs = old.kind == CursorKind::kLog && row.kind == CursorKind::kLog;
      return old.key == row.key && (old.era == row.era || both_logs);
    });
    s_.cursors.push_back(row);
  }

  void drop_work(const CursorKey& key) {
    erase(s_.work, [&](const WorkRow& old) { return key_of(old) == key; });
  }

  std::size_t drop_snapshot(const SnapshotRow& row) {
    return erase(s_.snapshots, [&](const SnapshotRow& old) {
      return old.era == row.era && old.reducer == row.reducer && old.index == row.index;
    });
  }

  void put_snapshot(SnapshotRow row) {
    for (const SnapshotRow& old : s_.snapshots) {
      const bool same = old.era == row.era && old.reducer == row.reducer && old.index == row.index;
      if (same && !row.state) row.state = old.state;
    }
    EXPECT_TRUE(row.state) << "a snapshot without a state: " << show(row);
    drop_snapshot(row);
    s_.snapshots.push_back(std::move(row));
  }

  SessionRows& s_;
  const driver::SessionEffects& e_;
};

}  // namespace

World& World::session(const std::string& name, std::int64_t last, std::int64_t clear) {
  current_ = name;
  SessionRows& session = rows();
  session.row.last_index = last;
  session.row.clear_index = clear;
  session.row.era = clear > 0 ? 1 : 0;
  session.row.upkeep = clear > 1;
  for (std::int64_t i = 1; i <= last; ++i) {
    const std::string number = std::to_string(i);
    if (i == clear) {
      session.events.push_back({i, "m" + number, "pawl.clear", "null", 10, {}, {}, 0});
    } else {
      session.events.push_back({i, "e" + number, "t", "1", 10, {}, {}, 0});
    }
    session.events.back().era = i > clear ? session.row.era : 0;
  }
  return *this;
}

World& World::with(const Cur& cursor) {
  rows().cursors.push_back(cursor.row(rows().row.era));
  return *this;
}

World& World::with(driver::WorkRow work) {
  driver::SessionRow& row = rows().row;
  const bool oldest = row.finished_since == 0 || work.finished_at < row.finished_since;
  if (work.finished_at > 0 && oldest) row.finished_since = work.finished_at;
  rows().work.push_back(std::move(work));
  return *this;
}

World& World::with(driver::PinRow pin) {
  if (pin.era == 0) pin.era = rows().row.era;
  for (CursorRow& row : rows().cursors) {
    if (row.key == pin.cursor && row.era == pin.era) ++row.pins;
  }
  for (SnapshotRow& row : rows().snapshots) {
    if (row.era == pin.era && row.reducer == pin.reducer && row.index == pin.snapshot) ++row.pins;
  }
  rows().pins.push_back(std::move(pin));
  return *this;
}

World& World::with_snapshot(const std::string& reducer, std::int64_t index, std::int64_t pins) {
  rows().snapshots.push_back({reducer, index, rows().row.era, 20, pins, "0"});
  return *this;
}

World& World::typed(std::int64_t index, std::string type) {
  rows().events.at(static_cast<std::size_t>(index - 1)).type = std::move(type);
  return *this;
}

World& World::event_of(std::int64_t index, Cause cause) {
  rows().events.at(static_cast<std::size_t>(index - 1)).cause = std::move(cause);
  return *this;
}

World& World::targeted(std::int64_t index, std::vector<driver::TargetRow> targets) {
  rows().events.at(static_cast<std::size_t>(index - 1)).targets = std::move(targets);
  return *this;
}

driver::Facts World::find(const driver::Query& query) const {
  static const SessionRows unknown;
  driver::Facts facts;
  facts.now = now;
  for (const driver::SessionQuery& asked : query.sessions) {
    const auto found = sessions.find(asked.session);
    const SessionRows& session = found == sessions.end() ? unknown : found->second;
    facts.sessions.push_back(Finder(session, now).find(asked));
  }
  if (query.pick) find_picked(*this, *query.pick, facts);
  if (query.presence) facts.presence = find_presence(*this, *query.presence);
  return facts;
}

void World::apply(const driver::Effects& effects) {
  for (const driver::SessionEffects& session : effects.sessions) {
    if (!session.empty()) Applier(sessions[session.session], session).apply();
  }
  for (const auto& drop : effects.presence.drop) {
    std::erase_if(presence[drop.name_space], [&](const driver::PresenceRow& row) {
      return row.participant == drop.row.participant && row.field == drop.row.field;
    });
  }
  for (const auto& put : effects.presence.put) {
    std::vector<driver::PresenceRow>& rows = presence[put.name_space];
    std::erase_if(rows, [&](const driver::PresenceRow& row) {
      return row.participant == put.row.participant && row.field == put.row.field;
    });
    rows.push_back(put.row);
  }
}

}  // namespace pawl::core::testing
