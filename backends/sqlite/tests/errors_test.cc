// The table of result codes.
#include "errors.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cerrno>

namespace pawl::sqlite {
namespace {

struct Row {
  int code;
  const char* name;
  ErrorCode opening;
  ErrorCode running;
  ErrorCode committing;
};

constexpr ErrorCode kBusy = ErrorCode::kBusy;
constexpr ErrorCode kBadPlace = ErrorCode::kNotConfigured;
constexpr ErrorCode kPasses = ErrorCode::kUnavailable;
constexpr ErrorCode kDoubt = ErrorCode::kInDoubt;
constexpr ErrorCode kCorrupt = ErrorCode::kCorrupt;

constexpr Row kRows[] = {
    {SQLITE_BUSY, "SQLITE_BUSY", kBusy, kBusy, kBusy},
    {SQLITE_BUSY_SNAPSHOT, "SQLITE_BUSY_SNAPSHOT", kBusy, kBusy, kBusy},
    {SQLITE_BUSY_RECOVERY, "SQLITE_BUSY_RECOVERY", kBusy, kBusy, kBusy},
    {SQLITE_LOCKED, "SQLITE_LOCKED", kBusy, kBusy, kBusy},
    {SQLITE_PROTOCOL, "SQLITE_PROTOCOL", kBusy, kBusy, kBusy},
    {SQLITE_FULL, "SQLITE_FULL", kPasses, kPasses, kPasses},
    {SQLITE_NOMEM, "SQLITE_NOMEM", kPasses, kPasses, kDoubt},
    {SQLITE_IOERR_NOMEM, "SQLITE_IOERR_NOMEM", kPasses, kPasses, kDoubt},
    {SQLITE_IOERR_SHMMAP, "SQLITE_IOERR_SHMMAP", kPasses, kPasses, kDoubt},
    {SQLITE_IOERR_SHMSIZE, "SQLITE_IOERR_SHMSIZE", kPasses, kPasses, kDoubt},
    {SQLITE_IOERR, "SQLITE_IOERR", kPasses, kPasses, kDoubt},
    {SQLITE_IOERR_READ, "SQLITE_IOERR_READ", kPasses, kPasses, kPasses},
    {SQLITE_IOERR_WRITE, "SQLITE_IOERR_WRITE", kPasses, kPasses, kPasses},
    {SQLITE_IOERR_FSYNC, "SQLITE_IOERR_FSYNC", kPasses, kPasses, kDoubt},
    {SQLITE_IOERR_DIR_FSYNC, "SQLITE_IOERR_DIR_FSYNC", kPasses, kPasses, kDoubt},
    {SQLITE_IOERR_CORRUPTFS, "SQLITE_IOERR_CORRUPTFS", kCorrupt, kCorrupt, kCorrupt},
    {SQLITE_IOERR_DATA, "SQLITE_IOERR_DATA", kCorrupt, kCorrupt, kCorrupt},
    {SQLITE_IOERR_SHORT_READ, "SQLITE_IOERR_SHORT_READ", kCorrupt, kCorrupt, kCorrupt},
    {SQLITE_CORRUPT, "SQLITE_CORRUPT", kCorrupt, kCorrupt, kCorrupt},
    {SQLITE_CORRUPT_INDEX, "SQLITE_CORRUPT_INDEX", kCorrupt, kCorrupt, kCorrupt},
    {SQLITE_NOTADB, "SQLITE_NOTADB", kBadPlace, kCorrupt, kCorrupt},
    {SQLITE_CONSTRAINT_UNIQUE, "SQLITE_CONSTRAINT_UNIQUE", kCorrupt, kCorrupt, kCorrupt},
    {SQLITE_CONSTRAINT_DATATYPE, "SQLITE_CONSTRAINT_DATATYPE", kCorrupt, kCorrupt, kCorrupt},
    {SQLITE_CANTOPEN, "SQLITE_CANTOPEN", kBadPlace, kPasses, kPasses},
    {SQLITE_PERM, "SQLITE_PERM", kBadPlace, kPasses, kPasses},
    {SQLITE_READONLY, "SQLITE_READONLY", kBadPlace, kPasses, kPasses},
    {SQLITE_READONLY_DBMOVED, "SQLITE_READONLY_DBMOVED", kBadPlace, kPasses, kPasses},
    {SQLITE_TOOBIG, "SQLITE_TOOBIG", ErrorCode::kInvalidArgument, ErrorCode::kInvalidArgument,
     ErrorCode::kInvalidArgument},
    {SQLITE_INTERRUPT, "SQLITE_INTERRUPT", kPasses, kPasses, kPasses},
    {SQLITE_MISUSE, "SQLITE_MISUSE", kPasses, kPasses, kDoubt},
};

TEST(Errors, EveryCodeHasItsMeaning) {
  for (const Row& row : kRows) {
    EXPECT_EQ(error_name(row.code), row.name);
    EXPECT_EQ(error_code(row.code, Phase::kOpening), row.opening) << row.name;
    EXPECT_EQ(error_code(row.code, Phase::kRunning), row.running) << row.name;
    EXPECT_EQ(error_code(row.code, Phase::kCommitting), row.committing) << row.name;
  }
}

TEST(Errors, AnUnlistedCodeIsTakenForItsPrimaryOne) {
  const int unlisted = SQLITE_CORRUPT | (99 << 8);
  EXPECT_EQ(error_code(unlisted, Phase::kRunning), kCorrupt);
  EXPECT_EQ(error_name(unlisted), "SQLITE_CORRUPT(" + std::to_string(unlisted) + ")");
  EXPECT_EQ(error_code(250, Phase::kRunning), kPasses);
  EXPECT_EQ(error_code(250, Phase::kCommitting), kDoubt);
  EXPECT_EQ(error_name(250), "SQLITE_250");
}

TEST(Errors, AMessageNamesTheFileAndTheCode) {
  try {
    throw_sqlite_error(nullptr, SQLITE_FULL, "/data/a.db", "running a statement", Phase::kRunning);
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "sqlite: database or disk is full (SQLITE_FULL) while running a statement: "
                 "/data/a.db");
    EXPECT_EQ(error.native(), "SQLITE_FULL");
    EXPECT_TRUE(error.retryable());
  }
}

TEST(Errors, TheSystemsErrorsBlameThePlaceOnlyWhenOpening) {
  const auto code_of = [](int error, Phase phase) {
    try {
      throw_system_error(error, "/data/a.db", "open it", phase);
    } catch (const Error& thrown) {
      return thrown.code();
    }
  };
  for (const int error : {EACCES, ENOENT, ENOTDIR, EISDIR, EROFS, ELOOP}) {
    EXPECT_EQ(code_of(error, Phase::kOpening), kBadPlace) << error;
    EXPECT_EQ(code_of(error, Phase::kRunning), kPasses) << error;
  }
  EXPECT_EQ(code_of(EMFILE, Phase::kOpening), kPasses);
  EXPECT_EQ(code_of(ENOSPC, Phase::kOpening), kPasses);
}

}  // namespace
}  // namespace pawl::sqlite
