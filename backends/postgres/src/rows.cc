// Rows of the tables as rows of the core.
#include "rows.h"

namespace pawl::postgres {
namespace {

std::optional<std::string> read_lane(const Row& row, int column) {
  std::string lane = row.text(column);
  return lane.empty() ? std::nullopt : std::optional(std::move(lane));
}

CursorKind read_kind(const Row& row, int column) {
  switch (row.number(column)) {
    case 0:
      return CursorKind::kLog;
    case 1:
      return CursorKind::kLane;
    case 2:
      return CursorKind::kEvent;
    default:
      throw_corrupt("an unknown kind of cursor");
  }
}

std::optional<driver::Completion> read_completion(const Row& row, int first) {
  if (row.is_null(first)) return std::nullopt;
  return driver::Completion{row.count(first), row.count(first + 1), row.texts(first + 2)};
}

std::optional<Cause> read_cause(const Row& row, int first) {
  if (row.is_null(first)) return std::nullopt;
  return Cause{row.text(first), row.maybe_text(first + 1), row.count(first + 2),
               row.count(first + 3), row.maybe_number(first + 4)};
}

std::vector<driver::TargetRow> read_targets(const Row& row, int first) {
  std::vector<driver::TargetRow> targets;
  if (row.is_null(first)) return targets;
  std::vector<std::string> consumers = row.texts(first);
  std::vector<std::optional<std::string>> lanes = row.maybe_texts(first + 1);
  if (consumers.size() != lanes.size()) throw_corrupt("an event's targets");
  for (std::size_t i = 0; i < consumers.size(); ++i) {
    targets.push_back({std::move(consumers[i]), std::move(lanes[i])});
  }
  return targets;
}

}  // namespace

driver::SessionRow read_session(const Row& row, int first) {
  int column = first;
  driver::SessionRow session;
  session.last_index = row.count(column++);
  session.clear_index = row.count(column++);
  session.era = row.count(column++);
  session.first_index = row.count(column++);
  session.deleted_index = row.count(column++);
  session.deleted_era = row.count(column++);
  session.finished_since = row.count(column++);
  session.upkeep = row.flag(column++);
  session.deleting = row.flag(column++);
  if (!session.is_sound()) throw_corrupt("a session's indexes");
  return session;
}

driver::EventRow read_event(const Row& row, int first) {
  driver::EventRow event;
  event.index = row.count(first);
  event.id = row.text(first + 1);
  event.type = row.text(first + 2);
  event.created_at = row.count(first + 3);
  event.era = row.count(first + 4);
  event.cause = read_cause(row, first + 5);
  event.targets = read_targets(row, first + 10);
  event.payload = row.text(first + 12);
  return event;
}

driver::EventRow read_event_key(const Row& row) {
  driver::EventRow event;
  event.index = row.count(0);
  event.id = row.text(1);
  event.type = row.text(2);
  event.created_at = row.count(3);
  event.era = row.count(4);
  event.targets = read_targets(row, 5);
  return event;
}

driver::CursorRow read_cursor(const Row& row, int first) {
  driver::CursorRow cursor;
  cursor.era = row.count(first);
  cursor.key.consumer = row.text(first + 1);
  cursor.key.lane = read_lane(row, first + 2);
  cursor.key.index = row.count(first + 3);
  cursor.kind = read_kind(row, first + 4);
  cursor.position = row.count(first + 5);
  cursor.head = row.count(first + 6);
  cursor.due = row.count_or(first + 7, driver::kNever);
  cursor.since = row.count(first + 8);
  cursor.attempt_count = row.count(first + 9);
  cursor.first_claimed_at = row.count(first + 10);
  cursor.last_claimed_at = row.count(first + 11);
  cursor.claim_holder = row.maybe_text(first + 12);
  cursor.failure_count = row.count(first + 13);
  cursor.last_failed_at = row.count(first + 14);
  cursor.last_failed_attempt = row.count(first + 15);
  cursor.last_error = row.maybe_text(first + 16);
  cursor.failed_at = row.count_or(first + 17, 0);
  cursor.last_released_attempt = row.count(first + 18);
  cursor.pins = row.count(first + 19);
  if (!cursor.is_sound()) throw_corrupt("a cursor's key");
  if (cursor.kind == CursorKind::kLog) {
    cursor.types = row.is_null(first + 20) ? driver::Types() : row.texts(first + 20);
  }
  cursor.completion = read_completion(row, first + 21);
  return cursor;
}

std::optional<driver::CursorRow> read_maybe_cursor(const Row& row, int first) {
  if (row.is_null(first)) return std::nullopt;
  return read_cursor(row, first);
}

driver::WorkRow read_work(const Row& row, int first) {
  driver::WorkRow work;
  work.consumer = row.text(first);
  work.lane = read_lane(row, first + 1);
  work.index = row.count(first + 2);
  work.available_at = row.count(first + 3);
  work.finished_at = row.count_or(first + 4, 0);
  work.completion = read_completion(row, first + 5);
  return work;
}

driver::SnapshotRow read_snapshot(const Row& row, int first, bool with_state) {
  driver::SnapshotRow snapshot;
  snapshot.reducer = row.text(first);
  snapshot.index = row.count(first + 1);
  snapshot.era = row.count(first + 2);
  snapshot.updated_at = row.count(first + 3);
  snapshot.pins = row.count(first + 4);
  if (with_state) snapshot.state = row.text(first + 5);
  return snapshot;
}

driver::PinRow read_pin(const Row& row) {
  driver::PinRow pin;
  pin.era = row.count(0);
  pin.cursor.consumer = row.text(1);
  pin.cursor.lane = read_lane(row, 2);
  pin.cursor.index = row.count(3);
  pin.head = row.count(4);
  pin.reducer = row.text(5);
  pin.snapshot = row.count(6);
  return pin;
}

driver::PresenceRow read_presence(const Row& row, int first) {
  driver::PresenceRow presence;
  presence.participant = row.text(first);
  presence.field = row.text(first + 1);
  presence.tombstone = row.flag(first + 2);
  presence.seen = row.maybe_number(first + 3);
  presence.at = row.count(first + 4);
  presence.expires_at = row.count(first + 5);
  presence.value = row.text(first + 6);
  return presence;
}

std::optional<driver::PinFact> read_pin_fact(const Row& row, int first,
                                             const driver::CursorRow& cursor) {
  if (row.is_null(first)) return std::nullopt;
  driver::PinFact fact;
  fact.pin = {cursor.era, cursor.key, cursor.head, row.text(first), row.count(first + 1)};
  if (!row.is_null(first + 2)) {
    fact.snapshot = driver::SnapshotRow{fact.pin.reducer,     fact.pin.snapshot,    cursor.era,
                                        row.count(first + 2), row.count(first + 3), std::nullopt};
  }
  fact.newest_index = row.count_or(first + 4, 0);
  return fact;
}

std::string lane_column(const std::optional<std::string>& lane) { return lane.value_or(""); }

std::int64_t slot_column(const driver::CursorKey& key) { return key.lane ? 0 : key.index; }

std::int64_t kind_column(const std::optional<std::string>& lane) {
  return static_cast<std::int64_t>(lane ? CursorKind::kLane : CursorKind::kEvent);
}

}  // namespace pawl::postgres
