// Opening: what is there, what is not, and who may.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "pawl/rocksdb.h"
#include "scratch.h"

namespace pawl::rocksdb {
namespace {

namespace fs = std::filesystem;

class Place : public testing::Test {
 protected:
  std::string path() const { return scratch_.path(); }

  ErrorCode code_of_open(const OpenOptions& options = {}) { return code_of_open(path(), options); }
  ErrorCode code_of_open(const std::string& path, const OpenOptions& options) {
    try {
      rocksdb::open(path, options);
    } catch (const Error& error) {
      message_ = error.what();
      return error.code();
    }
    ADD_FAILURE() << "opened";
    return ErrorCode::kClosed;
  }

  // What another process says that opens it: not a fork's child, which has this one's lock table.
  std::string open_elsewhere(const std::string& id = "") const {
    const std::string out = (scratch_.folder() / "out").string();
    const std::string command = PAWL_ROCKSDB_OPENER " " + path() + " " + id + " > " + out;
    EXPECT_EQ(std::system(command.c_str()), 0);
    std::string line;
    std::getline(std::ifstream(out), line);
    return line;
  }

  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path()), fs::directory_iterator()));
  }

  // A closed store with events in a table file and in the log.
  void make_store() {
    for (const char* id : {"a", "b"}) {
      rocksdb::open(path()).append("s", {{.id = id, .type = "t", .payload = "1"}});
    }
  }

  fs::path file_like(const std::string& part) const {
    for (const auto& entry : fs::directory_iterator(path())) {
      if (entry.path().filename().string().find(part) != std::string::npos) return entry.path();
    }
    ADD_FAILURE() << "no file " << part;
    return {};
  }

  const Scratch scratch_;
  std::string message_;
};

TEST_F(Place, IsMadeForItsOwnerAlone) {
  const mode_t before = umask(0);
  const Store store = rocksdb::open(path());
  umask(before);
  struct stat status {};
  ASSERT_EQ(stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700U);
}

TEST_F(Place, IsReopenedWithWhatItHeld) {
  rocksdb::open(path()).append("s", {{.id = "a", .type = "t"}});
  EXPECT_EQ(rocksdb::open(path()).head("s").last_index, 1);
}

TEST_F(Place, StoresOfOneProcessShareItWithTheSameOptions) {
  Store store = rocksdb::open(path());
  OpenOptions options;
  options.engine["block_cache_mib"] = "64";
  options.durability = Durability::kRelaxed;
  {
    Store other = rocksdb::open((scratch_.folder() / "." / "store").string(), options);
    other.append("s", {{.id = "a", .type = "t"}});
  }
  EXPECT_EQ(store.head("s").last_index, 1);
  options.engine["block_cache_mib"] = "32";
  EXPECT_EQ(code_of_open(options), ErrorCode::kInvalidArgument);
  EXPECT_NE(message_.find("other options"), std::string::npos) << message_;
  store.close();
  EXPECT_EQ(rocksdb::open(path(), options).head("s").last_index, 1);
}

TEST_F(Place, OpenInASecondProcessIsRefusedSayingWhy) {
  const Store store = rocksdb::open(path());
  EXPECT_EQ(open_elsewhere(), "not_configured: rocksdb: " + path() + " is held by another process");
}

// The second time there is something in table files, too.
TEST_F(Place, AStaticStoreIsClosedInOrderWhenItsProcessEnds) {
  for (const char* id : {"a", "b", "c"}) {
    EXPECT_EQ(open_elsewhere(id), "opened");
    EXPECT_TRUE(fs::exists(path() + "/PAWL.closed")) << id;
  }
  EXPECT_EQ(rocksdb::open(path()).head("s").last_index, 3);
}

TEST_F(Place, AForeignFolderIsRefusedAndLeftAlone) {
  fs::create_directories(path());
  std::ofstream(path() + "/notes.txt") << "mine";
  EXPECT_EQ(code_of_open(), ErrorCode::kNotConfigured);
  EXPECT_EQ(files(), 1U);
}

TEST_F(Place, ANewerLayoutIsRefusedSayingWhatToDo) {
  fs::create_directories(path());
  std::ofstream(path() + "/PAWL") << "pawl rocksdb layout 99\n";
  EXPECT_EQ(code_of_open(), ErrorCode::kNotConfigured);
  EXPECT_NE(message_.find("layout 99"), std::string::npos) << message_;
  EXPECT_EQ(files(), 1U);
}

TEST_F(Place, WhatIsNoFolderIsRefused) {
  std::ofstream(path()) << "a file";
  EXPECT_EQ(code_of_open(), ErrorCode::kNotConfigured);
  fs::remove(path());
  ASSERT_EQ(mkfifo(path().c_str(), 0600), 0);
  EXPECT_EQ(code_of_open(), ErrorCode::kNotConfigured);
  EXPECT_NE(message_.find("is not a folder"), std::string::npos) << message_;
  EXPECT_EQ(code_of_open(scratch_.path("missing") + "/store", {}), ErrorCode::kNotConfigured);
  EXPECT_EQ(code_of_open("", {}), ErrorCode::kInvalidArgument);
}

