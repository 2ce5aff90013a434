// How often each operation asks the server and waits: counted on the wire, where a client asks
// for its answers.
#include <array>

#include "tests/support/fixture.h"
#include "tests/support/proxy.h"

namespace pawl::postgres::testing {
namespace {

using namespace std::chrono_literals;

class RoundTrips : public PostgresTest {
 protected:
  void SetUp() override {
    PostgresTest::SetUp();
    if (IsSkipped()) return;
    proxy_ = std::make_unique<Proxy>(private_server().folder());
    store_ = std::make_unique<Store>(open(proxy_->uri(), options()));
    forgetful_ = std::make_unique<Store>(open(proxy_->uri(), forgetful()));
  }
  void TearDown() override {
    store_.reset();
    forgetful_.reset();
    proxy_.reset();
  }

  std::int64_t trips(Store& store, const std::function<void(Store&)>& operation) {
    const std::int64_t before = proxy_->trips();
    operation(store);
    return proxy_->trips() - before;
  }
  // Of a store that remembers nothing.
  std::int64_t trips(const std::function<void(Store&)>& operation) {
    return trips(*forgetful_, operation);
  }

  static NewEvent event(const std::string& id, const std::string& consumer,
                        std::optional<std::string> lane = {}) {
    return {.id = id, .type = "t", .payload = "{}", .targets = {{consumer, std::move(lane), {}}}};
  }

