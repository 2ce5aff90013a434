// The statements of the write.
#include "writer.h"

#include <algorithm>
#include <map>

#include "columns.h"
#include "rows.h"

namespace pawl::postgres {
namespace {

using driver::SessionEffects;

// What cannot be a part of a composed statement: it reads what another part writes, or writes the
// guard's row.
bool stands_alone(Sql sql) {
  return sql == Sql::kUpdateSessions || sql == Sql::kKeepReady || sql == Sql::kPutReady;
}

// Whether it is the cursor of an event that this write appends, so that there is no such row yet.
bool is_new(const SessionEffects& session, const driver::CursorRow& cursor) {
  return cursor.kind == CursorKind::kEvent && !session.append.empty() &&
         cursor.key.index >= session.append.front().index;
}

// Whether nothing has been done to it since.
bool is_fresh(const driver::CursorRow& cursor) {
  driver::CursorRow fresh;
  fresh.key = cursor.key;
  fresh.kind = cursor.kind;
  fresh.era = cursor.era;
  fresh.position = cursor.key.index - 1;
  fresh.head = cursor.key.index;
  fresh.due = cursor.due;
  fresh.since = cursor.since;
  fresh.types = cursor.types;
  return cursor == fresh;
}

// Whether all that happens to the session's row is that events are appended.
bool only_appends(const driver::SessionRow& before, const driver::SessionRow& after) {
  driver::SessionRow row = before;
  row.last_index = after.last_index;
  return row == after && before.listed() == after.listed();
}

// What a write does to the first key of a consumer in a session.
struct FirstKey {
  // All that it brings are new cursors that are due: of the one with this head, since when it is.
  bool is_offered = true;
  bool stays = false;  // there is one, whatever it is
  std::int64_t head = driver::kNever;
  std::int64_t since = 0;
};

std::map<std::string, FirstKey> first_keys(const SessionEffects& session) {
  std::map<std::string, FirstKey> keys;
  for (const driver::CursorRow& cursor : session.put) {
    FirstKey& key = keys[cursor.key.consumer];
    key.is_offered = key.is_offered && is_new(session, cursor) && cursor.due == 0;
    key.stays = key.stays || cursor.due != driver::kNever;
    if (cursor.head >= key.head) continue;
    key.head = cursor.head;
    key.since = cursor.since;
  }
  for (const driver::CursorRow& cursor : session.drop) {
    keys[cursor.key.consumer].is_offered = false;
  }
  return keys;
}

}  // namespace

bool wakes(const driver::Effects& effects) {
  return std::any_of(
      effects.sessions.begin(), effects.sessions.end(), [](const SessionEffects& session) {
        return !session.append.empty() ||
               std::any_of(session.put.begin(), session.put.end(), [](const auto& row) {
                 return row.due != driver::kNever && !row.claim_holder;
               });
      });
}

void Writer::send_guarded(const Guard& guard) {
  const SessionEffects& session = effects_.sessions.front();
  guard_ = &guard;
  moved_ = !session.row || only_appends(guard.row, *session.row);
  const std::int64_t last_index = session.row ? session.row->last_index : guard.row.last_index;
  Composed whole(Params()
                     .text(session.session)
                     .number(guard.revision)
                     .number(last_index)
                     .number(revision_)
                     .maybe_number(guard.now));
  std::vector<std::pair<Sql, Params>> rest;
  write_ = [&](Sql sql, Params&& columns) {
    stands_alone(sql) ? (void)rest.emplace_back(sql, std::move(columns)) : whole.add(sql, columns);
  };
  send_writes();
  write_ = nullptr;
  const std::vector<driver::ReadBack::EventRef>& events = effects_.read.events;
  const bool reads_event = events.size() == 1;
  if (reads_event) whole.read_event(events[0].session, events[0].index);
  readings_.events.resize(events.size());
  const bool tells_time = std::any_of(
      rest.begin(), rest.end(), [](const auto& one) { return one.first == Sql::kUpdateSessions; });
  whole.finish(guard.from, guard.before, tells_time);
  connection_.send(whole, [this, reads_event](const Row& found) {
    now_ = found.count(0);
    if (reads_event) readings_.events[0] = read_event(found, 2);
  });
  for (const auto& [sql, columns] : rest) connection_.send(sql, columns);
  if (!reads_event) send_events_read_back();
  send_pending();
}

void Writer::write(Sql sql, Params&& params) {
  if (write_) return write_(sql, std::move(params));
  connection_.send(sql, params);
}

void Writer::send_writes() {
  send_sessions();
  send_drops();
  send_drops_of_cursors();
  send_events();
  send_cursors();
  send_work();
  send_snapshots(true);
  send_snapshots(false);
  send_pins();
  guard_ ? send_known_first_keys() : send_first_keys();
  send_presence();
}

// New ones in byte order: two that make the same ones at once wait for each other, and one of
// them is refused and decides again.
void Writer::send_sessions() {
  std::vector<const SessionEffects*> sessions;
  Array revised = Array::of_texts();
  for (const SessionEffects& session : effects_.sessions) {
    if (session.row) {
      sessions.push_back(&session);
    } else if (!session.empty()) {
      revised.text(session.session);
    }
  }
  std::sort(sessions.begin(), sessions.end(),
            [](const auto* a, const auto* b) { return a->session < b->session; });
  SessionColumns added;
  SessionColumns changed;
  for (const SessionEffects* session : sessions) {
    (stored_.contains(session->session) ? changed : added).add(session->session, *session->row);
  }
  if (!added.empty()) write(Sql::kInsertSessions, std::move(added.take().number(revision_)));
  if (moved_) return;
  if (!changed.empty()) write(Sql::kUpdateSessions, std::move(changed.take().number(revision_)));
  if (!guard_ && !revised.empty()) {
    write(Sql::kReviseSessions, Params().array(revised).number(revision_));
  }
}

void Writer::send_drops() {
  Array moved = Array::of_texts();
  Array event_sessions = Array::of_texts();
  Array events = Array::of_numbers();
  Array snapshot_sessions = Array::of_texts();
  Array eras = Array::of_numbers();
  Array reducers = Array::of_texts();
  Array indexes = Array::of_numbers();
  PinColumns pins;
  for (const SessionEffects& session : effects_.sessions) {
    if (session.new_era) moved.text(session.session);
    for (const driver::EventKey& event : session.erase) {
      event_sessions.text(session.session);
      events.number(event.index);
    }
    for (const driver::SnapshotRow& snapshot : session.drop_snapshots) {
      snapshot_sessions.text(session.session);
      eras.number(snapshot.era);
      reducers.text(snapshot.reducer);
      indexes.number(snapshot.index);
    }
    for (const driver::PinRow& pin : session.drop_pins) pins.add(session.session, pin);
  }
  if (!moved.empty()) {
    write(Sql::kDeleteReadyOfSessions, Params().array(moved));
  }
  if (!events.empty()) {
    write(Sql::kDeleteEvents, Params().array(event_sessions).array(events));
  }
  if (!indexes.empty()) {
    write(Sql::kDeleteSnapshots,
          Params().array(snapshot_sessions).array(eras).array(reducers).array(indexes));
  }
  if (!pins.empty()) write(Sql::kDeletePins, pins.take());
}

void Writer::send_drops_of_cursors() {
  Array sessions = Array::of_texts();
  Array eras = Array::of_numbers();
  Array consumers = Array::of_texts();
  Array slots = Array::of_numbers();
  Array lanes = Array::of_texts();
  Array work_sessions = Array::of_texts();
  Array work_consumers = Array::of_texts();
  Array kinds = Array::of_numbers();
  Array work_lanes = Array::of_texts();
  Array indexes = Array::of_numbers();
  for (const SessionEffects& session : effects_.sessions) {
    for (const driver::CursorRow& cursor : session.drop) {
      sessions.text(session.session);
      eras.number(cursor.era);
      consumers.text(cursor.key.consumer);
      slots.number(slot_column(cursor.key));
      lanes.text(lane_column(cursor.key.lane));
    }
    for (const driver::WorkRow& work : session.drop_work) {
      work_sessions.text(session.session);
      work_consumers.text(work.consumer);
      kinds.number(kind_column(work.lane));
      work_lanes.text(lane_column(work.lane));
      indexes.number(work.index);
    }
  }
  if (!slots.empty()) {
    write(Sql::kDeleteCursors,
          Params().array(sessions).array(eras).array(consumers).array(slots).array(lanes));
  }
  if (!indexes.empty()) {
    write(Sql::kDeleteWork, Params()
                                .array(work_sessions)
                                .array(work_consumers)
                                .array(kinds)
                                .array(work_lanes)
                                .array(indexes));
  }
}

void Writer::send_events() {
  enum { kNumbers = 6, kTexts = 8 };
  std::vector<Array> numbers(kNumbers, Array::of_numbers());
  std::vector<Array> texts(kTexts, Array::of_texts());
  for (const SessionEffects& session : effects_.sessions) {
    for (const driver::EventRow& event : session.append) {
      const Cause cause = event.cause.value_or(Cause{});
      std::vector<std::string> consumers;
      std::vector<std::optional<std::string>> lanes;
      for (const driver::TargetRow& target : event.targets) {
        consumers.push_back(target.consumer);
        lanes.push_back(target.lane);
      }
      texts[0].text(session.session);
      numbers[0].number(event.index);
      texts[1].text(event.id);
      texts[2].text(event.type);
      numbers[1].number(event.created_at);
      numbers[2].number(event.era);
      texts[3].maybe_text(event.cause ? std::optional(cause.consumer) : std::nullopt);
      texts[4].maybe_text(cause.lane);
      numbers[3].maybe_number(event.cause ? std::optional(cause.index) : std::nullopt);
      numbers[4].maybe_number(event.cause ? std::optional(cause.attempt) : std::nullopt);
      numbers[5].maybe_number(cause.batch_size);
      if (event.targets.empty()) {
        texts[5].null();
        texts[6].null();
      } else {
        texts[5].list(consumers);
        texts[6].list(lanes);
      }
      texts[7].text(event.payload);
    }
  }
  if (texts[0].empty()) return;
  write(Sql::kInsertEvents, Params()
                                .array(texts[0])
                                .array(numbers[0])
                                .array(texts[1])
                                .array(texts[2])
                                .array(numbers[1])
                                .array(numbers[2])
                                .array(texts[3])
                                .array(texts[4])
                                .array(numbers[3])
                                .array(numbers[4])
                                .array(numbers[5])
                                .array(texts[5])
                                .array(texts[6])
                                .array(texts[7]));
}

void Writer::send_cursors() {
  EventCursorColumns added;
  CursorColumns changed;
  CursorColumns logs;
  CursorColumns others;
  for (const SessionEffects& session : effects_.sessions) {
    for (const driver::CursorRow& cursor : session.put) {
      const bool added_now = is_new(session, cursor);
      if (added_now && is_fresh(cursor)) {
        added.add(session.session, cursor);
        continue;
      }
      const bool is_stored = cursor.key.index > 0 && !added_now;
      CursorColumns& columns = cursor.kind == CursorKind::kLog ? logs
                               : is_stored                     ? changed
                                                               : others;
      columns.add(session.session, cursor);
    }
  }
  if (!added.empty()) write(Sql::kInsertEventCursors, added.take());
  if (!changed.empty()) write(Sql::kChangeCursors, changed.take());
  if (!logs.empty()) write(Sql::kPutLogs, logs.take());
  if (!others.empty()) write(Sql::kPutCursors, others.take());
}

void Writer::send_work() {
  std::vector<Array> texts(4, Array::of_texts());
  std::vector<Array> numbers(6, Array::of_numbers());
  for (const SessionEffects& session : effects_.sessions) {
    for (const driver::WorkRow& work : session.put_work) {
      const bool done = work.completion.has_value();
      texts[0].text(session.session);
      numbers[0].number(kind_column(work.lane));
      texts[1].text(work.consumer);
      texts[2].text(lane_column(work.lane));
      numbers[1].number(work.index);
      numbers[2].number(work.available_at);
      numbers[3].maybe_number(work.finished_at != 0 ? std::optional(work.finished_at)
                                                    : std::nullopt);
      numbers[4].maybe_number(done ? std::optional(work.completion->index) : std::nullopt);
      numbers[5].maybe_number(done ? std::optional(work.completion->attempt) : std::nullopt);
      texts[3].maybe_list(done ? std::optional(work.completion->ids) : std::nullopt);
    }
  }
  if (texts[0].empty()) return;
  write(Sql::kPutWork, Params()
                           .array(texts[0])
                           .array(numbers[0])
                           .array(texts[1])
                           .array(texts[2])
                           .array(numbers[1])
                           .array(numbers[2])
                           .array(numbers[3])
                           .array(numbers[4])
                           .array(numbers[5])
                           .array(texts[3]));
}

void Writer::send_snapshots(bool with_state) {
  std::vector<Array> texts(3, Array::of_texts());
  std::vector<Array> numbers(4, Array::of_numbers());
  for (const SessionEffects& session : effects_.sessions) {
    for (const driver::SnapshotRow& row : session.put_snapshots) {
      if (row.state.has_value() != with_state) continue;
      texts[0].text(session.session);
      numbers[0].number(row.era);
      texts[1].text(row.reducer);
      numbers[1].number(row.index);
      numbers[2].number(row.updated_at);
      numbers[3].number(row.pins);
      if (with_state) texts[2].text(*row.state);
    }
  }
  if (texts[0].empty()) return;
  Params params;
  params.array(texts[0])
      .array(numbers[0])
      .array(texts[1])
      .array(numbers[1])
      .array(numbers[2])
      .array(numbers[3]);
  if (with_state) params.array(texts[2]);
  write(with_state ? Sql::kPutSnapshots : Sql::kKeepStates, params);
}

void Writer::send_pins() {
  PinColumns pins;
  for (const SessionEffects& session : effects_.sessions) {
    for (const driver::PinRow& pin : session.put_pins) pins.add(session.session, pin);
  }
  if (!pins.empty()) write(Sql::kPutPins, pins.take());
}

// In the end, from the cursors as they are then, unless they are known to be the first.
void Writer::send_first_keys() {
  FirstKeyColumns offered;
  FirstKeyColumns kept;
  FirstKeyColumns sought;
  for (const SessionEffects& session : effects_.sessions) {
    for (const auto& [consumer, key] : first_keys(session)) {
      const std::int64_t era = session.row ? session.row->era : stored_.at(session.session);
      FirstKeyColumns& columns = key.is_offered ? offered : key.stays ? kept : sought;
      columns.add(session.session, consumer, key.is_offered ? key.since : era);
    }
  }
  if (!offered.empty()) write(Sql::kOfferReady, offered.take());
  if (!kept.empty()) write(Sql::kKeepReady, kept.take());
  if (!sought.empty()) write(Sql::kPutReady, sought.take());
}

// As far as they are known beforehand.
void Writer::send_known_first_keys() {
  const SessionEffects& session = effects_.sessions.front();
  FirstKeyColumns offered;
  FirstKeyColumns sought;
  KnownFirstColumns set;
  Array gone_sessions = Array::of_texts();
  Array gone = Array::of_texts();
  for (const auto& [consumer, key] : first_keys(session)) {
    const KnownFirst first = guard_->first_of(consumer);
    if (first.is == KnownFirst::Is::kGone) {
      gone_sessions.text(session.session);
      gone.text(consumer);
    } else if (first.is == KnownFirst::Is::kSet) {
      set.add(session.session, consumer, first);
    } else if (first.is == KnownFirst::Is::kUnknown) {
      (key.is_offered ? offered : sought)
          .add(session.session, consumer, key.is_offered ? key.since : guard_->row.era);
    }
  }
  if (!offered.empty()) write(Sql::kOfferReady, offered.take());
  if (!sought.empty()) write(Sql::kPutReady, sought.take());
  if (!set.empty()) write(Sql::kSetReady, set.take());
  if (!gone.empty()) write(Sql::kDropReady, Params().array(gone_sessions).array(gone));
}

// Whether a head that this write leaves is one of these consumers'.
bool Writer::is_pending(const driver::ReadBack::Pending& query) const {
  return std::any_of(
      effects_.sessions.begin(), effects_.sessions.end(), [&](const SessionEffects& session) {
        return session.session == query.session &&
               std::any_of(session.put.begin(), session.put.end(), [&](const auto& cursor) {
                 return cursor.due != driver::kNever &&
                        (!query.consumers ||
                         std::find(query.consumers->begin(), query.consumers->end(),
                                   cursor.key.consumer) != query.consumers->end());
               });
      });
}

void Writer::send_presence() {
  std::vector<Array> dropped(3, Array::of_texts());
  for (const auto& [name_space, row] : effects_.presence.drop) {
    dropped[0].text(name_space);
    dropped[1].text(row.participant);
    dropped[2].text(row.field);
  }
  if (!dropped[0].empty()) {
    write(Sql::kDeletePresence, Params().array(dropped[0]).array(dropped[1]).array(dropped[2]));
  }
  std::vector<Array> texts(4, Array::of_texts());
  std::vector<Array> numbers(3, Array::of_numbers());
  Array tombstones = Array::of_flags();
  for (const auto& [name_space, row] : effects_.presence.put) {
    texts[0].text(name_space);
    texts[1].text(row.participant);
    texts[2].text(row.field);
    tombstones.flag(row.tombstone);
    numbers[0].maybe_number(row.seen);
    numbers[1].number(row.at);
    numbers[2].number(row.expires_at);
    texts[3].text(row.value);
  }
  if (tombstones.empty()) return;
  write(Sql::kPutPresence, Params()
                               .array(texts[0])
                               .array(texts[1])
                               .array(texts[2])
                               .array(tombstones)
                               .array(numbers[0])
                               .array(numbers[1])
                               .array(numbers[2])
                               .array(texts[3]));
}

void Writer::send_read_back() {
  send_events_read_back();
  send_pending();
  if (effects_.read.next_due) {
    connection_.send(Sql::kNextDue, Params().maybe_texts(*effects_.read.next_due),
                     [this](const Row& row) { readings_.next_due = row.maybe_number(0); });
  }
}

void Writer::send_events_read_back() {
  const driver::ReadBack& read = effects_.read;
  if (read.events.size() == 1) {
    const auto& [session, index] = read.events.front();
    readings_.events.resize(1);
    connection_.send(Sql::kReadBackOne, Params().text(session).number(index),
                     [this](const Row& row) { readings_.events[0] = read_event(row, 0); });
  } else if (!read.events.empty()) {
    Array sessions = Array::of_texts();
    Array indexes = Array::of_numbers();
    for (const auto& [session, index] : read.events) {
      sessions.text(session);
      indexes.number(index);
    }
    readings_.events.resize(read.events.size());
    connection_.send(Sql::kReadBack, Params().array(sessions).array(indexes).number(read.max_bytes),
                     [this](const Row& row) {
                       readings_.events.at(static_cast<std::size_t>(row.count(0) - 1)) =
                           read_event(row, 1);
                     });
  }
}

void Writer::send_pending() {
  const std::vector<driver::ReadBack::Pending>& pending = effects_.read.pending;
  if (pending.empty()) return;
  Array places = Array::of_numbers();
  Array sessions = Array::of_texts();
  Array consumers = Array::of_texts();
  const auto add = [&](std::size_t place, const std::optional<std::string>& consumer) {
    places.number(static_cast<std::int64_t>(place));
    sessions.text(pending[place].session);
    consumers.maybe_text(consumer);
  };
  readings_.pending.resize(pending.size());
  for (std::size_t i = 0; i < pending.size(); ++i) {
    if (is_pending(pending[i])) {
      readings_.pending[i] = true;
      continue;
    }
    const driver::ConsumerNames& names = pending[i].consumers;
    if (!names) add(i, std::nullopt);
    for (const std::string& name : names.value_or(std::vector<std::string>())) add(i, name);
  }
  if (!places.empty()) {
    connection_.send(Sql::kPending, Params().array(places).array(sessions).array(consumers),
                     [this](const Row& row) {
                       readings_.pending.at(static_cast<std::size_t>(row.count(0))) = true;
                     });
  }
}

driver::Readings Writer::take() { return std::move(readings_); }

}  // namespace pawl::postgres
