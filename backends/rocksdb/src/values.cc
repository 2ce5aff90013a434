// values.cc: see values.h.
#include "values.h"

#include <charconv>

namespace pawl::rocksdb {
namespace {

constexpr char kVersion = 1;

class Writer {
 public:
  explicit Writer(std::size_t room = 96) {
    bytes_.reserve(room);
    bytes_.push_back(kVersion);
  }

  Writer& number(std::int64_t value) {
    char digits[10];
    std::size_t count = 0;
    auto rest = static_cast<std::uint64_t>(value);
    for (; rest >= 0x80; rest >>= 7) digits[count++] = static_cast<char>(rest | 0x80);
    digits[count++] = static_cast<char>(rest);
    bytes_.append(digits, count);
    return *this;
  }
  Writer& text(std::string_view value) {
    number(std::ssize(value));
    bytes_.append(value);
    return *this;
  }
  Writer& optional_text(const std::optional<std::string>& value) {
    number(value ? 1 : 0);
    if (value) text(*value);
    return *this;
  }
  Writer& texts(const std::vector<std::string>& values) {
    number(std::ssize(values));
    for (const std::string& value : values) text(value);
    return *this;
  }
  Writer& completion(const std::optional<driver::Completion>& value) {
    number(value ? 1 : 0);
    if (value) number(value->index).number(value->attempt).texts(value->ids);
    return *this;
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {
    if (rest_.empty() || rest_.front() != kVersion) throw BadEncoding("a value has no version");
    rest_.remove_prefix(1);
  }

  std::int64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 63; shift += 7) {
      if (rest_.empty()) break;
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if ((byte & 0x80) == 0) return static_cast<std::int64_t>(value);
    }
    throw BadEncoding("a value has a bad number");
  }
  bool flag() {
    const std::int64_t value = number();
    if (value > 1) throw BadEncoding("a value has a bad flag");
    return value == 1;
  }
  std::string_view bytes() {
    const std::int64_t size = number();
    if (size > std::ssize(rest_)) throw BadEncoding("a value has a bad length");
    const std::string_view found = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(found.size());
    return found;
  }
  std::string text() { return std::string(bytes()); }
  std::optional<std::string> optional_text() {
    return flag() ? std::optional(text()) : std::nullopt;
  }
  // Every entry takes at least a byte.
  std::size_t count() {
    const std::int64_t value = number();
    if (value > std::ssize(rest_)) throw BadEncoding("a value has a bad count");
    return static_cast<std::size_t>(value);
  }
  std::vector<std::string> texts() {
    std::vector<std::string> values;
    for (std::size_t left = count(); left > 0; --left) values.push_back(text());
    return values;
  }
  std::optional<driver::Completion> completion() {
    if (!flag()) return std::nullopt;
    driver::Completion value;
    value.index = number();
    value.attempt = number();
    value.ids = texts();
    return value;
  }
  void end() const {
    if (!rest_.empty()) throw BadEncoding("a value goes on after its end");
  }

 private:
  std::string_view rest_;
};

// `due` as a small number: 0, then times, and never as 1 less than 0 would be.
constexpr std::int64_t kDueNever = 1;
std::int64_t small_due(std::int64_t due) {
  if (due == driver::kNever) return kDueNever;
  return due == 0 ? 0 : due + 1;
}
std::int64_t due_of(std::int64_t small) {
  if (small == kDueNever) return driver::kNever;
  return small == 0 ? 0 : small - 1;
}

}  // namespace

std::string encode(const driver::SessionRow& row) {
  return Writer()
      .number(row.last_index)
      .number(row.clear_index)
      .number(row.era)
      .number(row.first_index)
      .number(row.deleted_index)
      .number(row.deleted_era)
      .number(row.finished_since)
      .number((row.upkeep ? 1 : 0) + (row.deleting ? 2 : 0))
      .take();
}

driver::SessionRow decode_session(std::string_view bytes) {
  Reader reader(bytes);
  driver::SessionRow row;
  row.last_index = reader.number();
  row.clear_index = reader.number();
  row.era = reader.number();
  row.first_index = reader.number();
  row.deleted_index = reader.number();
  row.deleted_era = reader.number();
  row.finished_since = reader.number();
  const std::int64_t flags = reader.number();
  if (flags > 3 || !row.is_sound()) throw BadEncoding("a session's row contradicts itself");
  row.upkeep = (flags & 1) != 0;
  row.deleting = (flags & 2) != 0;
  reader.end();
  return row;
}

std::string encode(const driver::EventRow& row) {
  Writer writer;
  writer.text(row.id).text(row.type).number(row.created_at).number(row.era);
  writer.number(std::ssize(row.targets));
  for (const driver::TargetRow& target : row.targets) {
    writer.text(target.consumer).optional_text(target.lane);
  }
  writer.number(row.cause ? 1 : 0);
  if (row.cause) {
    writer.text(row.cause->consumer)
        .optional_text(row.cause->lane)
        .number(row.cause->index)
        .number(row.cause->attempt)
        .number(row.cause->batch_size.value_or(0));
  }
  return writer.text(row.payload).take();
}

driver::EventRow decode_event(std::int64_t index, std::string_view bytes, bool payload) {
  Reader reader(bytes);
  driver::EventRow row;
  row.index = index;
  row.id = reader.text();
  row.type = reader.text();
  row.created_at = reader.number();
  row.era = reader.number();
  for (std::size_t left = reader.count(); left > 0; --left) {
    driver::TargetRow& target = row.targets.emplace_back();
    target.consumer = reader.text();
    target.lane = reader.optional_text();
  }
  if (!payload) return row;
  if (reader.flag()) {
    Cause& cause = row.cause.emplace();
    cause.consumer = reader.text();
    cause.lane = reader.optional_text();
    cause.index = reader.number();
    cause.attempt = reader.number();
    if (const std::int64_t size = reader.number()) cause.batch_size = size;
  }
  row.payload = reader.text();
  reader.end();
  return row;
}

