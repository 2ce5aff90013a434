// Reads facts: look-ups by key, and the first entries of ranges.
#include "load.h"

#include <algorithm>
#include <string_view>

#include "pawl/backend.h"

namespace pawl::memory {
namespace {

using driver::CursorRow;
using driver::EventRow;
using driver::FoundCursor;
using driver::kNever;
using driver::NextWork;
using driver::SnapshotRow;
using driver::Types;

template <class T>
bool full(const std::vector<T>& found, Int limit) {
  return static_cast<Int>(found.size()) >= limit;
}

SnapshotRow without_state(const SnapshotRow& row) {
  return {row.reducer, row.index, row.era, row.updated_at, row.pins, {}};
}

// Loads from one session, all of it as of one session row.
class SessionReader {
 public:
  SessionReader(const Session& session, Int now) : s_(session), era_(session.row.era), now_(now) {}

  driver::SessionFacts load(const driver::SessionQuery& query) const {
    driver::SessionFacts facts;
    facts.session = query.session;
    facts.row = s_.row;
    for (const auto& cursor : query.cursors) facts.cursors.push_back(find_cursor(cursor));
    for (const auto& key : query.work) {
      facts.work.push_back(value(s_.work, CursorKey{key.consumer, key.lane, key.index}));
    }
    for (const std::string& id : query.ids) {
      const auto index = s_.ids.find(id);
      facts.ids.push_back(index == s_.ids.end() ? std::nullopt : value(s_.events, index->second));
    }
    if (query.window) load_window(*query.window, facts);
    if (query.dead) facts.dead = find_dead(*query.dead);
    for (const auto& snapshot : query.snapshots) facts.snapshots.push_back(snapshots(snapshot));
    for (const driver::PinRow& pin : query.pins) {
      facts.pins.push_back(
          s_.pins.contains({era_, pin.cursor, pin.head, pin.reducer, pin.snapshot}));
    }
    if (query.events) facts.events = events(*query.events, facts.snapshots);
    if (query.list_cursors) facts.list = list_cursors(*query.list_cursors);
    if (query.list_dead) list_dead(*query.list_dead, facts);
    if (query.finished) facts.finished = finished(*query.finished);
    if (query.of_consumer) facts.of_consumer = of_consumer(*query.of_consumer);
    if (query.superseded) facts.superseded = superseded(*query.superseded);
    return facts;
  }

  void load_window(const driver::Window& window, driver::SessionFacts& facts) const {
    facts.windowed = true;
    if (window.consumers) {
      for (const std::string& consumer : *window.consumers) add_window(consumer, window, facts);
    } else {
      for (const auto& [consumer, first] : s_.first_keys) add_window(consumer, window, facts);
    }
  }

 private:
  template <class Table>
  static std::optional<typename Table::mapped_type> value(const Table& table,
                                                          const typename Table::key_type& key) {
    const auto found = table.find(key);
    if (found == table.end()) return std::nullopt;
    return found->second;
  }

  std::optional<CursorRow> cursor(const CursorKey& key) const {
    std::optional<CursorRow> row = value(s_.cursors, {era_, key});
    if (row || !key.lane) return row;
    const auto log = s_.logs.find(key);
    return log == s_.logs.end() ? std::nullopt : value(s_.cursors, {log->second, key});
  }

  FoundCursor find_cursor(const driver::CursorQuery& query) const {
    FoundCursor found;
    found.row = cursor(query.key);
    if (query.next) {
      const bool is_gone = !found.row || s_.row.is_deleted(found.row->era);
      if (is_gone && query.next->log) found.floor = floor_of(query.key.consumer);
      found.next = next(query.key, found.row, found.floor, *query.next);
    }
    if (query.pins && found.row) found.pins = pins(*found.row);
    return found;
  }

  Int floor_of(const std::string& consumer) const {
    const auto row = s_.cursors.find({era_, driver::floor_key(consumer)});
    return row == s_.cursors.end() ? 0 : row->second.position;
  }

  std::optional<NextWork> next(const CursorKey& key, const std::optional<CursorRow>& row, Int floor,
                               const driver::NextQuery& query) const {
    if (!key.lane) return std::nullopt;
    const bool present = row && row->era == era_;
    const Int head = present ? row->head : 0;
    if (head > 0 && query.if_idle) return std::nullopt;
    const Int place = present ? row->position : floor;
    const Int above = head > 0 ? head : std::max(place, s_.row.clear_index);
    if (row && row->kind == CursorKind::kLane) return next_work(key, above);
    if (query.log && (!row || *key.lane == query.log->lane)) {
      return next_event(query.log->types, above);
    }
    return row ? next_event(row->types, above) : std::nullopt;
  }

