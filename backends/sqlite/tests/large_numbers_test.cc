// Indexes, attempts and failures far beyond what 32 bits and a double hold.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "check_first_keys.h"
#include "pawl/clock.h"
#include "pawl/sqlite.h"
#include "scratch.h"

namespace pawl::sqlite {
namespace {

// Moves all that there is of the only session up by `by`, as if so much had been appended and
// cleared before, and makes its heads as old as that, too.
void age(const std::string& file, std::int64_t by) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &db), SQLITE_OK);
  sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  const std::string n = std::to_string(by);
  const std::string sql =
      "UPDATE session SET last_index = last_index + " + n + ", clear_index = clear_index + " + n +
      ", first_index = first_index + " + n +
      ";"
      "UPDATE event SET idx = idx + " +
      n + "; UPDATE work SET idx = idx + " + n +
      ";"
      "UPDATE cursor SET position = position + " +
      n + ", head = iif(head > 0, head + " + n + ", 0), slot = iif(slot > 0, slot + " + n +
      ", 0), attempt_count = " + n + ", failure_count = " + n;
  ASSERT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(db);
  sqlite3_close(db);
}

TEST(LargeNumbers, IndexesAndAttemptsGoOnPast32Bits) {
  for (const std::int64_t by : {std::int64_t{1} << 31, std::int64_t{1} << 32, std::int64_t{1} << 53,
                                std::int64_t{1} << 62}) {
    const std::int64_t base = by - 4;  // the claims and appends below go past `by`
    const Scratch scratch;
    const auto clock = std::make_shared<ManualClock>(1);
    OpenOptions options;
    options.clock = clock;
    options.durability = Durability::kRelaxed;
    {
      Store store = sqlite::open(scratch.path(), options);
      store.append("s", {{.type = "t"}});
      store.clear("s");
      while (!store.reclaim("s").done) {
      }
      store.append("s",
                   {{.type = "t", .targets = {{.consumer = "c", .lane = "k"}, {.consumer = "c"}}},
                    {.type = "t", .targets = {{.consumer = "c", .lane = "k"}}}});
    }
    age(scratch.path(), base);
    Store store = sqlite::open(scratch.path(), options);
    EXPECT_EQ(store.head("s").last_index, base + 4);
    EXPECT_EQ(store.head("s").clear_index, base + 2);
    for (std::int64_t attempt = base + 1; attempt <= by + 2; ++attempt) {
      const ClaimResult claim = store.claim("s", {.holder = "w", .ttl = Duration(0)});
      ASSERT_EQ(claim.heads.size(), 2U) << attempt;
      EXPECT_EQ(claim.heads[0].event.index, base + 3);
      EXPECT_EQ(claim.heads[0].attempt_count, attempt);
      EXPECT_EQ(claim.heads[1].attempt_count, attempt);
    }
    EXPECT_EQ(store.cursors("s").at(0).failure_count, by + 1);
    const Claim lane{"c", "k", base + 3, by + 2};
    EXPECT_EQ(store.complete("s", lane, {{.id = "f", .type = "t"}}).events.at(0).index, by + 1);
    const ClaimResult next = store.claim("s", {.holder = "w", .ttl = Duration(100)});
    ASSERT_EQ(next.heads.size(), 2U);
    EXPECT_EQ(next.heads[0].event.index, base + 3);
    EXPECT_EQ(next.heads[1].event.index, by);
    EXPECT_EQ(next.heads[1].attempt_count, 1);
    EXPECT_EQ(store.read("s", {.after = by - 1}).size(), 2U);
    EXPECT_EQ(store.clear("s").clear_index, by + 2);
    EXPECT_TRUE(store.claim("s", {.holder = "w", .ttl = Duration(1)}).heads.empty());
    check_first_keys(scratch.path());
  }
}

}  // namespace
}  // namespace pawl::sqlite
