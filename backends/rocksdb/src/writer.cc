// writer.cc: see writer.h.
#include "writer.h"

#include <algorithm>

namespace pawl::rocksdb {

using driver::CursorKey;
using driver::CursorRow;
using driver::EventRow;
using driver::kNever;
using driver::SessionRow;
using driver::WorkRow;

void Writer::put(std::string_view key, std::string_view value) {
  check(batch_.Put(slice(key), slice(value)), Phase::kRunning, "making a batch");
}

void Writer::remove(std::string_view key) {
  check(batch_.Delete(slice(key)), Phase::kRunning, "making a batch");
}

void Writer::put_in_front(std::string range, std::string key) {
  put(key, {});
  front_puts_.push_back({std::move(range), std::move(key)});
}

void Writer::add(const driver::Effects& effects) {
  for (const driver::SessionEffects& session : effects.sessions) {
    if (!session.empty()) add_session(session);
  }
  add_presence(effects.presence);
}

void Writer::add_session(const driver::SessionEffects& effects) {
  Session session{effects, stored_row(effects.session), {}, {}};
  session.row = effects.row ? *effects.row : session.old_row;
  if (effects.new_era) drop_fronts(session);
  erase_events(session);
  for (const CursorRow& row : effects.drop) drop_cursor(session, row);
  append_events(session);
  for (const CursorRow& row : effects.put) put_cursor(session, row);
  change_work(session);
  change_snapshots(session);
  if (effects.row) put_row(session);
  for (const auto& [consumer, changes] : session.due) update_front(session, consumer, changes);
}

SessionRow Writer::stored_row(const std::string& session) const {
  const auto seen = seen_.rows.find(session);
  return seen == seen_.rows.end() ? load_row(view_, session) : seen->second;
}

Front Writer::stored_front(const std::string& session, const std::string& consumer) const {
  const auto seen = seen_.fronts.find({session, consumer});
  const auto front =
      seen == seen_.fronts.end() ? load_front(view_, session, consumer) : seen->second;
  return front.value_or(Front{});
}

void Writer::put_row(const Session& session) {
  const std::string& name = session.effects.session;
  const SessionRow& old = session.old_row;
  const SessionRow& row = session.row;
  put(Key(Tag::kSession).name(name), encode(row));
  if (row.listed() && !old.listed()) put(Key(Tag::kListed).name(name), {});
  if (old.listed() && !row.listed()) remove(Key(Tag::kListed).name(name));
  const std::string upkeep = Key(Tag::kUpkeep).name(name).bytes();
  if (row.upkeep && !old.upkeep) put_in_front(range_of(Tag::kUpkeep), upkeep);
  if (old.upkeep && !row.upkeep) remove(upkeep);
  if (old.finished_since == row.finished_since) return;
  const auto finished_since = [&](std::int64_t since) {
    return Key(Tag::kFinishedSince).number(since).name(name).bytes();
  };
  if (old.finished_since > 0) remove(finished_since(old.finished_since));
  if (row.finished_since > 0) {
    put_in_front(range_of(Tag::kFinishedSince), finished_since(row.finished_since));
  }
}

// ---- events

namespace {

// Whether one mark may delete them all. Every mark is looked at by all reads of its memory table,
// so that few events get none.
bool is_long_range(const std::vector<driver::EventKey>& events) {
  constexpr std::int64_t kLong = 256;
  const auto is_gap = [](const driver::EventKey& a, const driver::EventKey& b) {
    return b.index != a.index + 1;
  };
  return std::ssize(events) >= kLong &&
         std::adjacent_find(events.begin(), events.end(), is_gap) == events.end();
}

}  // namespace

void Writer::erase_events(const Session& session) {
  const std::string& name = session.effects.session;
  const std::vector<driver::EventKey>& erased = session.effects.erase;
  const bool is_range = is_long_range(erased);
  if (is_range) {
    check(batch_.DeleteRange(slice(event_key(name, erased.front().index)),
                             slice(event_key(name, erased.back().index + 1))),
          Phase::kRunning, "making a batch");
  }
  for (const driver::EventKey& event : erased) {
    if (!is_range) remove(event_key(name, event.index));
    remove(Key(Tag::kType).name(name).name(event.type).number(event.index));
    // A later event may own the id by now.
    const std::string id = Key(Tag::kId).name(name).name(event.id).bytes();
    const auto owner = view_.get(id);
    if (owner && decode_number(*owner) == event.index) remove(id);
  }
}

void Writer::append_events(const Session& session) {
  const std::string& name = session.effects.session;
  std::set<std::string_view> freed;
  for (const driver::EventKey& event : session.effects.erase) freed.insert(event.id);
  for (const EventRow& event : session.effects.append) {
    const std::string id = Key(Tag::kId).name(name).name(event.id).bytes();
    if (!freed.contains(event.id) && view_.get(id)) throw IdTaken();
    put(id, encode_number(event.index));
    put(event_key(name, event.index), encode(event));
    put(Key(Tag::kType).name(name).name(event.type).number(event.index), {});
  }
}

// ---- cursors

SeenCursor Writer::stored_cursor(const Session& session, std::int64_t era, const CursorKey& key) {
  const std::string name = cursor_key(session.effects.session, era, key);
  if (const auto seen = seen_.cursors.find(name); seen != seen_.cursors.end()) return seen->second;
  // An event cursor of an event that this batch appends.
  if (key.index > session.old_row.last_index) return {};
  const auto bytes = view_.get(name);
  if (!bytes) return {};
  const CursorRow row = decode_cursor(era, key, *bytes);
  return {true, row.due, row.head, row.dead()};
}

void Writer::remove_index_keys(Session& session, std::int64_t era, const CursorKey& key,
                               const SeenCursor& old) {
  const std::string& name = session.effects.session;
  if (old.due != kNever) {
    std::string due = due_key(name, era, key.consumer, old.due, old.head, key.lane);
    remove(due);
    if (era == session.row.era) session.due[key.consumer].removed.insert(std::move(due));
  }
  if (old.dead) {
    CursorRow row;
    row.key = key;
    row.era = era;
    row.head = old.head;
    remove(dead_key(name, row));
  }
}

void Writer::drop_cursor(Session& session, const CursorRow& row) {
  const std::string& name = session.effects.session;
  std::string key = cursor_key(name, row.era, row.key);
  remove(key);
  seen_.cursors[std::move(key)] = {};
  remove_index_keys(session, row.era, row.key, {true, row.due, row.head, row.dead()});
  if (row.kind == CursorKind::kLog) {
    remove(Key(Tag::kLog).name(name).name(row.key.consumer).lane(row.key.lane));
  }
}

void Writer::put_cursor(Session& session, const CursorRow& row) {
  const std::string& name = session.effects.session;
  SeenCursor old = stored_cursor(session, row.era, row.key);
  if (row.kind == CursorKind::kLog && !old.stored) {
    const std::string log =
        Key(Tag::kLog).name(name).name(row.key.consumer).lane(row.key.lane).bytes();
    if (const auto bytes = view_.get(log)) {
      const std::int64_t era = decode_number(*bytes);
      if (era != row.era) {
        remove_index_keys(session, era, row.key, stored_cursor(session, era, row.key));
        remove(cursor_key(name, era, row.key));
      }
    }
    put(log, encode_number(row.era));
  }
  put(cursor_key(name, row.era, row.key), encode(row));
  DueChanges& changes = session.due[row.key.consumer];
  const bool moves = !old.stored || old.due != row.due || old.head != row.head;
  if (!moves && old.dead == row.dead()) {
    if (row.due == kNever) return;
    // The same key; only `since` may be another.
    std::string due = due_key(name, row);
    put(due, encode_number(row.since));
    changes.put[std::move(due)] = {row.due, row.since, row.head, row.key.lane};
    return;
  }
  if (old.stored) remove_index_keys(session, row.era, row.key, old);
  if (row.due != kNever) {
    std::string due = due_key(name, row);
    put(due, encode_number(row.since));
    changes.put[std::move(due)] = {row.due, row.since, row.head, row.key.lane};
  }
  if (row.dead()) put(dead_key(name, row), {});
}

// ---- first keys

// The first of one half (due 0, or above) of a consumer's `q` keys after the changes. The
// stored ones begin with `old`; behind it, only keys that the changes remove are passed.
std::optional<Place> Writer::first_after(const Session& session, const std::string& consumer,
                                         const std::optional<Place>& old, bool timed,
                                         const DueChanges& changes) const {
  const std::string& name = session.effects.session;
  const std::int64_t era = session.row.era;
  std::optional<std::pair<std::string, Place>> first;
  for (const auto& [key, place] : changes.put) {
    if ((place.due > 0) == timed) {
      first = {key, place};
      break;
    }
  }
  if (!old) return first ? std::optional(first->second) : std::nullopt;
  const std::string prefix = Key(Tag::kDue).name(name).number(era).name(consumer).bytes();
  std::string from = due_key(name, era, consumer, old->due, old->head, old->lane);
  if (!changes.removed.contains(from)) {
    if (first && first->first <= from) return first->second;
    return old;
  }
  const auto& seen_halves = timed ? seen_.timed : seen_.free;
  if (const auto seen = seen_halves.find({name, consumer}); seen != seen_halves.end()) {
    for (const auto& [key, place] : seen->second.places) {
      if (first && key >= first->first) return first->second;
      if (!changes.removed.contains(key)) return place;
      from = key;
    }
    if (seen->second.is_all) return first ? std::optional(first->second) : std::nullopt;
  }
  const std::string end =
      timed ? after_prefix(prefix)
            : Key(Tag::kDue).name(name).number(era).name(consumer).number(1).bytes();
  view_.scan(from, end, [&](std::string_view key, std::string_view value) {
    if (first && key >= first->first) return false;
    if (changes.removed.contains(std::string(key))) return true;
    KeyReader reader(key, prefix);
    Place place;
    place.due = reader.number();
    place.head = reader.number();
    place.lane = reader.lane();
    place.since = decode_number(value);
    first = {std::string(key), std::move(place)};
    return false;
  });
  return first ? std::optional(first->second) : std::nullopt;
}

void Writer::update_front(Session& session, const std::string& consumer,
                          const DueChanges& changes) {
  const std::string& name = session.effects.session;
  if (changes.put.empty() && changes.removed.empty()) return;
  Front old;
  if (!session.effects.new_era) old = stored_front(name, consumer);
  const Front front{first_after(session, consumer, old.free, false, changes),
                    first_after(session, consumer, old.timed, true, changes)};
  fronts_[{name, consumer}] = front;
  if (front == old) return;
  const std::string key = Key(Tag::kFirstKey).name(name).name(consumer).bytes();
  if (front.empty()) {
    remove(key);
  } else {
    put(key, encode(front));
  }
  std::string was, is;
  if (!old.empty()) was = ready_key(consumer, old.first().due, old.first().since, name);
  if (!front.empty()) is = ready_key(consumer, front.first().due, front.first().since, name);
  if (was == is) return;
  if (!was.empty()) {
    remove(was);
    ready_removed_.insert(was);
  }
  if (is.empty()) return;
  ready_removed_.erase(is);
  put_in_front(ready_range(consumer, front.first().due > 0), std::move(is));
}

// A new era: no cursor of the old one counts.
void Writer::drop_fronts(Session& session) {
  const std::string& name = session.effects.session;
  const std::string prefix = Key(Tag::kFirstKey).name(name).bytes();
  view_.scan(prefix, after_prefix(prefix), [&](std::string_view key, std::string_view value) {
    const std::string consumer = KeyReader(key, prefix).name();
    const Front front = decode_front(value);
    remove(key);
    std::string ready = ready_key(consumer, front.first().due, front.first().since, name);
    remove(ready);
    ready_removed_.insert(std::move(ready));
    fronts_[{name, consumer}] = Front{};
    return true;
  });
}

// ---- work, snapshots, pins

void Writer::change_work(const Session& session) {
  const std::string& name = session.effects.session;
  for (WorkRow row : session.effects.drop_work) {
    const std::string key = work_key(name, row.consumer, row.lane, row.index);
    if (row.finished_at == 0) {
      const auto bytes = view_.get(key);
      if (!bytes) continue;
      row = decode_work(row.consumer, row.lane, row.index, *bytes);
    }
    remove(key);
    if (row.finished_at > 0) remove(finished_key(name, row));
  }
  for (const WorkRow& row : session.effects.put_work) {
    put(work_key(name, row.consumer, row.lane, row.index), encode(row));
    if (row.finished_at > 0) put(finished_key(name, row), {});
  }
}

void Writer::change_snapshots(const Session& session) {
  const std::string& name = session.effects.session;
  for (const driver::SnapshotRow& row : session.effects.drop_snapshots) {
    remove(snapshot_key(Tag::kSnapshot, name, row.era, row.reducer, row.index));
    remove(snapshot_key(Tag::kState, name, row.era, row.reducer, row.index));
  }
  for (const driver::PinRow& pin : session.effects.drop_pins) remove(pin_key(name, pin));
  for (const driver::SnapshotRow& row : session.effects.put_snapshots) {
    put(snapshot_key(Tag::kSnapshot, name, row.era, row.reducer, row.index), encode(row));
    if (row.state) {
      put(snapshot_key(Tag::kState, name, row.era, row.reducer, row.index), *row.state);
    }
  }
  for (const driver::PinRow& pin : session.effects.put_pins) put(pin_key(name, pin), {});
}

// ---- presence

namespace {

// By time of expiry: of the namespace, and of all.
std::string expiry_key(const std::string& name_space, const driver::PresenceRow& row,
                       std::int64_t at) {
  return Key(Tag::kExpiry)
      .name(name_space)
      .number(at)
      .name(row.participant)
      .name(row.field)
      .bytes();
}
std::string expiry_of_all_key(const std::string& name_space, const driver::PresenceRow& row,
                              std::int64_t at) {
  return Key(Tag::kExpiryOfAll)
      .number(at)
      .name(name_space)
      .name(row.participant)
      .name(row.field)
      .bytes();
}

}  // namespace

void Writer::remove_presence(const std::string& name_space, const driver::PresenceRow& row) {
  const std::string key =
      Key(Tag::kPresence).name(name_space).name(row.participant).name(row.field).bytes();
  const auto bytes = view_.get(key);
  if (!bytes) return;
  const std::int64_t at = decode_presence(row.participant, row.field, *bytes).expires_at;
  remove(key);
  remove(expiry_key(name_space, row, at));
  remove(expiry_of_all_key(name_space, row, at));
}

void Writer::add_presence(const driver::PresenceEffects& effects) {
  for (const auto& [name_space, row] : effects.drop) remove_presence(name_space, row);
  for (const auto& [name_space, row] : effects.put) {
    remove_presence(name_space, row);
    put(Key(Tag::kPresence).name(name_space).name(row.participant).name(row.field), encode(row));
    put_in_front(Key(Tag::kExpiry).name(name_space).bytes(),
                 expiry_key(name_space, row, row.expires_at));
    put_in_front(range_of(Tag::kExpiryOfAll), expiry_of_all_key(name_space, row, row.expires_at));
  }
}

}  // namespace pawl::rocksdb
