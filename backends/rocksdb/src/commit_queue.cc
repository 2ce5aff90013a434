// commit_queue.cc: see commit_queue.h.
#include "commit_queue.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>

namespace pawl::rocksdb {
namespace {

// A batch's bytes, as they stand in every log: a sequence number, the count of the records, and
// the records.
constexpr std::size_t kCountAt = 8;
constexpr std::size_t kRecordsAt = 12;

template <class Request>
::rocksdb::WriteBatch joined(const std::vector<Request*>& requests) {
  std::size_t bytes = 0;
  for (const Request* request : requests) bytes += request->batch.GetDataSize();
  std::string all;
  all.reserve(bytes);
  std::uint32_t count = 0;
  for (const Request* request : requests) {
    all.append(request->batch.Data(), all.empty() ? 0 : kRecordsAt);
    count += request->batch.Count();
  }
  for (std::size_t i = 0; i < sizeof count; ++i) {
    all[kCountAt + i] = static_cast<char>(count >> 8 * i & 0xff);
  }
  return ::rocksdb::WriteBatch(std::move(all));
}

}  // namespace

::rocksdb::Status CommitQueue::commit(::rocksdb::WriteBatch& batch, bool sync) {
  Request own{batch, sync};
  groups_.join(own, batch.GetDataSize(), [this](Groups::Turn& turn) {
    const std::vector<Request*>& requests = turn.members();
    const ::rocksdb::Status status = write(requests);
    for (Request* request : requests) request->status = status;
  });
  return own.status;
}

// Throws nothing: others wait for its end.
::rocksdb::Status CommitQueue::write(const std::vector<Request*>& requests) const {
  const bool sync =
      std::any_of(requests.begin(), requests.end(), [](const Request* one) { return one->sync; });
  try {
    if (requests.size() == 1) return write_(requests.front()->batch, sync);
    ::rocksdb::WriteBatch all = joined(requests);
    return write_(all, sync);
  } catch (const std::bad_alloc&) {
    return ::rocksdb::Status::MemoryLimit("joining batches");
  }
}

}  // namespace pawl::rocksdb
