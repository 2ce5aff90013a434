// commit_queue.cc: see commit_queue.h.
#include "commit_queue.h"

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

::rocksdb::WriteBatch joined(const std::vector<::rocksdb::WriteBatch*>& batches,
                             std::size_t bytes) {
  std::string all;
  all.reserve(bytes);
  std::uint32_t count = 0;
  for (const ::rocksdb::WriteBatch* batch : batches) {
    all.append(batch->Data(), all.empty() ? 0 : kRecordsAt);
    count += batch->Count();
  }
  for (std::size_t i = 0; i < sizeof count; ++i) {
    all[kCountAt + i] = static_cast<char>(count >> 8 * i & 0xff);
  }
  return ::rocksdb::WriteBatch(std::move(all));
}

}  // namespace

::rocksdb::Status CommitQueue::commit(::rocksdb::WriteBatch& batch, bool sync) {
  const auto [group, leads] = join(batch, sync);
  if (leads) {
    lead(*group);
  } else {
    group->is_done.wait();
  }
  return group->status;
}

std::size_t CommitQueue::size() {
  const std::lock_guard lock(mutex_);
  std::size_t size = 0;
  for (const auto& group : groups_) size += group->batches.size();
  return size;
}

CommitQueue::Joined CommitQueue::join(::rocksdb::WriteBatch& batch, bool sync) {
  const std::size_t bytes = batch.GetDataSize();
  const std::lock_guard lock(mutex_);
  const bool leads =
      groups_.empty() || groups_.back()->is_closed || groups_.back()->bytes + bytes > most_bytes_;
  if (leads) {
    const auto fresh = std::make_shared<Group>();
    fresh->batches.push_back(&batch);
    if (groups_.empty()) fresh->is_next.raise();
    groups_.push_back(fresh);
  } else {
    groups_.back()->batches.push_back(&batch);
  }
  Group& group = *groups_.back();
  group.bytes += bytes;
  group.sync = group.sync || sync;
  return {groups_.back(), leads};
}

void CommitQueue::lead(Group& group) {
  group.is_next.wait();
  {
    const std::lock_guard lock(mutex_);
    group.is_closed = true;
  }
  group.status = write(group);
  std::shared_ptr<Group> next;
  {
    const std::lock_guard lock(mutex_);
    groups_.pop_front();
    if (!groups_.empty()) next = groups_.front();
  }
  if (next) next->is_next.raise();
  group.is_done.raise();
}

// Throws nothing: others wait for its end.
::rocksdb::Status CommitQueue::write(const Group& group) const {
  try {
    if (group.batches.size() == 1) return write_(*group.batches.front(), group.sync);
    ::rocksdb::WriteBatch all = joined(group.batches, group.bytes);
    return write_(all, group.sync);
  } catch (const std::bad_alloc&) {
    return ::rocksdb::Status::MemoryLimit("joining batches");
  }
}

}  // namespace pawl::rocksdb
