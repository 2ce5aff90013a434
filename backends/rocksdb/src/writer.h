// Effects -> one WriteBatch, secondary keys and first keys included; and what is read back.
#pragma once

#include <rocksdb/write_batch.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "loader.h"
#include "locks.h"
#include "pawl/backend.h"

namespace pawl::rocksdb {

class Writer {
 public:
  // What is remembered of sessions is as after the batch from when they are added.
  Writer(const View& view, StripeLocks& locks) : view_(view), locks_(locks) {
    // As many as most calls make, in a block that malloc hands out at once.
    changes_.reserve(14);
  }

  void add(const driver::Effects& effects);
  // In the order of keys: memory takes them faster so.
  ::rocksdb::WriteBatch& batch();

  // The keys that the batch puts in ranges that have a front.
  const std::vector<Fronts::Put>& front_puts() const { return front_puts_; }
  // The keys that the batch puts and that Gaps watches. After batch().
  const std::vector<std::string_view>& gap_puts() const { return gap_puts_; }
  // What the batch does to `y` keys.
  const ReadyKeys::Changes& ready_changes() const { return ready_changes_; }

  // Read back as of after the batch, before it is written. `effects` must be those added.
  driver::Readings read_back(const driver::Effects& effects, ReadyKeys& ready) const;

 private:
  // What the secondary keys of a stored cursor are made of.
  struct StoredCursor {
    bool stored = false;
    std::int64_t due = 0;
    std::int64_t head = 0;
    bool dead = false;
  };
  struct Session {
    const driver::SessionEffects& effects;
    SessionMemory& memory;
    driver::SessionRow old_row;
    driver::SessionRow row;
    std::map<std::string, DueChanges> due;  // by consumer
  };

  void put(std::string key, std::string value);
  void remove(std::string key);
  void put_in_front(std::string range, std::string key);
  void change_ready(std::string key, bool is_put);

  void add_session(const driver::SessionEffects& effects);
  void put_row(const Session& session);
  void erase_events(const Session& session);
  void append_events(const Session& session);
  void drop_cursor(Session& session, const driver::CursorRow& row);
  void put_cursor(Session& session, const driver::CursorRow& row);
  void remove_index_keys(Session& session, std::int64_t era, const driver::CursorKey& key,
                         const StoredCursor& old);
  StoredCursor stored_cursor(const Session& session, std::int64_t era,
                             const driver::CursorKey& key);
  void change_work(const Session& session);
  void change_snapshots(const Session& session);
  void update_front(Session& session, const std::string& consumer, const DueChanges& changes);
  void drop_fronts(Session& session);
  void add_presence(const driver::PresenceEffects& effects);
  void remove_presence(const std::string& name_space, const driver::PresenceRow& row);

  driver::EventRow read_event(const driver::Effects& effects,
                              const driver::ReadBack::EventRef& ref) const;
  bool has_front(const std::string& session, const std::string& consumer) const;
  bool is_pending(const driver::ReadBack::Pending& pending) const;
  std::optional<std::int64_t> next_due(const driver::ConsumerNames& consumers,
                                       ReadyKeys& ready) const;

  std::optional<Place> first_after(const Session& session, const std::string& consumer,
                                   const std::optional<Place>& old, bool is_timed,
                                   const DueChanges& changes) const;

  const View& view_;
  StripeLocks& locks_;
  struct Change {
    std::string key;
    std::optional<std::string> value;  // absent: it goes
  };
  std::vector<Change> changes_;
  ::rocksdb::WriteBatch batch_;
  std::vector<Fronts::Put> front_puts_;
  std::vector<std::string_view> gap_puts_;
  ReadyKeys::Changes ready_changes_;
  // First keys as the batch leaves them: (session, consumer) -> front; empty: none.
  std::map<std::pair<std::string, std::string>, Front> fronts_;
};

}  // namespace pawl::rocksdb
