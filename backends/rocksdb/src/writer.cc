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

::rocksdb::WriteBatch& Writer::batch() {
  std::size_t bytes = 0;
  std::vector<const Change*> sorted;
  sorted.reserve(changes_.size());
  for (const Change& change : changes_) {
    bytes += change.key.size() + (change.value ? change.value->size() : 0) + 16;
    sorted.push_back(&change);
  }
  std::sort(sorted.begin(), sorted.end(), [](const Change* a, const Change* b) {
    const int order = a->key.compare(b->key);
    return order == 0 ? a < b : order < 0;
  });
  batch_ = ::rocksdb::WriteBatch(bytes);
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const Change& change = *sorted[i];
    if (i + 1 < sorted.size() && sorted[i + 1]->key == change.key) continue;  // the last counts
    if (change.value && Gaps::watches(change.key)) gap_puts_.push_back(change.key);
    check(change.value ? batch_.Put(slice(change.key), slice(*change.value))
                       : batch_.Delete(slice(change.key)),
          Phase::kRunning, "making a batch");
  }
  return batch_;
}

void Writer::put(std::string key, std::string value) {
  changes_.push_back({std::move(key), std::move(value)});
}

void Writer::remove(std::string key) { changes_.push_back({std::move(key), std::nullopt}); }

void Writer::put_in_front(std::string range, std::string key) {
  put(key, {});
  front_puts_.push_back({std::move(range), std::move(key)});
}

void Writer::change_ready(std::string key, bool is_put) {
  is_put ? put(key, {}) : remove(key);
  ready_changes_.push_back({std::move(key), is_put});
}

void Writer::add(const driver::Effects& effects) {
  for (const driver::SessionEffects& session : effects.sessions) {
    if (!session.empty()) add_session(session);
  }
  add_presence(effects.presence);
}

void Writer::add_session(const driver::SessionEffects& effects) {
  SessionMemory& memory = locks_.memory(effects.session);
  const SessionRow old_row = load_row(view_, effects.session, &memory);
  Session session{effects, memory, old_row, effects.row ? *effects.row : old_row, {}};
  if (effects.new_era) drop_fronts(session);
  // It is of the present era.
  if (effects.new_era || session.row.era != old_row.era) memory = SessionMemory{};
  memory.row = session.row;
  erase_events(session);
  for (const CursorRow& row : effects.drop) drop_cursor(session, row);
  append_events(session);
  for (const CursorRow& row : effects.put) put_cursor(session, row);
  change_work(session);
  change_snapshots(session);
  if (effects.row) put_row(session);
  for (const auto& [consumer, changes] : session.due) update_front(session, consumer, changes);
  // That they are not stored is of no use any more.
  for (const CursorRow& row : effects.drop) {
    const auto* known = memory.cursor(row.key);
    if (known != nullptr && !*known) memory.forget_cursor(row.key);
  }
}

void Writer::put_row(const Session& session) {
  const std::string& name = session.effects.session;
  const SessionRow& old = session.old_row;
  const SessionRow& row = session.row;
  put(Key(Tag::kSession).name(name).take(), encode(row));
  if (row.listed() && !old.listed()) put(Key(Tag::kListed).name(name).take(), {});
  if (old.listed() && !row.listed()) remove(Key(Tag::kListed).name(name).take());
  const std::string upkeep = Key(Tag::kUpkeep).name(name).take();
  if (row.upkeep && !old.upkeep) put_in_front(range_of(Tag::kUpkeep), upkeep);
  if (old.upkeep && !row.upkeep) remove(upkeep);
  if (old.finished_since == row.finished_since) return;
  const auto finished_since = [&](std::int64_t since) {
    return Key(Tag::kFinishedSince).number(since).name(name).take();
  };
  if (old.finished_since > 0) remove(finished_since(old.finished_since));
  if (row.finished_since > 0) {
    put_in_front(range_of(Tag::kFinishedSince), finished_since(row.finished_since));
  }
}

// ---- events

void Writer::erase_events(const Session& session) {
  const std::string& name = session.effects.session;
  for (const driver::EventKey& event : session.effects.erase) {
    session.memory.forget_event(event.index);
    remove(event_key(name, event.index));
    remove(Key(Tag::kType).name(name).name(event.type).number(event.index).take());
    // A later event may own the id by now.
    const std::string id = Key(Tag::kId).name(name).name(event.id).take();
    const auto owner = view_.get(id);
    if (owner && decode_number(*owner) == event.index) remove(id);
  }
}

void Writer::append_events(const Session& session) {
  const std::string& name = session.effects.session;
  std::set<std::string_view> freed;
  for (const driver::EventKey& event : session.effects.erase) freed.insert(event.id);
  for (const EventRow& event : session.effects.append) {
    std::string id = Key(Tag::kId).name(name).name(event.id).take();
    if (!freed.contains(event.id) && view_.get(id)) throw IdTaken();
    put(std::move(id), encode_number(event.index));
    std::string bytes = encode(event);
    put(event_key(name, event.index), bytes);
    session.memory.add_event(event.index, std::move(bytes));
    put(Key(Tag::kType).name(name).name(event.type).number(event.index).take(), {});
  }
}

// ---- cursors

Writer::StoredCursor Writer::stored_cursor(const Session& session, std::int64_t era,
                                           const CursorKey& key) {
  const auto stored = [](const CursorRow& row) {
    return StoredCursor{true, row.due, row.head, row.dead()};
  };
  // An event cursor of an event that this batch appends.
  if (key.index > session.old_row.last_index) return {};
  if (era == session.row.era) {
    if (const auto* known = session.memory.cursor(key)) {
      return *known ? stored(**known) : StoredCursor{};
    }
  }
  const auto bytes = view_.get(cursor_key(session.effects.session, era, key));
  return bytes ? stored(decode_cursor(era, key, *bytes)) : StoredCursor{};
}

