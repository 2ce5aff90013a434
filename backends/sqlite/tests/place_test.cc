// Where a store may be, what is refused, and what is left alone.
#include "place.h"

#include <grp.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>

#include "children.h"
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

// Everything in a folder: names, times of change, sizes and hashes of the contents.
std::map<std::string, std::string> folder_contents(const fs::path& folder) {
  std::map<std::string, std::string> all;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string path = entry.path().string();
    struct stat status {};
    EXPECT_EQ(lstat(path.c_str(), &status), 0) << path;
    std::string text = std::to_string(status.st_mode) + " " +
                       std::to_string(status.st_mtim.tv_sec) + "." +
                       std::to_string(status.st_mtim.tv_nsec) + " ";
    if (S_ISREG(status.st_mode)) {
      const std::string bytes = contents(path);
      text += std::to_string(bytes.size()) + " " + std::to_string(std::hash<std::string>()(bytes));
    }
    all[entry.path().filename().string()] = text;
  }
  return all;
}

// Runs `body` as somebody for whom permissions count, and expects no failure in it.
void unprivileged(const std::function<void()>& body) {
  const pid_t child = in_child([&] {
    constexpr unsigned kNobody = 65'534;
    if (geteuid() == 0 &&
        (setgroups(0, nullptr) != 0 || setgid(kNobody) != 0 || setuid(kNobody) != 0)) {
      return 98;
    }
    body();
    return ::testing::Test::HasFailure() ? 1 : 0;
  });
  EXPECT_EQ(exit_code(child), 0);
}

