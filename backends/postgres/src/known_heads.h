// The cursors of one session that a store remembers, and how far it knows all that can be claimed:
// what a claim is decided on, and a consumer's first key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pawl/driver/effects.h"
#include "pawl/driver/facts.h"
#include "pawl/driver/query.h"

namespace pawl::postgres {

struct KnownCursor {
  driver::CursorRow row;  // of the present era
  bool knows_next = false;
  std::optional<driver::NextWork> next;  // what follows by the row's own types
};

// Of a consumer, all cursors of the present era are known that are due with a head up to
// `free_through`, or are due at a time before `timed_before`.
struct KnownRange {
  std::int64_t free_through = 0;
  std::int64_t timed_before = 0;

  bool operator==(const KnownRange&) const = default;
};

// The first key (ReadyRow) that a write leaves.
struct KnownFirst {
  enum class Is { kUnknown, kAsBefore, kGone, kSet };
  Is is = Is::kUnknown;
  // If it is set: the earlier of these is when it is due; `moved` is a time that moves with the
  // clock (moments.h).
  std::optional<std::int64_t> due;
  std::optional<std::int64_t> moved;
  std::int64_t since = 0;
};

class KnownHeads {
 public:
  using Cursors = std::map<driver::CursorKey, KnownCursor>;

  // With `all`, there are no cursors, and that is known.
  explicit KnownHeads(bool all) {
    if (all) others_ = {driver::kNever, driver::kNever};
  }

  const KnownCursor* find(const driver::CursorKey& key) const;
  Cursors& cursors() { return cursors_; }
  const Cursors& cursors() const { return cursors_; }
  // Adds what was found.
  KnownCursor& found(const driver::CursorRow& row);
  void forget_all();

  // The window at `now`, or nothing where it is not known; it stays the same before `before`,
  // which is made less where it has to be.
  std::optional<std::vector<driver::FoundCursor>> window(const driver::Window& window,
                                                         std::int64_t now,
                                                         std::int64_t& before) const;
  // What a load's window at `now` tells of how far all is known.
  void note(const driver::Window& window, const std::vector<driver::FoundCursor>& found,
            std::int64_t now);

  // The first key of the consumer behind a write whose times are relative, made at a time from
  // which on it is not yet `before`.
  KnownFirst first_after(const std::string& consumer, const driver::SessionEffects& effects,
                         std::int64_t from, std::int64_t before) const;

  // Keeps what is useful, and at most so many cursors.
  void trim();
  std::size_t bytes() const;

 private:
  const KnownRange& range_of(const std::string& consumer) const;
  KnownRange& change_range(const std::string& consumer);
  Cursors::iterator forget(Cursors::iterator cursor);
  Cursors::const_iterator first_of(const std::string& consumer) const;
  std::set<std::string> consumers() const;
  bool add_window(const std::string& consumer, const driver::Window& window, std::int64_t now,
                  std::int64_t& before, std::vector<driver::FoundCursor>& found) const;

  Cursors cursors_;
  std::map<std::string, KnownRange> ranges_;
  KnownRange others_;  // of consumers that have none
};

}  // namespace pawl::postgres
