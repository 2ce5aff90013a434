// memory.cc: see memory.h.
#include "memory.h"

#include <utility>

namespace pawl::rocksdb {
namespace {

// Of an entry, beside its text.
constexpr std::int64_t kEntryBytes = 128;

std::int64_t bytes_of(const driver::CursorKey& key, const std::optional<driver::CursorRow>& row) {
  std::int64_t bytes = kEntryBytes + sizeof(driver::CursorRow) + 2 * std::ssize(key.consumer);
  if (key.lane) bytes += 2 * std::ssize(*key.lane);
  if (!row) return bytes;
  if (row->last_error) bytes += std::ssize(*row->last_error);
  if (row->types) {
    for (const std::string& type : *row->types) bytes += kEntryBytes / 2 + std::ssize(type);
  }
  if (row->completion) {
    for (const std::string& id : row->completion->ids) bytes += kEntryBytes / 2 + std::ssize(id);
  }
  return bytes;
}

}  // namespace

void Half::change(const DueChanges& changes, bool is_timed, const std::optional<Place>& front) {
  for (const Place& place : changes.removed) first.erase(place);
  for (const Place& place : changes.put) {
    if ((place.due > 0) != is_timed) continue;
    first.erase(place);  // whose `since` may be another
    const bool is_among = !first.empty() && PlaceOrder{}(place, *first.rbegin());
    if (is_all || is_among) first.insert(place);
  }
  if (!front) {
    first.clear();
    is_all = true;
  } else if (first.empty()) {
    first.insert(*front);
  }
  while (first.size() > kMost) {
    first.erase(std::prev(first.end()));
    is_all = false;
  }
}

const std::optional<driver::CursorRow>* SessionMemory::cursor(const driver::CursorKey& key) const {
  const auto found = cursors_.find(key);
  return found == cursors_.end() ? nullptr : &found->second;
}

void SessionMemory::set_cursor(const driver::CursorKey& key,
                               std::optional<driver::CursorRow> stored) {
  cursor_bytes_ += bytes_of(key, stored);
  const auto [known, is_new] = cursors_.try_emplace(key);
  if (!is_new) cursor_bytes_ -= bytes_of(key, known->second);
  known->second = std::move(stored);
}

void SessionMemory::put_cursor(const driver::CursorRow& put) {
  if (cursors_.size() < kMostCursors || cursors_.contains(put.key)) set_cursor(put.key, put);
}

void SessionMemory::forget_cursors(Cursors::iterator cursor) {
  if (cursor == cursors_.end()) return;
  cursor_bytes_ -= bytes_of(cursor->first, cursor->second);
  cursors_.erase(cursor);
}

void SessionMemory::trim() {
  while (cursors_.size() > kMostCursors) forget_cursors(std::prev(cursors_.end()));
}

const std::string* SessionMemory::event(std::int64_t index) const {
  const auto found = events_.find(index);
  return found == events_.end() ? nullptr : &found->second;
}

void SessionMemory::add_event(std::int64_t index, std::string bytes) {
  constexpr std::size_t kMost = 256;
  constexpr std::size_t kMostBytes = 4096;
  if (bytes.size() > kMostBytes) return;
  event_bytes_ += std::ssize(bytes);
  events_.insert_or_assign(events_.end(), index, std::move(bytes));
  if (events_.size() > kMost) forget_events(events_.begin());
}

void SessionMemory::forget_events(Events::iterator event) {
  if (event == events_.end()) return;
  event_bytes_ -= std::ssize(event->second);
  events_.erase(event);
}

SessionMemory::OfConsumer& SessionMemory::of_consumer(const std::string& consumer) {
  return consumers_[consumer];
}

std::int64_t SessionMemory::bytes() const {
  std::int64_t bytes = static_cast<std::int64_t>(sizeof(*this)) + kEntryBytes;
  bytes += cursor_bytes_ + event_bytes_ + std::ssize(events_) * kEntryBytes;
  for (const auto& [name, of] : consumers_) {
    bytes += kEntryBytes + std::int64_t{sizeof(OfConsumer)} + std::ssize(name);
    bytes += std::ssize(of.free.first) * kEntryBytes + std::ssize(of.timed.first) * kEntryBytes;
  }
  return bytes;
}

}  // namespace pawl::rocksdb
