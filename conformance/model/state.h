// What the model remembers: plain structs, named as the contract names them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace pawl::model {

using Json = nlohmann::json;
using Lane = std::optional<std::string>;

// An error of the contract. Whoever throws it has changed nothing that is not put back.
struct ModelError {
  std::string code;
  std::string message;
};

// A payload, state or value. Shared, since the model copies sessions freely.
struct TextValue {
  std::string text;
  Json value;
};
using Text = std::shared_ptr<const TextValue>;

struct HeadRef {
  std::string consumer;
  Lane lane;
  std::int64_t index = 0;
  bool operator==(const HeadRef&) const = default;
};

struct Cause {
  HeadRef head;
  std::int64_t attempt = 0;
  std::optional<std::int64_t> batch_size;
};

struct Target {
  std::string consumer;
  Lane lane;
  std::optional<std::int64_t> available_at;
};

struct NewEvent {
  std::optional<std::string> id;
  std::string type;
  Text payload;
  std::optional<Cause> cause;
  std::vector<Target> targets;
};

struct Event {
  std::int64_t index = 0;
  std::string id;
  std::string type;
  Text payload;
  std::int64_t created_at = 0;
  std::optional<Cause> cause;
};

// Absent: all types.
using Types = std::optional<std::set<std::string>>;

struct Log {
  std::string lane = "log";
  Types types;
  bool backfill = false;
};

struct Consumer {
  std::string name;
  std::optional<Log> log;
};

// Served consumers; absent: all.
using Served = std::optional<std::vector<Consumer>>;

// Starts fresh with every head.
struct Dispatch {
  std::int64_t attempt_count = 0;
  std::optional<std::int64_t> first_claimed_at;
  std::optional<std::int64_t> last_claimed_at;
  std::optional<std::string> claim_holder;
  std::optional<std::int64_t> claim_expires_at;
  std::int64_t failure_count = 0;
  std::optional<std::int64_t> last_failed_at;
  std::optional<std::int64_t> last_failed_attempt;
  std::optional<std::string> last_error;
  std::optional<std::int64_t> failed_at;
  std::optional<std::int64_t> last_released_attempt;
  std::int64_t claimable_since = 0;  // looked at only where no time is waited for
};

struct Completion {
  std::int64_t index = 0;
  std::int64_t attempt = 0;
  std::vector<std::string> ids;
};

enum class Kind { kLog, kLane, kEvent };

struct Cursor {
  Kind kind = Kind::kEvent;
  std::string consumer;
  Lane lane;               // of a log or lane cursor
  std::int64_t event = 0;  // of an event cursor
  std::int64_t position = 0;
  std::optional<std::int64_t> head;
  Dispatch dispatch;
  Types types;                              // of a log cursor
  std::optional<Completion> completion;     // of a log or event cursor
  std::optional<std::int64_t> finished_at;  // of an event cursor
};

// An event queued on a lane; it stays, finished, until it is pruned or reclaimed.
struct LaneEntry {
  std::string consumer;
  std::string lane;
  std::int64_t index = 0;
  std::optional<std::int64_t> available_at;
  std::optional<std::int64_t> finished_at;
  std::optional<Completion> completion;
};

struct Snapshot {
  std::string reducer;
  std::int64_t index = 0;
  Text state;
  std::int64_t updated_at = 0;
};

struct Pin {
  HeadRef head;
  std::string reducer;
  std::int64_t snapshot = 0;
};

struct Session {
  std::string name;
  std::int64_t last_index = 0;
  std::int64_t clear_index = 0;
  std::int64_t noted_marker = 0;  // of the latest deletion; what it is at or above is another life
  bool deleting = false;          // that deletion is not done
  std::vector<Event> events;
  std::vector<Cursor> cursors;
  std::vector<LaneEntry> entries;
  std::vector<Snapshot> snapshots;
  std::vector<Pin> pins;
  std::map<std::string, std::int64_t> floors;  // of consumers whose lane cursors were deleted
};

struct PresenceRow {
  Text value;
  std::optional<std::int64_t> seen;
  std::int64_t at = 0;
  std::int64_t expires_at = 0;
};

// (namespace, participant, field)
using Presence = std::map<std::tuple<std::string, std::string, std::string>, PresenceRow>;

// Lanes are ordered by their bytes, none last.
inline std::tuple<bool, std::string> lane_order(const Lane& lane) {
  return {!lane, lane.value_or("")};
}

// Heads are ordered by index, then consumer, then lane.
inline auto head_order(const HeadRef& ref) {
  return std::tuple(ref.index, ref.consumer, lane_order(ref.lane));
}

}  // namespace pawl::model
