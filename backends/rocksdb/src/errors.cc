// errors.cc: see errors.h.
#include "errors.h"

#include <string>

namespace pawl::rocksdb {
namespace {

using Code = ::rocksdb::Status::Code;

bool holds(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

ErrorCode code_of(const ::rocksdb::Status& status) {
  const std::string text = status.ToString();
  switch (status.code()) {
    case Code::kCorruption:
      return ErrorCode::kCorrupt;
    case Code::kInvalidArgument:
    case Code::kNotSupported:
      return ErrorCode::kNotConfigured;
    case Code::kIOError:
      // The lock of another process, or of this one: two forms of words, one meaning.
      if (holds(text, "lock hold by current process") || holds(text, "While lock file")) {
        return ErrorCode::kNotConfigured;
      }
      if (holds(text, "Permission denied") || holds(text, "Read-only file system") ||
          holds(text, "Not a directory")) {
        return ErrorCode::kNotConfigured;
      }
      return ErrorCode::kUnavailable;
    case Code::kBusy:
    case Code::kTimedOut:
    case Code::kTryAgain:
      return ErrorCode::kBusy;
    case Code::kShutdownInProgress:
      return ErrorCode::kClosed;
    default:
      return ErrorCode::kUnavailable;
  }
}

void check(const ::rocksdb::Status& status, const char* doing) {
  if (status.ok()) return;
  throw Error(code_of(status), std::string("rocksdb: ") + doing + ": " + status.ToString(),
              std::string(status.ToString().substr(0, status.ToString().find(':'))));
}

}  // namespace pawl::rocksdb
