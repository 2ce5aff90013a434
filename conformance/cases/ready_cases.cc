// ready and claim_ready: finding work in all sessions.
#include <gtest/gtest.h>

#include "cases/case.h"
#include "cases/fixture.h"

namespace pawl::conformance {
namespace {

// c has a head in u since 1, in b and s since 2.
void three_sessions(Fixture& f) {
  f.on("u").add("a>c");
  f.at(2);
  f.add("a>c");
  f.on("b").add("a>c");
}

constexpr CaseRow kCases[] = {
    {"Ready.OrderedByTheTimeTheyWaitThenName", "ready.1 ready.2",
     [](Fixture& f) {
       EXPECT_EQ(f.ready(), "");
       three_sessions(f);
       f.on("idle").add("a");
       EXPECT_EQ(f.ready(), "u@1 b@2 s@2");
       f.at(500);
       EXPECT_EQ(f.ready(), "u@1 b@2 s@2");
     }},

    {"Ready.TheFirstLimitOfThem", "ready.1",
     [](Fixture& f) {
       three_sessions(f);
       EXPECT_EQ(f.ready("*", 1), "u@1");
       EXPECT_EQ(f.ready("c", 2), "u@1 b@2");
     }},

    {"Ready.OfTheServedConsumers", "ready.1 structures.2",
     [](Fixture& f) {
       f.add("a>c");
       f.at(3);
       f.on("u").add("a>d");
       EXPECT_EQ(f.ready("c"), "s@1");
       EXPECT_EQ(f.ready("d x"), "u@3");
       EXPECT_EQ(f.ready("d c"), "s@1 u@3");
       EXPECT_EQ(f.ready("x"), "");
       EXPECT_EQ(f.ready(""), "");
     }},

    {"Ready.NotWhatIsClaimed", "ready.1 ready.3",
     [](Fixture& f) {
       three_sessions(f);
       f.on("u").claim();
       EXPECT_EQ(f.ready(), "b@2 s@2 next 102");
       f.at(102);
       EXPECT_EQ(f.ready(), "b@2 s@2 u@102");
     }},

    {"Ready.SinceItBecameTheHead", "ready.2",
     [](Fixture& f) {
       f.add("a>c/k b>c/k", "l+!");
       EXPECT_EQ(f.ready("c"), "s@1");
       f.claim();
       f.at(7);
       f.complete("c/k#1@1");
       EXPECT_EQ(f.ready("c"), "s@7");
       f.at(9);
       f.complete("l/log#1@1");
       EXPECT_EQ(f.ready("l"), "s@9");
       EXPECT_EQ(f.ready(), "s@7");
     }},

    {"Ready.SinceItWasGivenBack", "ready.2",
     [](Fixture& f) {
       f.add("a>c,d,e");
       f.claim();
       f.at(5);
       f.fail("c#1@1");
       EXPECT_EQ(f.ready("c"), "s@5");
       f.at(6);
       f.release("d#1@1");
       EXPECT_EQ(f.ready("d"), "s@6");
       f.fail("e#1@1", 1);
       EXPECT_EQ(f.ready("e"), "");
       f.at(8);
       f.redrive("e#1", RedriveAction::kRetry);
       EXPECT_EQ(f.ready("e"), "s@8");
     }},

    {"Ready.SinceItsTimeHasCome", "ready.2 ready.3",
     [](Fixture& f) {
       f.add("a>c,d,e+70");
       f.claim("c d");
       f.at(5);
       f.fail("c#1@1", 3, 10);
       f.release("d#1@1", 20);
       EXPECT_EQ(f.ready(), "next 15");
       f.at(15);
       EXPECT_EQ(f.ready(), "s@15 next 25");
       f.at(90);
       EXPECT_EQ(f.ready("c"), "s@15");
       EXPECT_EQ(f.ready("d"), "s@25");
       EXPECT_EQ(f.ready("e"), "s@70");
       EXPECT_EQ(f.ready(), "s@15");
     }},

    {"Ready.HeadsThatWaitForNoTimeCountFirst", "ready.2",
     [](Fixture& f) {
       f.add("a>c");
       f.claim({.ttl = 10});
       f.at(20);
       f.add("b>c");
       EXPECT_EQ(f.ready(), "s@20");  // though 1 has been claimable since 11
     }},

    {"Ready.TheLowestHeadCounts", "ready.2",
     [](Fixture& f) {
       f.add("a>c b>c");
       f.claim({.limit = 1});
       f.at(9);
       f.release("c#1@1");
       EXPECT_EQ(f.ready(), "s@9");  // though 2 has been claimable since 1
     }},

    {"Ready.OfOneHeadTheFirstInLaneOrderCounts", "ready.2",
     [](Fixture& f) {
       f.add("a>c/b,c/z,c");
       f.claim({.limit = 2});
       f.at(5);
       f.release("c/z#1@1");
       EXPECT_EQ(f.ready(), "s@5");
       f.at(9);
       f.release("c/b#1@1");
       EXPECT_EQ(f.ready(), "s@9");
     }},

    {"Ready.TheEarliestOfTheConsumersCounts", "ready.2",
     [](Fixture& f) {
       f.at(3);
       f.add("a>d");
       f.at(7);
       f.add("b>c");
       EXPECT_EQ(f.ready(), "s@3");
       EXPECT_EQ(f.ready("c"), "s@7");
     }},

    {"Ready.NextIsOfConsumersWithNothingClaimableThere", "ready.3",
     [](Fixture& f) {
       f.add("a>c,d+60 b>c+50");
       EXPECT_EQ(f.ready(), "s@1 next 60");  // c has something now
       EXPECT_EQ(f.ready("c"), "s@1");
       f.on("u").add("a>c+40");
       EXPECT_EQ(f.ready(), "s@1 next 40");
       EXPECT_EQ(f.ready("d"), "next 60");
       EXPECT_EQ(f.ready(""), "");
     }},

    {"Ready.DeadIdleAndClearedAreNot", "ready.1 ready.3 clear.6",
     [](Fixture& f) {
       f.add("a>c");
       f.claim();
       f.fail("c#1@1", 1);
       f.on("u").add("a>c/k");
       f.on("u").claim();
       f.on("u").complete("c/k#1@1");
       f.on("v").add("a>c,d+50", "l+!");
       f.on("v").claim("c");
       f.on("v").clear();
       EXPECT_EQ(f.ready(), "");
       f.at(1'000);
       EXPECT_EQ(f.ready(), "");
     }},

    {"Ready.WakesAndOpensNothing", "ready.1",
     [](Fixture& f) {
       f.add("a");
       EXPECT_EQ(f.ready("l+!"), "");
       EXPECT_EQ(f.cursors(), "");
     }},

    {"Ready.AfterManyChangesStillExact", "ready.1 ready.2",
     [](Fixture& f) {
       for (int round = 0; round < 20; ++round) {
         f.at(10 * round + 1);
         f.add("-:x>c/k,c,d/m");
         const Int head = f->head("s").last_index;
         EXPECT_EQ(f.ready(), "s@" + std::to_string(f.now()));
         f.claim({.ttl = 5});
         EXPECT_EQ(f.ready(), "next " + std::to_string(f.now() + 5));
         for (const char* key : {"c/k", "c", "d/m"}) {
           f.complete(key + ("#" + std::to_string(head)) + "@1");
         }
         EXPECT_EQ(f.ready(), "");
         if (round % 5 == 4) f.clear();
       }
     }},

    {"ClaimReady.InTheOrderOfReady", "claim_ready.1 claim_ready.4",
     [](Fixture& f) {
       three_sessions(f);
       const ClaimReadyResult result = f->claim_ready({.holder = "w", .ttl = Duration(50)});
       EXPECT_EQ(show(result), "u: c#1@1; b: c#1@1; s: c#1@1; next 52");
       EXPECT_EQ(result.claims.at(0).last_index, 1);
       EXPECT_EQ(show(result.claims.at(0).heads.at(0)), "attempts=1 first=2 last=2 by=w until=52");
       EXPECT_EQ(result.claims.at(0).heads.at(0).event.session, "u");
       EXPECT_EQ(f.claim_ready(), "next 52");
     }},

    {"ClaimReady.UpToANumberOfSessions", "claim_ready.1 claim_ready.4",
     [](Fixture& f) {
       three_sessions(f);
       EXPECT_EQ(f.claim_ready({.sessions_limit = 2}), "u: c#1@1; b: c#1@1; next 2");
       EXPECT_EQ(f.claim_ready({.sessions_limit = 2}), "s: c#1@1; next 102");
     }},

    {"ClaimReady.UpToANumberOfHeadsInAll", "claim_ready.1 claim_ready.4",
     [](Fixture& f) {
       f.add("a>c,d b>c");
       f.at(2);
       f.on("u").add("a>c b>c");
       EXPECT_EQ(f.claim_ready({.limit = 2}), "s: c#1@1 d#1@1; next 2");
       EXPECT_EQ(f.claim_ready({.limit = 2}), "s: c#2@1; u: c#1@1; next 2");
       EXPECT_EQ(f.claim_ready({.limit = 2}), "u: c#2@1; next 102");
     }},

    {"ClaimReady.OfTheServedConsumers", "claim_ready.1",
     [](Fixture& f) {
       f.add("a>c,d");
       f.on("u").add("a>e");
       EXPECT_EQ(f.claim_ready({.served = "d e"}), "s: d#1@1; u: e#1@1; next 101");
       EXPECT_EQ(f.claim_ready({.served = ""}), "");
       EXPECT_EQ(f.claim_ready({.served = "x"}), "");
     }},

    {"ClaimReady.LetsTheLapsedDie", "claim_ready.1 claim.3",
     [](Fixture& f) {
       f.add("a>c b>c d>c");
       f.claim({.ttl = 0, .limit = 2});
       EXPECT_EQ(f.claim_ready({.max_failures = 1, .limit = 2}), "s: dead c#1@2 c#2@2; next 1");
       EXPECT_EQ(f.claim_ready({.max_failures = 1, .limit = 2}), "s: c#3@1; next 101");
     }},

    {"ClaimReady.RefreshesTypesWhereItClaims", "claim_ready.2 structures.4",
     [](Fixture& f) {
       for (const char* session : {"s", "u"}) {
         f.on(session).add("a:x b:x c:y", "l+x!");
         f.on(session).claim();
       }
       f.add("d:z>c");
       EXPECT_EQ(f.claim_ready({.served = "c l+y"}), "s: c#4@1; next 101");
       f.complete("l/log#1@1");
       f.on("u").complete("l/log#1@1");
       EXPECT_EQ(f.cursor("l/log"), "l/log log pos=1 head=3");
       EXPECT_EQ(f.on("u").cursor("l/log"), "l/log log pos=1 head=2");
     }},

    {"ClaimReady.OfNothing", "claim_ready.1 claim_ready.4",
     [](Fixture& f) {
       EXPECT_EQ(f.claim_ready(), "");
       f.add("a>c+50,d+60");
       EXPECT_EQ(f.claim_ready(), "next 50");
       EXPECT_EQ(f.claim_ready({.served = "d"}), "next 60");
     }},

    {"ClaimReady.TheDefaultLimitsAre100", "values.11 claim_ready.1",
     [](Fixture& f) {
       for (int i = 0; i < 101; ++i) f.on("u" + std::to_string(1'000 + i)).add("a>c");
       const ClaimReadyResult sessions = f->claim_ready({.holder = "w", .ttl = Duration(50)});
       EXPECT_EQ(sessions.claims.size(), 100u);
       EXPECT_EQ(sessions.next_at, ms(1));
       EXPECT_EQ(f.claim_ready(), "u1100: c#1@1; next 51");
       std::vector<NewEvent> events(101, {.type = "t", .targets = {{.consumer = "d"}}});
       f->append("s", events);
       const ClaimReadyResult heads = f->claim_ready({.holder = "w", .ttl = Duration(50)});
       ASSERT_EQ(heads.claims.size(), 1u);
       EXPECT_EQ(heads.claims[0].heads.size(), 100u);
       EXPECT_EQ(heads.next_at, ms(1));
     }},

    {"ClaimReady.DoesAsClaimDoes", "claim_ready.1 claim.2 claim.3",
     [](Fixture& f) {
       f.add("a>d,c/z,c,c/b b>a", "l+!");
       f.at(9);
       EXPECT_EQ(f.claim_ready(), "s: c/b#1@1 c/z#1@1 c#1@1 d#1@1 l/log#1@1 a#2@1; next 109");
       f.at(109);
       EXPECT_EQ(f.claim_ready({.ttl = 10}),
                 "s: c/b#1@2 c/z#1@2 c#1@2 d#1@2 l/log#1@2 a#2@2; next 119");
       EXPECT_EQ(f.cursor("c#1"),
                 "c event pos=0 head=1 attempts=2 first=9 last=109 by=w until=119 failures=1");
     }},

    {"ClaimReady.AnExpiryInThePastIsNowAgain", "claim_ready.4 structures.6",
     [](Fixture& f) {
       f.add("a>c");
       f.at(10);
       const ClaimReadyResult result = f->claim_ready({.holder = "w", .expires_at = ms(5)});
       EXPECT_EQ(show(result.claims), "s: c#1@1");
       EXPECT_EQ(f.ready(), "s@5");
       EXPECT_EQ(f.claim_ready(), "s: c#1@2; next 110");
     }},
};

}  // namespace

std::span<const CaseRow> ready_cases() { return kCases; }

}  // namespace pawl::conformance
