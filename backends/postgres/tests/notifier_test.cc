// One store hears of another's commits at once, and polls when it cannot.
#include <thread>

#include "tests/support/fixture.h"

namespace pawl::postgres::testing {
namespace {

using std::chrono::steady_clock;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

// Far longer than a test waits for anything.
constexpr auto kLong = 60s;

class Notify : public PostgresTest {
 protected:
  OpenOptions with_notify() const {
    OpenOptions options = this->options();
    options.engine["notify"] = "on";
    options.wake_poll = kLong;
    return options;
  }

  // Lets the store begin to listen.
  static void listen(OpenedStore& opened) {
    opened.backend.notifier()->start();
    const auto until = steady_clock::now() + kLong;
    while (!opened.backend.notifier()->is_listening() && steady_clock::now() < until) {
      std::this_thread::sleep_for(5ms);
    }
    ASSERT_TRUE(opened.backend.notifier()->is_listening());
  }

  // How long `waiter` waits for session "s" to get an event behind `after`, while `other` appends.
  static std::chrono::milliseconds wait_for(Store& waiter, Store& other, std::int64_t after) {
    std::thread appender([&] {
      std::this_thread::sleep_for(100ms);
      other.append("s", {{.type = "t"}});
    });
    const auto begin = steady_clock::now();
    waiter.wait("s", after, Duration(kLong));
    appender.join();
    return std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - begin);
  }
};

TEST_F(Notify, ACommitElsewhereEndsAWait) {
  OpenedStore waiter(uri_, with_notify());
  OpenedStore other(uri_, with_notify());
  listen(waiter);
  EXPECT_LT(wait_for(waiter.store, other.store, 0), 20s);
  EXPECT_EQ(waiter.store.head("s").last_index, 1);
}

TEST_F(Notify, AnotherStoresSchemaIsNotHeard) {
  OpenedStore waiter(uri_, with_notify());
  listen(waiter);
  OpenOptions elsewhere = with_notify();
  const Schema schema;
  elsewhere.engine["schema"] = schema.name();
  OpenedStore other(uri_, elsewhere);
  listen(other);
  const std::uint64_t before = waiter.backend.changes();
  other.store.append("s", {{.type = "t"}});
  waiter.backend.wait(before, steady_clock::now() + 200ms);
  EXPECT_EQ(waiter.backend.changes(), before);
}

TEST_F(Notify, ABrokenLinkIsMadeAnew) {
  OpenedStore waiter(uri_, with_notify());
  OpenedStore other(uri_, with_notify());
  listen(waiter);
  const std::uint64_t before = waiter.backend.changes();
  sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN pawl%' OR "
      "query LIKE 'NOTIFY pawl%'");
  // It counts as news when it listens again, since it may have missed some.
  const auto until = steady_clock::now() + kLong;
  while (waiter.backend.changes() == before && steady_clock::now() < until) {
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_GT(waiter.backend.changes(), before);
  EXPECT_LT(wait_for(waiter.store, other.store, 0), 20s);
}

TEST_F(Notify, WithoutItAStorePolls) {
  OpenOptions polling = options();
  polling.wake_poll = 50ms;
  OpenedStore waiter(uri_, polling);
  EXPECT_EQ(waiter.backend.notifier(), nullptr);
  OpenedStore other(uri_, options());
  EXPECT_LT(wait_for(waiter.store, other.store, 0), 20s);
}

TEST_F(Notify, AWrongNotifyUriLeavesPolling) {
  OpenOptions wrong = with_notify();
  wrong.engine["notify_uri"] = "postgres:///x?host=/nowhere";
  wrong.wake_poll = 50ms;
  OpenedStore waiter(uri_, wrong);
  OpenedStore other(uri_, options());
  EXPECT_LT(wait_for(waiter.store, other.store, 0), 20s);
  EXPECT_EQ(waiter.store.stats().numbers.at("listening"), 0);
  EXPECT_EQ(waiter.store.stats().warnings.size(), 1u);
  EXPECT_EQ(other.store.stats().numbers.count("listening"), 0u);
}

TEST_F(Notify, ClosingEndsAWait) {
  OpenedStore opened(uri_, with_notify());
  std::thread closer([&] {
    std::this_thread::sleep_for(100ms);
    opened.store.close();
  });
  const auto begin = steady_clock::now();
  EXPECT_EQ(code_of([&] { opened.store.wait("s", 0, Duration(kLong)); }), "closed");
  EXPECT_LT(steady_clock::now() - begin, 20s);
  closer.join();
}

}  // namespace
}  // namespace pawl::postgres::testing