  std::optional<NextWork> next_work(const CursorKey& lane, Int above) const {
    const auto work = s_.work.upper_bound({lane.consumer, lane.lane, above});
    if (work == s_.work.end()) return std::nullopt;
    const driver::WorkRow& row = work->second;
    if (row.consumer != lane.consumer || row.lane != lane.lane) return std::nullopt;
    return NextWork{row.index, row.available_at};
  }

  std::optional<NextWork> next_event(const Types& types, Int above) const {
    std::optional<NextWork> least;
    const auto consider = [&least](Int index) {
      if (!least || index < least->index) least = NextWork{index, 0};
    };
    if (!types) {
      const auto event = s_.events.upper_bound(above);
      if (event != s_.events.end()) consider(event->first);
    } else {
      for (const std::string& type : *types) {
        const auto event = s_.types.upper_bound({type, above});
        if (event != s_.types.end() && event->first == type) consider(event->second);
      }
    }
    return least;
  }

  std::vector<driver::PinFact> pins(const CursorRow& row) const {
    std::vector<driver::PinFact> found;
    if (row.pins == 0 || row.era != era_) return found;
    for (auto pin = s_.pins.lower_bound({era_, row.key, row.head, {}, 0}); pin != s_.pins.end();
         ++pin) {
      const auto& [era, key, head, reducer, index] = *pin;
      if (era != era_ || !(key == row.key) || head != row.head) break;
      driver::PinFact& fact = found.emplace_back();
      fact.pin = {era, key, head, reducer, index};
      const auto snapshot = s_.snapshots.find({era, reducer, index});
      if (snapshot != s_.snapshots.end()) fact.snapshot = without_state(snapshot->second);
      if (const auto* latest = newest(reducer, kNever)) fact.newest_index = latest->index;
    }
    return found;
  }

  // The three ranges of query.h, each from the index in the order (due, head, key).
  void add_window(const std::string& consumer, const driver::Window& window,
                  driver::SessionFacts& facts) const {
    const auto walk = [&](Int from, Int until, Int limit, bool ties) {
      Int count = 0;
      Int last_head = 0;
      for (auto entry = s_.due.lower_bound({era_, consumer, from, 0, {}}); entry != s_.due.end();
           ++entry) {
        const auto& [era, name, due, head, key] = *entry;
        if (era != era_ || name != consumer || due > until) break;
        if (count >= limit && !(ties && count > 0 && head == last_head)) break;
        if (head > window.through) continue;
        FoundCursor found;
        found.row = s_.cursors.at({era, key});
        if (window.pins && found.row->claim_holder) found.pins = pins(*found.row);
        facts.window.push_back(std::move(found));
        last_head = head;
        ++count;
      }
    };
    walk(0, 0, window.free, true);
    walk(1, now_, window.due, false);
    walk(now_ + 1, kNever - 1, window.later, false);
  }

  std::optional<FoundCursor> find_dead(const driver::DeadQuery& query) const {
    const CursorKey least{query.consumer, query.lane ? *query.lane : std::string(), 0};
    const auto dead = s_.dead.lower_bound({era_, query.index, least});
    if (dead == s_.dead.end()) return std::nullopt;
    const auto& [era, head, key] = *dead;
    if (era != era_ || head != query.index || key.consumer != query.consumer) return std::nullopt;
    if (query.lane && key.lane != query.lane) return std::nullopt;
    FoundCursor found;
    found.row = s_.cursors.at({era, key});
    found.next = next(key, found.row, 0, {false, query.log});
    return found;
  }

  const SnapshotRow* newest(const std::string& reducer, Int through) const {
    auto after = s_.snapshots.upper_bound({era_, reducer, through});
    if (after == s_.snapshots.begin()) return nullptr;
    const SnapshotRow& row = (--after)->second;
    return row.era == era_ && row.reducer == reducer ? &row : nullptr;
  }

  driver::FoundSnapshots snapshots(const driver::SnapshotQuery& query) const {
    driver::FoundSnapshots found;
    for (const Int index : query.indexes) {
      const auto row = s_.snapshots.find({era_, query.reducer, index});
      found.at.push_back(row == s_.snapshots.end() ? std::nullopt
                                                   : std::optional(without_state(row->second)));
    }
    if (query.newest) {
      if (const auto* row = newest(query.reducer, kNever)) found.newest = without_state(*row);
    }
    if (query.through) {
      if (const auto* row = newest(query.reducer, *query.through)) found.through = *row;
    }
    return found;
  }

