// pawl/driver/bounded_times.h: how long a store waits at most. For authors of backends.
#pragma once

#include <algorithm>
#include <chrono>

#include "pawl/open.h"

namespace pawl::driver {

// The options with busy_timeout and wake_poll of 2,000,000,000 ms (23 days) at most: what is longer
// would pass the 32 bits of a server's settings, or, added to it, the end of a clock's range.
inline OpenOptions with_bounded_times(OpenOptions options) {
  constexpr std::chrono::milliseconds kLongest{2'000'000'000};
  options.busy_timeout = std::min(options.busy_timeout, kLongest);
  options.wake_poll = std::min(options.wake_poll, kLongest);
  return options;
}

}  // namespace pawl::driver