TEST_F(Place, AMarkerThatIsNoFileIsRefused) {
  fs::create_directories(path() + "/PAWL");
  EXPECT_EQ(code_of_open(), ErrorCode::kNotConfigured);
  fs::remove(path() + "/PAWL");
  ASSERT_EQ(mkfifo((path() + "/PAWL").c_str(), 0600), 0);
  EXPECT_EQ(code_of_open(), ErrorCode::kNotConfigured);
  EXPECT_EQ(files(), 1U);
}

TEST_F(Place, AnotherProgramsDatabaseIsRefusedAndLeftAlone) {
  make_store();
  fs::remove(path() + "/PAWL");
  const std::size_t before = files();
  EXPECT_EQ(code_of_open(), ErrorCode::kNotConfigured);
  EXPECT_EQ(files(), before);
}

TEST_F(Place, AnInterruptedBeginningIsTakenUp) {
  fs::create_directories(path());
  std::ofstream(path() + "/PAWL.new77") << "pawl ro";
  rocksdb::open(path()).append("s", {{.id = "a", .type = "t", .payload = "1"}});
  // The marker stood, the database was not finished.
  const std::string other = scratch_.path("other");
  fs::create_directories(other);
  std::ofstream(other + "/PAWL") << "pawl rocksdb layout 1\n";
  std::ofstream(other + "/MANIFEST-000001") << "half";
  EXPECT_EQ(rocksdb::open(other).head("s").last_index, 0);
}

TEST_F(Place, ALostFileIsCorrupt) {
  for (const char* part : {"CURRENT", "MANIFEST", ".sst", ".log"}) {
    SCOPED_TRACE(part);
    fs::remove_all(path());
    make_store();
    fs::remove(file_like(part));
    EXPECT_EQ(code_of_open(), ErrorCode::kCorrupt) << message_;
  }
}

TEST_F(Place, ADamagedFileIsCorrupt) {
  for (const char* part : {"CURRENT", "MANIFEST", ".sst", ".log", "PAWL.closed", "PAWL"}) {
    SCOPED_TRACE(part);
    fs::remove_all(path());
    make_store();
    std::ofstream(file_like(part), std::ios::binary) << "damaged";
    EXPECT_EQ(code_of_open(), ErrorCode::kCorrupt) << message_;
  }
}

// RocksDB alone would take it for what a crash cut off.
TEST_F(Place, ALogThatLostItsEndAfterClosingIsCorrupt) {
  make_store();
  const fs::path log = file_like(".log");
  fs::resize_file(log, fs::file_size(log) - 1);
  EXPECT_EQ(code_of_open(), ErrorCode::kCorrupt);
  EXPECT_NE(message_.find("has lost its last writes"), std::string::npos) << message_;
}

TEST_F(Place, InfoTellsTheOptionsInEffect) {
  OpenOptions options;
  options.engine = {{"block_cache_mib", "8"},
                    {"write_buffer_mib", "4"},
                    {"wal_mib", "16"},
                    {"compression", "none"}};
  const Store store = rocksdb::open(path(), options);
  const Info info = store.info();
  for (const auto& [name, value] : options.engine) EXPECT_EQ(info.details.at(name), value);
  EXPECT_EQ(info.details.at("assertions"), engine_has_assertions() ? "yes" : "no");
  EXPECT_TRUE(info.engine.starts_with("RocksDB ")) << info.engine;
}

TEST_F(Place, UnknownAndWrongOptionsAreRefused) {
  for (const auto& [name, value] : std::map<std::string, std::string>{
           {"no_such", "1"}, {"block_cache_mib", "0"}, {"wal_mib", "x"}, {"compression", "rar"}}) {
    OpenOptions options;
    options.engine[name] = value;
    EXPECT_EQ(code_of_open(options), ErrorCode::kInvalidArgument) << name;
    EXPECT_NE(message_.find(name), std::string::npos) << message_;
    EXPECT_FALSE(fs::exists(path()));
  }
}

TEST_F(Place, AForksChildIsToldAndHarmsNothing) {
  Store store = rocksdb::open(path());
  store.append("s", {{.id = "a", .type = "t"}});
  const pid_t child = fork();
  if (child == 0) {
    int result = 1;
    try {
      store.head("s");
    } catch (const Error& error) {
      result = error.code() == ErrorCode::kClosed ? 0 : 2;
    }
    { const Store dying = std::move(store); }
    _exit(result);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  store.append("s", {{.id = "b", .type = "t"}});
  EXPECT_EQ(store.head("s").last_index, 2);
}

}  // namespace
}  // namespace pawl::rocksdb
