// A server whose disk is full: operations say unavailable, nothing is lost, and when there is space
// again the store works on by itself.
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <random>

#include "memory/tests/own_process.h"
#include "tests/support/fixture.h"
#include "tests/support/process.h"

namespace pawl::postgres::testing {
namespace {

namespace fs = std::filesystem;

// A small file system, in a name space of this process's own: of processes that it starts, too.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& size) {
    mounted_ = unshare(CLONE_NEWNS) == 0 &&
               mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
               mount("tmpfs", folder_.c_str(), "tmpfs", 0, options(size).c_str()) == 0;
    if (mounted_) return;
    std::cout << "not run: mounting a small disk is not permitted: " << std::strerror(errno)
              << std::endl;
  }
  ~SmallDisk() {
    if (mounted_) umount2(folder_.c_str(), MNT_DETACH);
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  bool is_mounted() const { return mounted_; }
  const std::string& folder() const { return folder_; }
  void grow_to(const std::string& size) const {
    ASSERT_EQ(mount("none", folder_.c_str(), "tmpfs", MS_REMOUNT, options(size).c_str()), 0);
  }

 private:
  static std::string options(const std::string& size) {
    const passwd* owner = server_user();
    return "mode=0700,uid=" + std::to_string(owner->pw_uid) +
           ",gid=" + std::to_string(owner->pw_gid) + ",size=" + size;
  }

  const std::string folder_ = make_folder_for_server("pawl-disk-XXXXXX");
  bool mounted_ = false;
};

class DiskFull : public PostgresTest {
 protected:
  void SetUp() override {
    const auto reason = why_not();
    if (!reason && private_servers_run()) return;
    std::cout << "not run: " << reason.value_or("there is no server that can be started")
              << std::endl;
    GTEST_SKIP();
  }

  static bool private_servers_run() { return server_user() != nullptr && find_program("initdb"); }

  NewEvent event(int number, int size = 1'500) {
    std::string payload = "\"";
    for (int i = 0; i < size; ++i) payload += static_cast<char>('0' + random_() % 64 % 10);
    return {.id = std::to_string(number),
            .type = "t",
            .payload = payload + "\"",
            .targets = {{"c", {}, {}}}};
  }

  // Counts those that were acknowledged. Returns how the first failed that was not.
  std::string append_until_full(Store& store, int& there, int size = 1'500) {
    constexpr int kMost = 20'000;
    for (; there < kMost; ++there) {
      const NewEvent next = event(there + 1, size);
      const std::string code = code_of([&] { store.append("s", {next}); });
      if (code != "no error") return code;
    }
    return "the disk does not get full";
  }

  static void expect_all(Store& store, int there) {
    EXPECT_EQ(store.head("s").last_index, there);
    std::int64_t after = 0;
    while (true) {
      const std::vector<Event> events = store.read("s", {.after = after});
      if (events.empty()) break;
      for (const Event& found : events) EXPECT_EQ(found.id, std::to_string(++after));
    }
    EXPECT_EQ(after, there);
  }

  std::minstd_rand random_{1};  // digits that do not compress to nothing
};

TEST_F(DiskFull, OfItsTablesIsUnavailableAndLosesNothing) {
  pawl::testing::in_own_process([this] {
    const SmallDisk disk("3m");
    if (!disk.is_mounted()) return;
    const Server server;
    sql_on(server.uri(), "CREATE TABLESPACE small LOCATION '" + disk.folder() + "'");
    sql_on(server.uri(), "ALTER DATABASE postgres SET default_tablespace = small");
    Store store = open(server.uri(), options());
    int there = 0;
    EXPECT_EQ(append_until_full(store, there), "unavailable");
    EXPECT_GT(there, 100);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(code_of([&] { store.append("s", {event(there + 1)}); }), "unavailable");
    }
    expect_all(store, there);
    disk.grow_to("12m");
    const std::vector<NewEvent> next{event(there + 1)};
    EXPECT_EQ(store.append("s", next).events[0].index, ++there);
    expect_all(store, there);
    EXPECT_EQ(store.claim("s", {.holder = "w", .ttl = std::chrono::seconds(60)}).heads.size(),
              100u);
  });
}

// Without a place for its log the server ends, so that an operator starts it again.
TEST_F(DiskFull, OfItsLogIsUnavailableUntilItServesAgain) {
  pawl::testing::in_own_process([this] {
    const SmallDisk disk("40m");
    if (!disk.is_mounted()) return;
    Server server;
    server.stop();
    const fs::path log = server.folder() + "/data/pg_wal";
    const fs::path moved = disk.folder() + "/pg_wal";
    fs::copy(log, moved, fs::copy_options::recursive);
    const passwd* owner = server_user();
    for (const fs::path& path : {moved, moved / "archive_status"}) {
      ASSERT_TRUE(chown(path.c_str(), owner->pw_uid, owner->pw_gid) == 0);
    }
    for (const auto& entry : fs::directory_iterator(moved)) {
      ASSERT_TRUE(chown(entry.path().c_str(), owner->pw_uid, owner->pw_gid) == 0);
    }
    fs::remove_all(log);
    fs::create_symlink(moved, log);
    server.start();
    OpenOptions durable = options();
    durable.durability = Durability::kFull;
    Store store = open(server.uri(), durable);
    int there = 0;
    const std::string code = append_until_full(store, there, 100'000);
    EXPECT_TRUE(code == "in_doubt" || code == "unavailable") << code;
    EXPECT_GT(there, 100);
    disk.grow_to("200m");
    server.kill_now();
    EXPECT_EQ(code_of([&] { store.head("s"); }), "unavailable");
    server.start();
    // What was in doubt may have happened.
    const std::int64_t last = store.head("s").last_index;
    EXPECT_TRUE(last == there || (last == there + 1 && code == "in_doubt")) << last;
    expect_all(store, static_cast<int>(last));
    EXPECT_EQ(store.append("s", {event(static_cast<int>(last) + 1)}).events[0].index, last + 1);
  });
}

}  // namespace
}  // namespace pawl::postgres::testing
