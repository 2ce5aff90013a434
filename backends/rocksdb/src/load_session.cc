// load_session.cc: a session's events, snapshots, listings, and what upkeep removes.
#include <algorithm>
#include <iterator>
#include <map>
#include <queue>
#include <set>

#include "loader.h"

namespace pawl::rocksdb {

using driver::CursorKey;
using driver::CursorRow;
using driver::EventRow;
using driver::kNever;
using driver::SnapshotRow;

namespace {

const Gaps::Taken kNoGaps;

}  // namespace

SessionLoader::SessionLoader(const View& view, const std::string& session, std::int64_t now,
                             SessionMemory* memory, const Ranges* superseded,
                             const Gaps::Taken* gaps)
    : view_(view),
      session_(session),
      now_(now),
      memory_(memory),
      superseded_(superseded),
      gaps_(gaps != nullptr ? *gaps : kNoGaps),
      row_(load_row(view, session, memory)) {}

// Whether the cursor of that work is found at that very head: then the core asks no more.
bool SessionLoader::is_head(const driver::WorkKey& key, const driver::SessionQuery& query,
                            const driver::SessionFacts& facts) const {
  const CursorKey cursor{key.consumer, key.lane, key.lane ? 0 : key.index};
  const auto asked =
      std::lower_bound(query.cursors.begin(), query.cursors.end(), cursor,
                       [](const driver::CursorQuery& a, const CursorKey& b) { return a.key < b; });
  if (asked == query.cursors.end() || !(asked->key == cursor)) return false;
  const auto& row = facts.cursors[static_cast<std::size_t>(asked - query.cursors.begin())].row;
  return row && row->era == row_.era && row->head == key.index;
}

driver::SessionFacts SessionLoader::load(const driver::SessionQuery& query) const {
  driver::SessionFacts facts;
  facts.session = query.session;
  facts.row = row_;
  for (const driver::CursorQuery& cursor : query.cursors) {
    facts.cursors.push_back(find_cursor(cursor));
  }
  for (const driver::WorkKey& key : query.work) {
    if (is_head(key, query, facts)) {
      facts.work.emplace_back();
      continue;
    }
    const auto bytes = view_.get(work_key(session_, key.consumer, key.lane, key.index));
    facts.work.push_back(bytes
                             ? std::optional(decode_work(key.consumer, key.lane, key.index, *bytes))
                             : std::nullopt);
  }
  for (const std::string& id : query.ids) {
    const auto index = view_.get(Key(Tag::kId).name(session_).name(id));
    facts.ids.push_back(index ? std::optional(head_event(decode_number(*index))) : std::nullopt);
  }
  if (query.window) load_window(*query.window, facts);
  if (query.dead) facts.dead = find_dead(*query.dead);
  for (const driver::SnapshotQuery& snapshot : query.snapshots) {
    facts.snapshots.push_back(snapshots(snapshot));
  }
  for (driver::PinRow pin : query.pins) {
    pin.era = row_.era;
    facts.pins.push_back(view_.get(pin_key(session_, pin)).has_value());
  }
  if (query.events) facts.events = events(*query.events, facts);
  if (query.list_cursors) facts.list = list_cursors(*query.list_cursors);
  if (query.list_dead) list_dead(*query.list_dead, facts);
  if (query.finished) facts.finished = finished(*query.finished);
  if (query.of_consumer) facts.of_consumer = of_consumer(*query.of_consumer);
  if (query.superseded) facts.superseded = superseded(*query.superseded);
  return facts;
}

// ---- events

std::optional<EventRow> SessionLoader::event_at(std::int64_t index) const {
  if (memory_ != nullptr) {
    if (const std::string* known = memory_->event(index)) return decode_event(index, *known);
  }
  const auto bytes = view_.get(event_key(session_, index));
  if (!bytes) return std::nullopt;
  return decode_event(index, *bytes);
}

// The event that something else names.
EventRow SessionLoader::head_event(std::int64_t index) const {
  std::optional<EventRow> event = event_at(index);
  if (!event) throw BadEncoding("an event is named that is not stored");
  return *std::move(event);
}

std::vector<EventRow> SessionLoader::events(const driver::EventRange& range,
                                            const driver::SessionFacts& facts) const {
  std::int64_t above = std::max(range.after, row_.visible_from() - 1);
  if (range.after_snapshot) {
    above = std::max(above, row_.clear_index);
    const auto& snapshot = facts.snapshots.front().through;
    if (snapshot) above = std::max(above, snapshot->index);
  }
  std::vector<EventRow> found;
  const std::int64_t through = std::min(range.through, row_.last_index);
  if (above >= through) return found;
  if (range.types) {
    events_of_types(range, above, found);
    return found;
  }
  std::int64_t bytes = 0;
  const std::string prefix = Key(Tag::kEvent).name(session_).take();
  view_.scan(event_key(session_, above + 1), event_key(session_, through + 1),
             [&](std::string_view key, std::string_view value) {
               if (std::ssize(found) >= range.limit) return false;
               EventRow event = decode_event(KeyReader(key, prefix).number(), value);
               bytes += std::ssize(event.payload);
               if (!found.empty() && bytes > range.max_bytes) return false;
               found.push_back(std::move(event));
               return true;
             });
  return found;
}

// Each type's next index; the least of them goes, and its type's next comes.
void SessionLoader::events_of_types(const driver::EventRange& range, std::int64_t above,
                                    std::vector<EventRow>& found) const {
  using Next = std::pair<std::int64_t, const std::string*>;
  std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
  const auto seek = [&](const std::string& type, std::int64_t after) {
    const driver::Types one = std::vector<std::string>{type};
    if (const auto event = next_event(one, after)) next.emplace(event->index, &type);
  };
  for (const std::string& type : *range.types) seek(type, above);
  std::int64_t bytes = 0;
  while (!next.empty() && std::ssize(found) < range.limit) {
    const auto [index, type] = next.top();
    next.pop();
    if (index > range.through) return;
    EventRow event = head_event(index);
    bytes += std::ssize(event.payload);
    if (!found.empty() && bytes > range.max_bytes) return;
    found.push_back(std::move(event));
    seek(*type, index);
  }
}

// ---- snapshots

std::optional<SnapshotRow> SessionLoader::snapshot_at(const std::string& reducer,
                                                      std::int64_t index) const {
  const auto bytes = view_.get(snapshot_key(Tag::kSnapshot, session_, row_.era, reducer, index));
  if (!bytes) return std::nullopt;
  return decode_snapshot(reducer, row_.era, index, *bytes);
}

std::optional<SnapshotRow> SessionLoader::newest_snapshot(const std::string& reducer,
                                                          std::int64_t through) const {
  const std::string prefix =
      Key(Tag::kSnapshot).name(session_).number(row_.era).name(reducer).take();
  const std::int64_t end = std::min(through, row_.last_index) + 1;
  std::optional<SnapshotRow> found;
  view_.last(prefix, snapshot_key(Tag::kSnapshot, session_, row_.era, reducer, end),
             [&](std::string_view key, std::string_view value) {
               found = decode_snapshot(reducer, row_.era, KeyReader(key, prefix).number(), value);
             });
  return found;
}

driver::FoundSnapshots SessionLoader::snapshots(const driver::SnapshotQuery& query) const {
  driver::FoundSnapshots found;
  for (const std::int64_t index : query.indexes) {
    found.at.push_back(snapshot_at(query.reducer, index));
  }
  if (query.newest) found.newest = newest_snapshot(query.reducer, kNever);
  if (!query.through) return found;
  found.through = newest_snapshot(query.reducer, *query.through);
  if (found.through) {
    found.through->state = view_.get(
        snapshot_key(Tag::kState, session_, row_.era, query.reducer, found.through->index));
    if (!found.through->state) throw BadEncoding("a snapshot has no state");
  }
  return found;
}

// ---- listings

// Rows of the present era, and between them the log cursors of older ones, but not those of a
// deleted life. Both ranges are in the order of CursorKey.
std::vector<CursorRow> SessionLoader::list_cursors(const driver::HeadPage& page) const {
  const std::string present = Key(Tag::kCursor).name(session_).number(row_.era).take();
  const std::string logs = Key(Tag::kLog).name(session_).take();
  std::string after_present = present;
  std::string after_logs = logs;
  if (page.after) {
    const HeadRef& after = *page.after;
    after_present =
        cursor_key(session_, row_.era, {after.consumer, after.lane, after.lane ? 0 : after.index}) +
        '\0';
    after_logs =
        after.lane
            ? Key(Tag::kLog).name(session_).name(after.consumer).lane(after.lane).take() + '\0'
            : after_prefix(Key(Tag::kLog).name(session_).name(after.consumer));
  }
  std::vector<CursorRow> found;
  gaps_.scan(view_, after_present, after_prefix(present),
             [&](std::string_view key, std::string_view value) {
               if (std::ssize(found) >= page.limit) return false;
               KeyReader reader(key, present);
               CursorKey cursor;
               cursor.consumer = reader.name();
               cursor.lane = reader.lane();
               cursor.index = reader.number();
               if (cursor.is_floor()) return true;
               found.push_back(decode_cursor(row_.era, std::move(cursor), value));
               return true;
             });
  // The older logs that stand before the page's end.
  std::vector<CursorRow> older;
  view_.scan(after_logs, after_prefix(logs), [&](std::string_view key, std::string_view value) {
    KeyReader reader(key, logs);
    CursorKey cursor;
    cursor.consumer = reader.name();
    cursor.lane = reader.lane();
    if (std::ssize(found) >= page.limit && found.back().key < cursor) return false;
    const std::int64_t era = decode_number(value);
    if (era == row_.era || row_.is_deleted(era)) return true;
    std::optional<CursorRow> row = row_at(era, cursor);
    if (!row) throw BadEncoding("an index names a cursor that is not stored");
    older.push_back(*std::move(row));
    return std::ssize(older) < page.limit;
  });
  const auto present_end = std::ssize(found);
  std::move(older.begin(), older.end(), std::back_inserter(found));
  std::inplace_merge(found.begin(), found.begin() + present_end, found.end(),
                     [](const CursorRow& a, const CursorRow& b) { return a.key < b.key; });
  if (std::ssize(found) > page.limit) found.resize(static_cast<std::size_t>(page.limit));
  return found;
}

void SessionLoader::list_dead(const driver::HeadPage& page, driver::SessionFacts& facts) const {
  const std::string prefix = Key(Tag::kDead).name(session_).number(row_.era).take();
  std::string from = prefix;
  if (page.after) {
    from = Key(Tag::kDead)
               .name(session_)
               .number(row_.era)
               .number(page.after->index)
               .name(page.after->consumer)
               .lane(page.after->lane)
               .take() +
           '\0';
  }
  std::int64_t bytes = 0;
  gaps_.scan(view_, from, after_prefix(prefix), [&](std::string_view key, std::string_view) {
    if (std::ssize(facts.list) >= page.limit) return false;
    KeyReader reader(key, prefix);
    const std::int64_t head = reader.number();
    CursorKey cursor;
    cursor.consumer = reader.name();
    cursor.lane = reader.lane();
    cursor.index = cursor.lane ? 0 : head;
    EventRow event = head_event(head);
    bytes += std::ssize(event.payload);
    if (!facts.list.empty() && bytes > page.max_bytes) return false;
    facts.list.push_back(cursor_of_entry(cursor));
    facts.list_events.push_back(std::move(event));
    return true;
  });
}

// ---- upkeep

driver::FinishedFacts SessionLoader::finished(const driver::FinishedQuery& query) const {
  driver::FinishedFacts facts;
  std::map<CursorKey, std::int64_t> lanes;  // how many of the lane are among the rows
  const std::string prefix = Key(Tag::kFinished).name(session_).take();
  const std::string from = Key(Tag::kFinished).name(session_).number(row_.finished_since).take();
  view_.scan(from, after_prefix(prefix), [&](std::string_view key, std::string_view) {
    KeyReader reader(key, prefix);
    const std::int64_t finished_at = reader.number();
    if (finished_at >= query.before || std::ssize(facts.rows) >= query.limit) {
      facts.next_finished_at = finished_at;
      return false;
    }
    driver::WorkRow& row = facts.rows.emplace_back();
    row.consumer = reader.name();
    row.lane = reader.lane();
    row.index = reader.number();
    row.finished_at = finished_at;
    if (row.lane) ++lanes[{row.consumer, row.lane, 0}];
    return true;
  });
  for (const auto& [key, count] : lanes) {
    driver::FinishedLane& lane = facts.lanes.emplace_back();
    lane.lane = key;
    lane.row = row_at(row_.era, key);
    const std::string of_lane =
        Key(Tag::kWork).name(session_).name(key.consumer).lane(key.lane).take();
    view_.scan(work_key(session_, key.consumer, key.lane, row_.clear_index + 1),
               after_prefix(of_lane),
               [&, most = count + 1](std::string_view entry, std::string_view) {
                 lane.entries.push_back(KeyReader(entry, of_lane).number());
                 return std::ssize(lane.entries) < most;
               });
  }
  return facts;
}

driver::OfConsumerFacts SessionLoader::of_consumer(const driver::OfConsumerQuery& query) const {
  driver::OfConsumerFacts facts;
  const std::string logs = Key(Tag::kLog).name(session_).name(query.consumer).take();
  view_.scan(logs, after_prefix(logs), [&](std::string_view key, std::string_view value) {
    const CursorKey cursor{query.consumer, KeyReader(key, logs).lane(), 0};
    std::optional<CursorRow> row = row_at(decode_number(value), cursor);
    if (!row) throw BadEncoding("an index names a cursor that is not stored");
    driver::FoundCursor& found = facts.logs.emplace_back();
    found.pins = pins(*row);
    found.row = std::move(row);
    return true;
  });
  const std::string cursors =
      Key(Tag::kCursor).name(session_).number(row_.era).name(query.consumer).take();
  view_.scan(cursors, after_prefix(cursors), [&](std::string_view key, std::string_view) {
    KeyReader reader(key, cursors);
    CursorKey cursor{query.consumer, reader.lane(), 0};
    cursor.index = reader.number();
    if (cursor.is_floor()) return true;
    CursorRow row = cursor_of_entry(cursor);
    if (row.kind == CursorKind::kLog) return true;
    driver::FoundCursor& found = facts.cursors.emplace_back();
    found.pins = pins(row);
    found.row = std::move(row);
    return std::ssize(facts.cursors) <= query.limit;
  });
  const std::string work = Key(Tag::kWork).name(session_).name(query.consumer).take();
  view_.scan(work, after_prefix(work), [&](std::string_view key, std::string_view value) {
    KeyReader reader(key, work);
    Lane lane = reader.lane();
    const std::int64_t index = reader.number();
    facts.work.push_back(decode_work(query.consumer, std::move(lane), index, value));
    return std::ssize(facts.work) <= query.limit;
  });
  return facts;
}

driver::SupersededFacts SessionLoader::superseded(const driver::SupersededQuery& query) const {
  std::int64_t last_event = row_.clear_index - 1;
  std::int64_t below_era = row_.era;
  if (query.whole_life) {
    last_event = row_.deleting ? row_.deleted_index : row_.last_index;
    below_era = row_.deleting ? row_.deleted_era : row_.era + 1;
  }
  driver::SupersededFacts facts;
  const std::string prefix = Key(Tag::kEvent).name(session_).take();
  if (row_.first_index <= last_event) {
    view_.scan(
        event_key(session_, row_.first_index), event_key(session_, last_event + 1),
        [&](std::string_view key, std::string_view value) {
          facts.events.push_back(decode_event(KeyReader(key, prefix).number(), value, false));
          return std::ssize(facts.events) < query.limit;
        });
  }
  for (const EventRow& event : facts.events) {
    for (const driver::TargetRow& target : event.targets) {
      if (target.lane) continue;
      auto row = row_at(event.era, {target.consumer, std::nullopt, event.index});
      if (row) facts.event_cursors.push_back(*std::move(row));
    }
  }
  if (std::ssize(facts.events) < query.limit) superseded_rows(below_era, query.limit, facts);
  return facts;
}

Gaps::Taken take_gaps(Gaps& gaps, const driver::Query& query) {
  Gaps::Taken taken;
  const auto take = [&](Tag tag, const std::string& session) {
    const std::string prefix = Key(tag).name(session).take();
    gaps.take(prefix, after_prefix(prefix), taken);
  };
  for (const driver::SessionQuery& session : query.sessions) {
    if (session.list_cursors) take(Tag::kCursor, session.session);
    if (session.list_dead) take(Tag::kDead, session.session);
  }
  return taken;
}

Fronts::Taken take_superseded(Fronts& fronts, const driver::Query& query) {
  Fronts::Taken taken;
  for (const driver::SessionQuery& session : query.sessions) {
    if (!session.superseded) continue;
    for (const Tag tag : {Tag::kCursor, Tag::kSnapshot, Tag::kPin}) {
      fronts.take(Key(tag).name(session.session).take(), taken);
    }
  }
  return taken;
}

void SessionLoader::superseded_rows(std::int64_t below_era, std::int64_t limit,
                                    driver::SupersededFacts& facts) const {
  std::int64_t left = limit;
  const auto scan = [&](Tag tag, const auto& add) {
    const std::string prefix = Key(tag).name(session_).take();
    if (left <= 0) return;
    const std::string until = Key(tag).name(session_).number(below_era).take();
    const auto visit = [&](std::string_view key, std::string_view value) {
      KeyReader reader(key, prefix);
      const std::int64_t era = reader.number();
      add(era, reader, value);
      return --left > 0;
    };
    // Nothing comes to eras below the present one, so that no bound need ever be lowered.
    if (superseded_ != nullptr && below_era <= row_.era) {
      superseded_->scan(prefix, until, visit);
    } else {
      view_.scan(prefix, until, visit);
    }
  };
  std::set<CursorKey> of_events;
  for (const CursorRow& row : facts.event_cursors) of_events.insert(row.key);
  scan(Tag::kCursor, [&](std::int64_t era, KeyReader& reader, std::string_view value) {
    CursorKey key;
    key.consumer = reader.name();
    key.lane = reader.lane();
    key.index = reader.number();
    if (of_events.contains(key)) {
      ++left;
      return;
    }
    facts.cursors.push_back(decode_cursor(era, std::move(key), value));
  });
  scan(Tag::kSnapshot, [&](std::int64_t era, KeyReader& reader, std::string_view value) {
    std::string reducer = reader.name();
    const std::int64_t index = reader.number();
    facts.snapshots.push_back(decode_snapshot(std::move(reducer), era, index, value));
  });
  scan(Tag::kPin, [&](std::int64_t era, KeyReader& reader, std::string_view) {
    driver::PinRow& pin = facts.pins.emplace_back();
    pin.era = era;
    pin.cursor.consumer = reader.name();
    pin.cursor.lane = reader.lane();
    pin.cursor.index = reader.number();
    pin.head = reader.number();
    pin.reducer = reader.name();
    pin.snapshot = reader.number();
  });
}

}  // namespace pawl::rocksdb
