// Ranges of heads, from what is remembered.
#include "known_heads.h"

#include <algorithm>
#include <array>
#include <set>

namespace pawl::postgres {
namespace {

using driver::CursorKey;
using driver::CursorRow;
using driver::kNever;

// Of one session. What is done to more at once is done in batches, which are not worth following.
constexpr std::size_t kMostCursors = 128;
// Event cursors that nobody holds, of one consumer: those that are claimed next.
constexpr std::size_t kMostWaiting = 64;

bool goes_first(const CursorRow* a, const CursorRow* b) {
  return a->head != b->head ? a->head < b->head : a->key < b->key;
}

std::size_t bytes_of(const std::string& text) { return sizeof(std::string) + text.size(); }

std::size_t bytes_of(const CursorRow& row) {
  std::size_t bytes = sizeof(KnownCursor) + 64 + 2 * row.key.consumer.size();
  if (row.key.lane) bytes += 2 * row.key.lane->size();
  if (row.claim_holder) bytes += row.claim_holder->size();
  if (row.last_error) bytes += row.last_error->size();
  if (row.types) {
    for (const std::string& type : *row.types) bytes += bytes_of(type);
  }
  if (row.completion) {
    for (const std::string& id : row.completion->ids) bytes += bytes_of(id);
  }
  return bytes;
}

// Of a range of rows, of which at most so many were asked for: how far it reaches.
struct Found {
  std::int64_t count = 0;
  std::int64_t last = 0;

  void add(std::int64_t place) {
    ++count;
    last = std::max(last, place);
  }
  std::int64_t end(std::int64_t most) const { return count < most ? kNever : last; }
};

// The rows that may be the first key. A time that moves with the clock is negative, and the less
// the later it is (moments.h).
struct First {
  const CursorRow* free = nullptr;
  std::optional<std::int64_t> due;
  std::optional<std::int64_t> moved;

  void consider(const CursorRow& row) {
    if (row.due == 0) {
      if (free == nullptr || goes_first(&row, free)) free = &row;
    } else if (row.due < 0) {
      moved = std::max(row.due, moved.value_or(row.due));
    } else if (row.due != kNever) {
      due = std::min(row.due, due.value_or(row.due));
    }
  }

  // Leaves out a time that moves where it cannot come before the other.
  void settle(std::int64_t from) {
    if (due && moved && *due <= from - 1 - *moved) moved.reset();
  }

  bool is_known(const KnownRange& range, std::int64_t before) const {
    if (free != nullptr && free->head <= range.free_through) return true;
    if (range.free_through < kNever) return false;
    if (range.timed_before == kNever || (due && *due < range.timed_before)) return true;
    return moved && before - 1 - *moved <= range.timed_before;
  }

