// pawl/error.h: the one exception of the library.
//
// What the contract foresees in normal operation (`busy`, `superseded`, ...) is a
// result. What nobody asked for is an Error: when a call throws one, nothing of that
// call has happened, except for kInDoubt, where it may have.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace pawl {

enum class ErrorCode {
  kInvalidArgument,        // the call itself is wrong; the message names the field
  kNotConfigured,          // no such place, no permission, foreign or unknown layout
  kPartialDuplicateBatch,  // some, but not all, events of the batch are there already
  kReplayMismatch,         // the same ids with other contents
  kSupersededAttempt,      // a cause that is no longer the current attempt
  kSessionCleared,         // the origin was cleared
  kUnknownEvent,           // no event at that index
  kBusy,                   // the engine's lock could not be had in time
  kUnavailable,            // broken connection, full disk, ...: it may pass
  kInDoubt,                // broken inside the commit: it may or may not have happened
  kCorrupt,                // what is stored cannot be what this library wrote
  kClosed,                 // the store has been closed, or belongs to a parent process
};

// The code as the contract spells it: "invalid_argument", "in_doubt", ... Static storage.
std::string_view to_string(ErrorCode code);

class Error : public std::runtime_error {
 public:
  // `native` is the engine's own code as text ("SQLITE_FULL", "23505"), or empty.
  Error(ErrorCode code, const std::string& message, std::string native = {})
      : std::runtime_error(message), code_(code), native_(std::move(native)) {}

  ErrorCode code() const noexcept { return code_; }

  // True when the same call may succeed later: kBusy and kUnavailable as it is, kInDoubt
  // for the calls that may be repeated (contract, "Atomicity").
  bool retryable() const noexcept {
    return code_ == ErrorCode::kBusy || code_ == ErrorCode::kUnavailable ||
           code_ == ErrorCode::kInDoubt;
  }

  const std::string& native() const noexcept { return native_; }

 private:
  ErrorCode code_;
  std::string native_;
};

}  // namespace pawl
