// Stretches of keys where there are only deleted ones, so that a page of what is left in a session
// does not walk over what it had: a scan that has walked far notes where.
//
// A reader takes what is noted, then its snapshot, and leaves out again what was put meanwhile: so
// it passes over no key that its snapshot has. A stretch is noted only if nothing was put in it
// since, and what is put in one later divides it. Thread-safe.
#pragma once

#include <rocksdb/perf_context.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
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
        if (skipped() - before > kFar) note(behind, key, skipped() - before);
        is_end = visit(key, value);
        behind.assign(key).push_back('\0');
        before = skipped();
        return is_end;
      });
      if (is_end && skipped() - before > kFar) note(behind, until, skipped() - before);
      return is_end;
    }
    void note(std::string_view from, std::string_view until, std::uint64_t deleted) const {
      if (owner_ != nullptr) owner_->add(*this, from, until, deleted);
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
    if (gap != gaps_.begin() && std::prev(gap)->second.end > from) --gap;
    for (; gap != gaps_.end() && gap->first < until; ++gap) {
      taken.gaps_.emplace_back(gap->first, gap->second.end);
    }
  }

  // Leaves out those where something was put since. Comes behind the snapshot.
  void settle(Taken& taken) const {
    if (taken.gaps_.empty()) return;
    const std::lock_guard lock(mutex_);
    if (forgotten_ > taken.as_of_) taken.gaps_.clear();
    for (auto put = puts_.rbegin(); put != puts_.rend() && put->begun > taken.as_of_; ++put) {
      std::erase_if(taken.gaps_, [&](const auto& gap) {
        return gap.first <= put->key && put->key < gap.second;
      });
    }
  }

  // How many are noted.
  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return gaps_.size();
  }

  // Lives from before the commit of these watched keys until after it.
  class Commit {
   public:
    Commit(Gaps& gaps, const std::vector<std::string_view>& puts)
        : gaps_(gaps), count_(puts.size()) {
      if (count_ == 0) return;
      const std::lock_guard lock(gaps_.mutex_);
      first_ = gaps_.dropped_ + gaps_.puts_.size();
      ++gaps_.now_;
      for (const std::string_view key : puts) {
        gaps_.puts_.push_back({std::string(key), gaps_.now_});
        gaps_.divide(key);
      }
    }
    ~Commit() {
      if (count_ == 0) return;
      const std::lock_guard lock(gaps_.mutex_);
      ++gaps_.now_;
      for (std::size_t i = 0; i < count_; ++i) {
        gaps_.puts_[first_ - gaps_.dropped_ + i].ended = gaps_.now_;
      }
      gaps_.drop_puts();
    }
    Commit(const Commit&) = delete;
    Commit& operator=(const Commit&) = delete;

   private:
    Gaps& gaps_;
    const std::size_t count_;
    std::size_t first_ = 0;  // counted from the first put of all
  };

 private:
  // Deleted keys: as many as cost more than the note.
  static constexpr std::uint64_t kFar = 64;
  // Bound memory.
  static constexpr std::size_t kMost = 4'096;
  static constexpr std::size_t kMostPuts = 1'024;

  struct Gap {
    std::string end;
    std::uint64_t deleted = 0;  // about how many keys a scan would walk over
  };
  // The moments count beginnings and ends of commits.
  struct Put {
    std::string key;
    std::uint64_t begun = 0;
    std::uint64_t ended = 0;  // 0: under way
  };

  void add(const Taken& taken, std::string_view from, std::string_view until,
           std::uint64_t deleted) {
    const std::lock_guard lock(mutex_);
    const bool is_put_in =
        forgotten_ > taken.as_of_ || std::any_of(puts_.begin(), puts_.end(), [&](const Put& put) {
          const bool is_later = put.ended == 0 || put.ended > taken.as_of_;
          return is_later && from <= put.key && put.key < until;
        });
    if (is_put_in) return;
    make_room();
    std::string begin(from);
    Gap gap{std::string(until), deleted};
    auto next = gaps_.upper_bound(from);
    if (next != gaps_.begin() && std::prev(next)->second.end >= begin) {
      --next;
      begin = next->first;
    }
    while (next != gaps_.end() && next->first <= gap.end) {
      gap.end = std::max(gap.end, next->second.end);
      gap.deleted += next->second.deleted;
      next = gaps_.erase(next);
    }
    gaps_.emplace_hint(next, std::move(begin), std::move(gap));
  }

  // Nobody knows how many of the deleted keys are on which side: half of them. So what is put
  // behind one another at the end of a stretch does not leave a piece of it each time.
  void divide(std::string_view key) {
    const auto behind = gaps_.upper_bound(key);
    if (behind == gaps_.begin()) return;
    const auto gap = std::prev(behind);
    if (gap->second.end <= key) return;
    Gap right{std::move(gap->second.end), gap->second.deleted / 2};
    gap->second = {std::string(key), right.deleted};
    const bool is_worth_it = right.deleted > kFar;
    if (is_worth_it) gaps_.emplace_hint(behind, std::string(key) + '\0', std::move(right));
    if (!is_worth_it || gap->first == key) gaps_.erase(gap);
    make_room();
  }

  void make_room() {
    if (gaps_.size() >= kMost) gaps_.clear();
  }

  void drop_puts() {
    for (; puts_.size() > kMostPuts && puts_.front().ended != 0; ++dropped_) {
      forgotten_ = std::max(forgotten_, puts_.front().ended);
      puts_.pop_front();
    }
  }

  mutable std::mutex mutex_;
  std::map<std::string, Gap, std::less<>> gaps_;  // by where they begin; apart from each other
  std::uint64_t now_ = 1;
  std::deque<Put> puts_;         // the latest, by when they were begun
  std::size_t dropped_ = 0;      // how many were before them
  std::uint64_t forgotten_ = 0;  // when the last of those ended
};

}  // namespace pawl::rocksdb
