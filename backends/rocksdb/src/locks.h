// Mutexes for sessions and presence namespaces: as many as there are stripes, each for all
// names of one hash. Several are taken in the order of their stripes, so that two calls
// cannot wait for each other; those of picked sessions are only tried.
//
// A stripe keeps what is remembered of its sessions (memory.h). When all stripes together remember
// too much, one after the other forgets everything, in turn.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "memory.h"

namespace pawl::rocksdb {

inline constexpr std::size_t kStripes = 1024;

// A mutex in four bytes. A call may hold hundreds, of which ThreadSanitizer could follow 64 only if
// they were the standard's.
class StripeLock {
 public:
  void lock() {
    while (held_.exchange(1, std::memory_order_acquire) != 0) held_.wait(1);
  }
  bool try_lock() { return held_.exchange(1, std::memory_order_acquire) == 0; }
  void unlock() {
    held_.store(0, std::memory_order_release);
    held_.notify_one();
  }

 private:
  std::atomic<int> held_{0};
};

class Stripes {
 public:
  // About that much is remembered, and what calls under way need.
  explicit Stripes(std::int64_t most_bytes) : most_bytes_(most_bytes) {}

  static std::size_t stripe_of(std::string_view name) {
    return std::hash<std::string_view>{}(name) % kStripes;
  }

 private:
  friend class StripeLocks;

  struct Remembered {
    SessionMemory memory;
    std::int64_t counted = 0;  // of its bytes, in bytes_
    bool is_used = false;      // by the call that holds the stripe
  };
  using Sessions = std::map<std::string, Remembered, std::less<>>;
  struct Stripe {
    StripeLock lock;
    Sessions sessions;
  };

  // At the end of a call that used the session, which may not have `kept` it as it is stored.
  void count(Stripe& stripe, Sessions::iterator session, bool kept);
  void trim();

  const std::int64_t most_bytes_;
  std::array<Stripe, kStripes> stripes_;
  std::atomic<std::int64_t> bytes_{0};
  std::atomic<std::size_t> next_{0};  // to forget
};

// The stripes that one call holds. Released when destroyed.
class StripeLocks {
 public:
  // Waits for all of them.
  StripeLocks(Stripes& stripes, std::vector<std::size_t> held);
  ~StripeLocks();
  StripeLocks(const StripeLocks&) = delete;
  StripeLocks& operator=(const StripeLocks&) = delete;

  // Whether the stripe is held now, by this call before or by trying.
  bool try_lock(std::size_t stripe);

  // Of a session whose stripe is held. Valid as long as it is.
  SessionMemory& memory(const std::string& session);

  // What was used of memory says what is stored. Without this, it is forgotten.
  void keep() { kept_ = true; }

 private:
  Stripes& stripes_;
  std::vector<std::size_t> held_;
  std::vector<std::pair<std::size_t, Stripes::Sessions::iterator>> used_;
  bool kept_ = false;
};

}  // namespace pawl::rocksdb
