// Rows of the tables as rows of the core.
#include "rows.h"

#include "codec.h"

namespace pawl::sqlite {
namespace {

// Runs a decoder of codec.h on a column; bytes that it refuses are kCorrupt.
template <typename Decode>
auto decode(const Statement& statement, int column, Decode decode_bytes)
    -> std::optional<decltype(decode_bytes(std::string_view()))> {
  const std::string_view bytes = statement.blob_or_null(column);
  if (bytes.empty()) return std::nullopt;
  try {
    return decode_bytes(bytes);
  } catch (const BadEncoding& error) {
    statement.corrupt(error.what());
  }
}

CursorKind read_kind(const Statement& statement, int column) {
  switch (statement.number(column)) {
    case 0:
      return CursorKind::kLog;
    case 1:
      return CursorKind::kLane;
    case 2:
      return CursorKind::kEvent;
    default:
      statement.corrupt("an unknown kind of cursor");
  }
}

}  // namespace

driver::SessionRow read_session(const Statement& statement, int first_column) {
  int column = first_column;
  driver::SessionRow row;
  row.last_index = statement.count(column++);
  row.clear_index = statement.count(column++);
  row.era = statement.count(column++);
  row.first_index = statement.count(column++);
  row.deleted_index = statement.count(column++);
  row.deleted_era = statement.count(column++);
  row.finished_since = statement.count(column++);
  row.upkeep = statement.flag(column++);
  row.deleting = statement.flag(column++);
  if (!row.is_sound()) statement.corrupt("a session's indexes");
  return row;
}

driver::EventRow read_event(Scope& scope, const Statement& statement) {
  driver::EventRow row;
  row.index = statement.count(0);
  row.id = statement.text(1);
  row.type = scope.names.text(statement.number(2));
  row.created_at = statement.count(3);
  row.era = statement.count(4);
  row.cause = decode(statement, 5, decode_cause);
  if (auto targets = decode(statement, 6, decode_targets)) row.targets = *std::move(targets);
  row.payload = statement.text(7);
  return row;
}

driver::EventRow read_event_key(Scope& scope, const Statement& statement) {
  driver::EventRow row;
  row.index = statement.count(0);
  row.id = statement.text(1);
  row.type = scope.names.text(statement.number(2));
  row.created_at = statement.count(3);
  row.era = statement.count(4);
  if (auto targets = decode(statement, 5, decode_targets)) row.targets = *std::move(targets);
  return row;
}

driver::CursorRow read_cursor(Scope& scope, const Statement& statement) {
  driver::CursorRow row;
  row.era = statement.count(0);
  row.key.consumer = scope.names.text(statement.number(1));
  row.key.lane = statement.lane(2);
  row.key.index = statement.count(3);
  row.kind = read_kind(statement, 4);
  row.position = statement.count(5);
  row.head = statement.count(kHeadColumn);
  row.due = statement.number_or_null(kDueColumn).value_or(driver::kNever);
  row.since = statement.count(kSinceColumn);
  row.attempt_count = statement.count(9);
  row.first_claimed_at = statement.count(10);
  row.last_claimed_at = statement.count(11);
  row.claim_holder = statement.text_or_null(12);
  row.failure_count = statement.count(13);
  row.last_failed_at = statement.count(14);
  row.last_failed_attempt = statement.count(15);
  row.last_error = statement.text_or_null(16);
  row.failed_at = statement.number_or_null(17).value_or(0);
  row.last_released_attempt = statement.count(18);
  row.pins = statement.count(19);
  if (!row.is_sound()) statement.corrupt("a cursor's key");
  if (row.kind == CursorKind::kLog) row.types = decode(statement, 20, decode_names);
  row.completion = decode(statement, 21, decode_completion);
  row.handle = statement.number(kHandleColumn);
  return row;
}

driver::WorkRow read_work(Scope& scope, const Statement& statement) {
  driver::WorkRow row;
  row.consumer = scope.names.text(statement.number(0));
  row.lane = statement.lane(1);
  row.index = statement.count(2);
  row.available_at = statement.count(3);
  row.finished_at = statement.number_or_null(4).value_or(0);
  row.completion = decode(statement, 5, decode_completion);
  return row;
}

driver::SnapshotRow read_snapshot(const Statement& statement, bool with_state) {
  driver::SnapshotRow row;
  row.reducer = statement.text(0);
  row.index = statement.count(1);
  row.era = statement.count(2);
  row.updated_at = statement.count(3);
  row.pins = statement.count(4);
  if (with_state) row.state = statement.text(5);
  return row;
}

driver::PinRow read_pin(Scope& scope, const Statement& statement) {
  driver::PinRow row;
  row.era = statement.count(0);
  row.cursor.consumer = scope.names.text(statement.number(1));
  row.cursor.lane = statement.lane(2);
  row.cursor.index = statement.count(3);
  row.head = statement.count(4);
  row.reducer = statement.text(5);
  row.snapshot = statement.count(6);
  return row;
}

driver::PresenceRow read_presence(const Statement& statement) {
  driver::PresenceRow row;
  row.participant = statement.text(0);
  row.field = statement.text(1);
  row.tombstone = statement.flag(2);
  if (!statement.is_null(3)) row.seen = statement.number(3);
  row.at = statement.count(4);
  row.expires_at = statement.count(5);
  row.value = statement.text(6);
  return row;
}

}  // namespace pawl::sqlite
