// pawl/types.h: the values that programs hand to a Store and get back.
//
// All are plain values: copyable, comparable where that helps, owning their text. Names
// are UTF-8 of 1 to 512 bytes without U+0000; payloads, states and presence values are
// JSON text, kept byte for byte. Field names are the contract's (core/CONTRACT.md).
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pawl {

// Times are whole milliseconds since the Unix epoch, 1 to 2^53, by the storage clock.
using Duration = std::chrono::milliseconds;
using Time = std::chrono::time_point<std::chrono::system_clock, Duration>;

// What one call may carry (contract, "Values"). More is kInvalidArgument.
inline constexpr std::int64_t kMaxNameBytes = 512;
inline constexpr std::int64_t kMaxServedConsumers = 1'000;
inline constexpr std::int64_t kMaxTypesPerLog = 1'000;
inline constexpr std::int64_t kMaxTargetsPerEvent = 256;
inline constexpr std::int64_t kMaxListEntries = 10'000;
inline constexpr std::int64_t kMaxBatchItems = 1'000;
inline constexpr std::int64_t kMaxPinsPerHead = 256;
inline constexpr std::int64_t kMaxErrorBytes = 16 * 1024;
inline constexpr std::int64_t kMaxTimeMs = std::int64_t{1} << 53;
inline constexpr std::int64_t kMaxJsonDepth = 512;

// Queues an event for one consumer: on a first-in-first-out lane, or (no lane) as an
// independent event. It may not be claimed before `available_at`.
struct Target {
  std::string consumer;
  std::optional<std::string> lane = {};
  std::optional<Time> available_at = {};
};

// The attempt at a head that an event comes from.
struct Cause {
  std::string consumer;
  std::optional<std::string> lane = {};
  std::int64_t index = 0;
  std::int64_t attempt = 0;
  std::optional<std::int64_t> batch_size = {};  // carried, not interpreted

  bool operator==(const Cause&) const = default;
};

// An event to be appended. Without an id it gets a generated, time-ordered one.
struct NewEvent {
  std::optional<std::string> id = {};
  std::string type;
  std::string payload = "null";
  std::optional<Cause> cause = {};
  std::vector<Target> targets = {};
};

struct Event {
  std::string session;
  std::int64_t index = 0;
  std::string id;
  std::string type;
  std::string payload;
  Time created_at;
  std::optional<Cause> cause;

  bool operator==(const Event&) const = default;
};

// What a consumer reads by its log cursor: every event of `types` (absent: of all types;
// empty: of none). With `backfill` a new cursor starts at the clear marker, not at the end.
struct Log {
  std::string lane = "log";
  std::optional<std::vector<std::string>> types = {};
  bool backfill = false;
};

struct Consumer {
  std::string name;
  std::optional<Log> log = {};
};

// The consumers a call is about. Absent: all; empty: none. Borrowed: whatever it points
// to must live until the call returns.
using Served = std::optional<std::span<const Consumer>>;

// A head is named by its consumer, its lane (none for an independent event) and index.
struct HeadRef {
  std::string consumer;
  std::optional<std::string> lane = {};
  std::int64_t index = 0;

  bool operator==(const HeadRef&) const = default;
};

// A head and the attempt at it: the fencing token. It never comes round again.
struct Claim {
  std::string consumer;
  std::optional<std::string> lane = {};
  std::int64_t index = 0;
  std::int64_t attempt = 0;
};

enum class CursorKind { kLog, kLane, kEvent };
std::string_view to_string(CursorKind kind);

// How often and by whom a head was tried. A fresh head has all of it empty.
struct Dispatch {
  std::int64_t attempt_count = 0;
  std::optional<Time> first_claimed_at;
  std::optional<Time> last_claimed_at;
  std::optional<std::string> claim_holder;
  std::optional<Time> claim_expires_at;  // without a holder: not to be claimed before
  std::int64_t failure_count = 0;
  std::optional<Time> last_failed_at;
  std::optional<std::int64_t> last_failed_attempt;
  std::optional<std::string> last_error;
  std::optional<Time> failed_at;  // present: a dead letter

  bool operator==(const Dispatch&) const = default;
};

struct Cursor : Dispatch {
  std::string consumer;
  CursorKind kind = CursorKind::kLog;
  std::optional<std::string> lane;
  std::int64_t position = 0;
  std::optional<std::int64_t> head;  // absent: idle

  bool operator==(const Cursor&) const = default;
};

// An event that is the head of a cursor.
struct Head : Dispatch {
  Event event;
  std::string consumer;
  CursorKind kind = CursorKind::kLog;
  std::optional<std::string> lane;
  std::int64_t clear_index = 0;  // 0: never cleared

  HeadRef ref() const { return {consumer, lane, event.index}; }
  operator Claim() const { return {consumer, lane, event.index, attempt_count}; }  // NOLINT

  bool operator==(const Head&) const = default;
};

// What a store is, for people: `pawl --version`, logs, reports. Never a password or URI.
struct Info {
  std::string scheme;
  std::string engine;      // "SQLite 3.40.1"
  std::string durability;  // "full", "relaxed" or "none"
  std::map<std::string, std::string> details;
};

// How a store is doing now, for monitoring. The engine's header says what the names mean; an
// engine that has nothing to tell gives neither.
struct Stats {
  std::map<std::string, std::int64_t> numbers;
  std::vector<std::string> warnings;  // sentences: what needs attention, and who causes it
};

}  // namespace pawl