void Writer::remove_index_keys(Session& session, std::int64_t era, const CursorKey& key,
                               const StoredCursor& old) {
  const std::string& name = session.effects.session;
  if (old.due != kNever) {
    remove(due_key(name, era, key.consumer, old.due, old.head, key.lane));
    if (era == session.row.era) {
      session.due[key.consumer].removed.insert({old.due, 0, old.head, key.lane});
    }
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
  remove(cursor_key(name, row.era, row.key));
  if (row.era == session.row.era) session.memory.set_cursor(row.key, std::nullopt);
  remove_index_keys(session, row.era, row.key, {true, row.due, row.head, row.dead()});
  if (row.kind == CursorKind::kLog) {
    remove(Key(Tag::kLog).name(name).name(row.key.consumer).lane(row.key.lane).take());
  }
}

void Writer::put_cursor(Session& session, const CursorRow& row) {
  const std::string& name = session.effects.session;
  StoredCursor old = stored_cursor(session, row.era, row.key);
  if (row.kind == CursorKind::kLog && !old.stored) {
    const std::string log =
        Key(Tag::kLog).name(name).name(row.key.consumer).lane(row.key.lane).take();
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
  if (row.era == session.row.era) session.memory.put_cursor(row);
  const bool moves = !old.stored || old.due != row.due || old.head != row.head;
  const bool has_other_keys = moves || old.dead != row.dead();
  if (old.stored && has_other_keys) remove_index_keys(session, row.era, row.key, old);
  if (row.due != kNever) {
    // Where the key is the same, `since` may be another.
    put(due_key(name, row), encode_number(row.since));
    session.due[row.key.consumer].put.insert({row.due, row.since, row.head, row.key.lane});
  }
  if (row.dead() && has_other_keys) put(dead_key(name, row), {});
}

// ---- first keys

// The first of one half of a consumer's `q` keys after the changes. The stored ones begin with
// `old`; behind it, only keys that the changes remove are passed.
std::optional<Place> Writer::first_after(const Session& session, const std::string& consumer,
                                         const std::optional<Place>& old, bool is_timed,
                                         const DueChanges& changes) const {
  std::optional<Place> first;
  const auto put = changes.put.lower_bound(Place{is_timed ? 1 : 0, 0, 0, ""});
  if (put != changes.put.end() && (put->due > 0) == is_timed) first = *put;
  if (!old) return first;
  const PlaceOrder is_less;
  if (!changes.removed.contains(*old)) return first && !is_less(*old, *first) ? first : old;
  const PlaceRange range{session.effects.session, session.row.era, consumer, is_timed};
  range.visit(view_, &session.memory.of_consumer(consumer).half(is_timed), *old, true,
              [&](const Place& place) {
                if (first && !is_less(place, *first)) return false;
                if (changes.removed.contains(place)) return true;
                first = place;
                return false;
              });
  return first;
}

void Writer::update_front(Session& session, const std::string& consumer,
                          const DueChanges& changes) {
  const std::string& name = session.effects.session;
  if (changes.put.empty() && changes.removed.empty()) return;
  Front old;
  if (!session.effects.new_era) old = load_front(view_, name, consumer, &session.memory);
  const Front front{first_after(session, consumer, old.free, false, changes),
                    first_after(session, consumer, old.timed, true, changes)};
  SessionMemory::OfConsumer& known = session.memory.of_consumer(consumer);
  known.front = front;
  known.free.change(changes, false, front.free);
  known.timed.change(changes, true, front.timed);
  fronts_[{name, consumer}] = front;
  if (front == old) return;
  const std::string key = Key(Tag::kFirstKey).name(name).name(consumer).take();
  if (front.empty()) {
    remove(key);
  } else {
    put(key, encode(front));
  }
  std::string was, is;
  if (!old.empty()) was = ready_key(consumer, old.first().due, old.first().since, name);
  if (!front.empty()) is = ready_key(consumer, front.first().due, front.first().since, name);
  if (was == is) return;
  if (!was.empty()) change_ready(std::move(was), false);
  if (!is.empty()) change_ready(std::move(is), true);
}

// A new era: no cursor of the old one counts.
void Writer::drop_fronts(Session& session) {
  const std::string& name = session.effects.session;
  const std::string prefix = Key(Tag::kFirstKey).name(name).take();
  view_.scan(prefix, after_prefix(prefix), [&](std::string_view key, std::string_view value) {
    const std::string consumer = KeyReader(key, prefix).name();
    const Front front = decode_front(value);
    remove(std::string(key));
    change_ready(ready_key(consumer, front.first().due, front.first().since, name), false);
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
  return Key(Tag::kExpiry).name(name_space).number(at).name(row.participant).name(row.field).take();
}
std::string expiry_of_all_key(const std::string& name_space, const driver::PresenceRow& row,
                              std::int64_t at) {
  return Key(Tag::kExpiryOfAll)
      .number(at)
      .name(name_space)
      .name(row.participant)
      .name(row.field)
      .take();
}

}  // namespace

void Writer::remove_presence(const std::string& name_space, const driver::PresenceRow& row) {
  const std::string key =
      Key(Tag::kPresence).name(name_space).name(row.participant).name(row.field).take();
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
    put(Key(Tag::kPresence).name(name_space).name(row.participant).name(row.field).take(),
        encode(row));
    put_in_front(Key(Tag::kExpiry).name(name_space).take(),
                 expiry_key(name_space, row, row.expires_at));
    put_in_front(range_of(Tag::kExpiryOfAll), expiry_of_all_key(name_space, row, row.expires_at));
  }
}

}  // namespace pawl::rocksdb
