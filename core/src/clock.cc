// clock.cc: the system clock, and ids: UUIDv7 and sequential ones.
#include "pawl/clock.h"

#include <unistd.h>

#include <chrono>
#include <mutex>
#include <random>

namespace pawl {
namespace {

class SystemClock final : public Clock {
 public:
  std::int64_t now_ms() override {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  }
};

// RFC 9562, section 6.2, method 1: the 12 bits of rand_a count within a millisecond,
// seeded below half of their range; on overflow the time runs ahead of the clock. rand_b
// is fresh for each id. A fork's child seeds anew, or both would make the same ids.
class UuidV7Source final : public IdSource {
 public:
  std::string next() override {
    const std::lock_guard lock(mutex_);
    if (const pid_t process = getpid(); process != process_) {
      process_ = process;
      random_ = seeded();
    }
    const auto now = static_cast<std::uint64_t>(system_clock()->now_ms());
    if (now > last_ms_) {
      last_ms_ = now;
      counter_ = static_cast<std::uint32_t>(random_() & 0x7FF);
    } else if (++counter_ > 0xFFF) {
      ++last_ms_;
      counter_ = 0;
    }
    const std::uint64_t high = (last_ms_ << 16) | 0x7000 | counter_;
    const std::uint64_t low = (random_() & 0x3FFF'FFFF'FFFF'FFFF) | 0x8000'0000'0000'0000;
    return format(high, low);
  }

 private:
  static std::string format(std::uint64_t high, std::uint64_t low) {
    static constexpr char kHex[] = "0123456789abcdef";
    std::string out;
    out.reserve(36);
    for (int digit = 0; digit < 32; ++digit) {
      if (digit == 8 || digit == 12 || digit == 16 || digit == 20) out += '-';
      const std::uint64_t word = digit < 16 ? high : low;
      out += kHex[(word >> (60 - 4 * (digit % 16))) & 0xF];
    }
    return out;
  }

  static std::mt19937_64 seeded() {
    std::random_device device;
    std::seed_seq seed{device(), device(), device(), device(), device(), device()};
    return std::mt19937_64(seed);
  }

  std::mutex mutex_;
  pid_t process_ = getpid();
  std::mt19937_64 random_ = seeded();
  std::uint64_t last_ms_ = 0;
  std::uint32_t counter_ = 0;
};

class SequentialIdSource final : public IdSource {
 public:
  std::string next() override { return "id-" + std::to_string(++last_); }

 private:
  std::atomic<std::int64_t> last_{0};
};

}  // namespace

std::shared_ptr<Clock> system_clock() {
  static const auto clock = std::make_shared<SystemClock>();
  return clock;
}

std::shared_ptr<IdSource> uuid_v7_source() {
  // One for the process, so that ids are increasing across its stores.
  static const auto source = std::make_shared<UuidV7Source>();
  return source;
}

std::shared_ptr<IdSource> sequential_id_source() { return std::make_shared<SequentialIdSource>(); }

}  // namespace pawl
