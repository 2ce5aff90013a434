// Behind PgBouncer in transaction mode. A sample of the suite runs there, too (CMakeLists.txt);
// this is what the suite does not show.
#include "tests/support/pooler.h"

#include <atomic>
#include <thread>

#include "place.h"
#include "tests/support/fixture.h"

namespace pawl::postgres::testing {
namespace {

using namespace std::chrono_literals;

constexpr int kConnections = 2;

class Pooled : public PostgresTest {
 protected:
  void SetUp() override {
    if (const auto reason = why_no_pooler()) {
      std::cout << "not run: " << *reason << std::endl;
      GTEST_SKIP();
    }
    pooler_ = std::make_unique<Pooler>(private_server(), kConnections);
    uri_ = pooler_->uri();
  }

  OpenOptions pooled() const {
    OpenOptions options = this->options();
    options.engine["prepare"] = "off";
    return options;
  }

  std::unique_ptr<Pooler> pooler_;
};

TEST_F(Pooled, ManyStoresShareAFewConnections) {
  constexpr int kThreads = 6;
  constexpr int kRounds = 5;
  open(uri_, pooled());
  std::atomic<int> completed = 0;
  std::atomic<std::int64_t> guarded = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      Store store = open(uri_, pooled());
      const std::string session = "s" + std::to_string(i);
      for (int round = 0; round < kRounds; ++round) {
        store.append(session, {{.type = "t", .targets = {{"c", "k", {}}}}});
        for (const Head& head : store.claim(session, {.holder = "w", .ttl = 60s}).heads) {
          completed += store.complete(session, head).outcome == FinishOutcome::kCompleted ? 1 : 0;
        }
      }
      guarded += store.stats().numbers.at("guarded");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(completed, kThreads * kRounds);
  EXPECT_EQ(guarded, kThreads * (3 * kRounds - 1)) << "all but the first of each session";
}

// What is set for a session's life would be met there by others.
TEST_F(Pooled, OnlyASessionOfOnesOwnIsSetUp) {
  open(uri_, pooled());
  const auto is_adopted = [this](const std::string& uri) {
    const OpenOptions options = this->options();
    const EngineOptions engine = read_engine_options(options);
    return open_connection(connection_options(engine, options, read_uri(uri)))->is_adopted();
  };
  EXPECT_TRUE(is_adopted(private_server().uri()));
  EXPECT_FALSE(is_adopted(uri_));
  for (int i = 0; i < kConnections; ++i) {
    EXPECT_NE(sql("SHOW plan_cache_mode"), "force_generic_plan");
  }
}

TEST_F(Pooled, CommitsAreHeardOnADirectConnection) {
  OpenOptions options = pooled();
  options.engine["notify"] = "on";
  options.engine["notify_uri"] = private_server().uri();
  options.wake_poll = 60s;
  OpenedStore waiter(uri_, options);
  OpenedStore other(uri_, options);
  waiter.backend.notifier()->start();
  while (!waiter.backend.notifier()->is_listening()) std::this_thread::yield();
  const std::uint64_t before = waiter.backend.changes();
  other.store.append("s", {{.type = "t"}});
  waiter.backend.wait(before, std::chrono::steady_clock::now() + 60s);
  EXPECT_GT(waiter.backend.changes(), before);
}

TEST_F(Pooled, WhatOthersLeaveOnAConnectionChangesNothing) {
  for (int i = 0; i < kConnections; ++i) {
    const Handle other(PQconnectdb(uri_.c_str()));
    for (const char* setting :
         {"search_path = nowhere", "default_transaction_isolation = serializable",
          "TimeZone = 'Asia/Kathmandu'", "DateStyle = 'German'"}) {
      PQclear(PQexec(other.get(), (std::string("SET ") + setting).c_str()));
    }
  }
  Store store = open(uri_, pooled());
  const auto before = std::chrono::system_clock::now().time_since_epoch();
  const Event event = store.append("s", {{.type = "t"}}).events[0];
  EXPECT_LT(std::chrono::abs(event.created_at.time_since_epoch() - before), 60s);
  EXPECT_EQ(store.append("s", {{.type = "t"}}).events[0].index, 2);
}

}  // namespace
}  // namespace pawl::postgres::testing
