// Where ranges begin whose first keys are deleted all the time, so that looking for what is there
// does not walk over what has been deleted.
//
// A lower bound for each range, by the key that the range begins with; kept in memory, unknown at
// first. A writer lowers bounds before its commit and holds them down until it is done. A reader
// takes bounds, then its snapshot, and afterwards raises them to what it found first, unless a
// writer was done since it took them: so no reader passes over a key that was there when it took
// them, or makes a later one do so.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pawl::rocksdb {

class Fronts {
 public:
  // Bounds as of a moment. Ranges that are not among them are sought from their beginning.
  class Taken {
   public:
    std::string_view from(std::string_view range) const {
      const auto found = keys_.find(range);
      return found == keys_.end() ? range : std::string_view(found->second);
    }

   private:
    friend class Fronts;
    std::map<std::string, std::string, std::less<>> keys_;
    std::uint64_t as_of_ = 0;
  };

  // Adds the bound of a range. All calls for one `taken` come before its snapshot.
  void take(std::string_view range, Taken& taken) {
    const std::lock_guard lock(mutex_);
    if (taken.as_of_ == 0) taken.as_of_ = now_;
    const auto bound = bounds_.find(range);
    if (bound != bounds_.end()) taken.keys_.emplace(range, bound->second.key);
  }

  // A key that is put, and the beginning of its range.
  struct Put {
    std::string range;
    std::string key;
  };

  // Lives from before the commit of these puts until after it.
  class Lowered {
   public:
    Lowered(Fronts& fronts, const std::vector<Put>& puts) : fronts_(fronts), puts_(puts) {
      const std::lock_guard lock(fronts_.mutex_);
      for (const Put& put : puts_) {
        Bound& bound = fronts_.find(put.range);
        bound.held.insert(put.key);
        if (put.key < bound.key) bound.key = put.key;
      }
    }
    ~Lowered() {
      const std::lock_guard lock(fronts_.mutex_);
      ++fronts_.now_;
      for (const Put& put : puts_) {
        Bound& bound = fronts_.find(put.range);
        bound.held.erase(bound.held.find(put.key));
        bound.lowered_at = fronts_.now_;
      }
    }
    Lowered(const Lowered&) = delete;
    Lowered& operator=(const Lowered&) = delete;

   private:
    Fronts& fronts_;
    const std::vector<Put>& puts_;
  };

  // `key` is the first that was found from the taken bound on, or the range's end.
  void raise(std::string_view range, const Taken& taken, std::string_view key) {
    const std::lock_guard lock(mutex_);
    if (forgotten_at_ > taken.as_of_) return;
    Bound& bound = find(range);
    if (bound.lowered_at > taken.as_of_) return;
    if (!bound.held.empty()) key = std::min(key, std::string_view(*bound.held.begin()));
    if (key > bound.key) bound.key = key;
  }

 private:
  // Bounds memory, whatever the number of namespaces and of sessions that are reclaimed.
  static constexpr std::size_t kMost = 4096;

  struct Bound {
    std::string key;
    std::uint64_t lowered_at = 0;
    std::multiset<std::string> held;  // by writers under way
  };

  Bound& find(std::string_view range) {
    const auto found = bounds_.find(range);
    if (found != bounds_.end()) return found->second;
    if (bounds_.size() >= kMost) {
      std::erase_if(bounds_, [](const auto& entry) { return entry.second.held.empty(); });
      forgotten_at_ = ++now_;
    }
    return bounds_.emplace(range, Bound{std::string(range), 0, {}}).first->second;
  }

  std::mutex mutex_;
  std::map<std::string, Bound, std::less<>> bounds_;
  // Counts what makes raising by earlier readers wrong.
  std::uint64_t now_ = 1;
  std::uint64_t forgotten_at_ = 0;
};

}  // namespace pawl::rocksdb