  std::vector<EventRow> events(const driver::EventRange& range,
                               const std::vector<driver::FoundSnapshots>& snapshots) const {
    Int above = std::max(range.after, s_.row.visible_from() - 1);
    if (range.after_snapshot) {
      above = std::max(above, s_.row.clear_index);
      if (snapshots.front().through) above = std::max(above, snapshots.front().through->index);
    }
    std::vector<EventRow> found;
    Int bytes = 0;
    const auto add = [&](const EventRow& event) {
      bytes += static_cast<Int>(event.payload.size());
      if (event.index > range.through || full(found, range.limit) ||
          (!found.empty() && bytes > range.max_bytes)) {
        return false;
      }
      found.push_back(event);
      return true;
    };
    if (!range.types) {
      auto event = s_.events.upper_bound(above);
      while (event != s_.events.end() && add(event->second)) ++event;
      return found;
    }
    // The next event of each type; the least of them goes, and its type's next comes.
    std::set<std::pair<Int, std::string_view>> next;
    const auto seek = [&](std::string_view type, Int after) {
      const auto event = s_.types.upper_bound({std::string(type), after});
      if (event != s_.types.end() && event->first == type) next.emplace(event->second, type);
    };
    for (const std::string& type : *range.types) seek(type, above);
    while (!next.empty() && add(s_.events.at(next.begin()->first))) {
      const auto [index, type] = *next.begin();
      next.erase(next.begin());
      seek(type, index);
    }
    return found;
  }

  // Rows of the present era, and between them the log cursors of older ones, but not those of a
  // deleted life.
  std::vector<CursorRow> list_cursors(const driver::HeadPage& page) const {
    std::vector<CursorRow> found;
    CursorKey after;  // the least key there is, unless `after` is given
    if (page.after) {
      after = {page.after->consumer, page.after->lane, page.after->lane ? 0 : page.after->index};
    }
    auto row = s_.cursors.upper_bound({era_, after});
    auto log = s_.logs.upper_bound(after);
    const auto at_end = [&] { return row == s_.cursors.end() || row->first.first != era_; };
    while (!full(found, page.limit)) {
      while (!at_end() && row->first.second.is_floor()) ++row;
      while (log != s_.logs.end() && (log->second == era_ || s_.row.is_deleted(log->second))) {
        ++log;
      }
      if (at_end() && log == s_.logs.end()) break;
      const bool older = at_end() || (log != s_.logs.end() && log->first < row->first.second);
      const CursorRow& next = older ? s_.cursors.at({log->second, log->first}) : row->second;
      if (older) {
        ++log;
      } else {
        ++row;
      }
      found.push_back(next);
    }
    return found;
  }

  void list_dead(const driver::HeadPage& page, driver::SessionFacts& facts) const {
    auto dead = s_.dead.lower_bound({era_, 0, {}});
    if (page.after) {
      const auto& [consumer, lane, index] = *page.after;
      dead = s_.dead.upper_bound({era_, index, {consumer, lane, lane ? 0 : index}});
    }
    Int bytes = 0;
    for (; dead != s_.dead.end() && !full(facts.list, page.limit); ++dead) {
      const auto& [era, head, key] = *dead;
      if (era != era_) break;
      const EventRow& event = s_.events.at(head);
      bytes += static_cast<Int>(event.payload.size());
      if (bytes > page.max_bytes && !facts.list.empty()) break;
      facts.list.push_back(s_.cursors.at({era, key}));
      facts.list_events.push_back(event);
    }
  }

  driver::FinishedFacts finished(const driver::FinishedQuery& query) const {
    driver::FinishedFacts facts;
    std::map<CursorKey, Int> lanes;  // how many of the lane are among the rows
    auto entry = s_.finished.begin();
    for (; entry != s_.finished.end() && entry->first < query.before; ++entry) {
      if (full(facts.rows, query.limit)) break;
      const driver::WorkRow& row = facts.rows.emplace_back(s_.work.at(entry->second));
      if (row.lane) ++lanes[{row.consumer, row.lane, 0}];
    }
    if (entry != s_.finished.end()) facts.next_finished_at = entry->first;
    for (const auto& [key, count] : lanes) {
      driver::FinishedLane& lane = facts.lanes.emplace_back();
      lane.lane = key;
      lane.row = value(s_.cursors, {era_, key});
      auto next = next_work(key, s_.row.clear_index);
      for (; next && !full(lane.entries, count + 1); next = next_work(key, next->index)) {
        lane.entries.push_back(next->index);
      }
    }
    return facts;
  }

