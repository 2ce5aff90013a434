// load_cursors.cc: cursors by key, what follows them, their pins, and the windows of claim.
#include <algorithm>

#include "loader.h"

namespace pawl::rocksdb {

using driver::CursorKey;
using driver::CursorRow;
using driver::FoundCursor;
using driver::kNever;
using driver::NextWork;

driver::SessionRow load_row(const View& view, const std::string& session, SessionMemory* memory) {
  if (memory != nullptr && memory->row) return *memory->row;
  const auto bytes = view.get(Key(Tag::kSession).name(session));
  const auto row = bytes ? decode_session(*bytes) : driver::SessionRow{};
  if (memory != nullptr) memory->row = row;
  return row;
}

Front load_front(const View& view, const std::string& session, const std::string& consumer,
                 SessionMemory* memory) {
  auto* const known = memory == nullptr ? nullptr : &memory->of_consumer(consumer);
  if (known != nullptr && known->front) return *known->front;
  const auto bytes = view.get(Key(Tag::kFirstKey).name(session).name(consumer));
  Front front = bytes ? decode_front(*bytes) : Front{};
  if (known != nullptr) known->front = front;
  return front;
}

std::optional<CursorRow> SessionLoader::row_at(std::int64_t era, const CursorKey& key) const {
  SessionMemory* const memory = era == row_.era ? memory_ : nullptr;
  if (memory != nullptr) {
    if (const auto* known = memory->cursor(key)) return *known;
  }
  const auto bytes = view_.get(cursor_key(session_, era, key));
  std::optional<CursorRow> row;
  if (bytes) row = decode_cursor(era, key, *bytes);
  if (memory != nullptr) memory->set_cursor(key, row);
  return row;
}

std::optional<CursorRow> SessionLoader::cursor(const CursorKey& key) const {
  std::optional<CursorRow> row = row_at(row_.era, key);
  if (row || !key.lane) return row;
  const auto era = view_.get(Key(Tag::kLog).name(session_).name(key.consumer).lane(key.lane));
  return era ? row_at(decode_number(*era), key) : std::nullopt;
}

// The row that an index entry of the present era names.
CursorRow SessionLoader::cursor_of_entry(const CursorKey& key) const {
  std::optional<CursorRow> row = row_at(row_.era, key);
  if (!row) throw BadEncoding("an index names a cursor that is not stored");
  return *std::move(row);
}

FoundCursor SessionLoader::find_cursor(const driver::CursorQuery& query) const {
  FoundCursor found;
  found.row = cursor(query.key);
  if (query.next) {
    const bool is_gone = !found.row || row_.is_deleted(found.row->era);
    if (is_gone && query.next->log) found.floor = floor_of(query.key.consumer);
    found.next = next(query.key, found.row, found.floor, *query.next);
  }
  if (query.pins && found.row) found.pins = pins(*found.row);
  return found;
}

std::int64_t SessionLoader::floor_of(const std::string& consumer) const {
  const auto row = row_at(row_.era, driver::floor_key(consumer));
  return row ? row->position : 0;
}

std::optional<NextWork> SessionLoader::next(const CursorKey& key,
                                            const std::optional<CursorRow>& row, std::int64_t floor,
                                            const driver::NextQuery& query) const {
  if (!key.lane) return std::nullopt;
  const bool present = row && row->era == row_.era;
  const std::int64_t head = present ? row->head : 0;
  if (head > 0 && query.if_idle) return std::nullopt;
  const std::int64_t place = present ? row->position : floor;
  const std::int64_t above = head > 0 ? head : std::max(place, row_.clear_index);
  if (row && row->kind == CursorKind::kLane) return next_work(key.consumer, key.lane, above);
  if (query.log && (!row || *key.lane == query.log->lane)) {
    return next_event(query.log->types, above);
  }
  return row ? next_event(row->types, above) : std::nullopt;
}

std::optional<NextWork> SessionLoader::next_work(const std::string& consumer, const Lane& lane,
                                                 std::int64_t above) const {
  if (above >= row_.last_index) return std::nullopt;
  const std::string prefix = Key(Tag::kWork).name(session_).name(consumer).lane(lane).take();
  std::optional<NextWork> found;
  view_.scan(work_key(session_, consumer, lane, above + 1), after_prefix(prefix),
             [&](std::string_view key, std::string_view value) {
               KeyReader reader(key, prefix);
               const std::int64_t index = reader.number();
               found = NextWork{index, decode_work(consumer, lane, index, value).available_at};
               return false;
             });
  return found;
}

std::optional<NextWork> SessionLoader::next_event(const driver::Types& types,
                                                  std::int64_t above) const {
  if (above >= row_.last_index) return std::nullopt;
  // Above the clear marker there are no gaps.
  if (!types) return NextWork{std::max(above + 1, row_.visible_from()), 0};
  std::optional<NextWork> least;
  for (const std::string& type : *types) {
    const std::string prefix = Key(Tag::kType).name(session_).name(type).take();
    view_.scan(Key(Tag::kType).name(session_).name(type).number(above + 1).take(),
               after_prefix(prefix), [&](std::string_view key, std::string_view) {
                 const std::int64_t index = KeyReader(key, prefix).number();
                 if (!least || index < least->index) least = NextWork{index, 0};
                 return false;
               });
  }
  return least;
}

std::vector<driver::PinFact> SessionLoader::pins(const CursorRow& row) const {
  std::vector<driver::PinFact> found;
  if (row.pins == 0 || row.era != row_.era) return found;
  const std::string prefix = Key(Tag::kPin)
                                 .name(session_)
                                 .number(row.era)
                                 .name(row.key.consumer)
                                 .lane(row.key.lane)
                                 .number(row.key.index)
                                 .number(row.head)
                                 .take();
  view_.scan(prefix, after_prefix(prefix), [&](std::string_view key, std::string_view) {
    KeyReader reader(key, prefix);
    driver::PinFact& fact = found.emplace_back();
    std::string reducer = reader.name();
    fact.pin = {row.era, row.key, row.head, std::move(reducer), reader.number()};
    return true;
  });
  for (driver::PinFact& fact : found) {
    fact.snapshot = snapshot_at(fact.pin.reducer, fact.pin.snapshot);
    if (const auto newest = newest_snapshot(fact.pin.reducer, kNever)) {
      fact.newest_index = newest->index;
    }
  }
  return found;
}

void SessionLoader::load_window(const driver::Window& window, driver::SessionFacts& facts) const {
  facts.windowed = true;
  std::vector<std::string> consumers;
  if (!window.consumers) {
    const std::string prefix = Key(Tag::kFirstKey).name(session_).take();
    view_.scan(prefix, after_prefix(prefix), [&](std::string_view key, std::string_view) {
      consumers.push_back(KeyReader(key, prefix).name());
      return true;
    });
  }
  for (const std::string& consumer : window.consumers ? *window.consumers : consumers) {
    add_window(consumer, load_front(view_, session_, consumer, memory_), window, facts);
  }
}

// The cursors from `from` on with due <= until and head <= through: the first `limit`, and, where
// they wait for no time, those that tie with the last. `is_first`: there are none before `from`.
std::vector<CursorKey> SessionLoader::due_range(const std::string& consumer, const Place& from,
                                                bool is_first, std::int64_t until,
                                                std::int64_t limit, std::int64_t through) const {
  const bool is_free = until == 0;
  std::vector<CursorKey> keys;
  std::int64_t last_head = 0;
  Half* const half = memory_ == nullptr ? nullptr : &memory_->of_consumer(consumer).half(!is_free);
  const PlaceRange range{session_, row_.era, consumer, !is_free};
  range.visit(view_, half, from, is_first, [&](const Place& place) {
    if (place.due > until) return false;
    const bool is_past = std::ssize(keys) >= limit && !(is_free && place.head == last_head);
    if (is_past || (is_free && place.head > through)) return false;
    if (place.head > through) return true;
    last_head = place.head;
    keys.push_back({consumer, place.lane, place.lane ? 0 : place.head});
    return true;
  });
  return keys;
}

void SessionLoader::add_window(const std::string& consumer, const Front& front,
                               const driver::Window& window, driver::SessionFacts& facts) const {
  const auto add = [&](const Place& from, bool is_first, std::int64_t until, std::int64_t limit) {
    if (limit <= 0 || from.due > until) return std::int64_t{0};
    const auto keys = due_range(consumer, from, is_first, until, limit, window.through);
    for (const CursorKey& key : keys) {
      FoundCursor& found = facts.window.emplace_back();
      found.row = cursor_of_entry(key);
      if (window.pins && found.row->claim_holder) found.pins = pins(*found.row);
    }
    return static_cast<std::int64_t>(keys.size());
  };
  const std::int64_t free = front.free ? add(*front.free, true, 0, window.free) : 0;
  if (!front.timed) return;
  add(*front.timed, true, now_, window.due);
  if (free >= window.free && window.free > 0) return;
  // Behind what is due already.
  const bool is_first = front.timed->due > now_;
  add(is_first ? *front.timed : Place{now_ + 1, 0, 0, ""}, is_first, kNever - 1, window.later);
}

std::optional<FoundCursor> SessionLoader::find_dead(const driver::DeadQuery& query) const {
  const std::string prefix = Key(Tag::kDead)
                                 .name(session_)
                                 .number(row_.era)
                                 .number(query.index)
                                 .name(query.consumer)
                                 .take();
  std::string from = prefix;
  if (query.lane)
    from = Key(Tag::kDead)
               .name(session_)
               .number(row_.era)
               .number(query.index)
               .name(query.consumer)
               .name(*query.lane)
               .take();
  std::optional<CursorKey> found_key;
  view_.scan(from, after_prefix(prefix), [&](std::string_view key, std::string_view) {
    Lane lane = KeyReader(key, prefix).lane();
    if (!query.lane || lane == query.lane) {
      const std::int64_t slot = lane ? 0 : query.index;
      found_key = CursorKey{query.consumer, std::move(lane), slot};
    }
    return false;
  });
  if (!found_key) return std::nullopt;
  FoundCursor found;
  found.row = cursor_of_entry(*found_key);
  found.next = next(*found_key, found.row, 0, {false, query.log});
  return found;
}

}  // namespace pawl::rocksdb
