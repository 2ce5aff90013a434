// What stands behind the keys: a version byte, then numbers (base-128, low part first), texts
// (length, bytes) and lists (count, entries). Decoding checks everything and throws
// BadEncoding: the bytes come from a disk.
#pragma once

#include <string>
#include <string_view>

#include "keys.h"
#include "pawl/driver/rows.h"

namespace pawl::rocksdb {

std::string encode(const driver::SessionRow& row);
driver::SessionRow decode_session(std::string_view bytes);

// Without the index, which is in the key.
std::string encode(const driver::EventRow& row);
// With `payload` false, without payload and cause.
driver::EventRow decode_event(std::int64_t index, std::string_view bytes, bool payload = true);

// Without era and key.
std::string encode(const driver::CursorRow& row);
driver::CursorRow decode_cursor(std::int64_t era, driver::CursorKey key, std::string_view bytes);

// Without the key.
std::string encode(const driver::WorkRow& row);
driver::WorkRow decode_work(std::string consumer, Lane lane, std::int64_t index,
                            std::string_view bytes);

// updated_at and pins.
std::string encode(const driver::SnapshotRow& row);
driver::SnapshotRow decode_snapshot(std::string reducer, std::int64_t era, std::int64_t index,
                                    std::string_view bytes);

std::string encode(const driver::PresenceRow& row);
driver::PresenceRow decode_presence(std::string participant, std::string field,
                                    std::string_view bytes);

// The place of a cursor among the `q` keys of its consumer.
struct Place {
  std::int64_t due = 0;
  std::int64_t since = 0;
  std::int64_t head = 0;
  Lane lane;

  bool operator==(const Place&) const = default;
};

// The first of the cursors that wait for no time, and of those that do. From these ranges
// are sought, never from their beginning, where deleted keys lie. Both absent: no row.
struct Front {
  std::optional<Place> free;
  std::optional<Place> timed;

  bool empty() const { return !free && !timed; }
  const Place& first() const { return free ? *free : *timed; }
  bool operator==(const Front&) const = default;
};
std::string encode(const Front& front);
Front decode_front(std::string_view bytes);

std::string encode_number(std::int64_t value);
std::int64_t decode_number(std::string_view bytes);

}  // namespace pawl::rocksdb
