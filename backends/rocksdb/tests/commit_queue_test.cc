// Writers that share a write: what is joined, and what each of them is told.
#include "commit_queue.h"

#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include <future>
#include <memory>
#include <thread>

#include "scratch.h"

namespace pawl::rocksdb {
namespace {

using ::rocksdb::Status;
using ::rocksdb::WriteBatch;

// The first write is held until it is let go; what comes meanwhile waits in the queue.
class CommitQueueTest : public testing::Test {
 protected:
  CommitQueueTest()
      : queue_(4'096, [this](WriteBatch& batch, bool sync) { return write(batch, sync); }) {}

  // Begins to commit `count` keys, and returns when they are in the queue.
  void begin(const std::string& name, int count, bool sync = false) {
    auto batch = std::make_shared<WriteBatch>();
    for (int i = 0; i < count; ++i) {
      ASSERT_TRUE(batch->Put(name + std::to_string(i), "value of " + name).ok());
    }
    writers_.push_back(std::async(std::launch::async,
                                  [this, batch, sync] { return queue_.commit(*batch, sync); }));
    while (queue_.size() < writers_.size()) std::this_thread::yield();
  }

  // Lets the first write go. What each of them is told.
  std::vector<Status> finish() {
    gate_.set_value();
    std::vector<Status> told;
    for (auto& writer : writers_) told.push_back(writer.get());
    return told;
  }

  // How many keys each write had.
  std::vector<std::uint32_t> counts_;
  std::vector<bool> syncs_;
  // What writes but the first one end with, where there is no database.
  Status answer_;
  std::unique_ptr<::rocksdb::DB> db_;

 private:
  Status write(WriteBatch& batch, bool sync) {
    counts_.push_back(batch.Count());
    syncs_.push_back(sync);
    if (counts_.size() == 1) gate_.get_future().wait();
    if (db_) return db_->Write({}, &batch);
    return counts_.size() == 1 ? Status() : answer_;
  }

  std::promise<void> gate_;
  CommitQueue queue_;
  std::vector<std::future<Status>> writers_;
};

TEST_F(CommitQueueTest, OneWritesForAllThatCameMeanwhile) {
  begin("a", 1);
  begin("b", 2);
  begin("c", 3, true);
  for (const Status& status : finish()) EXPECT_TRUE(status.ok());
  EXPECT_EQ(counts_, (std::vector<std::uint32_t>{1, 5}));
  EXPECT_EQ(syncs_, (std::vector<bool>{false, true}));
}

TEST_F(CommitQueueTest, WhatIsJoinedIsStoredAsItWas) {
  const Scratch scratch;
  ::rocksdb::Options options;
  options.create_if_missing = true;
  ::rocksdb::DB* opened = nullptr;
  ASSERT_TRUE(::rocksdb::DB::Open(options, scratch.path(), &opened).ok());
  db_.reset(opened);
  begin("a", 1);
  begin("b", 1);
  begin("c", 2);
  begin("b", 1);  // the same key again
  for (const Status& status : finish()) EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(counts_, (std::vector<std::uint32_t>{1, 4}));
  for (const char* key : {"a0", "b0", "c0", "c1"}) {
    std::string value;
    EXPECT_TRUE(db_->Get({}, key, &value).ok()) << key;
    EXPECT_EQ(value, std::string("value of ") + key[0]);
  }
  EXPECT_EQ(db_->GetLatestSequenceNumber(), 5U);
  db_.reset();
}

TEST_F(CommitQueueTest, AFailureIsToldToAllThatShareIt) {
  answer_ = Status::IOError("the disk");
  begin("a", 1);
  begin("b", 1);
  begin("c", 1);
  const std::vector<Status> told = finish();
  EXPECT_TRUE(told[0].ok());
  EXPECT_TRUE(told[1].IsIOError() && told[2].IsIOError());
}

TEST_F(CommitQueueTest, ALargeBatchGoesAloneAndInItsTurn) {
  begin("a", 1);
  begin("b", 2);
  begin("c", 300);
  begin("d", 3);
  begin("e", 4);
  for (const Status& status : finish()) EXPECT_TRUE(status.ok());
  EXPECT_EQ(counts_, (std::vector<std::uint32_t>{1, 2, 300, 7}));
}

}  // namespace
}  // namespace pawl::rocksdb
