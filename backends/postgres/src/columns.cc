// Which field stands in which column.
#include "columns.h"

#include "rows.h"

namespace pawl::postgres {
namespace {

constexpr bool kTexts = true;

void unless(Array& column, std::int64_t value, std::int64_t nothing) {
  column.maybe_number(value == nothing ? std::nullopt : std::optional(value));
}

}  // namespace

void PinColumns::add(const std::string& session, const driver::PinRow& pin) {
  sessions_.text(session);
  eras_.number(pin.era);
  consumers_.text(pin.cursor.consumer);
  slots_.number(slot_column(pin.cursor));
  lanes_.text(lane_column(pin.cursor.lane));
  heads_.number(pin.head);
  reducers_.text(pin.reducer);
  snapshots_.number(pin.snapshot);
}

Params PinColumns::take() {
  return std::move(Params()
                       .array(sessions_)
                       .array(eras_)
                       .array(consumers_)
                       .array(slots_)
                       .array(lanes_)
                       .array(heads_)
                       .array(reducers_)
                       .array(snapshots_));
}

void SessionColumns::add(const std::string& name, const driver::SessionRow& row) {
  names_.text(name);
  numbers_[0].number(row.last_index);
  numbers_[1].number(row.clear_index);
  numbers_[2].number(row.era);
  numbers_[3].number(row.first_index);
  numbers_[4].number(row.deleted_index);
  numbers_[5].number(row.deleted_era);
  numbers_[6].number(row.finished_since);
  flags_[0].flag(row.upkeep);
  flags_[1].flag(row.deleting);
  flags_[2].flag(row.listed());
}

Params SessionColumns::take() {
  Params params;
  params.array(names_);
  for (Array& column : numbers_) params.array(column);
  for (Array& column : flags_) params.array(column);
  return params;
}

void FirstKeyColumns::add(const std::string& session, const std::string& consumer,
                          std::int64_t number) {
  sessions_.text(session);
  consumers_.text(consumer);
  numbers_.number(number);
}

Params FirstKeyColumns::take() {
  return std::move(Params().array(sessions_).array(consumers_).array(numbers_));
}

void KnownFirstColumns::add(const std::string& session, const std::string& consumer,
                            const KnownFirst& first) {
  sessions_.text(session);
  consumers_.text(consumer);
  numbers_[0].maybe_number(first.due);
  numbers_[1].maybe_number(first.moved);
  numbers_[2].number(first.since);
}

Params KnownFirstColumns::take() {
  Params params;
  params.array(sessions_).array(consumers_);
  for (const Array& column : numbers_) params.array(column);
  return params;
}

void EventCursorColumns::add(const std::string& session, const driver::CursorRow& row) {
  sessions_.text(session);
  eras_.number(row.era);
  consumers_.text(row.key.consumer);
  slots_.number(slot_column(row.key));
  unless(dues_, row.due, driver::kNever);
  since_.number(row.since);
}

Params EventCursorColumns::take() {
  return std::move(Params()
                       .array(sessions_)
                       .array(eras_)
                       .array(consumers_)
                       .array(slots_)
                       .array(dues_)
                       .array(since_));
}

void CursorColumns::add(const std::string& session, const driver::CursorRow& row) {
  const bool is_log = row.kind == CursorKind::kLog;
  const bool done = row.completion.has_value();
  at(0, kTexts).text(session);
  at(1).number(row.era);
  at(2, kTexts).text(row.key.consumer);
  at(3, kTexts).text(lane_column(row.key.lane));
  at(4).number(slot_column(row.key));
  at(5).number(static_cast<std::int64_t>(row.kind));
  at(6).number(row.position);
  at(7).number(row.head);
  unless(at(8), row.due, driver::kNever);
  at(9).number(row.since);
  at(10).number(row.attempt_count);
  at(11).number(row.first_claimed_at);
  at(12).number(row.last_claimed_at);
  at(13, kTexts).maybe_text(row.claim_holder);
  at(14).number(row.failure_count);
  at(15).number(row.last_failed_at);
  at(16).number(row.last_failed_attempt);
  at(17, kTexts).maybe_text(row.last_error);
  unless(at(18), row.failed_at, 0);
  at(19).number(row.last_released_attempt);
  at(20).number(row.pins);
  at(21, kTexts).maybe_list(is_log ? row.types : std::nullopt);
  at(22).maybe_number(done ? std::optional(row.completion->index) : std::nullopt);
  at(23).maybe_number(done ? std::optional(row.completion->attempt) : std::nullopt);
  at(24, kTexts).maybe_list(done ? std::optional(row.completion->ids) : std::nullopt);
}

Params CursorColumns::take() {
  Params params;
  for (Array& column : columns_) params.array(column);
  return params;
}

Array& CursorColumns::at(std::size_t column, bool texts) {
  if (column == 0) columns_.reserve(25);
  if (column == columns_.size()) {
    columns_.push_back(texts ? Array::of_texts() : Array::of_numbers());
  }
  return columns_[column];
}

}  // namespace pawl::postgres
