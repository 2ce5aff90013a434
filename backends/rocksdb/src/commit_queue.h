// Writers that come while another one writes share the next write: the first of them does it for
// all. RocksDB would do so, too, but wakes each of them by itself, by a mutex and a condition.
#pragma once

#include <rocksdb/status.h>
#include <rocksdb/write_batch.h>

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "pawl/driver/groups.h"

namespace pawl::rocksdb {

class CommitQueue {
 public:
  // Writes a batch, synced if one of those who share it asks for that.
  using Write = std::function<::rocksdb::Status(::rocksdb::WriteBatch& batch, bool sync)>;

  // `write` is called by one thread at a time. About `most_bytes` are written at once, but that a
  // larger batch goes alone.
  CommitQueue(std::size_t most_bytes, Write write)
      : groups_(most_bytes), write_(std::move(write)) {}

  // Returns when the batch has been written: all of it or nothing.
  ::rocksdb::Status commit(::rocksdb::WriteBatch& batch, bool sync);

  // How many have not been written yet. For tests.
  std::size_t size() { return groups_.size(); }

 private:
  struct Request {
    ::rocksdb::WriteBatch& batch;
    bool sync = false;
    ::rocksdb::Status status = {};
  };
  using Groups = driver::Groups<Request>;

  ::rocksdb::Status write(const std::vector<Request*>& requests) const;

  Groups groups_;
  const Write write_;
};

}  // namespace pawl::rocksdb
