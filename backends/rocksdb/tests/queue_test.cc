// Work that is done leaves deleted keys where work is looked for: operations pass over few of
// them. RocksDB's own counters tell, so that no time is measured.
#include <gtest/gtest.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/perf_level.h>

#include "backend.h"
#include "pawl/clock.h"
#include "scratch.h"

namespace pawl::rocksdb {
namespace {

using std::chrono::hours;

// What nobody compacts away: it is all in memory.
constexpr int kDone = 3'000;
constexpr std::uint64_t kMost = 40;

class Queue : public testing::Test {
 protected:
  Queue() {
    OpenOptions options;
    options.durability = Durability::kRelaxed;
    options.clock = clock_;
    store_.emplace(std::make_unique<RocksBackend>(scratch_.path(), options), StoreOptions{});
    ::rocksdb::SetPerfLevel(::rocksdb::PerfLevel::kEnableCount);
  }
  ~Queue() override { ::rocksdb::SetPerfLevel(before_); }

  void append(const std::string& session, int count, std::optional<std::string> lane = {}) {
    const NewEvent event{
        .type = "t", .payload = "1", .targets = {{.consumer = "c", .lane = std::move(lane)}}};
    const std::vector<NewEvent> events(static_cast<std::size_t>(count), event);
    store_->append(session, events, {.consumers = served_});
  }

  std::vector<Head> claim(const std::string& session, std::int64_t limit) {
    return store_
        ->claim(session, {.holder = "w", .ttl = hours(1), .consumers = served_, .limit = limit})
        .heads;
  }
  std::vector<SessionClaims> claim_ready() {
    return store_
        ->claim_ready({.holder = "w",
                       .ttl = hours(1),
                       .consumers = served_,
                       .sessions_limit = 10,
                       .limit = 10})
        .claims;
  }
  void complete(const Head& head) {
    EXPECT_FALSE(
        store_->complete(head.event.session, head, {}, {.consumers = served_}).superseded());
  }

  // Works off what a session has, by hundreds.
  void finish(const std::string& session) {
    for (;;) {
      std::vector<SettleItem> items;
      for (const Head& head : claim(session, 100)) {
        items.push_back({.session = session, .claim = head});
      }
      if (items.empty()) return;
      (void)store_->settle(items, {.consumers = served_});
      clock_->advance(1);
    }
  }

  template <class Operation>
  void expect_few_skipped(const char* what, const Operation& operation) {
    const ::rocksdb::PerfContext& counters = *::rocksdb::get_perf_context();
    ::rocksdb::get_perf_context()->Reset();
    operation();
    EXPECT_LT(counters.internal_delete_skipped_count + counters.internal_key_skipped_count, kMost)
        << what;
  }

