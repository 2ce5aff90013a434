// decide/decision.h: what every decision returns, and how decisions refuse.
//
// A decision is a pure function of a request, the facts and the query that found them. It
// may be made again on fresh facts. It throws before it returns, or not at all: effects
// exist only in what it returns.
#pragma once

#include <string>

#include "pawl/driver/effects.h"
#include "pawl/error.h"
#include "pawl/types.h"

namespace pawl::core {

template <class Answer>
struct Decision {
  driver::Effects effects;
  Answer answer;
};

[[noreturn]] inline void refuse(ErrorCode code, const std::string& message) {
  throw Error(code, message);
}
[[noreturn]] inline void refuse_argument(const std::string& field, const std::string& fault) {
  throw Error(ErrorCode::kInvalidArgument, field + " " + fault);
}

// now + duration, which must be a time.
inline std::int64_t time_after(std::int64_t now, std::int64_t duration, const char* field) {
  if (duration > kMaxTimeMs - now) refuse_argument(field, "passes the largest time, 2^53 ms");
  return now + duration;
}

// Runs a part of a call that lists items, so that what it refuses names the item: `behind` it
// stands ": ", or "." where all messages begin with a path.
template <class Part>
auto in_item(bool is_list, std::size_t i, const char* behind, Part&& part) {
  if (!is_list) return part();
  try {
    return part();
  } catch (const Error& error) {
    throw Error(error.code(), "items[" + std::to_string(i) + "]" + behind + error.what());
  }
}

}  // namespace pawl::core