  bool is_gone() const { return free == nullptr && !due && !moved; }
};

std::set<CursorKey> touched_of(const std::string& consumer, const driver::SessionEffects& effects) {
  std::set<CursorKey> keys;
  for (const std::vector<CursorRow>* rows : {&effects.put, &effects.drop}) {
    for (const CursorRow& row : *rows) {
      if (row.key.consumer == consumer) keys.insert(row.key);
    }
  }
  return keys;
}

bool is_as_before(const First& before, const First& after) {
  if (before.free != nullptr || after.free != nullptr) {
    return before.free != nullptr && after.free != nullptr &&
           before.free->since == after.free->since;
  }
  return before.due == after.due && !after.moved;
}

}  // namespace

const KnownCursor* KnownHeads::find(const CursorKey& key) const {
  const auto found = cursors_.find(key);
  return found == cursors_.end() ? nullptr : &found->second;
}

KnownCursor& KnownHeads::found(const CursorRow& row) {
  KnownCursor& known = cursors_[row.key];
  if (!(known.row == row)) known = {row, false, {}};
  return known;
}

void KnownHeads::forget_all() {
  cursors_.clear();
  ranges_.clear();
  others_ = {};
}

const KnownRange& KnownHeads::range_of(const std::string& consumer) const {
  const auto found = ranges_.find(consumer);
  return found == ranges_.end() ? others_ : found->second;
}

KnownRange& KnownHeads::change_range(const std::string& consumer) {
  return ranges_.try_emplace(consumer, others_).first->second;
}

KnownHeads::Cursors::iterator KnownHeads::forget(Cursors::iterator cursor) {
  const CursorRow& row = cursor->second.row;
  if (row.due == 0) {
    KnownRange& range = change_range(row.key.consumer);
    range.free_through = std::min(range.free_through, row.head - 1);
  } else if (row.due != kNever) {
    KnownRange& range = change_range(row.key.consumer);
    range.timed_before = std::min(range.timed_before, row.due);
  }
  return cursors_.erase(cursor);
}

KnownHeads::Cursors::const_iterator KnownHeads::first_of(const std::string& consumer) const {
  return cursors_.lower_bound({consumer, std::string(), 0});
}

std::set<std::string> KnownHeads::consumers() const {
  std::set<std::string> names;
  for (const auto& [consumer, range] : ranges_) names.insert(consumer);
  for (const auto& [key, cursor] : cursors_) names.insert(key.consumer);
  return names;
}

std::optional<std::vector<driver::FoundCursor>> KnownHeads::window(const driver::Window& window,
                                                                   std::int64_t now,
                                                                   std::int64_t& before) const {
  std::vector<driver::FoundCursor> found;
  // Whom nothing is known of may have heads, too.
  if (!window.consumers) {
    if (others_.free_through < window.through) return std::nullopt;
    before = std::min(before, others_.timed_before);
  }
  const auto add = [&](const std::string& consumer) {
    return add_window(consumer, window, now, before, found);
  };
  const auto is_known = [&](const auto& names) {
    return std::all_of(names.begin(), names.end(), add);
  };
  if (!(window.consumers ? is_known(*window.consumers) : is_known(consumers()))) {
    return std::nullopt;
  }
  return found;
}

// False where it is not known.
bool KnownHeads::add_window(const std::string& consumer, const driver::Window& window,
                            std::int64_t now, std::int64_t& before,
                            std::vector<driver::FoundCursor>& found) const {
  const KnownRange& range = range_of(consumer);
  const std::int64_t through = std::min(window.through, range.free_through);
  before = std::min(before, range.timed_before);
  std::vector<const CursorRow*> free;
  std::vector<const CursorRow*> due;
  std::vector<const CursorRow*> later;
  for (auto at = first_of(consumer); at != cursors_.end() && at->first.consumer == consumer; ++at) {
    const CursorRow& row = at->second.row;
    if (row.due == 0 && row.head <= through) free.push_back(&row);
    if (row.due == 0 || row.due == kNever || row.head > window.through) continue;
    (row.due <= now ? due : later).push_back(&row);
  }
  const auto most = static_cast<std::size_t>(window.free);
  if (free.size() < most && through < window.through) return false;
  std::sort(free.begin(), free.end(), goes_first);
  std::size_t kept = std::min(free.size(), most);
  while (kept > 0 && kept < free.size() && free[kept]->head == free[kept - 1]->head) ++kept;
  free.resize(kept);
  const auto is_due_first = [](const CursorRow* a, const CursorRow* b) { return a->due < b->due; };
  std::sort(due.begin(), due.end(), is_due_first);
  if (std::ssize(due) > window.due) due.resize(static_cast<std::size_t>(window.due));
  const auto next = std::min_element(later.begin(), later.end(), is_due_first);
  if (next != later.end()) before = std::min(before, (*next)->due);
  if (window.later == 1 && next != later.end()) {
    later = {*next};
  } else if (std::ssize(later) > window.later) {
    std::sort(later.begin(), later.end(), is_due_first);
    later.resize(static_cast<std::size_t>(window.later));
  }
  for (const std::vector<const CursorRow*>& rows : {free, due, later}) {
    for (const CursorRow* row : rows) {
      if (window.pins && row->claim_holder && row->pins > 0) return false;
      found.emplace_back().row = *row;
    }
  }
  return true;
}

void KnownHeads::note(const driver::Window& window, const std::vector<driver::FoundCursor>& found,
                      std::int64_t now) {
  for (const driver::FoundCursor& cursor : found) this->found(*cursor.row);
  if (window.through < kNever) return;
  std::map<std::string, std::array<Found, 3>> counts;
  if (window.consumers) {
    for (const std::string& consumer : *window.consumers) counts[consumer];
  } else {
    // Who has no first key has nothing.
    others_ = {kNever, kNever};
    ranges_.clear();
  }
  for (const driver::FoundCursor& cursor : found) {
    const CursorRow& row = *cursor.row;
    auto& [free, due, later] = counts[row.key.consumer];
    if (row.due == 0) {
      free.add(row.head);
    } else {
      (row.due <= now ? due : later).add(row.due);
    }
  }
  for (const auto& [consumer, of] : counts) {
    const auto& [free, due, later] = of;
    KnownRange& range = change_range(consumer);
    range.free_through = free.end(window.free);
    range.timed_before = std::min(due.end(window.due), later.end(window.later));
  }
}

KnownFirst KnownHeads::first_after(const std::string& consumer,
                                   const driver::SessionEffects& effects, std::int64_t from,
                                   std::int64_t before) const {
  const std::set<CursorKey> touched = touched_of(consumer, effects);
  First first_before;
  First first;
  for (auto at = first_of(consumer); at != cursors_.end() && at->first.consumer == consumer; ++at) {
    first_before.consider(at->second.row);
    if (!touched.contains(at->first)) first.consider(at->second.row);
  }
  for (const CursorRow& row : effects.put) {
    if (row.key.consumer == consumer) first.consider(row);
  }
  first.settle(from);
  const KnownRange& range = range_of(consumer);
  KnownFirst known;
  if (!first.is_known(range, before)) return known;
  known.is = first.is_gone() ? KnownFirst::Is::kGone : KnownFirst::Is::kSet;
  if (first_before.is_known(range, before) && is_as_before(first_before, first)) {
    known.is = KnownFirst::Is::kAsBefore;
  }
  if (first.free != nullptr) {
    known.due = 0;
    known.since = first.free->since;
  } else {
    known.due = first.due;
    known.moved = first.moved;
  }
  return known;
}

void KnownHeads::trim() {
  if (cursors_.size() <= kMostWaiting) return;
  std::size_t waiting = 0;
  const std::string* consumer = nullptr;
  for (auto at = cursors_.begin(); at != cursors_.end();) {
    const CursorRow& row = at->second.row;
    if (consumer == nullptr || *consumer != row.key.consumer) waiting = 0;
    consumer = &at->first.consumer;
    const bool waits = row.kind == CursorKind::kEvent && !row.claim_holder;
    if (waits && (row.due == kNever || ++waiting > kMostWaiting)) {
      at = forget(at);
      consumer = at == cursors_.begin() ? nullptr : &std::prev(at)->first.consumer;
    } else {
      ++at;
    }
  }
  // The first: of events, those that were claimed first, and not those that are claimed next.
  while (cursors_.size() > kMostCursors) forget(cursors_.begin());
}

std::size_t KnownHeads::bytes() const {
  std::size_t bytes = 0;
  for (const auto& [key, cursor] : cursors_) bytes += bytes_of(cursor.row);
  for (const auto& [consumer, range] : ranges_) bytes += bytes_of(consumer) + 64;
  return bytes;
}

}  // namespace pawl::postgres
