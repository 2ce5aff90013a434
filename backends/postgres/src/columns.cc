// Which field stands in which column.
#include "columns.h"

#include "rows.h"

namespace pawl::postgres {
namespace {

std::optional<std::int64_t> unless(std::int64_t nothing, std::int64_t value) {
  return value == nothing ? std::nullopt : std::optional(value);
}

// The fields of what may be missing, each by itself.
template <class Whole, class Field>
std::optional<Field> field_of(const std::optional<Whole>& whole, Field Whole::*field) {
  return whole ? std::optional<Field>((*whole).*field) : std::nullopt;
}

}  // namespace

void add_session(Columns& columns, const std::string& name, const driver::SessionRow& row) {
  columns.add(name, row.last_index, row.clear_index, row.era, row.first_index, row.deleted_index,
              row.deleted_era, row.finished_since, row.upkeep, row.deleting, row.listed());
}

void add_cursor(Columns& columns, const std::string& session, const driver::CursorRow& row) {
  using driver::Completion;
  columns.add(
      session, row.era, row.key.consumer, lane_column(row.key.lane), slot_column(row.key),
      static_cast<std::int64_t>(row.kind), row.position, row.head, unless(driver::kNever, row.due),
      row.since, row.attempt_count, row.first_claimed_at, row.last_claimed_at, row.claim_holder,
      row.failure_count, row.last_failed_at, row.last_failed_attempt, row.last_error,
      unless(0, row.failed_at), row.last_released_attempt, row.pins,
      row.kind == CursorKind::kLog ? row.types : std::nullopt,
      field_of(row.completion, &Completion::index), field_of(row.completion, &Completion::attempt),
      field_of(row.completion, &Completion::ids));
}

void add_event_cursor(Columns& columns, const std::string& session, const driver::CursorRow& row) {
  columns.add(session, row.era, row.key.consumer, slot_column(row.key),
              unless(driver::kNever, row.due), row.since);
}

void add_event(Columns& columns, const std::string& session, const driver::EventRow& row) {
  std::optional<std::vector<std::string>> consumers;
  std::optional<std::vector<std::optional<std::string>>> lanes;
  if (!row.targets.empty()) {
    consumers.emplace();
    lanes.emplace();
  }
  for (const driver::TargetRow& target : row.targets) {
    consumers->push_back(target.consumer);
    lanes->push_back(target.lane);
  }
  const Cause cause = row.cause.value_or(Cause{});
  columns.add(session, row.index, row.id, row.type, row.created_at, row.era,
              field_of(row.cause, &Cause::consumer), cause.lane, field_of(row.cause, &Cause::index),
              field_of(row.cause, &Cause::attempt), cause.batch_size, consumers, lanes,
              row.payload);
}

void add_work(Columns& columns, const std::string& session, const driver::WorkRow& row) {
  using driver::Completion;
  columns.add(
      session, kind_column(row.lane), row.consumer, lane_column(row.lane), row.index,
      row.available_at, unless(0, row.finished_at), field_of(row.completion, &Completion::index),
      field_of(row.completion, &Completion::attempt), field_of(row.completion, &Completion::ids));
}

void add_pin(Columns& columns, const std::string& session, const driver::PinRow& row) {
  columns.add(session, row.era, row.cursor.consumer, slot_column(row.cursor),
              lane_column(row.cursor.lane), row.head, row.reducer, row.snapshot);
}

}  // namespace pawl::postgres
