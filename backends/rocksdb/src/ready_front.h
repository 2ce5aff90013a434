// Where the first keys of each consumer begin, so that finding work does not walk over the
// keys of work that is done.
//
// A lower bound for each (consumer, zone): zone 0 holds the `y` keys with due 0, zone 1
// those with a time. Kept in memory; unknown at first. A writer lowers it after its commit
// and before it answers; a reader raises it after it has looked, unless it was lowered
// since the reader took it: so a key that the reader could not see yet is never skipped.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "keys.h"

namespace pawl::rocksdb {

class ReadyFronts {
 public:
  struct Bound {
    std::string key;
    std::uint64_t version = 0;
  };

  // The key from which to seek. To be taken before the snapshot is.
  Bound get(const std::string& consumer, int zone) {
    const std::lock_guard lock(mutex_);
    return find(consumer, zone);
  }
  void lower(const std::string& consumer, int zone, std::string_view key) {
    const std::lock_guard lock(mutex_);
    Bound& bound = find(consumer, zone);
    ++bound.version;
    if (key < bound.key) bound.key = key;
  }
  // `seen` is what get gave, `key` the first key that was found from there.
  void raise(const std::string& consumer, int zone, const Bound& seen, std::string_view key) {
    const std::lock_guard lock(mutex_);
    Bound& bound = find(consumer, zone);
    if (bound.version == seen.version && key > bound.key) bound.key = key;
  }

 private:
  Bound& find(const std::string& consumer, int zone) {
    std::array<Bound, 2>& zones = bounds_[consumer];
    Bound& bound = zones[static_cast<std::size_t>(zone)];
    if (bound.key.empty()) bound.key = Key(Tag::kReady).name(consumer).number(zone).bytes();
    return bound;
  }

  std::mutex mutex_;
  std::map<std::string, std::array<Bound, 2>> bounds_;
};

}  // namespace pawl::rocksdb
