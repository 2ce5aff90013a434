// Stretches of keys where there are only deleted ones, so that a page of what is left in a session
// does not walk over what it had: a scan that has walked far notes where.
//
// A reader takes what is noted, then its snapshot: what it is told to pass over was empty when it
// came. A stretch is noted only if nothing was put beside it since, and what is put in one later
// divides it. Thread-safe.
#pragma once

#include <rocksdb/perf_context.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "view.h"

namespace pawl::rocksdb {

class Gaps {
 public:
  // The keys that are watched: what is listed by pages, and deleted all the time.
  static bool watches(std::string_view key) {
    const auto tag = static_cast<Tag>(key.front());
    return tag == Tag::kCursor || tag == Tag::kDead;
  }

  // Of some ranges, as of a moment. A default one knows nothing, and learns nothing.
  class Taken {
   public:
    // View::scan, without the gaps. The range lies in one session's keys of one kind.
    template <class Visit>
    void scan(const View& view, std::string_view from, std::string_view until,
              const Visit& visit) const {
      std::string_view at = from;
      for (const auto& gap : gaps_) {
        const std::string_view begin = gap.first;
        const std::string_view end = gap.second;
        if (end <= at || begin >= until) continue;
        if (begin > at && !scan_part(view, at, begin, visit)) return;
        at = end;
      }
      scan_part(view, at, until, visit);
    }

   private:
    friend class Gaps;

    // Whether it came to its end.
    template <class Visit>
    bool scan_part(const View& view, std::string_view from, std::string_view until,
                   const Visit& visit) const {
      const auto skipped = [] {
        return ::rocksdb::get_perf_context()->internal_delete_skipped_count;
      };
      std::uint64_t before = skipped();
      std::string behind(from);
      bool is_end = true;
      view.scan(from, until, [&](std::string_view key, std::string_view value) {
        if (skipped() - before > kFar) note(behind, key);
        is_end = visit(key, value);
        behind.assign(key).push_back('\0');
        before = skipped();
        return is_end;
      });
      if (is_end && skipped() - before > kFar) note(behind, until);
      return is_end;
    }
    void note(std::string_view from, std::string_view until) const {
      if (owner_ != nullptr) owner_->add(*this, from, until);
    }

    Gaps* owner_ = nullptr;
    std::uint64_t as_of_ = 0;
    std::vector<std::pair<std::string, std::string>> gaps_;
  };

  // Adds those of [from, until). All calls for one `taken` come before its snapshot.
  void take(std::string_view from, std::string_view until, Taken& taken) {
    const std::lock_guard lock(mutex_);
    if (taken.owner_ == nullptr) taken.as_of_ = now_;
    taken.owner_ = this;
    auto gap = gaps_.upper_bound(from);
    if (gap != gaps_.begin() && std::prev(gap)->second > from) --gap;
    for (; gap != gaps_.end() && gap->first < until; ++gap) taken.gaps_.emplace_back(*gap);
  }

  // Lives from before the commit of these watched keys until after it.
  class Commit {
   public:
    Commit(Gaps& gaps, const std::vector<std::string_view>& puts) : gaps_(gaps), puts_(puts) {
      if (puts_.empty()) return;
      const std::lock_guard lock(gaps_.mutex_);
      for (const std::string_view key : puts_) {
        ++gaps_.stripe_of(key).under_way;
        gaps_.divide(key);
      }
    }
    ~Commit() {
      if (puts_.empty()) return;
      const std::lock_guard lock(gaps_.mutex_);
      ++gaps_.now_;
      for (const std::string_view key : puts_) {
        Stripe& stripe = gaps_.stripe_of(key);
        --stripe.under_way;
        stripe.put_at = gaps_.now_;
      }
    }
    Commit(const Commit&) = delete;
    Commit& operator=(const Commit&) = delete;

   private:
    Gaps& gaps_;
    const std::vector<std::string_view>& puts_;
  };

 private:
  // Deleted keys: as many as cost more than the note.
  static constexpr std::uint64_t kFar = 64;
  // Bounds memory.
  static constexpr std::size_t kMost = 4'096;

  // Of sessions: what was put among their keys, and is being put.
  struct Stripe {
    std::uint64_t put_at = 0;
    int under_way = 0;
  };

  // Keys of one kind and session have one.
  Stripe& stripe_of(std::string_view key) {
    const std::string_view session = key.substr(0, key.find('\0'));
    return stripes_[std::hash<std::string_view>{}(session) % stripes_.size()];
  }

  void add(const Taken& taken, std::string_view from, std::string_view until) {
    const std::lock_guard lock(mutex_);
    const Stripe& stripe = stripe_of(from);
    if (stripe.under_way > 0 || stripe.put_at > taken.as_of_) return;
    if (gaps_.size() >= kMost) gaps_.clear();
    std::string begin(from);
    std::string end(until);
    auto next = gaps_.upper_bound(from);
    if (next != gaps_.begin() && std::prev(next)->second >= begin) {
      --next;
      begin = next->first;
    }
    while (next != gaps_.end() && next->first <= end) {
      end = std::max(end, next->second);
      next = gaps_.erase(next);
    }
    gaps_.emplace_hint(next, std::move(begin), std::move(end));
  }

  void divide(std::string_view key) {
    const auto behind = gaps_.upper_bound(key);
    if (behind == gaps_.begin()) return;
    const auto gap = std::prev(behind);
    if (gap->second <= key) return;
    std::string end = std::exchange(gap->second, std::string(key));
    gaps_.emplace_hint(behind, std::string(key) + '\0', std::move(end));
    if (gap->first == key) gaps_.erase(gap);
  }

  std::mutex mutex_;
  std::map<std::string, std::string, std::less<>> gaps_;  // begin -> end; apart from each other
  std::array<Stripe, 256> stripes_;
  std::uint64_t now_ = 1;  // counts commits
};

}  // namespace pawl::rocksdb
