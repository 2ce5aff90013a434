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

void Writer::write(Sql sql, const Columns& rows, const Params& further) {
  if (rows.empty()) return;
  Params params = rows.params();
  params.join(further, false);
  if (write_) return write_(sql, std::move(params));
  connection_.send(sql, params);
}

void Writer::send_writes() {
  send_sessions();
  send_drops();
  send_cursors();
  send_rows();
  guard_ ? send_known_first_keys() : send_first_keys();
  send_presence();
}

// New ones in byte order: two that make the same ones at once wait for each other, and one of
// them is refused and decides again.
void Writer::send_sessions() {
  std::vector<const SessionEffects*> sessions;
  Columns revised;
  for (const SessionEffects& session : effects_.sessions) {
    if (session.row) {
      sessions.push_back(&session);
    } else if (!session.empty()) {
      revised.add(session.session);
    }
  }
  std::sort(sessions.begin(), sessions.end(),
            [](const auto* a, const auto* b) { return a->session < b->session; });
  Columns added;
  Columns changed;
  for (const SessionEffects* session : sessions) {
    add_session(stored_.contains(session->session) ? changed : added, session->session,
                *session->row);
  }
  const Params revision = std::move(Params().number(revision_));
  write(Sql::kInsertSessions, added, revision);
  if (moved_) return;
  write(Sql::kUpdateSessions, changed, revision);
  if (!guard_) write(Sql::kReviseSessions, revised, revision);
}

void Writer::send_drops() {
  Columns moved;
  Columns events;
  Columns snapshots;
  Columns pins;
  Columns cursors;
  Columns works;
  for (const SessionEffects& session : effects_.sessions) {
    const std::string& name = session.session;
    if (session.new_era) moved.add(name);
    for (const driver::EventKey& event : session.erase) events.add(name, event.index);
    for (const driver::SnapshotRow& snapshot : session.drop_snapshots) {
      snapshots.add(name, snapshot.era, snapshot.reducer, snapshot.index);
    }
    for (const driver::PinRow& pin : session.drop_pins) add_pin(pins, name, pin);
    for (const driver::CursorRow& cursor : session.drop) {
      cursors.add(name, cursor.era, cursor.key.consumer, slot_column(cursor.key),
                  lane_column(cursor.key.lane));
    }
    for (const driver::WorkRow& work : session.drop_work) {
      works.add(name, work.consumer, kind_column(work.lane), lane_column(work.lane), work.index);
    }
  }
  write(Sql::kDeleteReadyOfSessions, moved);
  write(Sql::kDeleteEvents, events);
  write(Sql::kDeleteSnapshots, snapshots);
  write(Sql::kDeletePins, pins);
  write(Sql::kDeleteCursors, cursors);
  write(Sql::kDeleteWork, works);
}

void Writer::send_cursors() {
  Columns added;
  Columns changed;
  Columns logs;
  Columns others;
  for (const SessionEffects& session : effects_.sessions) {
    for (const driver::CursorRow& cursor : session.put) {
      const bool added_now = is_new(session, cursor);
      if (added_now && is_fresh(cursor)) {
        add_event_cursor(added, session.session, cursor);
        continue;
      }
      const bool is_stored = cursor.key.index > 0 && !added_now;
      Columns& columns = cursor.kind == CursorKind::kLog ? logs : is_stored ? changed : others;
      add_cursor(columns, session.session, cursor);
    }
  }
  write(Sql::kInsertEventCursors, added);
  write(Sql::kChangeCursors, changed);
  write(Sql::kPutLogs, logs);
  write(Sql::kPutCursors, others);
}

void Writer::send_rows() {
  Columns events;
  Columns works;
  Columns snapshots;
  Columns kept;  // with the states that they have
  Columns pins;
  for (const SessionEffects& session : effects_.sessions) {
    const std::string& name = session.session;
    for (const driver::EventRow& event : session.append) add_event(events, name, event);
    for (const driver::WorkRow& work : session.put_work) add_work(works, name, work);
    for (const driver::SnapshotRow& row : session.put_snapshots) {
      if (row.state) {
        snapshots.add(name, row.era, row.reducer, row.index, row.updated_at, row.pins, row.state);
      } else {
        kept.add(name, row.era, row.reducer, row.index, row.updated_at, row.pins);
      }
    }
    for (const driver::PinRow& pin : session.put_pins) add_pin(pins, name, pin);
  }
  write(Sql::kInsertEvents, events);
  write(Sql::kPutWork, works);
  write(Sql::kPutSnapshots, snapshots);
  write(Sql::kKeepStates, kept);
  write(Sql::kPutPins, pins);
}

// In the end, from the cursors as they are then, unless they are known to be the first.
void Writer::send_first_keys() {
  Columns offered;
  Columns kept;
  Columns sought;
  for (const SessionEffects& session : effects_.sessions) {
    for (const auto& [consumer, key] : first_keys(session)) {
      const std::int64_t era = session.row ? session.row->era : stored_.at(session.session);
      Columns& columns = key.is_offered ? offered : key.stays ? kept : sought;
      columns.add(session.session, consumer, key.is_offered ? key.since : era);
    }
  }
  write(Sql::kOfferReady, offered);
  write(Sql::kKeepReady, kept);
  write(Sql::kPutReady, sought);
}

// As far as they are known beforehand.
void Writer::send_known_first_keys() {
  const SessionEffects& session = effects_.sessions.front();
  Columns offered;
  Columns sought;
  Columns set;
  Columns gone;
  for (const auto& [consumer, key] : first_keys(session)) {
    const KnownFirst first = guard_->first_of(consumer);
    if (first.is == KnownFirst::Is::kGone) {
      gone.add(session.session, consumer);
    } else if (first.is == KnownFirst::Is::kSet) {
      set.add(session.session, consumer, first.due, first.moved, first.since);
    } else if (first.is == KnownFirst::Is::kUnknown) {
      (key.is_offered ? offered : sought)
          .add(session.session, consumer, key.is_offered ? key.since : guard_->row.era);
    }
  }
  write(Sql::kOfferReady, offered);
  write(Sql::kPutReady, sought);
  write(Sql::kSetReady, set);
  write(Sql::kDropReady, gone);
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
  Columns dropped;
  Columns put;
  for (const auto& [name_space, row] : effects_.presence.drop) {
    dropped.add(name_space, row.participant, row.field);
  }
  for (const auto& [name_space, row] : effects_.presence.put) {
    put.add(name_space, row.participant, row.field, row.tombstone, row.seen, row.at, row.expires_at,
            row.value);
  }
  write(Sql::kDeletePresence, dropped);
  write(Sql::kPutPresence, put);
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
    Columns keys;
    for (const auto& [session, index] : read.events) keys.add(session, index);
    readings_.events.resize(read.events.size());
    connection_.send(Sql::kReadBack, keys.params().number(read.max_bytes), [this](const Row& row) {
      readings_.events.at(static_cast<std::size_t>(row.count(0) - 1)) = read_event(row, 1);
    });
  }
}

void Writer::send_pending() {
  const std::vector<driver::ReadBack::Pending>& pending = effects_.read.pending;
  if (pending.empty()) return;
  Columns sought;
  const auto add = [&](std::size_t place, const std::optional<std::string>& consumer) {
    sought.add(static_cast<std::int64_t>(place), pending[place].session, consumer);
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
  if (!sought.empty()) {
    connection_.send(Sql::kPending, sought.params(), [this](const Row& row) {
      readings_.pending.at(static_cast<std::size_t>(row.count(0))) = true;
    });
  }
}

driver::Readings Writer::take() { return std::move(readings_); }

}  // namespace pawl::postgres
