// pawl/driver/effects.h: what an operation writes, and what its answer reads back. For
// authors of backends.
//
// Effects are full rows by key: nothing in them depends on what is stored, so that a
// backend applies them without comparing. Within a session: first erase and drop, then
// put and append; in the end first keys are brought up to date (ReadyRow in rows.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pawl/driver/query.h"
#include "pawl/driver/rows.h"

namespace pawl::driver {

// An event to be erased, with what its secondary keys are made of.
struct EventKey {
  std::int64_t index = 0;
  std::string id;
  std::string type;
};

struct SessionEffects {
  std::string session;
  std::optional<SessionRow> row;  // present: to be written
  bool new_era = false;           // the era moved: all first keys of the session go
  std::vector<EventKey> erase;
  std::vector<CursorRow> drop;     // as loaded
  std::vector<WorkRow> drop_work;  // key and finished_at as loaded, or only the key
                                   // (finished_at unknown: 0)
  std::vector<SnapshotRow> drop_snapshots;
  std::vector<PinRow> drop_pins;
  std::vector<EventRow> append;  // ascending, above every stored index
  std::vector<CursorRow> put;    // inserted, or replaces the row of the same key
  std::vector<WorkRow> put_work;
  std::vector<SnapshotRow> put_snapshots;
  std::vector<PinRow> put_pins;

  bool empty() const {
    return !row && erase.empty() && drop.empty() && drop_work.empty() && drop_snapshots.empty() &&
           drop_pins.empty() && append.empty() && put.empty() && put_work.empty() &&
           put_snapshots.empty() && put_pins.empty();
  }
};

struct PresenceEffects {
  struct Row {
    std::string name_space;
    PresenceRow row;
  };
  std::vector<Row> put;
  std::vector<Row> drop;  // by key

  bool empty() const { return put.empty() && drop.empty(); }
};

// Fetched after the write, in the same transaction and the same trip.
struct ReadBack {
  struct EventRef {
    std::string session;
    std::int64_t index = 0;
  };
  struct Pending {
    std::string session;
    ConsumerNames consumers;
  };
  std::vector<EventRef> events;
  // If the payloads of `events` are longer than this in all, the write is undone and
  // AnswerTooLarge (backend.h) thrown.
  std::int64_t max_bytes = kNever;
  std::vector<Pending> pending;
  std::optional<ConsumerNames> next_due;  // the least `due` among the first keys of these
};

struct Effects {
  std::vector<SessionEffects> sessions;  // no session twice
  PresenceEffects presence;
  ReadBack read;

  bool writes() const {
    if (!presence.empty()) return true;
    for (const SessionEffects& s : sessions) {
      if (!s.empty()) return true;
    }
    return false;
  }
};

// What the read-back found.
struct Readings {
  std::vector<EventRow> events;  // parallel to ReadBack::events
  std::vector<bool> pending;     // parallel: whether one of the consumers has a first key
  std::optional<std::int64_t> next_due;
};

}  // namespace pawl::driver
