// claim: rows that are stored -> the heads claimed, and what is written.
#include "tests/support/table.h"

namespace pawl::core::testing {
namespace {

using Table = std::vector<Row<ClaimHeads>>;

ClaimHeads up_to(std::int64_t through) {
  ClaimRequest request = claiming();
  request.through = through;
  return ClaimHeads(request);
}
ClaimHeads without(std::vector<driver::CursorKey> exclude, std::int64_t limit = 100) {
  ClaimRequest request = claiming(limit);
  std::sort(exclude.begin(), exclude.end());
  request.exclude = std::move(exclude);
  return ClaimHeads(request);
}
ClaimHeads at_most(std::int64_t max_failures) {
  ClaimRequest request = claiming();
  request.max_failures = max_failures;
  return ClaimHeads(request);
}
ClaimHeads until(std::int64_t expires_at) {
  ClaimRequest request = claiming();
  request.lease = {"w", {}, expires_at};
  return ClaimHeads(request);
}
ClaimHeads lasting(std::int64_t ttl_ms) {
  ClaimRequest request = claiming();
  request.lease.ttl_ms = ttl_ms;
  return ClaimHeads(request);
}

TEST(Claim, ChoosesWhatIsEligible) {
  const World world = given(5).with(on_event("c", 3));
  check(Table{
      {"claim.4: nothing stored", World(), ClaimHeads(claiming()), "settled"},
      {"claim.4: idle cursors alone",
       given(5).with(on_lane("c", "k").pos(3)).with(on_log("c").pos(5)), ClaimHeads(claiming()),
       "settled"},
      {"claim.3: a head nobody has claimed", world, ClaimHeads(claiming()),
       "claimed [c#3:1] last 5 | put c@3 pos=2 head=3 due=150 tries=1 claimed=100..100 by=w"},
      {"claim.2: claimed already", given(5).with(on_event("c", 3).held("v", 101)),
       ClaimHeads(claiming()), "busy 101"},
      {"claim.2: by the same holder", given(5).with(on_event("c", 3).held("w", 101)),
       ClaimHeads(claiming()), "busy 101"},
      {"claim.2: a claim that lapses now", given(5).with(on_event("c", 3).held("v", 100)),
       ClaimHeads(claiming()),
       "claimed [c#3:2] last 5 | put c@3 pos=2 head=3 due=150 tries=2 claimed=50..100 by=w "
       "failures=1"},
      {"claim.2: delayed, to come", given(5).with(on_event("c", 3).due(101)),
       ClaimHeads(claiming()), "busy 101"},
      {"claim.2: delayed, come", given(5).with(on_event("c", 3).due(100)), ClaimHeads(claiming()),
       "claimed [c#3:1] last 5 | put c@3 pos=2 head=3 due=150 tries=1 claimed=100..100 by=w"},
      {"claim.2: a dead letter", given(5).with(on_event("c", 3).dead(90)), ClaimHeads(claiming()),
       "settled"},
      {"claim.2: of an older era", given(5, 4).with(on_event("c", 3).in_era(0)),
       ClaimHeads(claiming()), "settled"},
      {"structures.2: not served", world, ClaimHeads(claiming({{"d"}})), "settled"},
      {"structures.2: served by name", world, ClaimHeads(claiming({{"b"}, {"c"}, {"d"}})),
       "claimed [c#3:1] last 5 | put c@3 pos=2 head=3 due=150 tries=1 claimed=100..100 by=w"},
      {"structures.2: none are served", world, ClaimHeads(claiming(std::vector<Consumer>())),
       "settled"},
      {"claim.2: at `through`", world, up_to(3),
       "claimed [c#3:1] last 5 | put c@3 pos=2 head=3 due=150 tries=1 claimed=100..100 by=w"},
      {"claim.2: above `through`", world, up_to(2), "settled"},
      {"claim.4: above `through`, and claimed", given(5).with(on_event("c", 3).held("v", 150)),
       up_to(2), "settled"},
      {"claim.4: the earliest expiry",
       given(5)
           .with(on_event("c", 3).held("v", 170))
           .with(on_event("d", 2).due(160))
           .with(on_lane("c", "k").at(4).held("v", 180)),
       ClaimHeads(claiming()), "busy 160"},
      {"claim.4: of those served",
       given(5).with(on_event("c", 3).held("v", 170)).with(on_event("d", 2).due(160)),
       ClaimHeads(claiming({{"c"}})), "busy 170"},
      {"claim.3: one kept out beside one that is claimed",
       given(5).with(on_event("c", 3)).with(on_event("c", 2).held("v", 101)),
       ClaimHeads(claiming()),
       "claimed [c#3:1] last 5 | put c@3 pos=2 head=3 due=150 tries=1 claimed=100..100 by=w"},
  });
}

TEST(Claim, LeavesOutWhatIsExcluded) {
  const World world =
      given(5).with(on_event("c", 3)).with(on_event("c", 4)).with(on_lane("c", "k").at(5));
  const World held = given(5).with(on_event("c", 3).held("v", 120)).with(on_event("c", 4).due(130));
  check(Table{
      {"claim.2: an event cursor is its own index", world, without({{"c", {}, 3}, {"c", "k", 0}}),
       "claimed [c#4:1] last 5 | put c@4 pos=3 head=4 due=150 tries=1 claimed=100..100 by=w"},
      {"claim.2: a lane whatever its head", world,
       without({{"c", {}, 3}, {"c", {}, 4}, {"c", "k", 0}}), "settled"},
      {"claim.4: no retry for it", held, without({{"c", {}, 3}}), "busy 130"},
      {"claim.2: excluded ones do not count for the limit", world, without({{"c", {}, 3}}, 1),
       "claimed [c#4:1] last 5 | put c@4 pos=3 head=4 due=150 tries=1 claimed=100..100 by=w"},
      {"structures.7: excluded twice", world, without({{"c", {}, 3}, {"c", {}, 3}, {"c", "k", 0}}),
       "claimed [c#4:1] last 5 | put c@4 pos=3 head=4 due=150 tries=1 claimed=100..100 by=w"},
  });
}

// The answer alone: which heads, in which order.
TEST(Claim, TakesTheLowestHeadsFirst) {
  const World world = given(9)
                          .with(on_event("d", 3))
                          .with(on_event("c", 3))
                          .with(on_lane("c", "z").at(3))
                          .with(on_lane("c", "a").at(3))
                          .with(on_log("e").at(2))
                          .with(on_event("c", 7).due(40))
                          .with(on_event("c", 1).due(99));
  const auto answer = [&](const ClaimRequest& request) {
    return decide(world, ClaimHeads(request)).answer;
  };
  EXPECT_EQ(answer(claiming()),
            "claimed [c#1:1 e/log#2:1 c/a#3:1 c/z#3:1 c#3:1 d#3:1 c#7:1] last 9")
      << "claim.2: by head, then consumer, then lane, none last";
  EXPECT_EQ(answer(claiming(1)), "claimed [c#1:1] last 9");
  EXPECT_EQ(answer(claiming(3)), "claimed [c#1:1 e/log#2:1 c/a#3:1] last 9");
  EXPECT_EQ(answer(claiming(4)), "claimed [c#1:1 e/log#2:1 c/a#3:1 c/z#3:1] last 9");
  EXPECT_EQ(answer(claiming({{"d"}, {"c"}}, 5)),
            "claimed [c#1:1 c/a#3:1 c/z#3:1 c#3:1 d#3:1] last 9");
}

TEST(Claim, CountsLapsedClaimsAsFailures) {
  const Cur lapsed = on_lane("c", "k").at(3).tried(4).held("v", 90).failures(2);
  const World world = given(5).with(lapsed);
  World pinned = World(world).with_snapshot("r", 2).with_snapshot("r", 4);
  pinned.with({0, {"c", "k", 0}, 3, "r", 2});
  check(Table{
      {"claim.3: a failure more, and the fields of the last one stay",
       given(5).with(on_lane("c", "k").at(3).failed(2, 70, 3).tried(4).held("v", 90)),
       ClaimHeads(claiming()),
       "claimed [c/k#3:5] last 5 | put c/k pos=2 head=3 due=150 tries=5 claimed=50..100 by=w "
       "failures=3 failed=70/3 error=boom"},
      {"claim.3: below max_failures", world, at_most(4),
       "claimed [c/k#3:5] last 5 | put c/k pos=2 head=3 due=150 tries=5 claimed=50..100 by=w "
       "failures=3"},
      {"claim.3: max_failures reached: fenced and dead", world, at_most(3),
       "claimed [] dead [c/k#3:5] last 5 | put c/k pos=2 head=3 tries=5 claimed=50..60 "
       "failures=3 dead=100"},
      {"claim.3: max_failures passed", world, at_most(1),
       "claimed [] dead [c/k#3:5] last 5 | put c/k pos=2 head=3 tries=5 claimed=50..60 "
       "failures=3 dead=100"},
      {"claim.3: its pins are released", pinned, at_most(3),
       "claimed [] dead [c/k#3:5] last 5 | drop r@2 updated=20 | unpin c/k#3->r@2 | "
       "put c/k pos=2 head=3 tries=5 claimed=50..60 failures=3 dead=100"},
      {"claim.3: pins stay while it lives", pinned, at_most(4),
       "claimed [c/k#3:5] last 5 | put c/k pos=2 head=3 due=150 tries=5 claimed=50..100 by=w "
       "failures=3 pins=1"},
      {"claim.3: without a holder nothing has lapsed",
       given(5).with(on_lane("c", "k").at(3).tried(4).failures(2)), at_most(2),
       "claimed [c/k#3:5] last 5 | put c/k pos=2 head=3 due=150 tries=5 claimed=50..100 by=w "
       "failures=2"},
      {"claim.4: dead and claimed in one call, each in order",
       given(5).with(lapsed).with(on_event("c", 2)).with(on_event("a", 3)), at_most(3),
       "claimed [c#2:1 a#3:1] dead [c/k#3:5] last 5 | "
       "put a@3 pos=2 head=3 due=150 tries=1 claimed=100..100 by=w | "
       "put c/k pos=2 head=3 tries=5 claimed=50..60 failures=3 dead=100 | "
       "put c@2 pos=1 head=2 due=150 tries=1 claimed=100..100 by=w"},
  });
}

TEST(Claim, LastsAsLongAsItSays) {
  const World world = given(5).with(on_event("c", 3));
  constexpr std::int64_t kRest = kMaxTimeMs - kNow;
  check(Table{
      {"structures.6: an expiry in the past", world, until(1),
       "claimed [c#3:1] last 5 | put c@3 pos=2 head=3 due=1 tries=1 claimed=100..100 by=w"},
      {"values.6: no time at all", world, lasting(0),
       "claimed [c#3:1] last 5 | put c@3 pos=2 head=3 due=100 tries=1 claimed=100..100 by=w"},
      {"values.6: up to the largest time", world, lasting(kRest),
       "claimed [c#3:1] last 5 | put c@3 pos=2 head=3 due=9007199254740992 tries=1 "
       "claimed=100..100 by=w"},
      {"values.6: past it", world, lasting(kRest + 1), "throws invalid_argument ttl_ms"},
      {"values.6: past it, with nothing to claim", given(5), lasting(kMaxTimeMs),
       "throws invalid_argument ttl_ms"},
  });
}

TEST(Claim, RefreshesTypes) {
  check(Table{
      {"claim.1: of an idle log, which stays idle",
       given(5).with(on_log("c").takes({{"u"}}).pos(1)), ClaimHeads(claiming({reads("c")})),
       "settled | put c/log pos=1 types=*"},
      {"claim.1: beside its claim", given(5).with(on_log("c").at(2)),
       ClaimHeads(claiming({reads("c", {{"u"}})})),
       "claimed [c/log#2:1] last 5 | put c/log pos=1 head=2 due=150 tries=1 claimed=100..100 by=w "
       "types=[u]"},
      {"claim.1: the same types", given(5).with(on_log("c").takes({{"t", "u"}}).pos(1)),
       ClaimHeads(claiming({reads("c", {{"u", "t", "t"}})})), "settled"},
      {"structures.4: no log is opened", given(5), ClaimHeads(claiming({reads("c")})), "settled"},
      {"structures.4: of a cleared log", given(5, 3).with(on_log("c").at(2).in_era(0)),
       ClaimHeads(claiming({reads("c", {{"u"}})})), "settled | put c/log era=1 pos=3 types=[u]"},
      {"structures.4: a lane of that name is none", given(5).with(on_lane("c", "log").pos(2)),
       ClaimHeads(claiming({reads("c", {{"u"}})})), "settled"},
  });
}

// More heads have come due than are considered: the longest due are, whatever their index.
TEST(Claim, ConsidersAThousandDueHeadsOfAConsumer) {
  constexpr std::int64_t kHeads = kConsideredDue + 10;
  World world = given(kHeads).at(50'000);
  for (std::int64_t i = 1; i <= kHeads; ++i) {
    world.with(on_event("c", i).due(20'000 - i));  // the higher the head, the longer it is due
    world.with(on_event("d", i).due(100));
  }
  const auto first = [&](const ClaimHeads& claim) {
    const std::string answer = decide(world, claim).answer;
    return answer.substr(0, answer.find(' ', 9));
  };
  EXPECT_EQ(first(ClaimHeads(claiming({{"c"}}, 5))), "claimed [c#11:1") << "claim.2";
  EXPECT_EQ(first(ClaimHeads(claiming({{"d"}}, 5))), "claimed [d#1:1");
  EXPECT_EQ(first(without({{"c", {}, kHeads}, {"c", {}, kHeads - 1}}, 5)), "claimed [d#1:1");
  ClaimRequest excluding = claiming({{"c"}}, 5);
  excluding.exclude = {{"c", {}, 1}, {"c", {}, kHeads - 1}, {"c", {}, kHeads}};
  EXPECT_EQ(first(ClaimHeads(excluding)), "claimed [c#9:1") << "excluded ones are not counted";
  world.with(on_event("c", kHeads + 1));
  excluding.exclude.clear();
  EXPECT_EQ(first(ClaimHeads(excluding)), "claimed [c#11:1") << "one that waits for no time";
}

}  // namespace
}  // namespace pawl::core::testing
