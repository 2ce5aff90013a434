// An open database, with what the stores of this process that are open on it share.
#pragma once

#include <rocksdb/db.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "commit_queue.h"
#include "fronts.h"
#include "gaps.h"
#include "locks.h"
#include "options.h"
#include "ready_keys.h"

namespace pawl::rocksdb {

// Counts commits, and wakes those who wait for one.
class Bell {
 public:
  std::uint64_t commits() {
    const std::lock_guard lock(mutex_);
    return commits_;
  }
  void count_commit() {
    const std::lock_guard lock(mutex_);
    ++commits_;
    rung_.notify_all();
  }
  // After `is_done` has become true for a sleeper.
  void ring() {
    const std::lock_guard lock(mutex_);
    rung_.notify_all();
  }
  void sleep(std::uint64_t seen, std::chrono::steady_clock::time_point until,
             const std::function<bool()>& is_done) {
    std::unique_lock lock(mutex_);
    rung_.wait_until(lock, until, [&] { return is_done() || commits_ != seen; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable rung_;
  std::uint64_t commits_ = 0;
};

class Database {
 public:
  // Opens a prepared folder (place.h). `env` is for tests; null: the system's.
  Database(std::string path, const EngineOptions& options, ::rocksdb::Env* env);
  // Closes it. Nobody uses it any more.
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  const std::string& path() const { return path_; }
  const EngineOptions& options() const { return options_; }
  ::rocksdb::DB& db() { return *db_; }

  // All or nothing of the batch; durable, too, with `sync`.
  void commit(::rocksdb::WriteBatch& batch, bool sync);

  Stripes stripes;
  Fronts fronts;
  ReadyKeys ready;
  Gaps gaps;
  Fronts superseded;  // of sessions that are reclaimed
  Bell bell;

 private:
  ::rocksdb::Status write(::rocksdb::WriteBatch& batch, bool sync);
  ::rocksdb::Status put(::rocksdb::WriteBatch& batch, bool sync);
  bool is_log_full() const;
  void begin_new_log();
  bool make_durable();
  std::uint64_t log_number() const;
  static ::rocksdb::Status still_broken();
  void mark_memory();
  void put_mark();
  void flush_soon();
  void leave_closing_note();

  const std::string path_;
  const EngineOptions options_;
  std::unique_ptr<::rocksdb::DB> db_;

  // Of who writes.
  bool has_failed_ = false;       // a write, ever
  std::uint64_t broken_log_ = 0;  // the latest that could not be written
  bool is_log_whole_ = true;      // the latest write went into it
  bool has_written_ = false;      // since memory was marked
  std::uint64_t logged_ = 0;      // what had been reached before
  std::int64_t written_ = 0;      // since the size of memory was looked at
  std::int64_t log_bytes_ = 0;    // of the present log

  CommitQueue queue_;
};

using DatabasePtr = std::unique_ptr<Database, std::function<void(Database*)>>;

// The database in that folder: the one that is open in this process already, or opened now. It is
// closed when the last of its users lets it go.
DatabasePtr share_database(const std::string& path, const EngineOptions& options,
                           ::rocksdb::Env* env);

}  // namespace pawl::rocksdb
