// ready_keys.cc: see ready_keys.h.
#include "ready_keys.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace pawl::rocksdb {

namespace {

class Unlocked {
 public:
  explicit Unlocked(std::unique_lock<std::mutex>& lock) : lock_(lock) { lock_.unlock(); }
  ~Unlocked() { lock_.lock(); }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  std::unique_lock<std::mutex>& lock_;
};

}  // namespace

ReadyKeys::Half& ReadyKeys::half_of(const std::string& consumer, bool is_timed) {
  make_room();
  std::string range = ready_range(consumer, is_timed);
  const auto found = halves_.find(range);
  if (found != halves_.end()) return found->second;
  Half half;
  half.until =
      is_timed ? after_prefix(Key(Tag::kReady).name(consumer).take()) : ready_range(consumer, true);
  half.end = range;
  return halves_.emplace(std::move(range), std::move(half)).first->second;
}

ReadyKeys::Halves::iterator ReadyKeys::half_with(std::string_view key) {
  auto after = halves_.upper_bound(key);
  if (after == halves_.begin()) return halves_.end();
  const auto half = std::prev(after);
  return key < half->second.until ? half : halves_.end();
}

std::vector<std::string> ReadyKeys::consumers() const {
  const std::string prefix(1, static_cast<char>(Tag::kReady));
  std::vector<std::string> names;
  const std::lock_guard lock(mutex_);
  for (const auto& [range, half] : halves_) {
    std::string name = KeyReader(range, prefix).name();
    if (names.empty() || names.back() != name) names.push_back(std::move(name));
  }
  return names;
}

ReadyKeys::Commit::Commit(ReadyKeys& keys, const Changes& changes)
    : keys_(keys), changes_(changes) {
  if (changes_.empty()) return;
  const std::lock_guard lock(keys_.mutex_);
  keys_.under_way_.push_back(&changes_);
}

ReadyKeys::Commit::~Commit() {
  if (changes_.empty()) return;
  const std::lock_guard lock(keys_.mutex_);
  std::erase(keys_.under_way_, &changes_);
  if (is_done_) {
    keys_.apply(changes_);
  } else {
    keys_.forget(changes_);
  }
}

void ReadyKeys::apply(const Changes& changes) {
  for (const Change& change : changes) {
    const auto half = half_with(change.key);
    if (half == halves_.end()) continue;
    if (half->second.users > 0) note(half->second, change);
    set(half->second, change.key, change.is_put);
    if (half->second.users == 0) trim(half->second);
  }
}

// Whoever reads on meanwhile reads again then.
void ReadyKeys::note(Half& half, const Change& change) {
  if (half.changes.size() >= kMostChanges) {
    half.changes.clear();
    ++half.forgotten;
  }
  half.changes.push_back(change);
}

void ReadyKeys::forget(const Changes& changes) {
  for (const Change& change : changes) {
    const auto half = half_with(change.key);
    if (half == halves_.end()) continue;
    clear(half->second);
    half->second.end = half->first;
    ++half->second.forgotten;
  }
}

void ReadyKeys::set(Half& half, const std::string& key, bool is_stored) {
  if (key >= half.end) return;
  if (is_stored) {
    bytes_ += half.keys.insert(key).second ? bytes_of(key) : 0;
  } else if (half.keys.erase(key) > 0) {
    bytes_ -= bytes_of(key);
  }
}

// What is read may have the changes of commits that were done meanwhile, or not: they are made
// again. And those of commits under way, or not: they are taken back until these are done.
void ReadyKeys::read_on(const View& view, Half& half, std::unique_lock<std::mutex>& lock) {
  const std::string from = half.end;
  const std::uint64_t forgotten = half.forgotten;
  const std::size_t changed = half.changes.size();
  const std::size_t most = std::max(kAhead, half.keys.size());
  std::vector<std::string> found;
  bool is_all = true;
  {
    const Unlocked unlocked(lock);
    view.of_now().scan(from, half.until, [&](std::string_view key, std::string_view) {
      found.emplace_back(key);
      is_all = found.size() < most;
      return is_all;
    });
  }
  if (half.end != from || half.forgotten != forgotten) return;  // others were quicker
  half.end = is_all ? half.until : found.back() + '\0';
  for (const std::string& key : found) set(half, key, true);
  const auto set_new = [&](const std::string& key, bool is_stored) {
    if (key >= from && key < half.until) set(half, key, is_stored);
  };
  for (std::size_t i = changed; i < half.changes.size(); ++i) {
    set_new(half.changes[i].key, half.changes[i].is_put);
  }
  for (const Changes* changes : under_way_) {
    std::for_each(changes->rbegin(), changes->rend(),
                  [&](const Change& change) { set_new(change.key, !change.is_put); });
  }
}

void ReadyKeys::trim(Half& half) {
  while (half.keys.size() > kMostKeys) {
    const auto last = std::prev(half.keys.end());
    half.end = *last;
    bytes_ -= bytes_of(*last);
    half.keys.erase(last);
  }
}

void ReadyKeys::clear(Half& half) {
  for (const std::string& key : half.keys) bytes_ -= bytes_of(key);
  half.keys.clear();
}

void ReadyKeys::make_room() {
  if (halves_.size() < kMostHalves && bytes_ <= kMostBytes) return;
  for (auto half = halves_.begin(); half != halves_.end();) {
    if (half->second.users > 0) {
      ++half;
      continue;
    }
    clear(half->second);
    half = halves_.erase(half);
  }
}

}  // namespace pawl::rocksdb
