// errors.cc: see errors.h.
#include "errors.h"

namespace pawl::rocksdb {
namespace {

using ::rocksdb::Status;

constexpr ErrorCode kBusy = ErrorCode::kBusy;
constexpr ErrorCode kBadPlace = ErrorCode::kNotConfigured;
constexpr ErrorCode kPasses = ErrorCode::kUnavailable;
constexpr ErrorCode kDoubt = ErrorCode::kInDoubt;
constexpr ErrorCode kCorrupt = ErrorCode::kCorrupt;
constexpr ErrorCode kClosed = ErrorCode::kClosed;

struct Entry {
  Status::Code code;
  Status::SubCode subcode;
  const char* name;
  ErrorCode opening;
  ErrorCode running;
  ErrorCode committing;
};

// A pair that is not listed is looked up by its code alone.
//
// Committing: what fails while the log is written or synced may be found in it by a later
// recovery, or not. What is refused before that has not happened.
constexpr Entry kEntries[] = {
    {Status::kNotFound, Status::kNone, "NotFound", kCorrupt, kCorrupt, kCorrupt},
    {Status::kCorruption, Status::kNone, "Corruption", kCorrupt, kCorrupt, kCorrupt},
    {Status::kNotSupported, Status::kNone, "NotSupported", kBadPlace, kPasses, kPasses},
    {Status::kInvalidArgument, Status::kNone, "InvalidArgument", kBadPlace, kPasses, kPasses},
    {Status::kIOError, Status::kNone, "IOError", kPasses, kPasses, kDoubt},
    {Status::kIOError, Status::kNoSpace, "IOError(NoSpace)", kPasses, kPasses, kDoubt},
    {Status::kIOError, Status::kPathNotFound, "IOError(PathNotFound)", kCorrupt, kCorrupt, kDoubt},
    {Status::kMergeInProgress, Status::kNone, "MergeInProgress", kPasses, kPasses, kDoubt},
    {Status::kIncomplete, Status::kNone, "Incomplete", kPasses, kPasses, kDoubt},
    {Status::kShutdownInProgress, Status::kNone, "ShutdownInProgress", kClosed, kClosed, kClosed},
    {Status::kTimedOut, Status::kNone, "TimedOut", kBusy, kBusy, kBusy},
    {Status::kAborted, Status::kNone, "Aborted", kPasses, kPasses, kDoubt},
    {Status::kAborted, Status::kMemoryLimit, "Aborted(MemoryLimit)", kPasses, kPasses, kDoubt},
    {Status::kBusy, Status::kNone, "Busy", kBusy, kBusy, kBusy},
    {Status::kExpired, Status::kNone, "Expired", kBusy, kBusy, kBusy},
    {Status::kTryAgain, Status::kNone, "TryAgain", kBusy, kBusy, kBusy},
    {Status::kCompactionTooLarge, Status::kNone, "CompactionTooLarge", kPasses, kPasses, kPasses},
    {Status::kColumnFamilyDropped, Status::kNone, "ColumnFamilyDropped", kCorrupt, kCorrupt,
     kCorrupt},
};

const Entry* find(Status::Code code, Status::SubCode subcode) {
  for (const Entry& entry : kEntries) {
    if (entry.code == code && entry.subcode == subcode) return &entry;
  }
  return nullptr;
}

bool holds(const Status& status, const char* part) {
  const char* const text = status.getState();
  return text != nullptr && std::string_view(text).find(part) != std::string_view::npos;
}

// Only the text tells these apart from an input or output that failed.
bool is_about_permission(const Status& status) {
  return holds(status, "Permission denied") || holds(status, "Operation not permitted") ||
         holds(status, "Read-only file system");
}

}  // namespace

bool is_lock_of_this_process(const Status& status) {
  return status.IsIOError() && holds(status, "lock hold by current process");
}

bool is_lock_of_another_process(const Status& status) {
  return status.IsIOError() && holds(status, "While lock file") && !is_about_permission(status);
}

ErrorCode error_code(const Status& status, Phase phase) {
  const Entry* entry = find(status.code(), status.subcode());
  if (entry == nullptr) entry = find(status.code(), Status::kNone);
  if (entry == nullptr) return phase == Phase::kCommitting ? kDoubt : kPasses;
  switch (phase) {
    case Phase::kOpening:
      return status.IsIOError() && is_about_permission(status) ? kBadPlace : entry->opening;
    case Phase::kRunning:
      return entry->running;
    case Phase::kCommitting:
      // With a severity it is the error for which the database had stopped taking writes before.
      return status.severity() > Status::kNoError ? entry->running : entry->committing;
  }
  return kPasses;
}

std::string status_name(const Status& status) {
  const Entry* entry = find(status.code(), status.subcode());
  if (entry != nullptr) return entry->name;
  entry = find(status.code(), Status::kNone);
  const std::string code =
      entry != nullptr ? entry->name : "Status " + std::to_string(status.code());
  return code + "(" + std::to_string(status.subcode()) + ")";
}

void throw_status(const Status& status, Phase phase, std::string_view doing) {
  std::string message = "rocksdb: ";
  message += status.ToString();
  message += " while ";
  message += doing;
  throw Error(error_code(status, phase), message, status_name(status));
}

}  // namespace pawl::rocksdb
