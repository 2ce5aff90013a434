// A store in memory on a manual clock, and short ways to use it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "pawl/clock.h"
#include "pawl/error.h"
#include "pawl/memory.h"
#include "pawl/store.h"

namespace pawl::testing {

inline Time ms(std::int64_t time) { return Time(Duration(time)); }

inline NewEvent event(std::optional<std::string> id, std::vector<Target> targets = {},
                      std::string payload = "1") {
  return {std::move(id), "t", std::move(payload), std::nullopt, std::move(targets)};
}

struct Memory {
  std::shared_ptr<ManualClock> clock = std::make_shared<ManualClock>(100);
  OpenOptions options = {.clock = clock, .ids = sequential_id_source()};

  Store open(const std::string& name = "") const { return memory::open(name, options); }
};

// What `call` throws, or nothing.
template <class Call>
std::optional<ErrorCode> thrown(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  return std::nullopt;
}

// "c#3 c/k#4": which heads, in order.
inline std::string refs(const std::vector<Head>& heads) {
  std::string out;
  for (const Head& head : heads) {
    out += (out.empty() ? "" : " ") + head.consumer + (head.lane ? "/" + *head.lane : "") + "#" +
           std::to_string(head.event.index);
  }
  return out;
}

inline std::string indexes(const std::vector<Event>& events) {
  std::string out;
  for (const Event& one : events) out += (out.empty() ? "" : " ") + std::to_string(one.index);
  return out;
}

}  // namespace pawl::testing
