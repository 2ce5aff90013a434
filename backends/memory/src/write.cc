// Writes rows and the index entries that go with them.
#include "write.h"

#include <algorithm>

#include "pawl/backend.h"
#include "pawl/error.h"

namespace pawl::memory {
namespace {

using driver::CursorRow;
using driver::kNever;

// One session's effects. Each row is dropped or put together with its index entries, and a put
// begins by dropping, so that no entry outlives its row.
class SessionWriter {
 public:
  SessionWriter(Tables& tables, const std::string& name, Journal& journal)
      : tables_(tables),
        name_(name),
        journal_(journal),
        session_((journal.insert(tables.sessions, {name, Session{}}), tables.sessions.at(name))) {}

  void write(const driver::SessionEffects& effects) {
    std::set<std::string> touched;
    if (effects.new_era) {
      for (const auto& [consumer, first] : session_.first_keys) touched.insert(consumer);
    }
    for (const CursorRow& row : effects.drop) touched.insert(row.key.consumer);
    for (const CursorRow& row : effects.put) touched.insert(row.key.consumer);

    for (const driver::EventKey& event : effects.erase) erase_event(event);
    for (const CursorRow& row : effects.drop) drop_cursor(row.era, row.key);
    for (const driver::WorkRow& row : effects.drop_work) drop_work(work_key(row));
    for (const driver::SnapshotRow& row : effects.drop_snapshots) {
      journal_.erase(session_.snapshots, {row.era, row.reducer, row.index});
    }
    for (const driver::PinRow& row : effects.drop_pins) journal_.erase(session_.pins, pin_key(row));

    for (const driver::EventRow& event : effects.append) append_event(event);
    for (const CursorRow& row : effects.put) put_cursor(row);
    for (const driver::WorkRow& row : effects.put_work) put_work(row);
    for (const driver::SnapshotRow& row : effects.put_snapshots) put_snapshot(row);
    for (const driver::PinRow& row : effects.put_pins) {
      journal_.insert(session_.pins, pin_key(row));
    }
    if (effects.row) put_row(*effects.row);
    for (const std::string& consumer : touched) update_first_key(consumer);
  }

 private:
  static CursorKey work_key(const driver::WorkRow& row) {
    return {row.consumer, row.lane, row.index};
  }
  static std::tuple<Int, CursorKey, Int, std::string, Int> pin_key(const driver::PinRow& row) {
    return {row.era, row.cursor, row.head, row.reducer, row.snapshot};
  }

  void erase_event(const driver::EventKey& event) {
    const auto id = session_.ids.find(event.id);
    if (id != session_.ids.end() && id->second == event.index) {
      journal_.erase(session_.ids, event.id);
    }
    journal_.erase(session_.types, {event.type, event.index});
    journal_.erase(session_.events, event.index);
  }

  void append_event(const driver::EventRow& event) {
    if (!journal_.insert(session_.ids, {event.id, event.index})) throw IdTaken();
    journal_.insert(session_.types, {event.type, event.index});
    if (!journal_.insert(session_.events, {event.index, event})) {
      throw Error(ErrorCode::kCorrupt, "an event is stored at an index that is to be assigned");
    }
  }

  void drop_cursor(Int era, const CursorKey& key) {
    const auto found = session_.cursors.find({era, key});
    if (found == session_.cursors.end()) return;
    const CursorRow& row = found->second;
    if (row.kind == CursorKind::kLog) journal_.erase(session_.logs, key);
    if (row.due < kNever) journal_.erase(session_.due, {era, key.consumer, row.due, row.head, key});
    if (row.dead()) journal_.erase(session_.dead, {era, row.head, key});
    journal_.erase(session_.cursors, {era, key});
  }

  void put_cursor(const CursorRow& row) {
    const CursorKey& key = row.key;
    drop_cursor(row.era, key);
    if (row.kind == CursorKind::kLog) {
      if (const auto log = session_.logs.find(key); log != session_.logs.end()) {
        drop_cursor(log->second, key);
      }
      journal_.insert(session_.logs, {key, row.era});
    }
    if (row.due < kNever) {
      journal_.insert(session_.due, {row.era, key.consumer, row.due, row.head, key});
    }
    if (row.dead()) journal_.insert(session_.dead, {row.era, row.head, key});
    journal_.insert(session_.cursors, {{row.era, key}, row});
  }

  void drop_work(const CursorKey& key) {
    const auto found = session_.work.find(key);
    if (found == session_.work.end()) return;
    if (found->second.finished_at > 0) {
      journal_.erase(session_.finished, {found->second.finished_at, key});
    }
    journal_.erase(session_.work, key);
  }

  void put_work(const driver::WorkRow& row) {
    const CursorKey key = work_key(row);
    drop_work(key);
    if (row.finished_at > 0) journal_.insert(session_.finished, {row.finished_at, key});
    journal_.insert(session_.work, {key, row});
  }

  void put_snapshot(driver::SnapshotRow row) {
    const std::tuple key{row.era, row.reducer, row.index};
    const auto found = session_.snapshots.find(key);
    if (!row.state && found != session_.snapshots.end()) row.state = found->second.state;
    journal_.put(session_.snapshots, {key, std::move(row)});
  }