  const ::rocksdb::PerfLevel before_ = ::rocksdb::GetPerfLevel();
  const Scratch scratch_;
  const std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>(1'000);
  const std::vector<Consumer> consumers_{{.name = "c"}};
  const Served served_{consumers_};
  std::optional<Store> store_;
};

TEST_F(Queue, EventsThatAreDoneAreNotPassed) {
  append("s", kDone);
  finish("s");
  expect_few_skipped("an idle claim", [&] { EXPECT_TRUE(claim("s", 1).empty()); });
  expect_few_skipped("append", [&] { append("s", 2); });
  std::vector<Head> heads;
  expect_few_skipped("claim", [&] { heads = claim("s", 1); });
  ASSERT_EQ(heads.size(), 1U);
  expect_few_skipped("complete", [&] { complete(heads[0]); });
  expect_few_skipped("claim_ready", [&] { heads = claim_ready().at(0).heads; });
  ASSERT_EQ(heads.size(), 1U);
  expect_few_skipped("the last complete", [&] { complete(heads[0]); });
  expect_few_skipped("ready",
                     [&] { EXPECT_TRUE(store_->ready({.consumers = served_}).sessions.empty()); });
}

TEST_F(Queue, LaneWorkThatIsDoneIsNotPassed) {
  append("s", 300, "k");
  for (int i = 0; i < 300; ++i) complete(claim("s", 1).at(0));
  append("s", 2, "k");
  std::vector<Head> heads;
  expect_few_skipped("claim", [&] { heads = claim("s", 1); });
  ASSERT_EQ(heads.size(), 1U);
  expect_few_skipped("complete", [&] { complete(heads[0]); });
}

TEST_F(Queue, SessionsThatAreDoneAreNotPassed) {
  for (int i = 0; i < kDone / 10; ++i) {
    append("s" + std::to_string(i), 1);
    for (const SessionClaims& claims : claim_ready()) complete(claims.heads.at(0));
    clock_->advance(1);
  }
  for (const bool is_named : {true, false}) {
    SCOPED_TRACE(is_named ? "named consumers" : "any consumer");
    const Served served = is_named ? served_ : Served();
    expect_few_skipped("ready",
                       [&] { EXPECT_TRUE(store_->ready({.consumers = served}).sessions.empty()); });
  }
  append("later", 1);
  expect_few_skipped("claim_ready", [&] { EXPECT_EQ(claim_ready().size(), 1U); });
}

// After an outage of the workers, say: to tell of one session, few are read.
TEST_F(Queue, SessionsWhoseClaimsHaveLapsedAreNotAllRead) {
  for (int i = 0; i < kDone; ++i) {
    append("s" + std::to_string(i), 1);
    ASSERT_EQ(claim("s" + std::to_string(i), 1).size(), 1U);
  }
  clock_->advance(hours(2).count() * 3'600'000);
  append("held", 1);
  ASSERT_EQ(claim("held", 1).size(), 1U);
  const auto expect_few_read = [](const char* what, const auto& operation) {
    ::rocksdb::PerfContext& counters = *::rocksdb::get_perf_context();
    counters.Reset();
    operation();
    EXPECT_LT(counters.iter_read_bytes, 64U * 1'024) << what;
  };
  expect_few_read("ready", [&] {
    const ReadyResult ready = store_->ready({.consumers = served_, .limit = 1});
    EXPECT_EQ(ready.sessions.size(), 1U);
    EXPECT_EQ(ready.next_at, Time(std::chrono::milliseconds(clock_->now_ms()) + hours(1)));
  });
  expect_few_read("claim_ready", [&] { EXPECT_EQ(claim_ready().size(), 10U); });
}

// A page that has walked far notes where, and the next one does not.
TEST_F(Queue, PagesDoNotPassWhatIsDoneAgain) {
  append("s", kDone);
  append("s", 3, "k");
  finish("s");
  append("s", 2);
  const auto expect_pages = [&](std::size_t cursors) {
    EXPECT_EQ(store_->cursors("s").size(), cursors);
    expect_few_skipped("a page", [&] { EXPECT_EQ(store_->cursors("s").size(), cursors); });
  };
  expect_pages(3);
  append("s", 1);
  append("s", 1, "a");  // amid what is passed over
  expect_pages(5);
  finish("s");
  expect_pages(2);
}

TEST_F(Queue, PagesDoNotPassDeadLettersThatWereRedrivenAgain) {
  constexpr int kDead = kDone / 10;
  append("s", kDead);
  for (const Head& head : claim("s", kDead)) {
    (void)store_->fail("s", head, {.error = "e", .max_failures = 1});
  }
  std::vector<Head> dead = store_->dead_letters("s");
  ASSERT_EQ(std::ssize(dead), kDead);
  for (std::size_t i = 0; i + 2 < dead.size(); ++i) {
    (void)store_->redrive("s", "c", dead[i].event.index, RedriveAction::kRetry);
  }
  EXPECT_EQ(store_->dead_letters("s").size(), 2U);
  expect_few_skipped("a page", [&] { EXPECT_EQ(store_->dead_letters("s").size(), 2U); });
  const std::vector<Head> again = claim("s", 1);
  (void)store_->fail("s", again.at(0), {.error = "e", .max_failures = 1});
  EXPECT_EQ(store_->dead_letters("s").size(), 3U);
}

// One session's first key goes back and forth, each time to a later place.
TEST_F(Queue, WorkThatIsHandedBackIsNotPassed) {
  append("s", 5);
  std::vector<Head> heads;
  for (int i = 0; i < kDone / 10; ++i) {
    heads = claim_ready().at(0).heads;
    for (const Head& head : heads) EXPECT_FALSE(store_->release("s", head).superseded());
    clock_->advance(1);
  }
  expect_few_skipped("claim_ready", [&] { heads = claim_ready().at(0).heads; });
  EXPECT_EQ(heads.size(), 5U);
  expect_few_skipped("an idle claim_ready", [&] { EXPECT_TRUE(claim_ready().empty()); });
}

// A cleared session's events are reclaimed step by step; what follows is read from where it begins.
TEST_F(Queue, EventsThatAreReclaimedAreNotPassed) {
  append("s", kDone);
  store_->clear("s");
  while (!store_->reclaim("s", 1'000).done) {
  }
  store_->reclaim("s", 1'000);  // passes the last step's
  append("s", 2);
  expect_few_skipped("read", [&] { EXPECT_EQ(store_->read("s").size(), 3U); });
  expect_few_skipped("claim", [&] { EXPECT_EQ(claim("s", 1).size(), 1U); });
  expect_few_skipped("reclaim", [&] { store_->reclaim("s", 1'000); });
}

TEST_F(Queue, PresenceThatIsRefreshedIsNotPassed) {
  for (int i = 0; i < 500; ++i) {
    store_->set_presence("n", "p", {{"f", "1"}},
                         {.at = Time(Duration(clock_->now_ms())), .ttl = Duration(10)});
    clock_->advance(1);
  }
  store_->reclaim_presence("n");
  store_->maintain({.limit = 10});
  expect_few_skipped("reclaim_presence", [&] { store_->reclaim_presence("n"); });
  expect_few_skipped("maintain", [&] { store_->maintain({.limit = 10}); });
}

}  // namespace
}  // namespace pawl::rocksdb
