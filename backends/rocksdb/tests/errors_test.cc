// Every status of RocksDB has one code.
#include "errors.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>
#include <vector>

namespace pawl::rocksdb {
namespace {

using ::rocksdb::Status;

constexpr ErrorCode kBusy = ErrorCode::kBusy;
constexpr ErrorCode kBadPlace = ErrorCode::kNotConfigured;
constexpr ErrorCode kPasses = ErrorCode::kUnavailable;
constexpr ErrorCode kDoubt = ErrorCode::kInDoubt;
constexpr ErrorCode kCorrupt = ErrorCode::kCorrupt;
constexpr ErrorCode kClosed = ErrorCode::kClosed;

struct Row {
  Status status;
  std::string name;
  ErrorCode opening;
  ErrorCode running;
  ErrorCode committing;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> all{
      {Status::NotFound(), "NotFound", kCorrupt, kCorrupt, kCorrupt},
      {Status::Corruption("x"), "Corruption", kCorrupt, kCorrupt, kCorrupt},
      {Status::NotSupported("x"), "NotSupported", kBadPlace, kPasses, kPasses},
      {Status::InvalidArgument("x"), "InvalidArgument", kBadPlace, kPasses, kPasses},
      {Status::IOError("x"), "IOError", kPasses, kPasses, kDoubt},
      {Status::IOError("While open a file: /p", "Permission denied"), "IOError", kBadPlace, kPasses,
       kDoubt},
      {Status::IOError("While mkdir: /p", "Read-only file system"), "IOError", kBadPlace, kPasses,
       kDoubt},
      {Status::NoSpace(), "IOError(NoSpace)", kPasses, kPasses, kDoubt},
      {Status::SpaceLimit(), "IOError(8)", kPasses, kPasses, kDoubt},
      {Status::PathNotFound(), "IOError(PathNotFound)", kCorrupt, kCorrupt, kDoubt},
      {Status::MergeInProgress(), "MergeInProgress", kPasses, kPasses, kDoubt},
      {Status::Incomplete(), "Incomplete", kPasses, kPasses, kDoubt},
      {Status::ShutdownInProgress(), "ShutdownInProgress", kClosed, kClosed, kClosed},
      {Status::TimedOut(), "TimedOut", kBusy, kBusy, kBusy},
      {Status::Aborted(), "Aborted", kPasses, kPasses, kDoubt},
      {Status::MemoryLimit(), "Aborted(MemoryLimit)", kPasses, kPasses, kDoubt},
      {Status::Busy(), "Busy", kBusy, kBusy, kBusy},
      {Status::Expired(), "Expired", kBusy, kBusy, kBusy},
      {Status::TryAgain(), "TryAgain", kBusy, kBusy, kBusy},
      {Status::CompactionTooLarge("x"), "CompactionTooLarge", kPasses, kPasses, kPasses},
      {Status::ColumnFamilyDropped(), "ColumnFamilyDropped", kCorrupt, kCorrupt, kCorrupt},
  };
  return all;
}

TEST(Errors, EveryStatusHasItsCode) {
  std::set<Status::Code> codes;
  for (const Row& row : rows()) {
    SCOPED_TRACE(row.status.ToString());
    codes.insert(row.status.code());
    EXPECT_EQ(error_code(row.status, Phase::kOpening), row.opening);
    EXPECT_EQ(error_code(row.status, Phase::kRunning), row.running);
    EXPECT_EQ(error_code(row.status, Phase::kCommitting), row.committing);
    try {
      throw_status(row.status, Phase::kCommitting, "testing");
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), row.committing);
      EXPECT_EQ(error.native(), row.name);
      EXPECT_NE(std::string(error.what()).find("while testing"), std::string::npos);
    }
  }
  // All but kOk.
  EXPECT_EQ(codes.size(), static_cast<std::size_t>(Status::kMaxCode) - 1);
}

// The database's standing error: it refused the write before anything was written.
TEST(Errors, ARefusedWriteHasNotHappened) {
  const Status stopped(Status::NoSpace(), Status::kHardError);
  EXPECT_EQ(error_code(stopped, Phase::kCommitting), kPasses);
}

TEST(Errors, ALockIsToldFromOtherFailures) {
  const Status ours = Status::IOError("lock hold by current process, acquire time 1", "/p/LOCK");
  const Status theirs =
      Status::IOError("While lock file: /p/LOCK", "Resource temporarily unavailable");
  const Status forbidden = Status::IOError("While lock file: /p/LOCK", "Permission denied");
  EXPECT_TRUE(is_lock_of_this_process(ours));
  EXPECT_FALSE(is_lock_of_another_process(ours));
  EXPECT_TRUE(is_lock_of_another_process(theirs));
  EXPECT_FALSE(is_lock_of_this_process(theirs));
  EXPECT_FALSE(is_lock_of_another_process(forbidden));
}

}  // namespace
}  // namespace pawl::rocksdb
