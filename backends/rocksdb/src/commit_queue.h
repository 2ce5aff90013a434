// Writers that come while another one writes share the next write: the first of them does it for
// all. RocksDB would do so, too, but wakes each of them by itself, by a mutex and a condition.
#pragma once

#include <rocksdb/status.h>
#include <rocksdb/write_batch.h>

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "pawl/driver/flag.h"

namespace pawl::rocksdb {

class CommitQueue {
 public:
  // Writes a batch, synced if one of those who share it asks for that.
  using Write = std::function<::rocksdb::Status(::rocksdb::WriteBatch& batch, bool sync)>;

  // `write` is called by one thread at a time. About `most_bytes` are written at once, but that a
  // larger batch goes alone.
  CommitQueue(std::size_t most_bytes, Write write)
      : most_bytes_(most_bytes), write_(std::move(write)) {}

  // Returns when the batch has been written: all of it or nothing.
  ::rocksdb::Status commit(::rocksdb::WriteBatch& batch, bool sync);

  // How many have not been written yet. For tests.
  std::size_t size();

 private:
  struct Group {
    std::vector<::rocksdb::WriteBatch*> batches;
    std::size_t bytes = 0;
    bool sync = false;
    bool is_closed = false;  // nobody joins any more
    driver::Flag is_next;
    driver::Flag is_done;
    ::rocksdb::Status status;
  };
  struct Joined {
    std::shared_ptr<Group> group;
    bool leads = false;  // it writes for all of them
  };

  Joined join(::rocksdb::WriteBatch& batch, bool sync);
  void lead(Group& group);
  ::rocksdb::Status write(const Group& group) const;

  const std::size_t most_bytes_;
  const Write write_;
  std::mutex mutex_;
  std::deque<std::shared_ptr<Group>> groups_;  // the first one is written now, or about to be
};

}  // namespace pawl::rocksdb
