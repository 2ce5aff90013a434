// A disk that is full: operations say unavailable (in_doubt where the log may hold them), nothing
// that was acknowledged is lost, and when there is space again the store works on by itself.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <set>
#include <thread>

#include "backend.h"
#include "check_keys.h"
#include "memory/tests/own_process.h"
#include "scratch.h"

namespace pawl::rocksdb {
namespace {

namespace fs = std::filesystem;

// A folder on a small file system, in a name space of this process's own.
bool mount_small_disk(const std::string& folder) {
  if (unshare(CLONE_NEWNS) == 0 && mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
      mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=16m") == 0) {
    return true;
  }
  std::cout << "not run: mounting a small disk is not permitted: " << std::strerror(errno) << "\n";
  return false;
}

void write_until_full(const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  const std::string block(4'096, 'x');
  while (file.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) {
  }
}

// What is appended to one session, and what is known of it.
class Appends {
 public:
  Appends(std::string path, Durability durability) : path_(std::move(path)) {
    options_.durability = durability;
    options_.engine = {{"write_buffer_mib", "1"}, {"wal_mib", "1"}, {"compression", "none"}};
    reopen();
  }

  void reopen() {
    close();
    auto backend = std::make_unique<RocksBackend>(path_, options_);
    backend_ = backend.get();
    store_.emplace(std::move(backend), StoreOptions{});
  }

  void close() { store_.reset(); }

  // Whether it was acknowledged.
  bool append() {
    const std::string id = std::to_string(next_++);
    try {
      store_->append("s", {{.id = id,
                            .type = "t",
                            .payload = '"' + std::string(3'000, 'x') + '"',
                            .targets = {{.consumer = "w"}}}});
      acknowledged_.insert(id);
      return true;
    } catch (const Error& error) {
      EXPECT_TRUE(error.code() == ErrorCode::kUnavailable || error.code() == ErrorCode::kInDoubt)
          << to_string(error.code()) << " " << error.what();
      if (error.code() == ErrorCode::kInDoubt) in_doubt_.insert(id);
      return false;
    }
  }

  void append_until_full() {
    constexpr int kMost = 20'000;
    for (int i = 0; i < kMost; ++i) {
      if (!append()) return;
    }
    FAIL() << "the disk does not get full";
  }

  // All that was acknowledged is there, once, and nothing that was refused.
  void expect_whole() {
    std::set<std::string> there;
    std::int64_t after = 0;
    for (;;) {
      const std::vector<Event> page = store_->read("s", {.after = after, .limit = 1'000});
      if (page.empty()) break;
      for (const Event& event : page) {
        EXPECT_EQ(event.index, ++after);
        EXPECT_TRUE(there.insert(event.id).second) << event.id << " stands there twice";
        EXPECT_TRUE(acknowledged_.contains(event.id) || in_doubt_.contains(event.id)) << event.id;
      }
    }
    for (const std::string& id : acknowledged_) EXPECT_TRUE(there.contains(id)) << id;
    EXPECT_EQ(KeyCheck(backend_->db()).faults(), "");
  }

  std::size_t acknowledged() const { return acknowledged_.size(); }
  std::size_t in_doubt() const { return in_doubt_.size(); }

 private:
  const std::string path_;
  OpenOptions options_;
  std::optional<Store> store_;
  RocksBackend* backend_ = nullptr;
  int next_ = 0;
  std::set<std::string> acknowledged_;
  std::set<std::string> in_doubt_;
};

void fill_and_free(const Scratch& scratch, Durability durability) {
  std::ofstream(scratch.path("ballast"), std::ios::binary) << std::string(8'000'000, 'x');
  Appends appends(scratch.path(), durability);
  appends.append_until_full();
  EXPECT_GT(appends.acknowledged(), 100U);
  write_until_full(scratch.path("more"));
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(appends.append()) << i;
  // It can still be read.
  appends.expect_whole();
  fs::remove(scratch.path("ballast"));
  const auto freed = std::chrono::steady_clock::now();
  const auto deadline = freed + std::chrono::seconds(30);
  while (!appends.append() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - freed;
  std::cout << appends.acknowledged() << " acknowledged, " << appends.in_doubt()
            << " in doubt; healthy after " << took.count() << " s\n";
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(appends.append());
  appends.expect_whole();
  appends.close();
  EXPECT_TRUE(fs::exists(scratch.path() + "/PAWL.closed"));
  appends.reopen();
  appends.expect_whole();
}

TEST(DiskFull, NothingIsLostAndTheStoreRecoversByItself) {
  for (const Durability durability : {Durability::kFull, Durability::kRelaxed}) {
    // It has not used RocksDB yet, whose threads a child does not have.
    pawl::testing::in_own_process([durability] {
      const Scratch scratch;
      if (!mount_small_disk(scratch.folder())) return;
      fill_and_free(scratch, durability);
      umount2(scratch.folder().c_str(), MNT_DETACH);
    });
  }
}

}  // namespace
}  // namespace pawl::rocksdb
