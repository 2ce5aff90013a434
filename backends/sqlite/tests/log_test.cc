// The write-ahead log and its readers: who holds it back is named, stops no writer, and it stays
// bounded by readers that move on.
#include "log_state.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <csignal>
#include <memory>
#include <thread>

#include "children.h"
#include "driver_rows.h"
#include "pawl/sqlite.h"
#include "schema.h"
#include "scratch.h"
#include "sqlite_backend.h"

namespace pawl::sqlite {
namespace {

using std::chrono::milliseconds;

constexpr int kCheckpointPages = 16;

// A reader that is not Pawl's. It reads one view until it is closed.
class View {
 public:
  explicit View(const std::string& file) {
    sqlite3* db = nullptr;
    const int result = sqlite3_open_v2(file.c_str(), &db, SQLITE_OPEN_READWRITE, nullptr);
    db_.reset(db);
    EXPECT_EQ(result, SQLITE_OK);
    sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    sqlite3_busy_timeout(db, 5'000);
    EXPECT_EQ(sqlite3_exec(db, "BEGIN; SELECT count(*) FROM session", nullptr, nullptr, nullptr),
              SQLITE_OK);
  }

 private:
  std::unique_ptr<sqlite3, int (*)(sqlite3*)> db_{nullptr, sqlite3_close};
};

class Log : public ::testing::Test {
 protected:
  explicit Log(Duration busy_timeout = Duration(1'000))
      : backend_(find_place(scratch_.path()), options(busy_timeout)) {
    EXPECT_EQ(pipe(ready_), 0);
  }
  ~Log() override {
    for (const int end : ready_) close(end);
  }

  // Half of `busy_timeout` is the longest that readers are waited for.
  static OpenOptions options(Duration busy_timeout) {
    OpenOptions options;
    options.durability = Durability::kRelaxed;
    options.busy_timeout = busy_timeout;
    options.engine = {{"checkpoint_pages", std::to_string(kCheckpointPages)}};
    return options;
  }

  void append(int times) {
    for (int i = 0; i < times; ++i) backend_.transact(query_of("s"), append_one("s"));
  }

  // A process that holds a view, and has it when this returns.
  pid_t start_reader() {
    const pid_t child = in_child([&] {
      const View view(scratch_.path());
      EXPECT_EQ(write(ready_[1], "x", 1), 1);
      while (true) pause();
      return 0;
    });
    char byte = 0;
    EXPECT_EQ(read(ready_[0], &byte, 1), 1);
    return child;
  }

  static void end(pid_t child) {
    kill(child, SIGKILL);
    EXPECT_EQ(exit_code(child), 128 + SIGKILL);
  }

  Scratch scratch_;
  int ready_[2] = {-1, -1};
  SqliteBackend backend_;
};

TEST_F(Log, AReaderThatStaysIsNamedAndStopsNoWriter) {
  append(3);
  EXPECT_EQ(backend_.stats().numbers.count("log_held_by"), 0U);
  const pid_t reader = start_reader();
  append(200);
  EXPECT_EQ(row_of(backend_, "s").last_index, 203);
  const Stats stats = backend_.stats();
  EXPECT_GT(stats.numbers.at("log_pages"), 8 * kCheckpointPages);
  EXPECT_LT(stats.numbers.at("log_pages_written_back"), 2 * kCheckpointPages);
  EXPECT_EQ(stats.numbers.at("log_held_by"), reader);
  ASSERT_EQ(stats.warnings.size(), 1U);
  EXPECT_TRUE(stats.warnings[0].ends_with(": process " + std::to_string(reader)))
      << stats.warnings[0];

  const pid_t later = start_reader();
  append(1);
  const Stats both = backend_.stats();
  EXPECT_EQ(both.numbers.at("log_held_by"), reader);  // whose view is the older one
  ASSERT_EQ(both.warnings.size(), 1U);
  EXPECT_TRUE(both.warnings[0].ends_with(": processes " + std::to_string(reader) + " " +
                                         std::to_string(later)))
      << both.warnings[0];

  end(reader);
  end(later);
  append(200);
  const Stats after = backend_.stats();
  EXPECT_EQ(after.numbers.count("log_held_by"), 0U);
  EXPECT_TRUE(after.warnings.empty());
  EXPECT_LT(after.numbers.at("log_pages"), 4 * kCheckpointPages);
  EXPECT_LE(after.numbers.at("log_bytes"), 4 * kCheckpointPages * 4'200);
}

TEST_F(Log, AReaderOfThisProcessIsNamedToo) {
  append(3);
  const View view(scratch_.path());
  append(40);
  EXPECT_EQ(backend_.stats().numbers.at("log_held_by"), getpid());
}

// As patient as writers get: a loaded machine wakes readers late.
class LogOfAPatientWriter : public Log {
 protected:
  LogOfAPatientWriter() : Log(Duration(4'000)) {}
};

// Two or more readers are always there.
TEST_F(LogOfAPatientWriter, IsBoundedByReadersThatMoveOn) {
  append(3);
  std::vector<pid_t> readers;
  for (int i = 0; i < 3; ++i) {
    readers.push_back(in_child([&] {
      for (bool is_first = true;; is_first = false) {
        const View view(scratch_.path());
        if (is_first) {
          EXPECT_EQ(write(ready_[1], "x", 1), 1);
        }
        std::this_thread::sleep_for(milliseconds(80));
      }
      return 0;
    }));
    char byte = 0;
    ASSERT_EQ(read(ready_[0], &byte, 1), 1);
  }
  std::int64_t longest = 0;
  for (int i = 0; i < 240; ++i) {
    append(1);
    longest = std::max<std::int64_t>(longest, backend_.writer().log_pages());
  }
  EXPECT_GE(longest, 4 * kCheckpointPages);  // they were in the way
  EXPECT_LT(longest, 24 * kCheckpointPages);
  for (const pid_t reader : readers) end(reader);
}

TEST(Stats, TheNumbersAreThoseOfTheFiles) {
  const Scratch scratch;
  SqliteBackend backend(find_place(scratch.path()), {});
  for (int i = 0; i < 3; ++i) backend.transact(query_of("s"), append_one("s"));
  const Stats stats = backend.stats();
  EXPECT_EQ(stats.numbers.at("commits"), 3);
  EXPECT_EQ(stats.numbers.at("waiting_writers"), 0);
  EXPECT_EQ(stats.numbers.at("waiting_for_commit"), 0);
  EXPECT_EQ(stats.numbers.at("free_pages"), 0);
  EXPECT_EQ(stats.numbers.at("file_pages") * kPageBytes, stats.numbers.at("file_bytes"));
  EXPECT_EQ(stats.numbers.at("log_pages"), backend.writer().log_pages());
  EXPECT_EQ(stats.numbers.at("log_pages_written_back"), 0);
  EXPECT_EQ(stats.numbers.at("log_bytes"), 32 + stats.numbers.at("log_pages") * (kPageBytes + 24));
  EXPECT_TRUE(stats.warnings.empty());
  EXPECT_FALSE(backend.writer().has_busy_statement());
  backend.close();
  try {
    backend.stats();
    ADD_FAILURE() << "was not closed";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kClosed);
  }
}

}  // namespace
}  // namespace pawl::sqlite
