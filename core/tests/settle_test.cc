// settle and claim_ready: rows that are stored -> the outcomes and claims, and what is written.
#include "tests/support/table.h"

namespace pawl::core::testing {
namespace {

using Table = std::vector<Row<Settle>>;
using Item = Settle::Item;

Settle settle(std::vector<Item> items, std::vector<Consumer> served = {}) {
  Settle operation;
  operation.items = std::move(items);
  operation.served = std::move(served);
  return operation;
}
Item completes(Claim claim, std::vector<NewEvent> events = {}, std::string session = "s") {
  return {std::move(claim), SettleAction::kComplete, std::move(events), 0, {}, std::move(session)};
}
Item fails(Claim claim, std::int64_t max_failures, std::optional<std::int64_t> delay = {}) {
  return {std::move(claim), SettleAction::kFail, {}, max_failures, delay};
}
Item releases(Claim claim, std::optional<std::int64_t> delay = {}) {
  return {std::move(claim), SettleAction::kRelease, {}, 0, delay};
}

ClaimReadyRequest ready_for(ClaimRequest each, std::int64_t sessions_limit = 100) {
  each.session.clear();
  return {std::move(each), sessions_limit};
}

TEST(Settle, EachItemSeesWhatThoseBeforeItDid) {
  const World two = given(5)
                        .with(on_event("c", 1).held("w", 150))
                        .with(on_event("c", 2).held("w", 150))
                        .with(on_lane("c", "k").at(3).held("w", 150));
  check(Table{
      {"settle.6: no items", given(5), settle({}), ""},
      {"settle.1: in the order given", two,
       settle({fails({"c", {}, 2, 1}, 1), completes({"c", {}, 1, 1}), releases({"c", "k", 3, 1})}),
       "dead_lettered 1, completed [], released | row finished_since=100 | drop c@1 | "
       "put c/k pos=2 head=3 since=100 tries=1 claimed=50..60 released=1 | "
       "put c@2 pos=1 head=2 tries=1 claimed=50..60 failures=1 failed=100/1 error=boom dead=100 | "
       "work c#1 finished=100 completed=1/1[]"},
      {"settle.1: an outcome that is superseded stops nothing", two,
       settle({completes({"c", {}, 1, 2}), releases({"c", {}, 2, 1})}),
       "superseded, released | "
       "put c@2 pos=1 head=2 since=100 tries=1 claimed=50..60 released=1"},
      {"settle.1: the ids of an earlier item", two,
       settle({completes({"c", {}, 1, 1}, {event("x")}), completes({"c", {}, 2, 1}, {event("x")})}),
       "throws partial_duplicate_batch"},
      {"settle.1: indexes go on", two,
       settle({completes({"c", {}, 1, 1}, {event("x")}), completes({"c", {}, 2, 1}, {event("y")})}),
       "completed [6:x], completed [7:y] | row last=7 finished_since=100 | drop c@1 | drop c@2 | "
       "append 6:x t 1 at=100 cause=c#1:1 | append 7:y t 1 at=100 cause=c#2:1 | "
       "work c#1 finished=100 completed=1/1[x] | work c#2 finished=100 completed=2/1[y]"},
      {"settle.1: a lane gets its head from a later item", two,
       settle({completes({"c", "k", 3, 1}),
               completes({"c", {}, 1, 1}, {event_for("x", {{"c", "k"}})})}),
       "completed [], completed [6:x] | row last=6 finished_since=100 | drop c@1 | "
       "append 6:x t 1 at=100 cause=c#1:1 for=[c/k] | put c/k pos=3 head=6 since=100 | "
       "work c/k#3 finished=100 completed=3/1[] | work c/k#6 | "
       "work c#1 finished=100 completed=1/1[x]"},
      {"settle.1: or from an earlier one", two,
       settle({completes({"c", {}, 1, 1}, {event_for("x", {{"c", "k"}})}),
               completes({"c", "k", 3, 1})}),
       "completed [6:x], completed [] | row last=6 finished_since=100 | drop c@1 | "
       "append 6:x t 1 at=100 cause=c#1:1 for=[c/k] | put c/k pos=3 head=6 since=100 | "
       "work c/k#6 | work c#1 finished=100 completed=1/1[x] | "
       "work c/k#3 finished=100 completed=3/1[]"},
      {"settle.1: a log finds what an earlier item appended",
       given(3).with(on_event("c", 1).held("w", 150)).with(on_log("d").at(3).held("w", 150)),
       settle({completes({"c", {}, 1, 1}, {event("x")}), completes({"d", "log", 3, 1})}),
       "completed [4:x], completed [] | row last=4 finished_since=100 | drop c@1 | "
       "append 4:x t 1 at=100 cause=c#1:1 | "
       "put d/log pos=3 head=4 since=100 types=* completed=3/1[] | "
       "work c#1 finished=100 completed=1/1[x]"},
      {"settle.1: a log that the first item woke, woken by the second", two,
       settle({completes({"c", {}, 1, 1}, {event("x")}),
               completes({"c", {}, 2, 1}, {event("y", "u")})},
              {reads("d", {{"u"}})}),
       "completed [6:x], completed [7:y] | row last=7 finished_since=100 | drop c@1 | drop c@2 | "
       "append 6:x t 1 at=100 cause=c#1:1 | append 7:y u 1 at=100 cause=c#2:1 | "
       "put d/log pos=6 head=7 since=100 types=[u] | "
       "work c#1 finished=100 completed=1/1[x] | work c#2 finished=100 completed=2/1[y]"},
      {"settle.4: types are refreshed by a completion", World(two).with(on_log("d").pos(1)),
       settle({releases({"c", {}, 1, 1}), completes({"c", {}, 2, 2})}, {reads("d", {{"u"}})}),
       "released, superseded | put c@1 head=1 since=100 tries=1 claimed=50..60 released=1 | "
       "put d/log pos=1 types=[u]"},
      {"settle.4: and by nothing else", World(two).with(on_log("d").pos(1)),
       settle({releases({"c", {}, 1, 1}), fails({"c", {}, 2, 2}, 9)}, {reads("d", {{"u"}})}),
       "released, superseded 0 | put c@1 head=1 since=100 tries=1 claimed=50..60 released=1"},
  });
}

TEST(Settle, OverSessionsAllOrNothing) {
  const World world = given(3)
                          .with(on_event("c", 1).held("w", 150))
                          .session("b", 2)
                          .with(on_event("c", 2).held("w", 150))
                          .session("a", 1);
  check(Table{
      {"settle.1: several sessions", world,
       settle({completes({"c", {}, 1, 1}, {event("x")}),
               completes({"c", {}, 2, 1}, {event("x")}, "b"), completes({"c", {}, 1, 1}, {}, "a")}),
       "completed [4:x], completed [3:x], superseded | b: row last=3 finished_since=100 | drop c@2 "
       "| "
       "append 3:x t 1 at=100 cause=c#2:1 | work c#2 finished=100 completed=2/1[x] | "
       "row last=4 finished_since=100 | drop c@1 | append 4:x t 1 at=100 cause=c#1:1 | "
       "work c#1 finished=100 completed=1/1[x]"},
      {"settle.2: an item that throws", world,
       settle({completes({"c", {}, 1, 1}), completes({"c", {}, 9, 1}, {}, "b")}),
       "throws unknown_event"},
      {"values.6: a time past the largest is refused before the other items", world,
       settle({completes({"c", {}, 9, 1}), fails({"c", {}, 1, 1}, 1, kMaxTimeMs)}),
       "throws invalid_argument items[1]:"},
      {"settle.2: the message names the item", world,
       settle({completes({"c", {}, 1, 1}),
               completes({"c", {}, 2, 1}, {event_for("x", {{"d", "log"}})}, "b")},
              {reads("d")}),
       "throws invalid_argument items[1]:"},
  });
}

TEST(Settle, ReleasesPinsOfManyItemsTogether) {
  World world = given(5).with_snapshot("r", 1).with_snapshot("r", 2).with_snapshot("r", 5);
  for (std::int64_t head = 1; head <= 3; ++head) {
    world.with(on_event("c", head).held("w", 150)).with({0, {"c", {}, head}, head, "r", 1});
  }
  world.with({0, {"c", {}, 3}, 3, "r", 2});
  check(Table{
      {"pins.1: one holds it still", world,
       settle({completes({"c", {}, 1, 1}), fails({"c", {}, 2, 1}, 1)}),
       "completed [], dead_lettered 1 | row finished_since=100 | drop c@1 | unpin c#1->r@1 | "
       "unpin c#2->r@1 | put c@2 pos=1 head=2 tries=1 claimed=50..60 failures=1 failed=100/1 "
       "error=boom dead=100 | work c#1 finished=100 completed=1/1[] | put r@1 updated=20 pins=1"},
      {"pins.1: none does any more", world,
       settle({completes({"c", {}, 1, 1}), completes({"c", {}, 2, 1}), completes({"c", {}, 3, 1})}),
       "completed [], completed [], completed [] | row finished_since=100 | drop c@1 | drop c@2 | "
       "drop c@3 | drop r@1 updated=20 | drop r@2 updated=20 | unpin c#1->r@1 | unpin c#2->r@1 | "
       "unpin c#3->r@1 | unpin c#3->r@2 | work c#1 finished=100 completed=1/1[] | "
       "work c#2 finished=100 completed=2/1[] | work c#3 finished=100 completed=3/1[]"},
  });
}

Settle and_claims(Settle operation, ClaimRequest each, std::int64_t sessions_limit = 100) {
  operation.claim = ready_for(std::move(each), sessions_limit);
  return operation;
}

TEST(Settle, ClaimsOverWhatItsItemsDid) {
  const World lane = given(5)
                         .with(on_lane("c", "k").at(3).held("w", 150))
                         .with(queued("c", "k", 3))
                         .with(queued("c", "k", 5));
  World lapsed = given(3).with(on_event("c", 1).tried(2).held("v", 90)).with_snapshot("r", 3);
  lapsed.with({0, {"c", {}, 1}, 1, "r", 3});
  check(Table{
      {"settle.5: the next head of the lane that was finished", lane,
       and_claims(settle({completes({"c", "k", 3, 1})}), claiming()),
       "completed [], s [c/k#5:1] | row finished_since=100 | "
       "put c/k pos=3 head=5 due=150 tries=1 claimed=100..100 by=w | "
       "work c/k#3 finished=100 completed=3/1[]"},
      {"settle.5: what was released at once", lane,
       and_claims(settle({releases({"c", "k", 3, 1})}), claiming()),
       "released, s [c/k#3:2] | "
       "put c/k pos=2 head=3 due=150 tries=2 claimed=50..100 by=w released=1"},
      {"settle.5: not what waits for a time", lane,
       and_claims(settle({releases({"c", "k", 3, 1}, 1)}), claiming()),
       "released, nothing | put c/k pos=2 head=3 due=101 tries=1 claimed=50..60 "
       "released=1"},
      {"settle.5: nor what has died", lane,
       and_claims(settle({fails({"c", "k", 3, 1}, 1)}), claiming()),
       "dead_lettered 1, nothing | put c/k pos=2 head=3 tries=1 claimed=50..60 failures=1 "
       "failed=100/1 error=boom dead=100"},
      {"settle.5: a follow-up of this call", lane,
       and_claims(settle({completes({"c", "k", 3, 1}, {event_for("x", {{"d"}})})}),
                  claiming({{"d"}})),
       "completed [6:x], s [d#6:1] | row last=6 finished_since=100 | "
       "append 6:x t 1 at=100 cause=c/k#3:1 for=[d] | put c/k pos=3 head=5 since=100 | "
       "put d@6 pos=5 head=6 due=150 tries=1 claimed=100..100 by=w | "
       "work c/k#3 finished=100 completed=3/1[x]"},
      {"settle.5: its own consumers", lane,
       and_claims(settle({completes({"c", "k", 3, 1})}, {{"c"}}), claiming({{"d"}})),
       "completed [], nothing | row finished_since=100 | put c/k pos=3 head=5 since=100 | "
       "work c/k#3 finished=100 completed=3/1[]"},
      {"claim.3: a lapsed claim whose release is superseded dies with its pins", lapsed,
       [] {
         ClaimRequest each = claiming();
         each.max_failures = 1;
         return and_claims(settle({releases({"c", {}, 1, 1})}), each);
       }(),
       "superseded, s [] dead [c#1:3] | unpin c#1->r@3 | "
       "put c@1 head=1 tries=3 claimed=50..60 failures=1 dead=100 | put r@3 updated=20"},
      {"claim_ready.2: types are refreshed where it claims", World(lane).with(on_log("e").pos(1)),
       and_claims(settle({completes({"c", "k", 3, 2})}), claiming({{"c"}, reads("e", {{"u"}})})),
       "superseded, nothing"},
      {"claim_ready.2: where it does", World(lane).with(on_log("e").pos(1)),
       and_claims(settle({completes({"c", "k", 3, 1})}), claiming({{"c"}, reads("e", {{"u"}})})),
       "completed [], s [c/k#5:1] | row finished_since=100 | "
       "put c/k pos=3 head=5 due=150 tries=1 claimed=100..100 by=w | put e/log pos=1 types=[u] | "
       "work c/k#3 finished=100 completed=3/1[]"},
      {"values.6: a ttl past the largest time, with nothing to claim", given(1),
       [] {
         ClaimRequest each = claiming();
         each.lease.ttl_ms = kMaxTimeMs;
         return and_claims(settle({}), each);
       }(),
       "throws invalid_argument ttl_ms"},
  });
}

// Four sessions: a waits since 30, b since 20 (by a lapsed claim), d since 20, and e for 160.
World waiting() {
  World world;
  world.session("a", 3).with(on_event("c", 1).since(30)).with(on_event("c", 2).since(10));
  world.session("b", 3).with(on_event("c", 2).held("v", 20)).with(on_event("d", 1).since(90));
  world.session("d", 3).with(on_lane("c", "k").at(1).since(20));
  world.session("e", 3).with(on_event("c", 1).held("v", 160));
  world.session("s", 3);
  return world;
}

std::string claimed(const World& world, ClaimRequest each, std::int64_t sessions_limit = 100) {
  return decide(world, claim_ready(ready_for(std::move(each), sessions_limit))).answer;
}

TEST(ClaimReady, TakesTheLongestWaitingSessionsFirst) {
  EXPECT_EQ(claimed(waiting(), claiming()), "b [d#1:1 c#2:2], d [c/k#1:1], a [c#1:1 c#2:1]")
      << "claim_ready.1, ready.2: the lowest free head counts, though a higher one waits longer";
  EXPECT_EQ(claimed(waiting(), claiming({{"c"}})), "b [c#2:2], d [c/k#1:1], a [c#1:1 c#2:1]");
  EXPECT_EQ(claimed(waiting(), claiming({{"d"}})), "b [d#1:1]");
  EXPECT_EQ(claimed(waiting(), claiming(), 2), "b [d#1:1 c#2:2], d [c/k#1:1]");
  EXPECT_EQ(claimed(waiting(), claiming(), 1), "b [d#1:1 c#2:2]");
  EXPECT_EQ(claimed(waiting(), claiming(4)), "b [d#1:1 c#2:2], d [c/k#1:1], a [c#1:1]")
      << "each session takes what remains of the limit";
  EXPECT_EQ(claimed(waiting(), claiming(3)), "b [d#1:1 c#2:2], d [c/k#1:1]");
  EXPECT_EQ(claimed(waiting(), claiming(std::vector<Consumer>())), "nothing");
}

// claim_ready.3: others pass over what it holds.
TEST(ClaimReady, HoldsFewMoreSessionsThanItCanClaimFrom) {
  const auto picked = [](std::int64_t limit, std::int64_t sessions_limit) {
    return claim_ready(ready_for(claiming(limit), sessions_limit)).plan().pick->sessions;
  };
  EXPECT_EQ(picked(1, 100), 5);
  EXPECT_EQ(picked(1'000, 100), 100);
  EXPECT_EQ(picked(1, 1), 1);
}

TEST(ClaimReady, CountsTheDeadLetteredForTheLimit) {
  ClaimRequest each = claiming(2);
  each.max_failures = 1;
  EXPECT_EQ(claimed(waiting(), each), "b [d#1:1] dead [c#2:2]");
}

// The pick is longer than the answer by the settled sessions, so that the others move up.
TEST(ClaimReady, ASettledSessionThatHasNothingLeftMakesWay) {
  World world = waiting();
  world.session("b", 3).rows().cursors.clear();
  world.with(on_event("c", 2).held("v", 20));
  Settle operation = and_claims(settle({completes({"c", {}, 2, 1}, {}, "b")}), claiming(), 1);
  EXPECT_EQ(decide(world, operation).answer, "completed [], d [c/k#1:1]");
}

// Its item knows of a lapsed claim only; that the session waits since 95 is told by a free head.
TEST(ClaimReady, ASettledSessionThatIsNotPickedWaitsAsLongAsItsHeadsDo) {
  World world;
  world.session("a", 1).with(on_event("c", 1).since(94));
  world.session("b", 1).with(on_event("c", 1).since(94));
  world.session("s", 2).with(on_event("c", 1).held("v", 20)).with(on_event("c", 2).since(95));
  const Settle operation = and_claims(settle({fails({"c", {}, 1, 9}, 3)}), claiming(), 1);
  EXPECT_EQ(decide(world, operation).answer, "superseded 0, a [c#1:1]");
}

TEST(ClaimReady, ReadsBackTheEventsOfTheHeadsAndTheNextTime) {
  const Decided decided = decide(waiting(), claim_ready(ready_for(claiming({{"c"}}))));
  std::string events;
  for (const auto& ref : decided.effects.read.events) {
    events += ref.session + std::to_string(ref.index) + " ";
  }
  EXPECT_EQ(events, "b2 d1 a1 a2 ");
  ASSERT_TRUE(decided.effects.read.next_due);
  EXPECT_EQ(*decided.effects.read.next_due, std::vector<std::string>{"c"});
}

// A call asks for what it needs once, however many items need it.
TEST(Settle, AsksForEachCursorOnce) {
  Settle operation;
  for (std::int64_t i = 1; i <= 200; ++i) {
    operation.items.push_back(
        completes({"c", "k" + std::to_string(i), i, 1}, {event_for({}, {{"c", "k1"}})}));
    operation.items.back().events[0].id = "x" + std::to_string(i);
  }
  for (int i = 0; i < 100; ++i) operation.served.push_back(reads("log" + std::to_string(i)));
  operation.claim = ready_for(claiming(operation.served));
  const driver::Query query = operation.plan();
  ASSERT_EQ(query.sessions.size(), 1u);
  EXPECT_EQ(query.sessions[0].cursors.size(), 300u);
  for (const driver::CursorQuery& asked : query.sessions[0].cursors) {
    ASSERT_TRUE(asked.next) << asked.key.consumer;
    const bool is_log = asked.key.lane == "log";
    EXPECT_EQ(asked.next->if_idle, is_log);
    EXPECT_EQ(asked.next->log.has_value(), is_log);
  }
}

}  // namespace
}  // namespace pawl::core::testing
