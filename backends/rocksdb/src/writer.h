// Effects -> one WriteBatch, secondary keys and first keys included; and what is read back.
#pragma once

#include <rocksdb/write_batch.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "loader.h"
#include "pawl/backend.h"

namespace pawl::rocksdb {

class Writer {
 public:
  // `seen` is what the load of the same transaction saw.
  Writer(const View& view, Seen& seen) : view_(view), seen_(seen) {}

  void add(const driver::Effects& effects);
  ::rocksdb::WriteBatch& batch() { return batch_; }

  // The keys that the batch puts in ranges that have a front.
  const std::vector<Fronts::Put>& front_puts() const { return front_puts_; }

  // Read back as of after the batch, before it is written. `effects` must be those added.
  driver::Readings read_back(const driver::Effects& effects, Fronts& fronts) const;

 private:
  // The changes to one consumer's `q` keys.
  struct DueChanges {
    std::map<std::string, Place> put;  // by key
    std::set<std::string> removed;
  };
  struct Session {
    const driver::SessionEffects& effects;
    driver::SessionRow old_row;
    driver::SessionRow row;
    std::map<std::string, DueChanges> due;  // by consumer
  };

  void put(std::string_view key, std::string_view value);
  void remove(std::string_view key);
  void put_in_front(std::string range, std::string key);

  void add_session(const driver::SessionEffects& effects);
  driver::SessionRow stored_row(const std::string& session) const;
  Front stored_front(const std::string& session, const std::string& consumer) const;
  void put_row(const Session& session);
  void erase_events(const Session& session);
  void append_events(const Session& session);
  void drop_cursor(Session& session, const driver::CursorRow& row);
  void put_cursor(Session& session, const driver::CursorRow& row);
  void remove_index_keys(Session& session, std::int64_t era, const driver::CursorKey& key,
                         const SeenCursor& old);
  SeenCursor stored_cursor(const Session& session, std::int64_t era, const driver::CursorKey& key);
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
                                       Fronts& fronts) const;

  std::optional<Place> first_after(const Session& session, const std::string& consumer,
                                   const std::optional<Place>& old, bool timed,
                                   const DueChanges& changes) const;

  const View& view_;
  Seen& seen_;
  ::rocksdb::WriteBatch batch_;
  std::vector<Fronts::Put> front_puts_;
  // First keys as the batch leaves them: (session, consumer) -> front; empty: none.
  std::map<std::pair<std::string, std::string>, Front> fronts_;
  std::set<std::string> ready_removed_;  // `y` keys that the batch removes
};

}  // namespace pawl::rocksdb
