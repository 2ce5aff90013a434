// Opening: what is there, what is not, and who may.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "pawl/rocksdb.h"

namespace pawl::rocksdb {
namespace {

namespace fs = std::filesystem;

class Place : public testing::Test {
 protected:
  Place() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              ("pawl-rocksdb-" + std::string(test->name()) + "-" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  ~Place() override { fs::remove_all(folder_); }

  std::string path() const { return folder_ / "store"; }

  ErrorCode code_of_open(const OpenOptions& options = {}) const {
    try {
      rocksdb::open(path(), options);
    } catch (const Error& error) {
      message_ = error.what();
      return error.code();
    }
    ADD_FAILURE() << "opened";
    return ErrorCode::kClosed;
  }

  fs::path folder_;
  mutable std::string message_;
};

TEST_F(Place, IsMadeForItsOwnerAlone) {
  const mode_t before = umask(0);
  const Store store = rocksdb::open(path());
  umask(before);
  struct stat status {};
  ASSERT_EQ(stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
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
    Store other = rocksdb::open((folder_ / "." / "store").string(), options);
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
  // A process of its own, not a fork's child, which has this one's lock table.
  const std::string command =
      std::string(PAWL_ROCKSDB_OPENER) + " " + path() + " > " + (folder_ / "out").string();
  const int status = std::system(command.c_str());
  ASSERT_TRUE(WIFEXITED(status));
  std::string line;
  std::getline(std::ifstream(folder_ / "out") >> std::ws, line);
  EXPECT_EQ(line, "not_configured: rocksdb: " + path() + " is held by another process");
}

TEST_F(Place, AForeignFolderIsRefusedAndLeftAlone) {
  fs::create_directories(path());
  std::ofstream(path() + "/notes.txt") << "mine";
  EXPECT_EQ(code_of_open(), ErrorCode::kNotConfigured);
  EXPECT_EQ(std::distance(fs::directory_iterator(path()), fs::directory_iterator()), 1);
}

TEST_F(Place, ANewerLayoutIsRefusedSayingWhatToDo) {
  fs::create_directories(path());
  std::ofstream(path() + "/PAWL") << "pawl rocksdb layout 99\n";
  EXPECT_EQ(code_of_open(), ErrorCode::kNotConfigured);
  EXPECT_NE(message_.find("layout 99"), std::string::npos) << message_;
  EXPECT_EQ(std::distance(fs::directory_iterator(path()), fs::directory_iterator()), 1);
}

TEST_F(Place, AFileOrAMissingParentIsRefused) {
  std::ofstream(path()) << "a file";
  EXPECT_EQ(code_of_open(), ErrorCode::kNotConfigured);
  fs::remove(path());
  folder_ /= "missing";
  EXPECT_EQ(code_of_open(), ErrorCode::kNotConfigured);
  folder_ = folder_.parent_path();
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
