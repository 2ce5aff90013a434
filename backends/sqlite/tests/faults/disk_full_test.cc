// A disk that is full: operations say unavailable, nothing is lost, and when there is space again
// the store works on.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>

#include "driver_rows.h"
#include "memory/tests/own_process.h"
#include "scratch.h"
#include "sqlite_backend.h"
#include "store_view.h"

namespace pawl::sqlite {
namespace {

namespace fs = std::filesystem;

std::string code_of(const std::string& answer) {
  if (answer.starts_with(R"({"ok")")) return "ok";
  return answer.substr(18, answer.find('"', 18) - 18);
}

std::string append_line(int number, std::size_t size) {
  return R"({"op":"append","session":"s","events":[{"id":")" + std::to_string(number) +
         R"(","type":"t","payload":")" + std::string(size, 'x') +
         R"(","targets":[{"consumer":"w"}]}]})";
}

// Appends, from number `from` on, until the disk is full. Returns how many were acknowledged.
int append_until_full(LineStore& store, int from, std::size_t size) {
  constexpr int kMost = 10'000;
  for (int i = 0; i < kMost; ++i) {
    const std::string answer = store.answer(append_line(from + i, size));
    if (code_of(answer) == "ok") continue;
    EXPECT_EQ(code_of(answer), "unavailable") << answer;
    return i;
  }
  ADD_FAILURE() << "the disk does not get full";
  return kMost;
}

void expect_last_index(LineStore& store, int last_index) {
  EXPECT_EQ(store.answer(R"({"op":"head","session":"s"})"),
            R"({"ok":{"last_index":)" + std::to_string(last_index) + R"(,"clear_index":0}})");
}

// `fill` takes the last space, `free` gives some.
void fill_and_free(const std::string& path, const std::function<void()>& fill,
                   const std::function<void()>& free) {
  OpenOptions options;
  options.durability = Durability::kRelaxed;  // quicker where the disk is a real one
  options.engine["checkpoint_pages"] = "16";
  int there = 0;
  {
    LineStore store(path, 1, options);
    there = append_until_full(store, 0, 3'000);
    EXPECT_GT(there, 10);
    fill();
    there += append_until_full(store, there, 3'000);
    // It can still be read. What fits into the log as it is happens, anything else does not.
    expect_last_index(store, there);
    for (const std::size_t size : {20'000, 0, 6'000, 0, 60'000}) {
      const std::string answer = store.answer(append_line(there, size));
      if (code_of(answer) == "ok") ++there;
      EXPECT_TRUE(code_of(answer) == "ok" || code_of(answer) == "unavailable") << answer;
      expect_last_index(store, there);
    }
    free();
    EXPECT_EQ(code_of(store.answer(append_line(there, 3'000))), "ok");
    ++there;
    expect_last_index(store, there);
  }
  rows_of(path);
  LineStore store(path, 1, options);
  expect_last_index(store, there);
}

void write_until_full(const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  const std::string block(4'096, 'x');
  while (file.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) {
  }
}

// A folder on a small file system, in a name space of this process's own.
bool mount_small_disk(const std::string& folder) {
  if (unshare(CLONE_NEWNS) == 0 && mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
      mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=2m") == 0) {
    return true;
  }
  std::cout << "not run: mounting a small disk is not permitted: " << std::strerror(errno) << "\n";
  return false;
}

TEST(DiskFull, OnASmallDiskNothingIsLost) {
  pawl::testing::in_own_process([] {
    const Scratch scratch;
    if (!mount_small_disk(scratch.folder())) return;
    {
      std::ofstream ballast(scratch.path("ballast"), std::ios::binary);
      ballast << std::string(400'000, 'x');
    }
    fill_and_free(
        scratch.path(),
        [&] {
          write_until_full(scratch.path("more"));
          try {
            const Store other = sqlite::open(scratch.path("other.db"));
            ADD_FAILURE() << "a new store on a full disk";
          } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::kUnavailable) << error.what();
          }
        },
        [&] { fs::remove(scratch.path("ballast")); });
    umount2(scratch.folder().c_str(), MNT_DETACH);
  });
}

TEST(DiskFull, AFileThatMayNotGrowLosesNothing) {
  pawl::testing::in_own_process([] {
    const Scratch scratch;
    signal(SIGXFSZ, SIG_IGN);
    rlimit limit{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
    const rlimit before = limit;
    limit.rlim_cur = 600'000;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    fill_and_free(
        scratch.path(), [] {}, [&] { setrlimit(RLIMIT_FSIZE, &before); });
  });
}

TEST(DiskFull, IsUnavailableWhereSqliteSaysSo) {
  const Scratch scratch;
  SqliteBackend backend(find_place(scratch.path()), {.durability = Durability::kRelaxed});
  backend.writer().execute("PRAGMA max_page_count = 60");
  int there = 0;
  try {
    for (; there < 10'000; ++there) backend.transact(query_of("s"), append_one("s"));
    ADD_FAILURE() << "the file does not get full";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnavailable) << error.what();
    EXPECT_EQ(error.native(), "SQLITE_FULL");
  }
  EXPECT_EQ(row_of(backend, "s").last_index, there);
  backend.writer().execute("PRAGMA max_page_count = 1000000");
  backend.transact(query_of("s"), append_one("s"));
  EXPECT_EQ(row_of(backend, "s").last_index, there + 1);
  rows_of(scratch.path());
}

}  // namespace
}  // namespace pawl::sqlite