  void put_row(const driver::SessionRow& row) {
    const driver::SessionRow old = session_.row;
    journal_.assign(session_.row, row);
    if (old.listed()) journal_.erase(tables_.listed, name_);
    if (old.upkeep) journal_.erase(tables_.upkeep, name_);
    if (old.finished_since > 0) journal_.erase(tables_.finished, {old.finished_since, name_});
    if (row.listed()) journal_.insert(tables_.listed, name_);
    if (row.upkeep) journal_.insert(tables_.upkeep, name_);
    if (row.finished_since > 0) journal_.insert(tables_.finished, {row.finished_since, name_});
  }

  // The first entry of (era, consumer) in the index of what can be claimed.
  void update_first_key(const std::string& consumer) {
    const Int era = session_.row.era;
    const auto least = session_.due.lower_bound({era, consumer, 0, 0, {}});
    const bool found = least != session_.due.end() && std::get<0>(*least) == era &&
                       std::get<1>(*least) == consumer;
    auto& ready = (journal_.insert(tables_.ready, {consumer, {}}), tables_.ready.at(consumer));
    const auto entry = [this](const FirstKey& first) {
      return std::tuple{first.due, first.due == 0 ? first.since : 0, name_};
    };
    if (const auto old = session_.first_keys.find(consumer); old != session_.first_keys.end()) {
      journal_.erase(ready, entry(old->second));
      journal_.erase(session_.first_keys, consumer);
    }
    if (found) {
      const CursorRow& row = session_.cursors.at({era, std::get<4>(*least)});
      journal_.insert(session_.first_keys, {consumer, {row.due, row.since}});
      journal_.insert(ready, entry({row.due, row.since}));
    }
    if (ready.empty()) journal_.erase(tables_.ready, consumer);
  }

  Tables& tables_;
  const std::string& name_;
  Journal& journal_;
  Session& session_;
};

void drop_presence(Tables& tables, const std::string& name, const driver::PresenceRow& row,
                   Journal& journal) {
  const auto space = tables.presence.find(name);
  if (space == tables.presence.end()) return;
  const auto old = space->second.rows.find({row.participant, row.field});
  if (old == space->second.rows.end()) return;
  const Int expires_at = old->second.expires_at;
  journal.erase(tables.expiry, {expires_at, name, row.participant, row.field});
  journal.erase(space->second.expiry, {expires_at, row.participant, row.field});
  journal.erase(space->second.rows, {row.participant, row.field});
  if (space->second.rows.empty()) journal.erase(tables.presence, name);
}

void put_presence(Tables& tables, const std::string& name, const driver::PresenceRow& row,
                  Journal& journal) {
  drop_presence(tables, name, row, journal);
  journal.insert(tables.presence, {name, {}});
  Namespace& space = tables.presence.at(name);
  journal.insert(space.rows, {{row.participant, row.field}, row});
  journal.insert(space.expiry, {row.expires_at, row.participant, row.field});
  journal.insert(tables.expiry, {row.expires_at, name, row.participant, row.field});
}

bool has_first_key(const Session& session, const driver::ConsumerNames& consumers) {
  if (!consumers) return !session.first_keys.empty();
  return std::any_of(consumers->begin(), consumers->end(), [&](const std::string& consumer) {
    return session.first_keys.contains(consumer);
  });
}

std::optional<Int> least_due(const Tables& tables, const driver::ConsumerNames& consumers) {
  std::optional<Int> least;
  const auto consider = [&least](const auto& ready) {
    const Int due = std::get<0>(*ready.begin());
    if (!least || due < *least) least = due;
  };
  if (!consumers) {
    for (const auto& [consumer, ready] : tables.ready) consider(ready);
  } else {
    for (const std::string& consumer : *consumers) {
      const auto ready = tables.ready.find(consumer);
      if (ready != tables.ready.end()) consider(ready->second);
    }
  }
  return least;
}

}  // namespace

void write(Tables& tables, const driver::Effects& effects, Journal& journal) {
  for (const driver::SessionEffects& session : effects.sessions) {
    if (session.empty()) continue;
    SessionWriter(tables, session.session, journal).write(session);
  }
  for (const auto& drop : effects.presence.drop) {
    drop_presence(tables, drop.name_space, drop.row, journal);
  }
  for (const auto& put : effects.presence.put) {
    put_presence(tables, put.name_space, put.row, journal);
  }
}

driver::Readings read_back(const Tables& tables, const driver::ReadBack& read) {
  driver::Readings readings;
  Int bytes = 0;
  for (const driver::ReadBack::EventRef& ref : read.events) {
    const auto session = tables.sessions.find(ref.session);
    const auto* events = session == tables.sessions.end() ? nullptr : &session->second.events;
    const auto event = events == nullptr ? decltype(events->end()){} : events->find(ref.index);
    if (events == nullptr || event == events->end()) {
      throw Error(ErrorCode::kCorrupt, "the event of a head is not stored");
    }
    bytes += static_cast<Int>(event->second.payload.size());
    if (bytes > read.max_bytes && !readings.events.empty()) {
      throw AnswerTooLarge(static_cast<Int>(readings.events.size()));
    }
    readings.events.push_back(event->second);
  }
  for (const driver::ReadBack::Pending& pending : read.pending) {
    const auto session = tables.sessions.find(pending.session);
    readings.pending.push_back(session != tables.sessions.end() &&
                               has_first_key(session->second, pending.consumers));
  }
  if (read.next_due) readings.next_due = least_due(tables, *read.next_due);
  return readings;
}

}  // namespace pawl::memory
