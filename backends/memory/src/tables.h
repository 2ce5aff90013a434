// What the memory backend stores: rows in maps, and beside them the indexes that every engine
// needs, as sets of tuples.
//
//   session     events      index                        -> the event
//               ids         id                           -> index
//               types       (type, index)
//               cursors     (era, key)                   -> the cursor, of all kinds
//               logs        key                          -> era, of log cursors
//               due         (era, consumer, due, head, key)   of those that can be claimed some
//               time dead        (era, head, key)                  of dead letters first_keys
//               consumer                     -> (due, since) work        (consumer, lane, index) ->
//               queued or finished work finished    (finished_at, consumer, lane, index) snapshots
//               (era, reducer, index)        -> the snapshot pins        (era, key, head, reducer,
//               snapshot)
//   over all    ready       consumer -> (due, since, session)   the first keys once more
//   sessions    listed, upkeep, finished                 by name; by (finished_since, name)
//   presence    by namespace: rows by (participant, field), expiry by (expires_at, participant,
//               field); over all namespaces: expiry by (expires_at, namespace, participant, field)
//
// A key with a lane has the index 0 among cursors, and its event's index among work.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "pawl/driver/rows.h"

namespace pawl::memory {

using Int = std::int64_t;
using driver::CursorKey;

struct FirstKey {
  Int due = 0;
  Int since = 0;

  bool operator==(const FirstKey&) const = default;
};

struct Session {
  driver::SessionRow row;
  std::map<Int, driver::EventRow> events;
  std::map<std::string, Int> ids;
  std::set<std::pair<std::string, Int>> types;
  std::map<std::pair<Int, CursorKey>, driver::CursorRow> cursors;
  std::map<CursorKey, Int> logs;
  std::set<std::tuple<Int, std::string, Int, Int, CursorKey>> due;
  std::set<std::tuple<Int, Int, CursorKey>> dead;
  std::map<std::string, FirstKey> first_keys;
  std::map<CursorKey, driver::WorkRow> work;
  std::set<std::pair<Int, CursorKey>> finished;
  std::map<std::tuple<Int, std::string, Int>, driver::SnapshotRow> snapshots;
  std::set<std::tuple<Int, CursorKey, Int, std::string, Int>> pins;

  bool operator==(const Session&) const = default;
};

struct Namespace {
  std::map<std::pair<std::string, std::string>, driver::PresenceRow> rows;
  std::set<std::tuple<Int, std::string, std::string>> expiry;

  bool operator==(const Namespace&) const = default;
};

struct Tables {
  std::map<std::string, Session> sessions;
  // `since` orders only what is claimable now, and is 0 otherwise.
  std::map<std::string, std::set<std::tuple<Int, Int, std::string>>> ready;
  std::set<std::string> listed;
  std::set<std::string> upkeep;
  std::set<std::pair<Int, std::string>> finished;
  std::map<std::string, Namespace> presence;
  std::set<std::tuple<Int, std::string, std::string, std::string>> expiry;

  bool operator==(const Tables&) const = default;
};

// Every change of a table goes through a journal, which takes it all back when it is destroyed
// before keep(). Undoing allocates nothing and cannot fail.
class Journal {
 public:
  Journal() = default;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal() {
    for (; !steps_.empty(); steps_.pop_back()) steps_.back()->undo();
  }

  void keep() noexcept { steps_.clear(); }

  // False if the key is there already.
  template <class Table>
  bool insert(Table& table, typename Table::value_type value) {
    auto& step = push(std::make_unique<Inserted<Table>>(table));
    const auto [place, inserted] = table.insert(std::move(value));
    if (inserted) step.key = &key_of(*place);
    return inserted;
  }

  // False if the key is not there.
  template <class Table>
  bool erase(Table& table, const typename Table::key_type& key) {
    auto& step = push(std::make_unique<Erased<Table>>(table));
    step.node = table.extract(key);
    return !step.node.empty();
  }

  template <class Table>
  void put(Table& table, typename Table::value_type value) {
    erase(table, value.first);
    insert(table, std::move(value));
  }

  template <class T>
  void assign(T& place, T value) {
    push(std::make_unique<Assigned<T>>(place, place));
    place = std::move(value);
  }

 private:
  struct Step {
    virtual ~Step() = default;
    virtual void undo() noexcept = 0;
  };
  template <class Table>
  struct Inserted final : Step {
    explicit Inserted(Table& t) : table(t) {}
    void undo() noexcept override {
      if (key != nullptr) table.erase(table.find(*key));
    }
    Table& table;
    const typename Table::key_type* key = nullptr;
  };
  template <class Table>
  struct Erased final : Step {
    explicit Erased(Table& t) : table(t) {}
    void undo() noexcept override { table.insert(std::move(node)); }
    Table& table;
    typename Table::node_type node;
  };
  template <class T>
  struct Assigned final : Step {
    Assigned(T& p, T o) : place(p), old(std::move(o)) {}
    void undo() noexcept override { std::swap(place, old); }
    T& place;
    T old;
  };

  template <class T>
  static const T& key_of(const T& entry) {
    return entry;
  }
  template <class Key, class T>
  static const Key& key_of(const std::pair<const Key, T>& entry) {
    return entry.first;
  }

  template <class S>
  S& push(std::unique_ptr<S> step) {
    S& pushed = *step;
    steps_.push_back(std::move(step));
    return pushed;
  }

  std::vector<std::unique_ptr<Step>> steps_;
};

}  // namespace pawl::memory
