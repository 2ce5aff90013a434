// Answers that would be too long are cut; ids that are taken are drawn anew; a decision may be
// made several times.
#include <gtest/gtest.h>

#include <map>

#include "pawl/backend.h"
#include "tests/store/support.h"

namespace pawl::testing {
namespace {

// A store whose calls may hold 100 bytes, beside one of the same place without that limit.
class LongAnswers : public ::testing::Test {
 protected:
  LongAnswers() {
    OpenOptions limited = memory_.options;
    limited.max_call_bytes = 100;
    const std::string name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    wide_ = std::make_unique<Store>(memory_.open(name));
    store_ = std::make_unique<Store>(memory::open(name, limited));
  }

  // Events for consumer c, their payloads so many bytes long.
  void append(const std::string& session, const std::vector<std::size_t>& bytes) {
    std::vector<NewEvent> events;
    for (const std::size_t size : bytes) {
      events.push_back(event({}, {{"c"}}, "\"" + std::string(size - 2, 'x') + "\""));
    }
    wide_->append(session, events);
  }

  Memory memory_;
  std::unique_ptr<Store> wide_;
  std::unique_ptr<Store> store_;
  const ClaimOptions by_w_{.holder = "w", .ttl = Duration(50)};
};

TEST_F(LongAnswers, AClaimTakesWhatFits) {
  append("s", {40, 60, 3, 90, 20, 300, 5});
  EXPECT_EQ(refs(store_->claim("s", by_w_).heads), "c#1 c#2") << "values.12: exactly 100";
  EXPECT_EQ(refs(store_->claim("s", by_w_).heads), "c#3 c#4");
  EXPECT_EQ(refs(store_->claim("s", by_w_).heads), "c#5");
  EXPECT_EQ(refs(store_->claim("s", by_w_).heads), "c#6") << "at least one";
  EXPECT_EQ(refs(store_->claim("s", by_w_).heads), "c#7");
  EXPECT_EQ(store_->claim("s", by_w_).outcome, ClaimOutcome::kBusy);
  for (const Cursor& cursor : wide_->cursors("s")) {
    EXPECT_EQ(cursor.attempt_count, 1) << "what was cut off was not claimed before";
  }
}

TEST_F(LongAnswers, DeadLettersOfAClaimCountToo) {
  append("s", {60, 60, 60});
  EXPECT_EQ(wide_->claim("s", by_w_).heads.size(), 3u);
  memory_.clock->advance(50);
  ClaimOptions once = by_w_;
  once.max_failures = 1;
  for (const char* const dead : {"c#1", "c#2", "c#3"}) {
    const ClaimResult result = store_->claim("s", once);
    EXPECT_EQ(result.outcome, ClaimOutcome::kClaimed);
    EXPECT_EQ(refs(result.heads), "");
    EXPECT_EQ(refs(result.dead_lettered), dead);
  }
}

TEST_F(LongAnswers, ClaimReadyTakesWhatFitsOverSessions) {
  append("a", {40, 40});
  append("b", {40, 10});
  memory_.clock->advance(1);
  append("d", {5});
  ClaimReadyResult result = store_->claim_ready({.holder = "w", .ttl = Duration(50)});
  ASSERT_EQ(result.claims.size(), 1u) << "100 bytes hold the two of a, not the first of b";
  EXPECT_EQ(refs(result.claims[0].heads), "c#1 c#2");
  EXPECT_EQ(result.next_at, ms(101)) << "claim_ready.4: now, as claimable heads were left behind";
  result = store_->claim_ready({.holder = "w", .ttl = Duration(50)});
  ASSERT_EQ(result.claims.size(), 2u);
  EXPECT_EQ(refs(result.claims[0].heads), "c#1 c#2");
  EXPECT_EQ(refs(result.claims[1].heads), "c#1");
  EXPECT_EQ(result.next_at, ms(151));
}

TEST_F(LongAnswers, SettleFinishesOnceHoweverOftenItsClaimsAreCut) {
  append("s", {10, 60, 60});
  ClaimOptions one = by_w_;
  one.limit = 1;
  const Head head = wide_->claim("s", one).heads.at(0);
  SettleOptions options;
  options.claim = ClaimReadyOptions{.holder = "w", .ttl = Duration(50)};
  const SettleResult result =
      store_->settle({{"s", head, SettleAction::kComplete, {event("x")}}}, options);
  EXPECT_EQ(result.results.at(0).outcome, FinishOutcome::kCompleted);
  EXPECT_EQ(indexes(result.results[0].events), "4");
  ASSERT_TRUE(result.claims);
  EXPECT_EQ(refs(result.claims->at(0).heads), "c#2");
  EXPECT_EQ(wide_->head("s").last_index, 4);
}

TEST_F(LongAnswers, ReadsAreCutAfterAtLeastOneEntry) {
  append("s", {40, 60, 300, 10});
  EXPECT_EQ(indexes(store_->read("s")), "1 2");
  EXPECT_EQ(indexes(store_->read("s", {.after = 1})), "2");
  EXPECT_EQ(indexes(store_->read("s", {.after = 2})), "3");
  EXPECT_EQ(indexes(store_->read("s", {.after = 3})), "4");
  EXPECT_EQ(indexes(store_->load_snapshot("s", "r").events), "1 2");
  for (const Head& head : wide_->claim("s", by_w_).heads) {
    EXPECT_EQ(wide_->fail("s", head, {.error = "e", .max_failures = 1}).outcome,
              FinishOutcome::kDeadLettered);
  }
  EXPECT_EQ(refs(store_->dead_letters("s")), "c#1 c#2");
  EXPECT_EQ(refs(store_->dead_letters("s", {.after = HeadRef{"c", {}, 2}})), "c#3");
}

// ---- ids

TEST(GeneratedIds, ThatAreTakenAreDrawnAnew) {
  const Memory first;
  const Memory second;  // draws id-1, id-2, ... of its own
  const std::string name = "GeneratedIds";
  Store a = first.open(name);
  Store b = second.open(name);
  const auto ids = [](const AppendResult& result) {
    std::string out;
    for (const Event& one : result.events) out += one.id + " ";
    return out;
  };
  EXPECT_EQ(ids(a.append("s", {event({}), event({})})), "id-1 id-2 ");
  EXPECT_EQ(ids(b.append("s", {event({}), event("id-4"), event({})})), "id-3 id-4 id-5 ")
      << "append.6: neither one that is stored nor one of the batch";
  EXPECT_EQ(ids(a.append("t", {event({})})), "id-3 ") << "another session has its own ids";
  EXPECT_EQ(ids(a.append("s", {event({})})), "id-6 ");
  EXPECT_EQ(b.clear("s").index, 7);
  EXPECT_EQ(b.read("s").at(0).id, "id-7") << "id-6 is taken";
  EXPECT_EQ(ids(a.append("s", {event({})})), "id-8 ");
}

TEST(GeneratedIds, OfWhatIsBelowTheClearIndexAreFree) {
  const Memory first;
  const Memory second;
  Store a = first.open("FreeIds");
  a.append("s", {event({}), event({})});
  a.clear("s");
  Store b = second.open("FreeIds");
  EXPECT_EQ(b.append("s", {event({})}).events[0].id, "id-1") << "append.3";
  EXPECT_EQ(b.append("s", {event("id-2"), event({})}).events[1].id, "id-4") << "id-3 is the marker";
}

TEST(GeneratedIds, AreNotDrawnByWhatIsRefused) {
  Memory memory;
  Store store = memory.open();
  store.append("s", {event("x", {{"c", "k"}})});
  const Cause superseded{"c", "k", 1, 9};
  NewEvent refused = event({});
  refused.cause = superseded;
  EXPECT_EQ(thrown([&] {
              store.append("s", {event({}), refused});
            }),
            ErrorCode::kSupersededAttempt);
  EXPECT_EQ(thrown([&] {
              store.append_batch({{"t", {event({})}}, {"s", {refused}}});
            }),
            ErrorCode::kSupersededAttempt);
  EXPECT_EQ(store.head("t").last_index, 0) << "append_batch.1: all or nothing";
  EXPECT_EQ(thrown([&] { store.clear("s", {.cause = superseded}); }),
            ErrorCode::kSupersededAttempt);
  store.clear("t");
  store.append("s", {});
  EXPECT_EQ(store.append("s", {event({})}).events[0].id, "id-1") << "append.10";
}

// ---- deciding again

// Decides on each transaction's facts once more before it counts.
class DecidesTwice final : public Backend {
 public:
  explicit DecidesTwice(std::unique_ptr<Backend> backend) : backend_(std::move(backend)) {}

