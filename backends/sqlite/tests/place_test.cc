// Where a store may be, what is refused, and what is left alone.
#include "place.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "driver_rows.h"
#include "pawl/sqlite.h"
#include "schema.h"
#include "scratch.h"

namespace pawl::sqlite {
namespace {

namespace fs = std::filesystem;

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

mode_t mode_of(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 0777;
}

// The code and message that opening throws.
Error refusal(const std::string& path, const OpenOptions& options = {}) {
  try {
    open_backend(path, options);
  } catch (const Error& error) {
    return error;
  }
  return Error(ErrorCode::kUnknownEvent, "nothing was thrown");
}

void execute(const std::string& path, const std::string& sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(db);
  sqlite3_close(db);
}

class Places : public ::testing::Test {
 protected:
  // A store opens there, keeps what it is given, and its file is the one that is named.
  void expect_store_at(const std::string& path) {
    {
      const auto backend = open_backend(path, {});
      backend->transact(query_of("s"), append_one("s"));
    }
    EXPECT_TRUE(fs::is_regular_file(path)) << path;
    EXPECT_EQ(row_of(*open_backend(path, {}), "s").last_index, 1) << path;
  }

  Scratch scratch_;
};

TEST_F(Places, AnyNameIsTakenAsItStands) {
  for (const char* name :
       {"a#b.db", "?mode=memory", "x?mode=ro&vfs=none", "%2e%2e", "a b\tc\n.db", "'\"`;--",
        ":memory:", "file:y.db", "-wal", "\xc3\xa9\xf0\x9f\x90\xbe", "\xff\xfe", "\\", "store"}) {
    expect_store_at(scratch_.path(name));
  }
}

TEST_F(Places, ARelativeSpecialNameIsAFileToo) {
  const fs::path before = fs::current_path();
  fs::current_path(scratch_.folder());
  for (const char* name : {":memory:", "file:z.db?mode=memory", "plain"}) expect_store_at(name);
  fs::current_path(before);
  EXPECT_TRUE(fs::is_regular_file(scratch_.path(":memory:")));
  EXPECT_TRUE(fs::is_regular_file(scratch_.path("file:z.db?mode=memory")));
}

TEST_F(Places, AnEmptyFileIsLaidOut) {
  std::ofstream(scratch_.path("empty")).close();
  expect_store_at(scratch_.path("empty"));
}

TEST_F(Places, ThroughALinkItIsTheSameStore) {
  expect_store_at(scratch_.path("real"));
  fs::create_symlink("real", scratch_.path("link"));
  EXPECT_EQ(row_of(*open_backend(scratch_.path("link"), {}), "s").last_index, 1);
  EXPECT_FALSE(fs::exists(scratch_.path("link-lock")));
}

TEST_F(Places, WhatIsNoPlaceForAFileIsRefused) {
  fs::create_directory(scratch_.path("folder"));
  fs::create_symlink("nowhere", scratch_.path("dangling"));
  ASSERT_EQ(mkfifo(scratch_.path("fifo").c_str(), 0600), 0);
  for (const std::string& path :
       {std::string(), scratch_.path("folder"), scratch_.path("folder/"), scratch_.path("fifo"),
        scratch_.path("dangling"), scratch_.path("missing/store.db"), scratch_.path("missing/"),
        scratch_.path("fifo/store.db"), scratch_.path(std::string(600, 'x')),
        std::string("/dev/null")}) {
    EXPECT_EQ(refusal(path).code(), ErrorCode::kNotConfigured) << path;
  }
  EXPECT_EQ(refusal(scratch_.path(std::string("a\0b", 3))).code(), ErrorCode::kInvalidArgument);
  EXPECT_FALSE(fs::exists(scratch_.path("missing")));
}

TEST_F(Places, FilesAreTheOwnersAloneWhateverTheUmask) {
  for (const mode_t mask : {mode_t{0}, mode_t{022}, mode_t{0277}}) {
    const std::string path = scratch_.path("store" + std::to_string(mask));
    const mode_t old = umask(mask);
    const auto backend = open_backend(path, {});
    backend->transact(query_of("s"), append_one("s"));
    umask(old);
    for (const char* suffix : {"", "-wal", "-shm", "-lock"}) {
      EXPECT_EQ(mode_of(path + suffix), 0600U) << suffix << " with umask " << mask;
    }
  }
}

TEST_F(Places, AFileThatOthersMayUseKeepsItsPermissions) {
  const std::string path = scratch_.path();
  std::ofstream(path).close();
  fs::permissions(path, fs::perms(0660));
  const auto backend = open_backend(path, {});
  backend->transact(query_of("s"), append_one("s"));
  for (const char* suffix : {"", "-wal", "-shm", "-lock"}) EXPECT_EQ(mode_of(path + suffix), 0660U);
}

TEST_F(Places, AForeignFileIsRefusedAndUntouched) {
  execute(scratch_.path("theirs.db"), "CREATE TABLE t (x); INSERT INTO t VALUES (1)");
  std::ofstream(scratch_.path("text")) << "hello\n";
  std::ofstream(scratch_.path("long")) << std::string(10'000, 'x');
  for (const char* name : {"theirs.db", "text", "long"}) {
    const std::string path = scratch_.path(name);
    const std::string before = contents(path);
    const Error error = refusal(path);
    EXPECT_EQ(error.code(), ErrorCode::kNotConfigured) << error.what();
    EXPECT_NE(std::string(error.what()).find("Choose another path"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find(path), std::string::npos);
    EXPECT_EQ(contents(path), before);
    for (const char* suffix : {"-wal", "-shm", "-lock", "-journal"}) {
      EXPECT_FALSE(fs::exists(path + suffix)) << path << suffix;
    }
  }
}

TEST_F(Places, ANewerLayoutIsRefusedAndUntouched) {
  const std::string path = scratch_.path();
  expect_store_at(path);
  execute(path, "PRAGMA user_version = " + std::to_string(kLayout + 1) +
                    "; PRAGMA wal_checkpoint(TRUNCATE)");
  const std::string before = contents(path);
  const Error error = refusal(path);
  EXPECT_EQ(error.code(), ErrorCode::kNotConfigured);
  EXPECT_NE(std::string(error.what()).find("layout 2"), std::string::npos) << error.what();
  EXPECT_NE(std::string(error.what()).find("newer"), std::string::npos) << error.what();
  EXPECT_EQ(contents(path), before);
}

TEST_F(Places, ACrashWhileItIsLaidOutIsMadeUpFor) {
  const std::string path = scratch_.path();
  std::ofstream(path).close();
  const pid_t child = fork();
  if (child == 0) {
    // The pages go to the file before the commit, as they may at any time of it.
    sqlite3* db = nullptr;
    sqlite3_open(path.c_str(), &db);
    const std::string sql =
        std::string("PRAGMA cache_size = 1; BEGIN IMMEDIATE;") + kSchema +
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) "
        "INSERT INTO name (text) SELECT hex(randomblob(100)) || i FROM n";
    _exit(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  ASSERT_GT(fs::file_size(path), 0U);
  ASSERT_TRUE(fs::exists(path + "-journal"));
  expect_store_at(path);
}

TEST_F(Places, ALostLockFileIsMadeAnew) {
  expect_store_at(scratch_.path());
  fs::remove(scratch_.path() + "-lock");
  EXPECT_EQ(row_of(*open_backend(scratch_.path(), {}), "s").last_index, 1);
}

TEST_F(Places, UnknownOptionsAndBadValuesAreNamed) {
  OpenOptions options;
  options.engine = {{"fsync", "off"}};
  Error error = refusal(scratch_.path(), options);
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_NE(std::string(error.what()).find("fsync"), std::string::npos);
  EXPECT_NE(std::string(error.what()).find("checkpoint_pages"), std::string::npos);
  for (const char* value : {"", "0", "65", "4x", "-1", "4.5", "99999999999999999999"}) {
    options.engine = {{"readers", value}};
    error = refusal(scratch_.path(), options);
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument) << value;
    EXPECT_NE(std::string(error.what()).find("readers"), std::string::npos);
  }
  EXPECT_FALSE(fs::exists(scratch_.path()));
}

}  // namespace
}  // namespace pawl::sqlite