  driver::OfConsumerFacts of_consumer(const driver::OfConsumerQuery& query) const {
    driver::OfConsumerFacts facts;
    const CursorKey from{query.consumer, "", 0};
    for (auto log = s_.logs.lower_bound(from); log != s_.logs.end(); ++log) {
      if (log->first.consumer != query.consumer) break;
      const CursorRow& row = s_.cursors.at({log->second, log->first});
      facts.logs.push_back({row, std::nullopt, pins(row), 0});
    }
    for (auto row = s_.cursors.lower_bound({era_, from}); row != s_.cursors.end(); ++row) {
      const auto& [era, key] = row->first;
      if (era != era_ || key.consumer != query.consumer) break;
      if (full(facts.cursors, query.limit + 1)) break;
      if (row->second.kind == CursorKind::kLog || key.is_floor()) continue;
      facts.cursors.push_back({row->second, std::nullopt, pins(row->second), 0});
    }
    for (auto work = s_.work.lower_bound(from); work != s_.work.end(); ++work) {
      if (work->first.consumer != query.consumer || full(facts.work, query.limit + 1)) break;
      facts.work.push_back(work->second);
    }
    return facts;
  }

  driver::SupersededFacts superseded(const driver::SupersededQuery& query) const {
    Int last_event = s_.row.clear_index - 1;
    Int below_era = era_;
    if (query.whole_life) {
      last_event = s_.row.deleting ? s_.row.deleted_index : kNever;
      below_era = s_.row.deleting ? s_.row.deleted_era : kNever;
    }
    driver::SupersededFacts facts;
    for (auto event = s_.events.lower_bound(s_.row.first_index); event != s_.events.end();
         ++event) {
      if (event->first > last_event || full(facts.events, query.limit)) break;
      const EventRow& row = event->second;
      facts.events.push_back(
          {row.index, row.id, row.type, {}, row.created_at, {}, row.targets, row.era});
    }
    std::set<std::pair<Int, CursorKey>> of_events;
    for (const EventRow& event : facts.events) {
      for (const driver::TargetRow& target : event.targets) {
        if (target.lane) continue;
        const auto cursor = s_.cursors.find({event.era, {target.consumer, {}, event.index}});
        if (cursor == s_.cursors.end()) continue;
        of_events.insert(cursor->first);
        facts.event_cursors.push_back(cursor->second);
      }
    }
    if (full(facts.events, query.limit)) return facts;
    Int left = query.limit;
    for (const auto& [key, row] : s_.cursors) {
      if (of_events.contains(key)) continue;
      if (row.era >= below_era || left-- <= 0) break;
      facts.cursors.push_back(row);
    }
    for (const auto& [key, row] : s_.snapshots) {
      if (row.era >= below_era || left-- <= 0) break;
      facts.snapshots.push_back(without_state(row));
    }
    for (const auto& [era, key, head, reducer, snapshot] : s_.pins) {
      if (era >= below_era || left-- <= 0) break;
      facts.pins.push_back({era, key, head, reducer, snapshot});
    }
    return facts;
  }