  driver::Facts look(const driver::Query& query) override { return backend_->look(query); }
  driver::Readings transact(const driver::Query& query, const Decide& decide) override {
    return backend_->transact(query, [&](driver::Facts&& facts) {
      driver::Facts copy = facts;
      decide(std::move(copy));
      return decide(std::move(facts));
    });
  }
  std::uint64_t changes() override { return backend_->changes(); }
  void wait(std::uint64_t seen, std::chrono::steady_clock::time_point until) override {
    backend_->wait(seen, until);
  }
  void close() override { backend_->close(); }
  Info info() const override { return backend_->info(); }

 private:
  std::unique_ptr<Backend> backend_;
};

TEST(Decisions, MadeTwiceAnswerOnce) {
  const Memory memory;
  Store store(std::make_unique<DecidesTwice>(memory::open_backend("", memory.options)),
              {.ids = sequential_id_source()});
  const AppendResult appended = store.append("s", {event({}, {{"c", "k"}}), event({}, {{"c"}})});
  EXPECT_EQ(indexes(appended.events), "1 2");
  EXPECT_EQ(appended.events[1].id, "id-2") << "ids are drawn once";
  EXPECT_TRUE(appended.has_pending);
  const ClaimResult claimed = store.claim("s", {.holder = "w", .ttl = Duration(50)});
  EXPECT_EQ(refs(claimed.heads), "c/k#1 c#2");
  EXPECT_EQ(claimed.heads[0].attempt_count, 1);
  EXPECT_EQ(indexes(store.complete("s", claimed.heads[0], {event("x")}).events), "3");
  EXPECT_EQ(store.fail("s", claimed.heads[1], {.error = "e", .max_failures = 3}).failure_count, 1);
  const AppendResult batch =
      store.append_batch({{"t", {event({})}}, {"s", {event({}), event({})}}}).at(1);
  EXPECT_EQ(indexes(batch.events), "4 5");
  EXPECT_EQ(batch.events[1].id, "id-5");
  EXPECT_EQ(store.clear("s").index, 6);
  EXPECT_EQ(store.reclaim("s").deleted, 5);
}

}  // namespace
}  // namespace pawl::testing
