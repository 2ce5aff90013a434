// Times of a decision that is made before the server's clock is known.
//
// A decision takes a time in two ways only: it writes it, or it compares it with other times. So it
// is made for two instants, one behind the other: a time that moves with them is written as "so
// much after the storage clock's now", which the server adds up when it holds the lock. And it
// holds until the clock comes to the next of the times that it may have been compared with.
//
// In a parameter, `now + n` is the number -1 - n. No time is negative.
#pragma once

#include <cstdint>

#include "pawl/driver/effects.h"
#include "pawl/driver/facts.h"

namespace pawl::postgres {

// A decision is not trusted for longer.
inline constexpr std::int64_t kLongestWait = 86'400'000;

// Rewrites the times of `effects`, which are decided for `now`, where they differ from `later`,
// which are decided for now + 1. False: they differ in more than that, or a time may become none.
bool make_relative(driver::Effects& effects, driver::Effects& later, std::int64_t now);

// The first time above `now` that stands in the facts or, absolute, in the effects; at the latest
// kLongestWait after now.
std::int64_t deadline_of(const driver::Facts& facts, const driver::Effects& effects,
                         std::int64_t now);

}  // namespace pawl::postgres