  std::unique_ptr<Proxy> proxy_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Store> forgetful_;
};

TEST_F(RoundTrips, AreTwoForEveryOperationAndOneForEveryRead) {
  const std::array served{Consumer{.name = "c"}, Consumer{.name = "l", .log = Log{}}};
  const AppendOptions appending{.consumers = served};
  const ClaimOptions claiming{.holder = "w", .ttl = 60s, .consumers = served, .max_failures = 3};
  std::vector<Head> heads;

  EXPECT_EQ(trips([&](Store& s) {
              s.append("s", {event("a", "c"), event("b", "c", "k"), event("d", "d")}, appending);
            }),
            2);
  EXPECT_EQ(trips([&](Store& s) { s.append("s", {event("a", "c")}); }), 2) << "a replay";
  EXPECT_EQ(trips([&](Store& s) { s.append("s", {}, appending); }), 2) << "of nothing";
  EXPECT_EQ(trips([&](Store& s) { s.wake_log("s", served[1]); }), 2);
  EXPECT_EQ(trips([&](Store& s) { heads = s.claim("s", claiming).heads; }), 2);
  ASSERT_GE(heads.size(), 3u);
  EXPECT_EQ(trips([&](Store& s) {
              s.renew("s", {heads[0], heads[1], heads[2]}, {.holder = "w", .ttl = 90s});
            }),
            2);
  EXPECT_EQ(trips([&](Store& s) {
              (void)s.complete("s", heads[0], {event("f", "c")}, {.consumers = served});
            }),
            2);
  EXPECT_EQ(trips([&](Store& s) { (void)s.complete("s", heads[0], {event("f", "c")}); }), 2)
      << "a replay";
  EXPECT_EQ(
      trips([&](Store& s) { (void)s.fail("s", heads[1], {.error = "e", .max_failures = 1}); }), 2);
  EXPECT_EQ(trips([&](Store& s) { (void)s.release("s", heads[2]); }), 2);
  EXPECT_EQ(trips([&](Store& s) { s.claim("empty", claiming); }), 2) << "settled";
  EXPECT_EQ(trips([&](Store& s) {
              s.redrive("s", heads[1].consumer, heads[1].event.index, RedriveAction::kRetry);
            }),
            2);
  EXPECT_EQ(trips([&](Store& s) {
              s.put_snapshots("s", "r", {{1, "1"}, {2, "2", {heads[2].ref()}}});
            }),
            2);
  EXPECT_EQ(trips([&](Store& s) {
              s.set_presence("n", "p", {{"f", "1"}, {"g", "2"}}, {.at = Time(1s), .ttl = 9s});
            }),
            2);
  EXPECT_EQ(trips([&](Store& s) { s.reclaim_presence("n"); }), 2);
  EXPECT_EQ(trips([&](Store& s) { s.prune("s", Time(1s)); }), 2);
  EXPECT_EQ(trips([&](Store& s) { s.delete_consumer("s", "d"); }), 2);
  EXPECT_EQ(trips([&](Store& s) { s.clear("s"); }), 2);
  EXPECT_EQ(trips([&](Store& s) { s.reclaim("s"); }), 2);

  EXPECT_EQ(trips([&](Store& s) { s.read("s"); }), 1);
  EXPECT_EQ(trips([&](Store& s) { s.read("s", {.types = std::vector<std::string>{"t"}}); }), 1);
  EXPECT_EQ(trips([&](Store& s) { s.head("s"); }), 1);
  EXPECT_EQ(trips([&](Store& s) { s.cursors("s"); }), 1);
  EXPECT_EQ(trips([&](Store& s) { s.dead_letters("s"); }), 1);
  EXPECT_EQ(trips([&](Store& s) { s.load_snapshot("s", "r"); }), 1);
  EXPECT_EQ(trips([&](Store& s) { s.presence("n"); }), 1);
  EXPECT_EQ(trips([&](Store& s) { s.sessions(); }), 1);
  EXPECT_EQ(trips([&](Store& s) { s.ready({.consumers = served}); }), 1);
  EXPECT_EQ(trips([&](Store& s) { s.ready(); }), 1) << "of all consumers";

  EXPECT_EQ(trips([&](Store& s) { s.delete_session("s"); }), 2);
}

TEST_F(RoundTrips, AreOneWhereTheStoreRemembersTheRows) {
  const std::array served{
      Consumer{.name = "c"}, Consumer{.name = "l", .log = Log{}},
      Consumer{.name = "typed", .log = Log{.types = std::vector<std::string>{"t"}}}};
  const AppendOptions appending{.consumers = served};
  Store& store = *store_;
  EXPECT_EQ(trips(store, [&](Store& s) { s.append("s", {event("1", "c", "k")}, appending); }), 2);
  EXPECT_EQ(trips(store, [&](Store& s) { s.append("s", {event("2", "c", "k")}, appending); }), 1);
  EXPECT_EQ(trips(store, [&](Store& s) { s.append("s", {event("3", "c")}, appending); }), 1);
  EXPECT_EQ(trips(store, [&](Store& s) { s.append("s", {event("3", "c")}, appending); }), 2)
      << "a replay";
  EXPECT_EQ(trips(store, [&](Store& s) { s.append("s", {{.type = "u"}}, appending); }), 1)
      << "an id is generated";
  std::vector<Head> heads;
  const ClaimOptions claiming{.holder = "w", .ttl = 60s, .consumers = served, .max_failures = 3};
  EXPECT_EQ(trips(store, [&](Store& s) { heads = s.claim("s", claiming).heads; }), 1);
  ASSERT_EQ(heads.size(), 4u);
  EXPECT_EQ(trips(store, [&](Store& s) { s.claim("s", claiming); }), 2) << "there is nothing";
  const std::vector<Claim> claims(heads.begin(), heads.end());
  EXPECT_EQ(trips(store, [&](Store& s) { s.renew("s", claims, {.holder = "w", .ttl = 90s}); }), 1);
  for (const Head& head : heads) {
    const auto complete = [&](Store& s) {
      EXPECT_EQ(s.complete("s", head, {{.id = head.consumer + head.lane.value_or(""), .type = "u"}},
                           {.consumers = served})
                    .outcome,
                FinishOutcome::kCompleted);
    };
    EXPECT_EQ(trips(store, complete), 1) << head.consumer << "/" << head.lane.value_or("-");
    EXPECT_EQ(trips(store, complete), 2) << "a replay";
  }
  EXPECT_EQ(
      trips(store,
            [&](Store& s) {
              heads =
                  s.claim_ready({.holder = "w", .ttl = 60s, .consumers = served}).claims[0].heads;
            }),
      2);
  ASSERT_EQ(heads.size(), 3u);
  EXPECT_EQ(
      trips(store,
            [&](Store& s) { (void)s.fail("s", heads[0], {.error = "e", .max_failures = 9}); }),
      1);
  EXPECT_EQ(
      trips(store,
            [&](Store& s) { (void)s.fail("s", heads[1], {.error = "e", .max_failures = 1}); }),
      1)
      << "for good";
  EXPECT_EQ(trips(store, [&](Store& s) { (void)s.release("s", heads[2]); }), 1);

  // Three, when it turns out that somebody else has written there.
  forgetful_->append("s", {event("other", "c")});
  EXPECT_EQ(trips(store, [&](Store& s) { s.append("s", {event("4", "c", "k")}, appending); }), 3);
  EXPECT_EQ(store.head("s").last_index, 10);
}

TEST_F(RoundTrips, DoNotGrowWithWhatACallBears) {
  constexpr int kSessions = 50;
  std::vector<AppendItem> items;
  for (int i = 0; i < kSessions; ++i) {
    AppendItem& item = items.emplace_back();
    item.session = "s" + std::to_string(i);
    for (int e = 0; e < 5; ++e) item.events.push_back(event("e" + std::to_string(e), "c"));
  }
  EXPECT_EQ(trips([&](Store& s) { s.append_batch(items); }), 2);
  EXPECT_EQ(trips([&](Store& s) { s.append_batch(items); }), 2) << "a replay";

  ClaimReadyResult claims;
  EXPECT_EQ(
      trips([&](Store& s) { claims = s.claim_ready({.holder = "w", .ttl = 60s, .limit = 200}); }),
      2);
  std::vector<SettleItem> finished;
  for (const SessionClaims& session : claims.claims) {
    for (const Head& head : session.heads) {
      SettleItem& item = finished.emplace_back();
      item.session = session.session;
      item.claim = head;
      item.events = {event("f" + std::to_string(finished.size()), "d", "k")};
    }
  }
  ASSERT_EQ(finished.size(), 200u);
  const ClaimReadyOptions next{.holder = "w", .ttl = 60s};
  EXPECT_EQ(trips([&](Store& s) { (void)s.settle(finished, {.claim = next}); }), 2);
}

// maintain looks for what there is to do, and then takes two for each step of it.
TEST_F(RoundTrips, OfMaintenanceAreOneLookAndItsSteps) {
  EXPECT_EQ(trips([&](Store& s) { s.maintain(); }), 1);
  store_->append("s", {event("a", "c")});
  store_->clear("s");
  EXPECT_EQ(trips([&](Store& s) { s.maintain(); }), 3);
}

}  // namespace
}  // namespace pawl::postgres::testing
