// The key space. One codec: order-preserving and injective, so that ranges of keys are
// ranges of rows, and no two rows share a key.
//
//   name    its bytes, then 0x00, which no name contains
//   lane    a name; none: 0xFF, a byte that UTF-8 never has and that sorts last
//   number  8 bytes, big-endian; never negative
//
//   s session                                      -> the session's row
//   l session                                      -> (listed sessions)
//   u session                                      -> (sessions that need upkeep)
//   n finished_since session                       -> (sessions with finished work)
//   e session index                                -> event
//   i session id                                   -> index
//   t session type index                           -> (events by type)
//   c session era consumer lane slot               -> cursor; slot: of an event cursor, else 0
//   g session consumer lane                        -> era of the log cursor's row
//   q session era consumer due head lane           -> since (cursors with due < never)
//   x session era head consumer lane               -> (dead letters)
//   w session consumer lane index                  -> queued lane work, finished work
//   f session finished_at consumer lane index      -> (finished work)
//   r session consumer                             -> first q key with due 0, and above 0
//   y consumer due since session                   -> (first keys; since is 0 unless due is)
//   m session era reducer index                    -> snapshot: updated_at, pins
//   v session era reducer index                    -> the snapshot's state
//   p session era consumer lane slot head reducer snapshot -> (pins)
//   h namespace participant field                  -> presence
//   k namespace expires_at participant field       -> (presence by expiry)
//   o expires_at namespace participant field       -> (presence by expiry, of all namespaces)
//   z                                              -> (stands in memory; see database.cc)
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "pawl/driver/rows.h"

namespace pawl::rocksdb {

// Damaged bytes. The backend turns it into kCorrupt.
struct BadEncoding : std::runtime_error {
  explicit BadEncoding(const char* what) : std::runtime_error(what) {}
};

enum class Tag : char {
  kCursor = 'c',
  kEvent = 'e',
  kFinished = 'f',
  kLog = 'g',
  kPresence = 'h',
  kId = 'i',
  kExpiry = 'k',
  kListed = 'l',
  kSnapshot = 'm',
  kFinishedSince = 'n',
  kExpiryOfAll = 'o',
  kPin = 'p',
  kDue = 'q',
  kFirstKey = 'r',
  kSession = 's',
  kType = 't',
  kUpkeep = 'u',
  kState = 'v',
  kWork = 'w',
  kDead = 'x',
  kReady = 'y',
  kMark = 'z',
};

using Lane = std::optional<std::string>;

// Builds a key part by part: Key(Tag::kWork).name(session).name(consumer).lane(lane).number(i).
class Key {
 public:
  explicit Key(Tag tag) {
    bytes_.reserve(96);
    bytes_.push_back(static_cast<char>(tag));
  }
  // Goes on from these parts.
  explicit Key(std::string parts) : bytes_(std::move(parts)) {}

  Key& name(std::string_view text) {
    bytes_.append(text);
    bytes_.push_back('\0');
    return *this;
  }
  Key& lane(const Lane& lane) {
    if (lane) return name(*lane);
    bytes_.push_back('\xFF');
    return *this;
  }
  Key& number(std::int64_t value) {
    char digits[8];
    for (int i = 0; i < 8; ++i) {
      digits[i] = static_cast<char>(static_cast<std::uint64_t>(value) >> (56 - 8 * i));
    }
    bytes_.append(digits, sizeof(digits));
    return *this;
  }

  const std::string& bytes() const { return bytes_; }
  // Leaves nothing behind.
  std::string take() { return std::move(bytes_); }
  operator std::string_view() const { return bytes_; }  // NOLINT

 private:
  std::string bytes_;
};

// Where the range of a tag's keys begins.
inline std::string range_of(Tag tag) { return Key(tag).take(); }

// The least key that is greater than every key beginning with `prefix` (which has a byte
// below 0xFF, as every key of ours does).
std::string after_prefix(std::string_view prefix);

// Takes a key apart again. Throws BadEncoding where the bytes are not of that form.
class KeyReader {
 public:
  // `prefix` is what the key is known to begin with.
  KeyReader(std::string_view key, std::string_view prefix);
  std::string name();
  Lane lane();
  std::int64_t number();
  void end() const;

 private:
  std::string_view rest_;
};

// ---- the keys of rows. Each is the prefix of nothing but itself.

std::string cursor_key(std::string_view session, std::int64_t era, const driver::CursorKey& key);
std::string due_key(std::string_view session, std::int64_t era, std::string_view consumer,
                    std::int64_t due, std::int64_t head, const Lane& lane);
std::string due_key(std::string_view session, const driver::CursorRow& row);
std::string dead_key(std::string_view session, const driver::CursorRow& row);
std::string work_key(std::string_view session, const std::string& consumer, const Lane& lane,
                     std::int64_t index);
std::string finished_key(std::string_view session, const driver::WorkRow& row);
std::string event_key(std::string_view session, std::int64_t index);
std::string ready_key(const std::string& consumer, std::int64_t due, std::int64_t since,
                      std::string_view session);
// Where the first keys of a consumer begin that wait for no time, and those that do.
std::string ready_range(const std::string& consumer, bool timed);
std::string pin_key(std::string_view session, const driver::PinRow& pin);
std::string snapshot_key(Tag tag, std::string_view session, std::int64_t era,
                         std::string_view reducer, std::int64_t index);

}  // namespace pawl::rocksdb