std::string encode(const driver::CursorRow& row) {
  Writer writer;
  writer.number(static_cast<std::int64_t>(row.kind))
      .number(row.position)
      .number(row.head)
      .number(small_due(row.due))
      .number(row.since)
      .number(row.attempt_count)
      .number(row.first_claimed_at)
      .number(row.last_claimed_at)
      .optional_text(row.claim_holder)
      .number(row.failure_count)
      .number(row.last_failed_at)
      .number(row.last_failed_attempt)
      .optional_text(row.last_error)
      .number(row.failed_at)
      .number(row.last_released_attempt)
      .number(row.pins)
      .number(row.types ? 1 : 0);
  if (row.types) writer.texts(*row.types);
  return writer.completion(row.completion).take();
}

driver::CursorRow decode_cursor(std::int64_t era, driver::CursorKey key, std::string_view bytes) {
  Reader reader(bytes);
  driver::CursorRow row;
  row.era = era;
  row.key = std::move(key);
  const std::int64_t kind = reader.number();
  if (kind > static_cast<std::int64_t>(CursorKind::kEvent)) {
    throw BadEncoding("a cursor is of no kind");
  }
  row.kind = static_cast<CursorKind>(kind);
  row.position = reader.number();
  row.head = reader.number();
  row.due = due_of(reader.number());
  row.since = reader.number();
  row.attempt_count = reader.number();
  row.first_claimed_at = reader.number();
  row.last_claimed_at = reader.number();
  row.claim_holder = reader.optional_text();
  row.failure_count = reader.number();
  row.last_failed_at = reader.number();
  row.last_failed_attempt = reader.number();
  row.last_error = reader.optional_text();
  row.failed_at = reader.number();
  row.last_released_attempt = reader.number();
  row.pins = reader.number();
  row.types.reset();
  if (reader.flag()) row.types = reader.texts();
  row.completion = reader.completion();
  reader.end();
  if (!row.is_sound()) throw BadEncoding("a cursor's row contradicts itself");
  return row;
}

std::string encode(const driver::WorkRow& row) {
  return Writer()
      .number(row.available_at)
      .number(row.finished_at)
      .completion(row.completion)
      .take();
}

driver::WorkRow decode_work(std::string consumer, Lane lane, std::int64_t index,
                            std::string_view bytes) {
  Reader reader(bytes);
  driver::WorkRow row;
  row.consumer = std::move(consumer);
  row.lane = std::move(lane);
  row.index = index;
  row.available_at = reader.number();
  row.finished_at = reader.number();
  row.completion = reader.completion();
  reader.end();
  return row;
}

std::string encode(const driver::SnapshotRow& row) {
  return Writer().number(row.updated_at).number(row.pins).take();
}

driver::SnapshotRow decode_snapshot(std::string reducer, std::int64_t era, std::int64_t index,
                                    std::string_view bytes) {
  Reader reader(bytes);
  driver::SnapshotRow row;
  row.reducer = std::move(reducer);
  row.era = era;
  row.index = index;
  row.updated_at = reader.number();
  row.pins = reader.number();
  reader.end();
  return row;
}

std::string encode(const driver::PresenceRow& row) {
  Writer writer;
  writer.number(row.tombstone ? 1 : 0).number(row.at).number(row.expires_at);
  // `seen` may be negative, which numbers here may not.
  writer.number(row.seen ? 1 : 0);
  if (row.seen) writer.text(std::to_string(*row.seen));
  return writer.text(row.value).take();
}

driver::PresenceRow decode_presence(std::string participant, std::string field,
                                    std::string_view bytes) {
  Reader reader(bytes);
  driver::PresenceRow row;
  row.participant = std::move(participant);
  row.field = std::move(field);
  row.tombstone = reader.flag();
  row.at = reader.number();
  row.expires_at = reader.number();
  if (reader.flag()) {
    const std::string_view text = reader.bytes();
    const char* const end = text.data() + text.size();
    const auto [stop, fault] = std::from_chars(text.data(), end, row.seen.emplace());
    if (fault != std::errc() || stop != end) {
      throw BadEncoding("a presence row has a bad `seen`");
    }
  }
  row.value = reader.text();
  reader.end();
  return row;
}

std::string encode(const Front& front) {
  Writer writer;
  for (const auto& place : {front.free, front.timed}) {
    writer.number(place ? 1 : 0);
    if (!place) continue;
    writer.number(place->due).number(place->since).number(place->head).optional_text(place->lane);
  }
  return writer.take();
}

Front decode_front(std::string_view bytes) {
  Reader reader(bytes);
  Front front;
  for (std::optional<Place>* place : {&front.free, &front.timed}) {
    if (!reader.flag()) continue;
    Place& found = place->emplace();
    found.due = reader.number();
    found.since = reader.number();
    found.head = reader.number();
    found.lane = reader.optional_text();
  }
  reader.end();
  const bool is_sound =
      !front.empty() && (!front.free || front.free->due == 0) &&
      (!front.timed || (front.timed->due > 0 && front.timed->due != driver::kNever));
  if (!is_sound) throw BadEncoding("a first key contradicts itself");
  return front;
}

// Without a block of its own.
std::string encode_number(std::int64_t value) { return Writer(0).number(value).take(); }

std::int64_t decode_number(std::string_view bytes) {
  Reader reader(bytes);
  const std::int64_t value = reader.number();
  reader.end();
  return value;
}

}  // namespace pawl::rocksdb
