// Scans that pass over what is known to be empty against those that do not, while keys come and go.
#include "gaps.h"

#include <gtest/gtest.h>
#include <rocksdb/write_batch.h>

#include <atomic>
#include <functional>
#include <random>
#include <thread>

#include "database.h"
#include "place.h"
#include "scratch.h"

namespace pawl::rocksdb {
namespace {

constexpr int kKeys = 1'000;

std::string key_of(int number) { return cursor_key("s", 1, {"c", std::nullopt, number}); }

class GapsOf : public testing::Test {
 protected:
  void put(int number) {
    ::rocksdb::WriteBatch batch;
    const std::string key = key_of(number);
    ASSERT_TRUE(batch.Put(slice(key), {}).ok());
    const std::vector<std::string_view> puts{key};
    const Gaps::Commit commit(gaps_, puts);
    database_->commit(batch, false);
  }
  void remove(int from, int until) {
    ::rocksdb::WriteBatch batch;
    for (int number = from; number < until; ++number) {
      ASSERT_TRUE(batch.Delete(slice(key_of(number))).ok());
    }
    database_->commit(batch, false);
  }

  // The first `limit` numbers from `from` on. `meanwhile` comes between the gaps and the snapshot.
  std::vector<std::int64_t> scan(
      int from, std::size_t limit, bool with_gaps, const std::function<void()>& meanwhile = [] {}) {
    const std::string prefix = Key(Tag::kCursor).name("s").number(1).name("c").lane({}).take();
    Gaps::Taken taken;
    if (with_gaps) gaps_.take(prefix, after_prefix(prefix), taken);
    meanwhile();
    const View view(database_->db(), true);
    gaps_.settle(taken);
    std::vector<std::int64_t> found;
    taken.scan(view, key_of(from), after_prefix(prefix),
               [&](std::string_view key, std::string_view) {
                 found.push_back(KeyReader(key, prefix).number());
                 return found.size() < limit;
               });
    return found;
  }

  const Scratch scratch_;
  DatabasePtr database_ = share_database(scratch_.path(), read_engine_options({}), nullptr);
  Gaps gaps_;
};

TEST_F(GapsOf, KeysThatComeAndGoHideNone) {
  std::mt19937 random(20261202);
  const auto below = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
  for (int step = 0; step < 500; ++step) {
    if (below(3) == 0) {
      const int from = below(kKeys);
      remove(from, std::min(kKeys, from + 1 + below(400)));
    } else {
      for (int left = below(30); left >= 0; --left) put(below(kKeys));
    }
    const int from = below(2) == 0 ? 0 : below(kKeys);
    const auto limit = below(2) == 0 ? std::size_t{1} : static_cast<std::size_t>(1 + below(200));
    ASSERT_EQ(scan(from, limit, true), scan(from, limit, false)) << "step " << step;
  }
  EXPECT_GT(gaps_.size(), 0U);
}

// One transaction puts in a gap and beside it: a page has both or neither.
TEST_F(GapsOf, KeysThatComeBeforeTheSnapshotAreSeen) {
  remove(0, kKeys);
  put(1);
  ASSERT_EQ(scan(0, kKeys, true).size(), 1U);
  ASSERT_GT(gaps_.size(), 0U);
  const auto seen = scan(0, kKeys, true, [&] {
    put(0);
    put(kKeys / 2);
  });
  EXPECT_EQ(seen, (std::vector<std::int64_t>{0, 1, kKeys / 2}));
  // So many that some are forgotten.
  remove(0, kKeys);
  ASSERT_TRUE(scan(0, kKeys, true).empty());
  const auto all = scan(0, kKeys, true, [&] {
    for (int turn = 0; turn < 2; ++turn) {
      for (int number = 0; number < kKeys; ++number) put(number);
    }
  });
  EXPECT_EQ(std::ssize(all), kKeys);
}

TEST_F(GapsOf, WhereMuchIsPutElsewhereTheyAreNotedAllTheSame) {
  remove(0, kKeys);
  put(kKeys);
  scan(0, 1, true, [&] { put(kKeys); });
  EXPECT_EQ(gaps_.size(), 1U);
  scan(0, 1, true, [&] { put(kKeys / 2); });
  EXPECT_EQ(scan(0, kKeys + 1, true), (std::vector<std::int64_t>{kKeys / 2, kKeys}));
}

// Work that comes and goes at the end of a gap does not cut it into ever more pieces.
TEST_F(GapsOf, TheyStayFew) {
  remove(0, kKeys);
  ASSERT_TRUE(scan(0, kKeys, true).empty());
  for (int number = kKeys; number < 11 * kKeys; ++number) {
    put(number);
    remove(number, number + 1);
    ASSERT_LE(gaps_.size(), 16U);
  }
  EXPECT_TRUE(scan(0, kKeys, true).empty());
  EXPECT_LE(gaps_.size(), 16U);
}

// A reader takes its gaps before a key comes, sees that there is nothing, and would note so after.
TEST_F(GapsOf, KeysThatComeMeanwhileAreNotHidden) {
  std::atomic<bool> is_done = false;
  std::thread reader([&] {
    while (!is_done) scan(0, kKeys, true);
  });
  for (int turn = 0; turn < 300; ++turn) {
    put(turn % kKeys);
    const auto seen = scan(0, kKeys, true);
    EXPECT_EQ(std::count(seen.begin(), seen.end(), turn % kKeys), 1) << "turn " << turn;
    remove(0, turn % 10 == 0 ? kKeys : 0);
  }
  is_done = true;
  reader.join();
}

}  // namespace
}  // namespace pawl::rocksdb
