// One store hears of another's commits at once, and polls when it cannot.
#include <thread>

#include "tests/support/fixture.h"

namespace pawl::postgres::testing {
namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

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

  // Waits until the store has heard something that it had not at `seen`.
  static void hear(OpenedStore& opened, std::uint64_t seen) {
    const auto until = steady_clock::now() + kLong;
    while (opened.backend.changes() == seen && steady_clock::now() < until) {
      opened.backend.wait(seen, until);
    }
    ASSERT_NE(opened.backend.changes(), seen);
  }

  // Lets the store begin to listen, which counts as news: it may have missed some.
  static void listen(OpenedStore& opened) {
    const std::uint64_t seen = opened.backend.changes();
    opened.backend.notifier()->start();
    hear(opened, seen);
    ASSERT_TRUE(opened.backend.notifier()->is_listening());
  }

  // How long `waiter` waits for session "s" to get an event, while `other` appends one.
  static std::chrono::milliseconds wait_for(Store& waiter, Store& other) {
    std::thread appender([&] { other.append("s", {{.type = "t"}}); });
    const auto begin = steady_clock::now();
    waiter.wait("s", 0, Duration(kLong));
    appender.join();
    return std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - begin);
  }
};

TEST_F(Notify, ACommitElsewhereIsHeard) {
  OpenedStore waiter(uri_, with_notify());
  OpenedStore other(uri_, with_notify());
  listen(waiter);
  const std::uint64_t before = waiter.backend.changes();
  other.store.append("s", {{.type = "t"}});
  hear(waiter, before);
  EXPECT_EQ(waiter.store.head("s").last_index, 1);
}

TEST_F(Notify, ACommitElsewhereEndsAWait) {
  OpenedStore waiter(uri_, with_notify());
  OpenedStore other(uri_, with_notify());
  listen(waiter);
  EXPECT_LT(wait_for(waiter.store, other.store), 20s);
}

TEST_F(Notify, AnotherStoresSchemaIsNotHeard) {
  OpenOptions elsewhere = with_notify();
  const Schema schema;
  elsewhere.engine["schema"] = schema.name();
  OpenedStore waiter(uri_, with_notify());
  OpenedStore mine(uri_, with_notify());
  OpenedStore other(uri_, elsewhere);
  OpenedStore its_neighbour(uri_, elsewhere);
  listen(waiter);
  listen(its_neighbour);
  const std::uint64_t before = waiter.backend.changes();
  const std::uint64_t neighbours = its_neighbour.backend.changes();
  other.store.append("s", {{.type = "t"}});
  hear(its_neighbour, neighbours);
  // What is told later is heard later.
  mine.store.append("s", {{.type = "t"}});
  hear(waiter, before);
  EXPECT_EQ(waiter.backend.changes(), before + 1);
}

TEST_F(Notify, ABrokenLinkIsMadeAnew) {
  OpenedStore waiter(uri_, with_notify());
  OpenedStore other(uri_, with_notify());
  listen(waiter);
  std::uint64_t before = waiter.backend.changes();
  sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN pawl%' OR "
      "query LIKE 'NOTIFY pawl%'");
  hear(waiter, before);  // it listens again
  before = waiter.backend.changes();
  other.store.append("s", {{.type = "t"}});
  hear(waiter, before);
}

TEST_F(Notify, WithoutItAStorePolls) {
  OpenOptions polling = options();
  polling.wake_poll = 50ms;
  OpenedStore waiter(uri_, polling);
  EXPECT_EQ(waiter.backend.notifier(), nullptr);
  OpenedStore other(uri_, options());
  EXPECT_LT(wait_for(waiter.store, other.store), 20s);
}

TEST_F(Notify, AWrongNotifyUriLeavesPolling) {
  OpenOptions wrong = with_notify();
  wrong.engine["notify_uri"] = "postgres:///x?host=/nowhere";
  wrong.wake_poll = 50ms;
  OpenedStore waiter(uri_, wrong);
  waiter.backend.notifier()->start();
  OpenedStore other(uri_, options());
  EXPECT_LT(wait_for(waiter.store, other.store), 20s);
  EXPECT_EQ(waiter.store.stats().numbers.at("listening"), 0);
  EXPECT_EQ(waiter.store.stats().warnings.size(), 1u);
  EXPECT_EQ(other.store.stats().numbers.count("listening"), 0u);
}

TEST_F(Notify, ClosingEndsAWait) {
  OpenedStore opened(uri_, with_notify());
  std::thread closer([&] {
    // Waiting begins with listening.
    while (!opened.backend.notifier()->is_started()) std::this_thread::yield();
    opened.store.close();
  });
  const auto begin = steady_clock::now();
  EXPECT_EQ(code_of([&] { opened.store.wait("s", 0, Duration(kLong)); }), "closed");
  EXPECT_LT(steady_clock::now() - begin, 20s);
  closer.join();
}

}  // namespace
}  // namespace pawl::postgres::testing