  const Session& s_;
  const Int era_;
  const Int now_;
};

std::vector<driver::ReadyRow> load_ready(const Tables& tables, const driver::ReadyQuery& query,
                                         Int now) {
  std::vector<driver::ReadyRow> found;
  const auto add = [&](const std::string& consumer, const auto& ready) {
    const auto walk = [&](Int from, Int until, Int limit) {
      for (auto entry = ready.lower_bound({from, 0, {}}); entry != ready.end(); ++entry) {
        const auto& [due, since, session] = *entry;
        if (due > until || limit-- <= 0) break;
        const FirstKey& first = tables.sessions.at(session).first_keys.at(consumer);
        found.push_back({session, consumer, first.due, first.since});
      }
    };
    walk(0, 0, query.limit);
    walk(1, now, query.limit);
    walk(now + 1, kNever, 1);
  };
  if (!query.consumers) {
    for (const auto& [consumer, ready] : tables.ready) add(consumer, ready);
  } else {
    for (const std::string& consumer : *query.consumers) {
      const auto ready = tables.ready.find(consumer);
      if (ready != tables.ready.end()) add(consumer, ready->second);
    }
  }
  return found;
}

const Session& session_of(const Tables& tables, const std::string& name) {
  static const Session none;
  const auto found = tables.sessions.find(name);
  return found == tables.sessions.end() ? none : found->second;
}

void pick(const Tables& tables, const driver::Pick& pick, driver::Facts& facts) {
  const auto rows = load_ready(tables, {pick.consumers, pick.sessions}, facts.now);
  for (const ReadySession& ready : order_ready(rows, facts.now, pick.sessions)) {
    const SessionReader reader(session_of(tables, ready.session), facts.now);
    const auto named =
        std::find_if(facts.sessions.begin(), facts.sessions.end(),
                     [&](const auto& session) { return session.session == ready.session; });
    if (named != facts.sessions.end()) {
      if (!named->windowed) reader.load_window(pick.window, *named);
    } else {
      driver::SessionQuery query;
      query.session = ready.session;
      query.cursors = pick.cursors;
      query.window = pick.window;
      facts.sessions.push_back(reader.load(query));
    }
  }
}

driver::PresenceFacts load_presence(const Tables& tables, const driver::PresenceQuery& query,
                                    Int now) {
  driver::PresenceFacts facts;
  facts.fields.resize(query.fields.size());
  const auto found = tables.presence.find(query.name_space);
  if (found == tables.presence.end()) return facts;
  const Namespace& space = found->second;
  for (std::size_t i = 0; i < query.fields.size(); ++i) {
    const auto row = space.rows.find(query.fields[i]);
    if (row != space.rows.end()) facts.fields[i] = row->second;
  }
  const auto unexpired = space.expiry.lower_bound({now + 1, {}, {}});
  if (query.all) {
    std::set<std::pair<std::string, std::string>> keys;
    for (auto entry = unexpired; entry != space.expiry.end(); ++entry) {
      keys.emplace(std::get<1>(*entry), std::get<2>(*entry));
    }
    Int bytes = 0;
    for (const auto& key : keys) {
      const driver::PresenceRow& row = space.rows.at(key);
      bytes += static_cast<Int>(row.value.size());
      if (bytes > query.max_bytes && !facts.rows.empty()) break;
      facts.rows.push_back(row);
    }
  }
  for (auto entry = space.expiry.begin(); entry != unexpired; ++entry) {
    if (full(facts.expired, query.expired)) break;
    facts.expired.push_back(space.rows.at({std::get<1>(*entry), std::get<2>(*entry)}));
  }
  return facts;
}

driver::UpkeepFacts load_upkeep(const Tables& tables, const driver::UpkeepQuery& query, Int now) {
  driver::UpkeepFacts facts;
  for (const std::string& name : tables.upkeep) {
    if (full(facts.superseded, query.limit)) break;
    facts.superseded.emplace_back(name, tables.sessions.at(name).row);
  }
  for (const auto& [finished_since, name] : tables.finished) {
    if (finished_since >= query.finished_before || full(facts.finished, query.limit)) break;
    facts.finished.push_back(name);
  }
  for (const auto& [expires_at, name_space, participant, field] : tables.expiry) {
    if (expires_at > now || full(facts.expired, query.limit)) break;
    facts.expired.emplace_back(name_space,
                               tables.presence.at(name_space).rows.at({participant, field}));
  }
  return facts;
}

}  // namespace

driver::Facts load(const Tables& tables, const driver::Query& query, Int now) {
  driver::Facts facts;
  facts.now = now;
  for (const driver::SessionQuery& session : query.sessions) {
    facts.sessions.push_back(SessionReader(session_of(tables, session.session), now).load(session));
  }
  if (query.pick) pick(tables, *query.pick, facts);
  if (query.ready) facts.ready = load_ready(tables, *query.ready, now);
  if (query.presence) facts.presence = load_presence(tables, *query.presence, now);
  if (query.list) {
    auto name =
        query.list->after ? tables.listed.upper_bound(*query.list->after) : tables.listed.begin();
    for (; name != tables.listed.end() && !full(facts.list, query.list->limit); ++name) {
      facts.list.emplace_back(*name, tables.sessions.at(*name).row);
    }
  }
  if (query.upkeep) facts.upkeep = load_upkeep(tables, *query.upkeep, now);
  return facts;
}

}  // namespace pawl::memory
