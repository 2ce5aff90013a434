// The first `y` keys of each consumer, in memory: workers look for them all the time, and each
// that they finish leaves a deleted key in front of the next.
//
// Of each half of a consumer's keys (those that wait for no time, and those that do), all that are
// stored before some key are known, and more are read when they are wanted. A batch changes what is
// known when its commit is done; those that change one key are ordered by the lock of its session.
// So what is told is as of now, whatever snapshot the caller has, with each batch wholly or not at
// all. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "keys.h"
#include "view.h"

namespace pawl::rocksdb {

class ReadyKeys {
  struct Half;

 public:
  // Of a key that is not stored, which is put, or of one that is, which is removed.
  struct Change {
    std::string key;
    bool is_put = false;
  };
  using Changes = std::vector<Change>;

  // Lives from before the commit of these changes until after it, while the sessions are locked.
  class Commit {
   public:
    Commit(ReadyKeys& keys, const Changes& changes);
    ~Commit();
    Commit(const Commit&) = delete;
    Commit& operator=(const Commit&) = delete;
    // Without this it is not known afterwards what is stored.
    void is_done() { is_done_ = true; }

   private:
    ReadyKeys& keys_;
    const Changes& changes_;
    bool is_done_ = false;
  };

  // One consumer's keys. Only for the call of `read` that makes it.
  class Known {
   public:
    // Calls visit(due, since, session) for the keys of a half, in order, until it returns false;
    // since is 0 unless due is.
    template <class Visit>
    void scan(bool is_timed, const Visit& visit) {
      Half& half = is_timed ? timed_ : free_;
      const std::string prefix = Key(Tag::kReady).name(consumer_).take();
      for (const std::string& key : half.keys) {
        KeyReader reader(key, prefix);
        const std::int64_t due = reader.number();
        const std::int64_t since = reader.number();
        if (!visit(due, since, reader.name())) return;
      }
      if (half.end != half.until) short_of_ = &half;
    }

   private:
    friend class ReadyKeys;
    Known(const std::string& consumer, Half& free, Half& timed)
        : consumer_(consumer), free_(free), timed_(timed) {}

    const std::string& consumer_;
    Half& free_;
    Half& timed_;
    Half* short_of_ = nullptr;
  };

  // Calls body(known), again if it wanted more than was known: it begins anew each time. What it
  // sees are both halves as of one moment. It may not call this object.
  template <class Body>
  void read(const View& view, const std::string& consumer, const Body& body) {
    std::unique_lock lock(mutex_);
    Half& free = half_of(consumer, false);
    const InUse keeps_free(free);
    Half& timed = half_of(consumer, true);
    const InUse keeps_timed(timed);
    while (true) {
      Known known(consumer, free, timed);
      body(known);
      if (known.short_of_ == nullptr) break;
      read_on(view, *known.short_of_, lock);
    }
    for (Half* half : {&free, &timed}) {
      if (half->users == 1) trim(*half);
    }
  }

  // The consumers of whom something is known, in order.
  std::vector<std::string> consumers() const;

 private:
  // Bounds memory, whatever the number of consumers and of ready sessions: of a half, and of all.
  static constexpr std::size_t kMostKeys = 1'024;
  static constexpr std::size_t kMostHalves = 4'096;
  static constexpr std::size_t kMostBytes = std::size_t{8} << 20;
  // Of a half while it is in use.
  static constexpr std::size_t kMostChanges = 4'096;
  // How many are read at once, at least.
  static constexpr std::size_t kAhead = 64;

  struct Half {
    std::string until;                        // behind all of them
    std::string end;                          // what is stored before it is known
    std::set<std::string, std::less<>> keys;  // and is this
    int users = 0;                            // calls of `read`
    std::uint64_t forgotten = 0;              // how often keys or changes were
    Changes changes;                          // since the first of the users came
  };
  using Halves = std::map<std::string, Half, std::less<>>;  // by where they begin

  // Keeps a half. Made and destroyed with the lock held.
  class InUse {
   public:
    explicit InUse(Half& half) : half_(half) { ++half_.users; }
    ~InUse() {
      if (--half_.users == 0) half_.changes.clear();
    }
    InUse(const InUse&) = delete;
    InUse& operator=(const InUse&) = delete;

   private:
    Half& half_;
  };

  Half& half_of(const std::string& consumer, bool is_timed);
  Halves::iterator half_with(std::string_view key);
  void read_on(const View& view, Half& half, std::unique_lock<std::mutex>& lock);
  void apply(const Changes& changes);
  static void note(Half& half, const Change& change);
  void forget(const Changes& changes);
  void set(Half& half, const std::string& key, bool is_stored);
  void trim(Half& half);
  void clear(Half& half);
  void make_room();
  // With what a set takes for it.
  static std::size_t bytes_of(const std::string& key) { return key.size() + 80; }

  mutable std::mutex mutex_;
  Halves halves_;
  std::size_t bytes_ = 0;                  // of all keys
  std::vector<const Changes*> under_way_;  // of commits
};

}  // namespace pawl::rocksdb
