// The first keys that are known in memory against those that are stored, while others change them.
#include "ready_keys.h"

#include <gtest/gtest.h>
#include <rocksdb/write_batch.h>

#include <atomic>
#include <random>
#include <thread>

#include "database.h"
#include "place.h"
#include "scratch.h"

namespace pawl::rocksdb {
namespace {

using Rows = std::vector<std::string>;

const std::string kConsumer = "c";

std::string name_of(int number) {
  const std::string digits = std::to_string(number);
  return std::string(5 - digits.size(), '0') + digits;
}

class KnownKeys : public testing::Test {
 protected:
  // As a transaction does it that holds the session; without `is_told`, one whose end is not known.
  void commit(const ReadyKeys::Changes& changes, bool is_told = true) {
    ReadyKeys::Commit commit(keys_, changes);
    ::rocksdb::WriteBatch batch;
    for (const ReadyKeys::Change& change : changes) {
      ASSERT_TRUE(
          (change.is_put ? batch.Put(slice(change.key), {}) : batch.Delete(slice(change.key)))
              .ok());
    }
    database_->commit(batch, false);
    if (is_told) commit.is_done();
  }
  static ReadyKeys::Change put(std::int64_t due, std::int64_t since, const std::string& session) {
    return {ready_key(kConsumer, due, since, session), true};
  }
  static ReadyKeys::Change removed(std::int64_t due, std::int64_t since,
                                   const std::string& session) {
    return {ready_key(kConsumer, due, since, session), false};
  }

  // The sessions of both halves: the first `limit` of each.
  Rows known(std::size_t limit) {
    Rows rows;
    keys_.read(View(database_->db(), false), kConsumer, [&](ReadyKeys::Known& keys) {
      rows.clear();
      for (const bool is_timed : {false, true}) {
        std::size_t left = limit;
        keys.scan(is_timed, [&](std::int64_t, std::int64_t, std::string session) {
          rows.push_back(std::move(session));
          return --left > 0;
        });
      }
    });
    return rows;
  }
  Rows stored(std::size_t limit) {
    Rows rows;
    const std::string prefix = Key(Tag::kReady).name(kConsumer).take();
    for (const bool is_timed : {false, true}) {
      std::size_t left = limit;
      View(database_->db(), false)
          .scan(ready_range(kConsumer, is_timed),
                is_timed ? after_prefix(prefix) : ready_range(kConsumer, true),
                [&](std::string_view key, std::string_view) {
                  KeyReader reader(key, prefix);
                  reader.number();
                  reader.number();
                  rows.push_back(reader.name());
                  return --left > 0;
                });
    }
    return rows;
  }

  const Scratch scratch_;
  DatabasePtr database_ = share_database(scratch_.path(), read_engine_options({}), nullptr);
  ReadyKeys keys_;
};

TEST_F(KnownKeys, AreThoseStoredAfterEveryChange) {
  std::mt19937 random(20261201);
  const auto below = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
  std::map<int, std::pair<std::int64_t, std::int64_t>> present;  // session -> due, since
  for (int step = 0; step < 6'000; ++step) {
    const int session = below(2'500);
    ReadyKeys::Changes changes;
    if (const auto old = present.find(session); old != present.end()) {
      changes.push_back(removed(old->second.first, old->second.second, name_of(session)));
      present.erase(old);
    }
    if (below(4) > 0) {
      const std::int64_t due = below(3) == 0 ? 1 + below(500) : 0;
      const std::int64_t since = due == 0 ? below(500) : 0;
      changes.push_back(put(due, since, name_of(session)));
      present[session] = {due, since};
    }
    commit(changes, below(50) > 0);
    const auto limit = static_cast<std::size_t>(below(20) == 0 ? 1 + below(2'000) : 1 + below(80));
    ASSERT_EQ(known(limit), stored(limit)) << "step " << step;
  }
}

TEST_F(KnownKeys, OfWhomNothingIsStoredAreKnownToo) {
  EXPECT_TRUE(known(1).empty());
  EXPECT_EQ(keys_.consumers(), Rows{kConsumer});
  commit({put(0, 7, "s")});
  EXPECT_EQ(known(1), Rows{"s"});
  commit({removed(0, 7, "s"), put(9, 0, "s")});
  EXPECT_EQ(known(1), Rows{"s"});
  commit({removed(9, 0, "s")});
  EXPECT_TRUE(known(1).empty());
}

// Each thread has sessions of its own, as if it held their locks. One session is always there, in
// one of the halves: whoever looks sees it.
TEST_F(KnownKeys, AreNeverMissedByThoseWhoLook) {
  constexpr int kThreads = 3;
  constexpr int kTurns = 1'500;
  commit({put(0, 500, "always")});
  std::atomic<int> working = kThreads + 1;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      std::mt19937 random(static_cast<unsigned>(thread) + 1);
      std::map<int, std::int64_t> present;
      for (int turn = 0; turn < kTurns; ++turn) {
        const int session = 1 + thread + kThreads * static_cast<int>(random() % 300);
        const auto old = present.find(session);
        if (old != present.end()) {
          commit({removed(0, old->second, name_of(session))});
          present.erase(old);
        } else {
          const std::int64_t since = static_cast<std::int64_t>(random() % 1'000);
          commit({put(0, since, name_of(session))});
          present[session] = since;
        }
      }
      --working;
    });
  }
  threads.emplace_back([&] {
    for (int turn = 0; turn < kTurns; ++turn) {
      commit({removed(0, 500, "always"), put(500, 0, "always")});
      commit({removed(500, 0, "always"), put(0, 500, "always")});
    }
    --working;
  });
  std::mt19937 random(99);
  while (working > 0) {
    const Rows rows = known(1'000);
    EXPECT_EQ(std::count(rows.begin(), rows.end(), "always"), 1);
    if (random() % 4 == 0) commit({removed(random() % 2, 0, "none")}, false);
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(known(2'000), stored(2'000));
}

}  // namespace
}  // namespace pawl::rocksdb