void expect_names(const Error& error, const std::string& path) {
  EXPECT_NE(std::string(error.what()).find(path), std::string::npos)
      << path << ": " << error.what();
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

  // Opening is refused to this user, naming `named`, and leaves all as it was.
  void expect_no_permission(const std::string& path, const std::string& named) {
    const auto before = folder_contents(scratch_.folder());
    unprivileged([&] {
      const Error error = refusal(path);
      EXPECT_EQ(error.code(), ErrorCode::kNotConfigured) << named << ": " << error.what();
      expect_names(error, named);
    });
    EXPECT_EQ(folder_contents(scratch_.folder()), before) << named;
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

TEST_F(Places, NothingOfAUriIsDecoded) {
  for (const char* name : {"a?mode=ro", "b#c", "d%20e", "f \"g\" 'h'", "file:i", "sqlite:j"}) {
    pawl::open("sqlite:" + scratch_.path(name)).append("s", {{.type = "t"}});
    EXPECT_TRUE(fs::is_regular_file(scratch_.path(name))) << name;
    EXPECT_EQ(row_of(*open_backend(scratch_.path(name), {}), "s").last_index, 1) << name;
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

TEST_F(Places, NamesOfCallersReachNoPath) {
  fs::create_directory(scratch_.path("home"));
  const std::string evil = scratch_.path("evil");
  {
    Store store = sqlite::open(scratch_.path("home/store.db"));
    for (const std::string& name :
         {std::string("../evil"), evil, "file:" + evil + "?mode=rwc", std::string("evil/"),
          std::string("-wal"), std::string("'; ATTACH '") + evil + "' AS e; --"}) {
      store.append(name,
                   {{.id = name, .type = name, .targets = {{.consumer = name, .lane = name}}}});
      store.claim(name, {.holder = name, .ttl = Duration(1'000)});
      store.put_snapshots(name, name, {{.index = 1, .state = "1"}});
      store.set_presence(name, name, {{name, "1"}}, {.at = Time(Duration(1)), .ttl = Duration(9)});
    }
  }
  std::set<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(scratch_.folder())) {
    files.insert(fs::relative(entry.path(), scratch_.folder()).string());
  }
  EXPECT_EQ(files, (std::set<std::string>{"home", "home/store.db", "home/store.db-lock",
                                          "home/store.db-shm", "home/store.db-wal"}));
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
    const auto before = folder_contents(scratch_.folder());
    const Error error = refusal(path);
    EXPECT_EQ(error.code(), ErrorCode::kNotConfigured) << path;
    expect_names(error, path.substr(0, path.find("/store.db")));
    EXPECT_EQ(folder_contents(scratch_.folder()), before) << path;
  }
  EXPECT_EQ(refusal(scratch_.path(std::string("a\0b", 3))).code(), ErrorCode::kInvalidArgument);
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
    const auto before = folder_contents(scratch_.folder());
    const Error error = refusal(path);
    EXPECT_EQ(error.code(), ErrorCode::kNotConfigured) << error.what();
    expect_names(error, "Choose another path");
    expect_names(error, path);
    EXPECT_EQ(folder_contents(scratch_.folder()), before) << path;
  }
}

// Also one that stands where a store was, whose lock file is still there.
TEST_F(Places, AForeignFileBesideALockFileIsRefusedAndUntouched) {
  const std::string path = scratch_.path();
  expect_store_at(path);
  for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(path + suffix);
  execute(path, "PRAGMA journal_mode = WAL; CREATE TABLE t (x)");
  auto before = folder_contents(scratch_.folder());
  const Error error = refusal(path);
  EXPECT_EQ(error.code(), ErrorCode::kNotConfigured) << error.what();
  expect_names(error, path);
  auto after = folder_contents(scratch_.folder());
  before.erase("store.db-lock");  // may be used: it is a store's
  after.erase("store.db-lock");
  EXPECT_EQ(after, before);
}

TEST_F(Places, ANewerLayoutIsRefusedAndUntouched) {
  const std::string path = scratch_.path();
  expect_store_at(path);
  execute(path, "PRAGMA user_version = " + std::to_string(kLayout + 1) +
                    "; PRAGMA wal_checkpoint(TRUNCATE)");
  for (const bool with_lock_file : {true, false}) {
    if (!with_lock_file) fs::remove(path + "-lock");
    auto before = folder_contents(scratch_.folder());
    const Error error = refusal(path);
    EXPECT_EQ(error.code(), ErrorCode::kNotConfigured);
    expect_names(error, "layout 2");
    expect_names(error, "newer");
    expect_names(error, path);
    auto after = folder_contents(scratch_.folder());
    before.erase("store.db-lock");  // may be used: it is a store's
    if (with_lock_file) after.erase("store.db-lock");
    EXPECT_EQ(after, before);
  }
}

TEST_F(Places, AFileThatMayNotBeWrittenIsRefusedAndNothingIsLeftBeside) {
  const std::string path = scratch_.path();
  expect_store_at(path);
  fs::permissions(scratch_.folder(), fs::perms::all);
  for (const char* suffix : {"", "-wal", "-shm", "-lock"}) {
    fs::permissions(path + suffix, fs::perms(0666));
  }
  for (const char* suffix : {"", "-wal", "-shm", "-lock"}) {
    for (const int mode : {0444, 0222, 0}) {
      fs::permissions(path + suffix, fs::perms(mode));
      expect_no_permission(path, path + suffix);
    }
    fs::permissions(path + suffix, fs::perms(0666));
  }
  for (const char* suffix : {"-wal", "-shm", "-lock"}) fs::remove(path + suffix);
  fs::permissions(path, fs::perms(0444));
  expect_no_permission(path, path);
}

TEST_F(Places, AFolderThatMayNotBeWrittenIsRefused) {
  fs::permissions(scratch_.folder(), fs::perms(0555));
  expect_no_permission(scratch_.path(), scratch_.folder().string());
  fs::permissions(scratch_.folder(), fs::perms::all);
  expect_store_at(scratch_.path());
  for (const char* suffix : {"", "-wal", "-shm", "-lock"}) {
    fs::permissions(scratch_.path() + suffix, fs::perms(0666));
  }
  fs::permissions(scratch_.folder(), fs::perms(0555));
  // All of its files are there: it can be used.
  unprivileged([&] { EXPECT_EQ(row_of(*open_backend(scratch_.path(), {}), "s").last_index, 1); });
  for (const char* suffix : {"-wal", "-shm", "-lock"}) {
    fs::permissions(scratch_.folder(), fs::perms::all);
    fs::remove(scratch_.path() + suffix);
    fs::permissions(scratch_.folder(), fs::perms(0555));
    expect_no_permission(scratch_.path(), scratch_.folder().string());
  }
  fs::permissions(scratch_.folder(), fs::perms(0333));  // no list of it, but files can be made
  expect_store_at(scratch_.path("other"));
  fs::permissions(scratch_.folder(), fs::perms::all);
}

TEST_F(Places, AFileThatAnotherProgramKeepsLockedIsBusyAndUntouched) {
  expect_store_at(scratch_.path("store"));
  std::ofstream(scratch_.path("empty")).close();
  for (const char* name : {"store", "empty"}) {
    const std::string path = scratch_.path(name);
    int ready[2];
    ASSERT_EQ(pipe(ready), 0);
    const pid_t child = in_child([&] {
      sqlite3* db = nullptr;
      sqlite3_open(path.c_str(), &db);
      const int result = sqlite3_exec(db, "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE",
                                      nullptr, nullptr, nullptr);
      EXPECT_EQ(write(ready[1], result == SQLITE_OK ? "x" : "-", 1), 1);
      while (true) pause();
      return 0;
    });
    char byte = 0;
    ASSERT_EQ(read(ready[0], &byte, 1), 1);
    ASSERT_EQ(byte, 'x') << name;
    const auto before = folder_contents(scratch_.folder())[name];
    OpenOptions options;
    options.busy_timeout = Duration(50);
    const Error error = refusal(path, options);
    EXPECT_EQ(error.code(), ErrorCode::kBusy) << error.what();
    expect_names(error, path);
    EXPECT_EQ(folder_contents(scratch_.folder())[name], before) << name;
    kill(child, SIGKILL);
    EXPECT_EQ(exit_code(child), 128 + SIGKILL);
    close(ready[0]);
    close(ready[1]);
    EXPECT_EQ(row_of(*open_backend(path, {}), "s").last_index,
              name == std::string("store") ? 1 : 0);
  }
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
