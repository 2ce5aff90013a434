// pawl/driver/facts.h: what a load found. For authors of backends.
//
// The same shape as the query: parallel vectors, one entry per thing asked for. Rows are
// as stored; the core applies the rule of eras.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pawl/driver/rows.h"

namespace pawl::driver {

struct PinFact {
  PinRow pin;
  std::optional<SnapshotRow> snapshot;  // the pinned one, without state
  std::int64_t newest_index = 0;        // of the reducer in the present era
};

struct NextWork {
  std::int64_t index = 0;
  std::int64_t available_at = 0;  // of lane work
};

struct FoundCursor {
  std::optional<CursorRow> row;
  std::optional<NextWork> next;
  std::vector<PinFact> pins;
  // The consumer's, where NextQuery::log is given and no row was found, or one below deleted_era.
  std::int64_t floor = 0;
};

struct FoundSnapshots {
  std::vector<std::optional<SnapshotRow>> at;  // parallel to SnapshotQuery::indexes
  std::optional<SnapshotRow> newest;
  std::optional<SnapshotRow> through;
};

// Finished work, and of each lane among it the cursor of the present era and the lane's
// first entries above the clear index, one more than the finished ones listed.
struct FinishedLane {
  CursorKey lane;
  std::optional<CursorRow> row;
  std::vector<std::int64_t> entries;
};
struct FinishedFacts {
  std::vector<WorkRow> rows;
  std::int64_t next_finished_at = 0;  // of the first record after `rows`; 0: none
  std::vector<FinishedLane> lanes;
};

// Of one consumer: its log cursors of whatever era, with pins; its other cursors of the
// present era, its floor not among them, in the contract's order, with pins, the first
// `limit` + 1; its work records (any kind, any index), by lane and index, the first
// `limit` + 1.
struct OfConsumerFacts {
  std::vector<FoundCursor> logs;
  std::vector<FoundCursor> cursors;
  std::vector<WorkRow> work;
};

// Superseded events (without payload and cause), the event cursors of theirs that are stored,
// and other rows: cursors first, floors included, then snapshots (without state), then pins.
struct SupersededFacts {
  std::vector<EventRow> events;
  std::vector<CursorRow> event_cursors;
  std::vector<CursorRow> cursors;
  std::vector<SnapshotRow> snapshots;
  std::vector<PinRow> pins;
};

struct SessionFacts {
  std::string session;
  SessionRow row;
  std::vector<FoundCursor> cursors;          // parallel to the query's
  std::vector<std::optional<WorkRow>> work;  // parallel
  std::vector<std::optional<EventRow>> ids;  // parallel
  std::vector<FoundCursor> window;           // in any order
  std::optional<FoundCursor> dead;
  std::vector<FoundSnapshots> snapshots;  // parallel
  std::vector<bool> pins;                 // parallel: stored or not
  std::vector<EventRow> events;           // of `events`
  std::vector<CursorRow> list;            // of `list_cursors` or `list_dead`
  std::vector<EventRow> list_events;      // of `list_dead`: the heads, parallel
  FinishedFacts finished;
  OfConsumerFacts of_consumer;
  SupersededFacts superseded;
  bool windowed = false;  // `window` was loaded (by query or by pick)
};

struct PresenceFacts {
  std::vector<std::optional<PresenceRow>> fields;  // parallel to PresenceQuery::fields
  std::vector<PresenceRow> rows;                   // of `all`
  std::vector<PresenceRow> expired;
};

struct UpkeepFacts {
  std::vector<std::pair<std::string, SessionRow>> superseded;
  std::vector<std::string> finished;
  std::vector<std::pair<std::string, PresenceRow>> expired;  // (namespace, row)
};

struct Facts {
  std::int64_t now = 0;  // the storage clock, read once, after the sessions were locked
  std::vector<SessionFacts> sessions;  // the named ones in order, then picked others in theirs
  std::vector<ReadyRow> ready;         // of `ready`
  PresenceFacts presence;
  std::vector<std::pair<std::string, SessionRow>> list;
  UpkeepFacts upkeep;
};

}  // namespace pawl::driver
