// Power that is lost while a store is made: the place is empty or a store, and what was
// acknowledged is there. Long runs: `pawl_soak power`.
#include <gtest/gtest.h>

#include <filesystem>

#include "scratch.h"
#include "store_view.h"
#include "vfs/power_loss.h"

namespace pawl::sqlite {
namespace {

// Opens the store, appends, closes. Whether the append was acknowledged; `*error`: what was said
// instead.
bool make_store(const std::string& path, Durability durability, std::string* error) {
  OpenOptions options;
  options.durability = durability;
  try {
    LineStore store(path, 1, options);
    const std::string answer = store.answer(
        R"({"op":"append","session":"s","events":[{"id":"a","type":"t","payload":1}]})");
    if (answer.starts_with(R"({"ok")")) return true;
    *error = answer;
  } catch (const Error& thrown) {
    *error = std::string(to_string(thrown.code())) + " " + thrown.what();
  }
  return false;
}

// Returns whether the event is there.
bool check_store(const std::string& path, bool must_be_there) {
  LineStore store(path, 1);
  const std::string answer = store.answer(R"({"op":"head","session":"s"})");
  const bool is_there = answer == R"({"ok":{"last_index":1,"clear_index":0}})";
  const bool is_empty = answer == R"({"ok":{"last_index":0,"clear_index":0}})";
  EXPECT_TRUE(is_there || is_empty) << answer;
  EXPECT_TRUE(is_there || !must_be_there) << answer;
  rows_of(path);
  return is_there;
}

// Returns how often an acknowledged event was lost.
int lose_power_at_every_change(Durability durability, std::uint64_t seed) {
  int lost = 0;
  for (std::int64_t change = 1;; ++change) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", change " + std::to_string(change));
    PowerLoss power(seed * 1'000 + static_cast<std::uint64_t>(change));
    const VfsShim shim(power);
    const Scratch scratch;
    power.cut_after(change);
    std::string error;
    const bool acknowledged = make_store(scratch.path(), durability, &error);
    const bool was_cut = power.is_cut();
    EXPECT_TRUE(acknowledged || was_cut) << error;
    power.cut();
    std::filesystem::remove(scratch.path("store.db-lock"));
    power.restore();
    const bool is_there =
        check_store(scratch.path(), acknowledged && durability == Durability::kFull);
    if (acknowledged && !is_there) ++lost;
    if (!was_cut || ::testing::Test::HasFailure()) return lost;
  }
}

TEST(PowerLossWhileAStoreIsMade, LeavesNothingOrAStore) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    EXPECT_EQ(lose_power_at_every_change(Durability::kFull, seed), 0);
  }
}

TEST(PowerLossWhileAStoreIsMade, LeavesNothingOrAStoreInRelaxedMode) {
  int lost = 0;
  for (const std::uint64_t seed : {6U, 7U}) {
    lost += lose_power_at_every_change(Durability::kRelaxed, seed);
  }
  EXPECT_GT(lost, 0) << "the simulated disk keeps more than it must";
}

}  // namespace
}  // namespace pawl::sqlite
