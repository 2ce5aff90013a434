// Arguments are checked before anything is looked up: on a backend that may not be touched, every
// operation names what is wrong with them.
#include <gtest/gtest.h>

#include <functional>

#include "pawl/backend.h"
#include "pawl/error.h"
#include "pawl/store.h"
#include "tests/support/rows.h"

namespace pawl::core::testing {
namespace {

class Untouchable final : public Backend {
 public:
  driver::Facts look(const driver::Query&) override { return touched<driver::Facts>(); }
  driver::Readings transact(const driver::Query&, const Decide&) override {
    return touched<driver::Readings>();
  }
  std::uint64_t changes() override { return touched<std::uint64_t>(); }
  void wait(std::uint64_t, std::chrono::steady_clock::time_point) override { touched<int>(); }
  void close() override {}
  Info info() const override { return {}; }

 private:
  template <class T>
  static T touched() {
    throw std::logic_error("something is looked up");
  }
};

struct Row {
  std::function<void(Store&)> call;
  const char* message;
};

void check(const std::vector<Row>& rows) {
  Store store(std::make_unique<Untouchable>());
  for (const Row& row : rows) {
    try {
      row.call(store);
      ADD_FAILURE() << "not refused: " << row.message;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument) << row.message;
      EXPECT_STREQ(error.what(), row.message);
    } catch (const std::logic_error& error) {
      ADD_FAILURE() << error.what() << " before: " << row.message;
    }
  }
}

const std::vector<Consumer> kUnnamed{{""}};
const Served kBad = std::span(kUnnamed);
const HeadRef kRef{"c", "k", 1};
const Claim kClaim{"c", "k", 1, 1};
const ClaimOptions kBy{.holder = "w", .ttl = Duration(1)};
const RenewOptions kRenewal{.holder = "w", .ttl = Duration(1)};
const ClaimReadyOptions kReady{.holder = "w", .ttl = Duration(1)};

template <class Options, class Change>
Options changed(Options options, const Change& change) {
  change(options);
  return options;
}

TEST(Arguments, OfAppending) {
  const auto batch = [](std::size_t sessions, std::size_t events) {
    std::vector<AppendItem> items;
    for (std::size_t i = 0; i < sessions; ++i) {
      items.push_back({"s" + std::to_string(i), std::vector<NewEvent>(events, event({}))});
    }
    return items;
  };
  check({
      {[](Store& s) { s.append("", {}); }, "session is empty"},
      {[](Store& s) {
         s.append("s", {event({}), event({}, "")});
       },
       "events[1].type is empty"},
      {[](Store& s) { s.append("s", {}, {.consumers = kBad}); }, "consumers[0].name is empty"},
      {[](Store& s) { s.append("s", {}, {.origin_index = -1}); }, "origin_index is less than 0"},
      {[](Store& s) {
         s.append_batch({{"s", {}}, {"", {}}});
       },
       "items[1].session is empty"},
      {[](Store& s) {
         s.append_batch({{"s", {event({}, "")}}});
       },
       "items[0].events[0].type is empty"},
      {[](Store& s) {
         s.append_batch({{"s", {}, kBad}});
       },
       "items[0].consumers[0].name is empty"},
      {[](Store& s) {
         s.append_batch({{"s", {}, {}, -1}});
       },
       "items[0].origin_index is less than 0"},
      {[](Store& s) {
         s.append_batch({{"s", {}}, {"t", {}}, {"s", {}}});
       },
       "items[2].session stands twice in the list"},
      {[&](Store& s) { s.append_batch(batch(1'001, 0)); }, "items lists more than 1000"},
      {[&](Store& s) { s.append_batch(batch(1'000, 11)); }, "items bear more than 10000 events"},
      {[](Store& s) { s.wake_log("", reads("c")); }, "session is empty"},
      {[](Store& s) { s.wake_log("s", {""}); }, "consumer.name is empty"},
      {[](Store& s) { s.wake_log("s", {"c"}); }, "consumer.log is missing"},
      {[](Store& s) { s.wake_log("s", reads("c", {{""}})); }, "consumer.log.types[0] is empty"},
  });
}

TEST(Arguments, OfReading) {
  check({
      {[](Store& s) { s.read(""); }, "session is empty"},
      {[](Store& s) { s.read("s", {.after = -1}); }, "after is less than 0"},
      {[](Store& s) { s.read("s", {.limit = 0}); }, "limit is less than 1"},
      {[](Store& s) {
         s.read("s", {.types = {{"t", ""}}});
       },
       "types[1] is empty"},
      {[](Store& s) { s.read("s", {.through = -1}); }, "through is less than 0"},
      {[](Store& s) { s.head(""); }, "session is empty"},
      {[](Store& s) { s.sessions({.after = ""}); }, "after is empty"},
      {[](Store& s) { s.sessions({.limit = 10'001}); }, "limit is more than 10000"},
      {[](Store& s) { s.cursors(""); }, "session is empty"},
      {[](Store& s) {
         s.cursors("s", {.after = HeadRef{"", {}, 1}});
       },
       "after.consumer is empty"},
      {[](Store& s) {
         s.cursors("s", {.after = HeadRef{"c", "", 1}});
       },
       "after.lane is empty"},
      {[](Store& s) { s.cursors("s", {.limit = 0}); }, "limit is less than 1"},
      {[](Store& s) { s.dead_letters(""); }, "session is empty"},
      {[](Store& s) {
         s.dead_letters("s", {.after = HeadRef{"c", {}, 0}});
       },
       "after.index is less than 1"},
      {[](Store& s) { s.dead_letters("s", {.limit = 10'001}); }, "limit is more than 10000"},
      {[](Store& s) { s.load_snapshot("", "r"); }, "session is empty"},
      {[](Store& s) { s.load_snapshot("s", ""); }, "reducer is empty"},
      {[](Store& s) { s.load_snapshot("s", "r", {.through = -1}); }, "through is less than 0"},
      {[](Store& s) { s.load_snapshot("s", "r", {.limit = 0}); }, "limit is less than 1"},
      {[](Store& s) { s.presence(""); }, "namespace is empty"},
      {[](Store& s) { s.ready({.consumers = kBad}); }, "consumers[0].name is empty"},
      {[](Store& s) { s.ready({.limit = 0}); }, "limit is less than 1"},
      {[](Store& s) { s.wait(kBad, Duration(0)); }, "consumers[0].name is empty"},
      {[](Store& s) { s.wait(std::nullopt, Duration(-1)); },
       "timeout_ms is not a duration from 0 to 2^53 ms"},
      {[](Store& s) { s.wait("", 0, Duration(0)); }, "session is empty"},
      {[](Store& s) { s.wait("s", -1, Duration(0)); }, "after is less than 0"},
      {[](Store& s) { s.wait("s", 0, Duration(-1)); },
       "timeout_ms is not a duration from 0 to 2^53 ms"},
      {[](Store& s) { s.tail("", 0, [](const Event&) { return true; }); }, "session is empty"},
      {[](Store& s) { s.tail("s", -1, [](const Event&) { return true; }); },
       "after is less than 0"},
  });
}

TEST(Arguments, OfClaiming) {
  const auto claim = [](auto change) {
    return [change](Store& s) { s.claim("s", changed(kBy, change)); };
  };
  const auto ready = [](auto change) {
    return [change](Store& s) { s.claim_ready(changed(kReady, change)); };
  };
  const char* const one_of_two = "ttl_ms or expires_at: exactly one is to be given";
  check({
      {[](Store& s) { s.claim("", kBy); }, "session is empty"},
      {claim([](auto& o) { o.holder = ""; }), "holder is empty"},
      {claim([](auto& o) { o.ttl.reset(); }), one_of_two},
      {claim([](auto& o) { o.expires_at = ms(1); }), one_of_two},
      {claim([](auto& o) { o.ttl = Duration(-1); }), "ttl_ms is not a duration from 0 to 2^53 ms"},
      {claim([](auto& o) { o.consumers = kBad; }), "consumers[0].name is empty"},
      {claim([](auto& o) {
         o.exclude = {kRef, {"c", {}, 0}};
       }),
       "exclude[1].index is less than 1"},
      {claim([](auto& o) { o.exclude.assign(10'001, kRef); }), "exclude lists more than 10000"},
      {claim([](auto& o) { o.through = -1; }), "through is less than 0"},
      {claim([](auto& o) { o.max_failures = 0; }), "max_failures is less than 1"},
      {claim([](auto& o) { o.limit = 0; }), "limit is less than 1"},
      {[](Store& s) { s.renew("", {}, kRenewal); }, "session is empty"},
      {[](Store& s) { s.renew("s", {}, {.holder = "", .ttl = Duration(1)}); }, "holder is empty"},
      {[](Store& s) { s.renew("s", {}, {.holder = "w"}); }, one_of_two},
      {[](Store& s) {
         s.renew("s", {kClaim, {"c", "l", 1, 0}}, kRenewal);
       },
       "claims[1].attempt is less than 1"},
      {[](Store& s) {
         s.renew("s", {kClaim, {"c", "k", 2, 1}, {"c", "k", 1, 2}}, kRenewal);
       },
       "claims[2] stands twice in the list"},
      {[](Store& s) { s.renew("s", std::vector<Claim>(10'001, kClaim), kRenewal); },
       "claims lists more than 10000"},
      {ready([](auto& o) { o.holder = ""; }), "holder is empty"},
      {ready([](auto& o) { o.expires_at = ms(1); }), one_of_two},
      {ready([](auto& o) { o.consumers = kBad; }), "consumers[0].name is empty"},
      {ready([](auto& o) { o.max_failures = 0; }), "max_failures is less than 1"},
      {ready([](auto& o) { o.sessions_limit = 10'001; }), "sessions_limit is more than 10000"},
      {ready([](auto& o) { o.limit = 0; }), "limit is less than 1"},
  });
}

TEST(Arguments, OfFinishing) {
  const FailOptions fails{.error = "e", .max_failures = 1};
  const auto items = [](const std::vector<SettleItem>& list, const SettleOptions& options = {}) {
    return [=](Store& s) { (void)s.settle(list, options); };
  };
  const auto settle_claim = [&](auto change) {
    return items({}, {.claim = changed(kReady, change)});
  };
  const SettleItem good{"s", kClaim};
  const SettleItem bad_fail{"s", {"c", "l", 1, 1}, SettleAction::kFail};
  const SettleItem bad_release{"s", {"c", "l", 1, 1},       SettleAction::kRelease, {},
                               {},  {.delay = Duration(-1)}};
  check({
      {[](Store& s) { (void)s.complete("", kClaim); }, "session is empty"},
      {[](Store& s) {
         (void)s.complete("s", {"", {}, 1, 1});
       },
       "consumer is empty"},
      {[](Store& s) {
         (void)s.complete("s", {"c", "", 1, 1});
       },
       "lane is empty"},
      {[](Store& s) {
         (void)s.complete("s", {"c", {}, 0, 1});
       },
       "index is less than 1"},
      {[](Store& s) {
         (void)s.complete("s", {"c", {}, 1, 0});
       },
       "attempt is less than 1"},
      {[](Store& s) { (void)s.complete("s", kClaim, {event({})}); },
       "events[0].id is missing: a follow-up needs one"},
      {[](Store& s) { (void)s.complete("s", kClaim, {}, {.consumers = kBad}); },
       "consumers[0].name is empty"},
      {[&](Store& s) { (void)s.fail("", kClaim, fails); }, "session is empty"},
      {[&](Store& s) {
         (void)s.fail("s", {"c", {}, 1, 0}, fails);
       },
       "attempt is less than 1"},
      {[](Store& s) { (void)s.fail("s", kClaim, {}); }, "max_failures is less than 1"},
      {[](Store& s) {
         (void)s.fail("s", kClaim, {"e", 1, Duration(-1)});
       },
       "retry_after_ms is not a duration from 0 to 2^53 ms"},
      {[](Store& s) {
         (void)s.release("s", {"c", {}, 1, 0});
       },
       "attempt is less than 1"},
      {[](Store& s) { (void)s.release("s", kClaim, {.delay = Duration(kMaxTimeMs + 1)}); },
       "delay_ms is not a duration from 0 to 2^53 ms"},
      {items({good, {"", kClaim}}), "items[1]: session is empty"},
      {items({good, bad_fail}), "items[1]: max_failures is less than 1"},
      {items({good, bad_release}), "items[1]: delay_ms is not a duration from 0 to 2^53 ms"},
      {items({good, {"t", kClaim}, {"s", {"c", "k", 9, 1}}}),
       "items[2]: the cursor stands twice in the list"},
      {items(std::vector<SettleItem>(1'001, good)), "items lists more than 1000"},
      {items({good}, {.consumers = kBad}), "consumers[0].name is empty"},
      {settle_claim([](auto& o) { o.holder = ""; }), "claim.holder is empty"},
      {settle_claim([](auto& o) { o.ttl.reset(); }),
       "claim.ttl_ms or expires_at: exactly one is to be given"},
      {settle_claim([](auto& o) { o.consumers = kBad; }), "claim.consumers[0].name is empty"},
      {settle_claim([](auto& o) { o.max_failures = 0; }), "claim.max_failures is less than 1"},
      {settle_claim([](auto& o) { o.limit = 0; }), "claim.limit is less than 1"},
      {settle_claim([](auto& o) { o.sessions_limit = 0; }), "claim.sessions_limit is less than 1"},
      {[](Store& s) { s.redrive("", "c", 1, RedriveAction::kRetry); }, "session is empty"},
      {[](Store& s) { s.redrive("s", "", 1, RedriveAction::kRetry); }, "consumer is empty"},
      {[](Store& s) { s.redrive("s", "c", 0, RedriveAction::kRetry); }, "index is less than 1"},
      {[](Store& s) { s.redrive("s", "c", 1, RedriveAction::kSkip, {.lane = ""}); },
       "lane is empty"},
      {[](Store& s) { s.redrive("s", "c", 1, RedriveAction::kSkip, {.consumers = kBad}); },
       "consumers[0].name is empty"},
  });
}

TEST(Arguments, OfSnapshotsAndPresence) {
  const PresenceOptions options{.at = ms(1), .ttl = Duration(1)};
  check({
      {[](Store& s) { s.put_snapshots("", "r", {}); }, "session is empty"},
      {[](Store& s) { s.put_snapshots("s", "", {}); }, "reducer is empty"},
      {[](Store& s) {
         s.put_snapshots("s", "r", {{1, "1"}, {0, "1"}});
       },
       "writes[1].index is less than 1"},
      {[](Store& s) {
         s.put_snapshots("s", "r", {{1, ""}});
       },
       "writes[0].state is not valid JSON"},
      {[](Store& s) {
         s.put_snapshots("s", "r", {{1, "1", {kRef, {"c", {}, 0}}}});
       },
       "writes[0].pins[1].index is less than 1"},
      {[](Store& s) {
         s.put_snapshots("s", "r", std::vector<SnapshotWrite>(10'001, {1, "1"}));
       },
       "writes lists more than 10000"},
      {[](Store& s) {
         const SnapshotWrite write{1, "1", std::vector<HeadRef>(5'001, kRef)};
         s.put_snapshots("s", "r", {write, write});
       },
       "writes[1].pins lists more than 10000"},
      {[&](Store& s) { s.set_presence("", "p", {}, options); }, "namespace is empty"},
      {[&](Store& s) { s.set_presence("n", "", {}, options); }, "participant is empty"},
      {[&](Store& s) {
         s.set_presence("n", "p", {{"f"}, {""}}, options);
       },
       "fields[1].field is empty"},
      {[&](Store& s) {
         s.set_presence("n", "p", {{"f", "x"}}, options);
       },
       "fields[0].value is not valid JSON"},
      {[&](Store& s) {
         s.set_presence("n", "p", {{"f"}, {"g"}, {"f"}}, options);
       },
       "fields[2].field stands twice in the list"},
      {[](Store& s) { s.set_presence("n", "p", {}, {.at = ms(0), .ttl = Duration(1)}); },
       "at is not a time from 1 to 2^53 ms"},
      {[](Store& s) { s.set_presence("n", "p", {}, {.at = ms(1), .ttl = Duration(-1)}); },
       "ttl_ms is not a duration from 0 to 2^53 ms"},
      {[](Store& s) { s.reclaim_presence(""); }, "namespace is empty"},
      {[](Store& s) { s.reclaim_presence("n", 0); }, "limit is less than 1"},
  });
}

TEST(Arguments, OfClearingAndUpkeep) {
  check({
      {[](Store& s) { s.clear(""); }, "session is empty"},
      {[](Store& s) {
         s.clear("s", {.cause = Cause{"c", {}, 1, 0}});
       },
       "cause.attempt is less than 1"},
      {[](Store& s) { s.clear("s", {.if_last_index = -1}); }, "if_last_index is less than 0"},
      {[](Store& s) { s.reclaim(""); }, "session is empty"},
      {[](Store& s) { s.reclaim("s", 0); }, "limit is less than 1"},
      {[](Store& s) { s.prune("", ms(1)); }, "session is empty"},
      {[](Store& s) { s.prune("s", ms(0)); }, "finished_before is not a time from 1 to 2^53 ms"},
      {[](Store& s) { s.prune("s", ms(1), 10'001); }, "limit is more than 10000"},
      {[](Store& s) { s.delete_session(""); }, "session is empty"},
      {[](Store& s) { s.delete_session("s", 0); }, "limit is less than 1"},
      {[](Store& s) { s.delete_consumer("", "c"); }, "session is empty"},
      {[](Store& s) { s.delete_consumer("s", ""); }, "consumer is empty"},
      {[](Store& s) { s.delete_consumer("s", "c", 0); }, "limit is less than 1"},
      {[](Store& s) { s.maintain({.limit = 0}); }, "limit is less than 1"},
      {[](Store& s) { s.maintain({.finished_before = ms(0)}); },
       "finished_before is not a time from 1 to 2^53 ms"},
  });
}

}  // namespace
}  // namespace pawl::core::testing
