// Random operations on a World: few names, so that they meet, and mostly such as may succeed.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/support/verbs.h"

namespace pawl::core::testing {

// What a second call of an operation does, right after the first.
enum class Again {
  kUnknown,  // nothing is promised
  kSame,     // it gives the same answer, and writes nothing
  kIfDone,   // if the first one was done: nothing is left to do
};

struct Step {
  std::string verb;
  std::unique_ptr<Operation> operation;
  Again again = Again::kUnknown;
  bool redrives = false;     // failures may be forgotten
  std::string deletes = {};  // the consumer that delete_consumer deletes
};

class Histories {
 public:
  explicit Histories(std::uint64_t seed) : random_(seed) {}

  // Moves the world's clock, mostly forward, and draws an operation on the world.
  Step next(World& world);

 private:
  std::int64_t number(std::int64_t least, std::int64_t most);
  bool chance(int percent) { return number(1, 100) <= percent; }
  template <class T>
  const T& pick(const std::vector<T>& list) {
    return list[static_cast<std::size_t>(number(0, std::ssize(list) - 1))];
  }

  std::string session() { return chance(70) ? "s" : "a"; }
  std::string consumer() { return pick<std::string>({"c", "d", "e"}); }
  std::string type() { return chance(70) ? "t" : "u"; }
  driver::Types types();
  std::vector<Consumer> served();
  ServedSet served_or_all();
  Claim claim(const World& world, const std::string& session);
  std::int64_t index(const World& world, const std::string& session);
  std::vector<NewEvent> events(const World& world, const std::string& session, bool follow_ups);
  ClaimRequest claim_request(const World& world, const std::string& session);

  Step append(const World& world);
  Step append_batch(const World& world);
  Step wake(const World& world);
  Step claim_heads(const World& world);
  Step renew(const World& world);
  Step settle(const World& world);
  Step redrive(const World& world);
  Step put_snapshots(const World& world);
  Step clear(const World& world);
  Step upkeep(const World& world);

  std::mt19937_64 random_;
  std::int64_t ids_ = 0;
};

}  // namespace pawl::core::testing
