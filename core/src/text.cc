// text.cc: the contract's spelling of codes and kinds, and its order of cursors.
#include "pawl/driver/rows.h"
#include "pawl/error.h"
#include "pawl/types.h"

namespace pawl {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return "invalid_argument";
    case ErrorCode::kNotConfigured:
      return "not_configured";
    case ErrorCode::kPartialDuplicateBatch:
      return "partial_duplicate_batch";
    case ErrorCode::kReplayMismatch:
      return "replay_mismatch";
    case ErrorCode::kSupersededAttempt:
      return "superseded_attempt";
    case ErrorCode::kSessionCleared:
      return "session_cleared";
    case ErrorCode::kUnknownEvent:
      return "unknown_event";
    case ErrorCode::kBusy:
      return "busy";
    case ErrorCode::kUnavailable:
      return "unavailable";
    case ErrorCode::kInDoubt:
      return "in_doubt";
    case ErrorCode::kCorrupt:
      return "corrupt";
    case ErrorCode::kClosed:
      return "closed";
  }
  return "unknown";
}

std::string_view to_string(CursorKind kind) {
  switch (kind) {
    case CursorKind::kLog:
      return "log";
    case CursorKind::kLane:
      return "lane";
    case CursorKind::kEvent:
      return "event";
  }
  return "unknown";
}

namespace driver {

bool operator<(const CursorKey& a, const CursorKey& b) {
  if (const int order = a.consumer.compare(b.consumer); order != 0) return order < 0;
  if (a.lane.has_value() != b.lane.has_value()) return a.lane.has_value();
  if (a.lane) {
    if (const int order = a.lane->compare(*b.lane); order != 0) return order < 0;
  }
  return a.index < b.index;
}

}  // namespace driver
}  // namespace pawl
