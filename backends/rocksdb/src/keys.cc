// keys.cc: see keys.h.
#include "keys.h"

namespace pawl::rocksdb {

std::string after_prefix(std::string_view prefix) {
  std::string next(prefix);
  while (!next.empty() && next.back() == '\xFF') next.pop_back();
  if (next.empty()) throw BadEncoding("a prefix has no successor");
  next.back() = static_cast<char>(static_cast<unsigned char>(next.back()) + 1);
  return next;
}

KeyReader::KeyReader(std::string_view key, std::string_view prefix) : rest_(key) {
  if (!key.starts_with(prefix)) throw BadEncoding("a key lies outside of its range");
  rest_.remove_prefix(prefix.size());
}

std::string KeyReader::name() {
  const std::size_t end = rest_.find('\0');
  if (end == std::string_view::npos || end == 0) throw BadEncoding("a key has no name");
  std::string text(rest_.substr(0, end));
  rest_.remove_prefix(end + 1);
  return text;
}

Lane KeyReader::lane() {
  if (rest_.starts_with('\xFF')) {
    rest_.remove_prefix(1);
    return std::nullopt;
  }
  return name();
}

std::int64_t KeyReader::number() {
  if (rest_.size() < 8) throw BadEncoding("a key has no number");
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 8; ++i) value = value << 8 | static_cast<unsigned char>(rest_[i]);
  rest_.remove_prefix(8);
  if (value > static_cast<std::uint64_t>(driver::kNever)) throw BadEncoding("a number is negative");
  return static_cast<std::int64_t>(value);
}

void KeyReader::end() const {
  if (!rest_.empty()) throw BadEncoding("a key goes on after its end");
}

std::string cursor_key(std::string_view session, std::int64_t era, const driver::CursorKey& key) {
  return Key(Tag::kCursor)
      .name(session)
      .number(era)
      .name(key.consumer)
      .lane(key.lane)
      .number(key.index)
      .take();
}

std::string due_key(std::string_view session, std::int64_t era, std::string_view consumer,
                    std::int64_t due, std::int64_t head, const Lane& lane) {
  return Key(Tag::kDue)
      .name(session)
      .number(era)
      .name(consumer)
      .number(due)
      .number(head)
      .lane(lane)
      .take();
}

std::string due_key(std::string_view session, const driver::CursorRow& row) {
  return due_key(session, row.era, row.key.consumer, row.due, row.head, row.key.lane);
}

std::string dead_key(std::string_view session, const driver::CursorRow& row) {
  return Key(Tag::kDead)
      .name(session)
      .number(row.era)
      .number(row.head)
      .name(row.key.consumer)
      .lane(row.key.lane)
      .take();
}

std::string work_key(std::string_view session, const std::string& consumer, const Lane& lane,
                     std::int64_t index) {
  return Key(Tag::kWork).name(session).name(consumer).lane(lane).number(index).take();
}

std::string finished_key(std::string_view session, const driver::WorkRow& row) {
  return Key(Tag::kFinished)
      .name(session)
      .number(row.finished_at)
      .name(row.consumer)
      .lane(row.lane)
      .number(row.index)
      .take();
}

std::string event_key(std::string_view session, std::int64_t index) {
  return Key(Tag::kEvent).name(session).number(index).take();
}

std::string ready_key(const std::string& consumer, std::int64_t due, std::int64_t since,
                      std::string_view session) {
  return Key(Tag::kReady)
      .name(consumer)
      .number(due)
      .number(due == 0 ? since : 0)
      .name(session)
      .take();
}

std::string ready_range(const std::string& consumer, bool timed) {
  return Key(Tag::kReady).name(consumer).number(timed ? 1 : 0).take();
}

std::string pin_key(std::string_view session, const driver::PinRow& pin) {
  return Key(Tag::kPin)
      .name(session)
      .number(pin.era)
      .name(pin.cursor.consumer)
      .lane(pin.cursor.lane)
      .number(pin.cursor.index)
      .number(pin.head)
      .name(pin.reducer)
      .number(pin.snapshot)
      .take();
}

std::string snapshot_key(Tag tag, std::string_view session, std::int64_t era,
                         std::string_view reducer, std::int64_t index) {
  return Key(tag).name(session).number(era).name(reducer).number(index).take();
}

}  // namespace pawl::rocksdb
