// Mutexes for sessions and presence namespaces: as many as there are stripes, each for all
// names of one hash. Several are taken in the order of their stripes, so that two calls
// cannot wait for each other; those of picked sessions are only tried.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <string_view>
#include <vector>

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

class StripedMutex {
 public:
  static std::size_t stripe_of(std::string_view name) {
    return std::hash<std::string_view>{}(name) % kStripes;
  }

 private:
  friend class StripeLocks;
  std::array<StripeLock, kStripes> mutexes_;
};

// The stripes that one call holds. Released when destroyed.
class StripeLocks {
 public:
  // Waits for all of them.
  StripeLocks(StripedMutex& mutexes, std::vector<std::size_t> stripes)
      : mutexes_(mutexes.mutexes_), held_(std::move(stripes)) {
    std::sort(held_.begin(), held_.end());
    held_.erase(std::unique(held_.begin(), held_.end()), held_.end());
    for (const std::size_t stripe : held_) mutexes_[stripe].lock();
  }
  ~StripeLocks() {
    for (const std::size_t stripe : held_) mutexes_[stripe].unlock();
  }
  StripeLocks(const StripeLocks&) = delete;
  StripeLocks& operator=(const StripeLocks&) = delete;

  // Whether the stripe is held now, by this call before or by trying.
  bool try_lock(std::size_t stripe) {
    if (std::find(held_.begin(), held_.end(), stripe) != held_.end()) return true;
    if (!mutexes_[stripe].try_lock()) return false;
    held_.push_back(stripe);
    return true;
  }

 private:
  std::array<StripeLock, kStripes>& mutexes_;
  std::vector<std::size_t> held_;
};

}  // namespace pawl::rocksdb
