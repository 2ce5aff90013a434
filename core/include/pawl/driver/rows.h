// pawl/driver/rows.h: what a backend stores, as the core sees it. For authors of backends.
//
// A backend keeps these rows and decides nothing about them. Times are milliseconds; 0
// stands for "none" wherever a time or an index may be absent, since neither is ever 0.
// Text is compared by its bytes.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pawl/types.h"

namespace pawl::driver {

// `due` of a cursor that nobody can claim (idle, or a dead letter).
inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

// A set of event types, sorted and without repeats. Absent: all types.
using Types = std::optional<std::vector<std::string>>;

// One per session that ever had an event. It outlives the session's deletion.
struct SessionRow {
  std::int64_t last_index = 0;  // 0: the session is not stored
  std::int64_t clear_index = 0;
  std::int64_t era = 0;             // counts clears and deletions; see CursorRow
  std::int64_t first_index = 1;     // no event below it is stored
  std::int64_t deleted_index = 0;   // the marker up to which all events are of a deleted life
  std::int64_t deleted_era = 0;     // and the era below which all rows are
  std::int64_t finished_since = 0;  // no finished work record is older; 0: there is none
  bool upkeep = false;              // something superseded is, or may be, still stored
  bool deleting = false;            // delete_session has begun and is not done

  bool listed() const { return last_index > deleted_index; }
  // Whether a row of that era is of a deleted life.
  bool is_deleted(std::int64_t row_era) const { return row_era < deleted_era; }
  // The lowest index that a reader may see.
  std::int64_t visible_from() const {
    return deleted_index == clear_index ? clear_index + 1 : clear_index;
  }
  // False: what is stored is damaged.
  bool is_sound() const {
    return last_index > 0 && clear_index <= last_index && deleted_index <= last_index &&
           deleted_era <= era;
  }

  bool operator==(const SessionRow&) const = default;
};

// Log and lane cursors are keyed by (consumer, lane), event cursors by (consumer, index).
struct CursorKey {
  std::string consumer;
  std::optional<std::string> lane;
  std::int64_t index = 0;  // 0 if there is a lane

  bool is_floor() const { return !lane && index == 0; }  // see CursorRow

  bool operator==(const CursorKey&) const = default;
};

inline CursorKey floor_key(std::string consumer) { return {std::move(consumer), std::nullopt, 0}; }

// The contract's order: consumer, then lane (none last), then index.
bool operator<(const CursorKey& a, const CursorKey& b);

struct TargetRow {
  std::string consumer;
  std::optional<std::string> lane;

  bool operator==(const TargetRow&) const = default;
};

struct EventRow {
  std::int64_t index = 0;
  std::string id;
  std::string type;
  std::string payload;
  std::int64_t created_at = 0;
  std::optional<Cause> cause;
  std::vector<TargetRow> targets;
  std::int64_t era = 0;  // the session's when it was appended: that of its event cursors

  bool operator==(const EventRow&) const = default;
};

// By whom a head was finished, and with which follow-up events.
struct Completion {
  std::int64_t index = 0;
  std::int64_t attempt = 0;
  std::vector<std::string> ids;

  bool operator==(const Completion&) const = default;
};

// A cursor. Unique by (era, key); a log cursor by key alone, whatever its era.
//
// `era` is the session's era when the row was written: a row of an era below the session's
// present one has been superseded by a clear or a deletion. A row without a lane and with
// the index 0, idle, is no cursor but its consumer's floor: no log cursor of the consumer
// opens below its position. No listing has it. `due` is the one field by
// which backends find claimable heads: 0 = claimable now, t = from then on, kNever = not
// at all. claim_expires_at is `due` where 0 < due < kNever.
struct CursorRow {
  CursorKey key;
  CursorKind kind = CursorKind::kLog;
  std::int64_t era = 0;
  std::int64_t position = 0;
  std::int64_t head = 0;  // 0: idle
  std::int64_t due = kNever;
  std::int64_t since = 0;  // with due == 0: since when it is claimable
  std::int64_t attempt_count = 0;
  std::int64_t first_claimed_at = 0;
  std::int64_t last_claimed_at = 0;
  std::optional<std::string> claim_holder;
  std::int64_t failure_count = 0;
  std::int64_t last_failed_at = 0;
  std::int64_t last_failed_attempt = 0;
  std::optional<std::string> last_error;
  std::int64_t failed_at = 0;  // > 0: a dead letter
  std::int64_t last_released_attempt = 0;
  std::int64_t pins = 0;  // how many pins the head bears
  // Of log cursors only:
  Types types = std::vector<std::string>{};
  std::optional<Completion> completion;  // of the latest head it completed
  // The backend's own, and nobody else's: where it found the row. The core gives it back with
  // the row in effects; 0 in rows that are new.
  std::int64_t handle = 0;

  bool dead() const { return failed_at > 0; }
  // False: what is stored is damaged.
  bool is_sound() const {
    if (kind != CursorKind::kEvent) return key.lane && key.index == 0;
    return !key.lane && (key.index > 0 || head == 0);
  }

  bool operator==(const CursorRow&) const = default;
};

// Work queued on a lane, or the record of finished work (of lanes and event cursors).
// Unique by (consumer, lane, index).
struct WorkRow {
  std::string consumer;
  std::optional<std::string> lane;
  std::int64_t index = 0;
  std::int64_t available_at = 0;
  std::int64_t finished_at = 0;          // 0: still to be done
  std::optional<Completion> completion;  // absent on finished work: it was skipped

  bool operator==(const WorkRow&) const = default;
};

struct WorkKey {
  std::string consumer;
  std::optional<std::string> lane;
  std::int64_t index = 0;

  bool operator==(const WorkKey&) const = default;
};

// Unique by (era, reducer, index).
struct SnapshotRow {
  std::string reducer;
  std::int64_t index = 0;
  std::int64_t era = 0;
  std::int64_t updated_at = 0;
  std::int64_t pins = 0;             // how many pins hold it
  std::optional<std::string> state;  // absent in facts that did not ask for it, and in
                                     // effects that leave the stored one as it is

  bool operator==(const SnapshotRow&) const = default;
};

// Ties a snapshot to the head of a cursor. Unique by all of its fields.
struct PinRow {
  std::int64_t era = 0;
  CursorKey cursor;
  std::int64_t head = 0;
  std::string reducer;
  std::int64_t snapshot = 0;  // the snapshot's index

  bool operator==(const PinRow&) const = default;
};

// Unique by (participant, field) within its namespace.
struct PresenceRow {
  std::string participant;
  std::string field;
  std::string value;
  bool tombstone = false;
  std::optional<std::int64_t> seen;
  std::int64_t at = 0;
  std::int64_t expires_at = 0;

  bool operator==(const PresenceRow&) const = default;
};

// The first key of a (session, consumer): the least (due, head, lane with none last) of
// its cursors of the present era with due < kNever. No row where there is no such cursor.
// The backend keeps it as it keeps an index: after every write, from the cursors.
struct ReadyRow {
  std::string session;
  std::string consumer;
  std::int64_t due = 0;
  std::int64_t since = 0;

  bool operator==(const ReadyRow&) const = default;
};

}  // namespace pawl::driver
