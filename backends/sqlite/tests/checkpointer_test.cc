// Checkpoints beside the writers. The linked SQLite may have the WAL-reset bug, so no writer is
// under way here while the other thread checkpoints: that they meet is SQLite's part.
#include "checkpointer.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "driver_rows.h"
#include "log_state.h"
#include "scratch.h"
#include "sqlite_backend.h"
#include "write_queue.h"

namespace pawl::sqlite {
namespace {

constexpr int kCheckpointPages = 16;

class Background : public ::testing::Test {
 protected:
  std::unique_ptr<Connection> open() const {
    auto connection = std::make_unique<Connection>(place_.file, Phase::kRunning);
    connection->configure({.full_sync = false, .journal_limit_bytes = 1'000'000});
    return connection;
  }

  // Commits of three pages or so, until this many pages are in the log.
  void fill_log(WriteQueue& queue, int pages) {
    while (connection_->log_pages() < pages) queue.run(query_of("s"), append_one("s"));
  }

  WriteQueueOptions options(Checkpointer& checkpointer) const {
    return {.checkpoint_pages = kCheckpointPages, .checkpointer = &checkpointer};
  }

  Scratch scratch_;
  Place place_ = [this] {
    const SqliteBackend lays_it_out(find_place(scratch_.path()), {});
    return find_place(scratch_.path());
  }();
  std::unique_ptr<Connection> connection_ = open();
  SideFile side_file_{place_.lock_file, place_.mode,
                      std::chrono::steady_clock::now() + std::chrono::seconds(5)};
  NameCache names_;
};

TEST_F(Background, TheLogIsWrittenBackBesideTheWritersAndBegunAnew) {
  Checkpointer checkpointer([this] { return open(); });
  WriteQueue queue(*connection_, side_file_, names_, *system_clock(), options(checkpointer));
  fill_log(queue, kCheckpointPages);
  checkpointer.wait_until_idle();
  const LogState log = log_state(*connection_);
  EXPECT_GE(log.pages, kCheckpointPages);
  EXPECT_EQ(log.written_back, log.pages);
  queue.run(query_of("s"), append_one("s"));
  EXPECT_LT(connection_->log_pages(), kCheckpointPages);
}

TEST_F(Background, WritersWriteALongLogBackThemselves) {
  Checkpointer checkpointer(
      []() -> std::unique_ptr<Connection> { throw std::runtime_error("no descriptor is left"); });
  WriteQueue queue(*connection_, side_file_, names_, *system_clock(), options(checkpointer));
  fill_log(queue, 3 * kCheckpointPages);
  EXPECT_EQ(log_state(*connection_).written_back, 0);
  for (int i = 0; i < 20 * kCheckpointPages; ++i) {
    queue.run(query_of("s"), append_one("s"));
    ASSERT_LT(connection_->log_pages(), 6 * kCheckpointPages);
  }
}

TEST_F(Background, OnlyRelaxedStoresOfASoundSqliteUseIt) {
  OpenOptions relaxed;
  relaxed.durability = Durability::kRelaxed;
  EXPECT_EQ(uses_checkpointer(relaxed, 3'040'001), false);
  EXPECT_EQ(uses_checkpointer(relaxed, 3'051'003), true);
  EXPECT_EQ(uses_checkpointer({}, 3'051'003), false);
}

}  // namespace
}  // namespace pawl::sqlite
