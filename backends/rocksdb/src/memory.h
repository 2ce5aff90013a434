// What this process remembers of the sessions that it worked on last, so that the next operation
// on one does not read again what the one before has written: nobody else writes to the store.
//
// It is read and changed by who holds the session's stripe (locks.h), and says what the database
// has: a call keeps it so, or has the session forgotten.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "pawl/driver/rows.h"
#include "values.h"

namespace pawl::rocksdb {

// The order of the `q` keys.
struct PlaceOrder {
  bool operator()(const Place& a, const Place& b) const {
    const bool a_has_none = !a.lane;
    const bool b_has_none = !b.lane;
    return std::tie(a.due, a.head, a_has_none, a.lane) <
           std::tie(b.due, b.head, b_has_none, b.lane);
  }
};
using Places = std::set<Place, PlaceOrder>;

// The changes that a batch makes to one consumer's `q` keys.
struct DueChanges {
  Places put;
  Places removed;
};

// One half of a consumer's `q` keys (due 0, or above): its first ones, without gaps.
struct Half {
  static constexpr std::size_t kMost = 1024;

  Places first;
  bool is_all = false;

  // `is_timed` says which half this is; `front` is its first place after the changes.
  void change(const DueChanges& changes, bool is_timed, const std::optional<Place>& front);
};

class SessionMemory {
 public:
  struct OfConsumer {
    std::optional<Front> front;  // absent: not known; empty: none is stored
    Half free;
    Half timed;

    Half& half(bool is_timed) { return is_timed ? timed : free; }
  };

  std::optional<driver::SessionRow> row;  // absent: not known

  // The cursor of the present era. Null: not known; empty: none is stored.
  const std::optional<driver::CursorRow>* cursor(const driver::CursorKey& key) const;
  void set_cursor(const driver::CursorKey& key, std::optional<driver::CursorRow> stored);
  // One that was written. Of a long queue not all are known: they would be cold when it comes to
  // them.
  void put_cursor(const driver::CursorRow& put);
  void forget_cursor(const driver::CursorKey& key) { forget_cursors(cursors_.find(key)); }

  // The encoded event, if it is one of the latest.
  const std::string* event(std::int64_t index) const;
  void add_event(std::int64_t index, std::string bytes);
  void forget_event(std::int64_t index) { forget_events(events_.find(index)); }

  OfConsumer& of_consumer(const std::string& consumer);

  // At the end of a call: forgets what is too much.
  void trim();

  // About what it takes.
  std::int64_t bytes() const;

 private:
  static constexpr std::size_t kMostCursors = 512;

  using Cursors = std::map<driver::CursorKey, std::optional<driver::CursorRow>>;
  using Events = std::map<std::int64_t, std::string>;

  void forget_cursors(Cursors::iterator cursor);
  void forget_events(Events::iterator event);

  Cursors cursors_;
  Events events_;
  std::map<std::string, OfConsumer> consumers_;
  std::int64_t cursor_bytes_ = 0;
  std::int64_t event_bytes_ = 0;
};

}  // namespace pawl::rocksdb
