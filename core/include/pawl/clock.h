// pawl/clock.h: where embedded stores take the time and new ids from.
//
// Both are injectable, so that tests never sleep and answers can be repeated. Every
// method may be called from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

namespace pawl {

// Milliseconds since the Unix epoch, from 1 to 2^53.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::int64_t now_ms() = 0;
};

// This machine's wall clock. It may step, as wall clocks do.
std::shared_ptr<Clock> system_clock();

// Stands still until it is set. Starts at 1.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(std::int64_t now_ms = 1) : now_ms_(now_ms) {}
  std::int64_t now_ms() override { return now_ms_.load(); }
  void set(std::int64_t now_ms) { now_ms_.store(now_ms); }
  void advance(std::int64_t ms) { now_ms_.fetch_add(ms); }

 private:
  std::atomic<std::int64_t> now_ms_;
};

// Makes ids for events that bear none.
class IdSource {
 public:
  virtual ~IdSource() = default;
  virtual std::string next() = 0;
};

// UUIDv7 (RFC 9562, section 5.7): time-ordered, and strictly increasing within the
// process (method 1 of section 6.2: a counter in rand_a that carries into the time).
std::shared_ptr<IdSource> uuid_v7_source();

// "id-1", "id-2", ...: for tests and reproducible scripts. Never for a shared store.
std::shared_ptr<IdSource> sequential_id_source();

}  // namespace pawl
