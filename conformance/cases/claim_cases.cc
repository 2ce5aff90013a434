// claim: which heads, in which order, and what is noted of them.
#include <gtest/gtest.h>

#include "cases/case.h"
#include "cases/fixture.h"

namespace pawl::conformance {
namespace {

constexpr CaseRow kCases[] = {
    {"Claim.NotesHolderTimesAndAttempt", "claim.3 claim.4 structures.1",
     [](Fixture& f) {
       f.add("a:x=7>c/k");
       f.at(5);
       const ClaimResult result =
           f->claim("s", {.holder = "w", .ttl = Duration(10), .max_failures = 3});
       EXPECT_EQ(result.outcome, ClaimOutcome::kClaimed);
       EXPECT_EQ(result.last_index, 1);
       ASSERT_EQ(result.heads.size(), 1u);
       const Head& head = result.heads[0];
       EXPECT_EQ(show_full(head.event), "1 a x 7 at=1");
       EXPECT_EQ(head.event.session, "s");
       EXPECT_EQ(show(head), "attempts=1 first=5 last=5 by=w until=15");
       EXPECT_EQ(head.consumer, "c");
       EXPECT_EQ(head.lane, "k");
       EXPECT_EQ(head.kind, CursorKind::kLane);
       EXPECT_EQ(head.clear_index, 0);
       EXPECT_EQ(f.cursors(), "c/k lane pos=0 head=1 attempts=1 first=5 last=5 by=w until=15");
     }},

    {"Claim.HeadsTellTheClearIndex", "claim.4 structures.1",
     [](Fixture& f) {
       f.add("a");
       f.clear();
       f.add("b>c", "l+!");
       const ClaimResult result = f->claim("s", {.holder = "w", .ttl = Duration(10)});
       ASSERT_EQ(result.heads.size(), 2u);
       EXPECT_EQ(result.heads[0].clear_index, 2);
       EXPECT_EQ(result.heads[1].clear_index, 2);
       EXPECT_EQ(result.heads[1].kind, CursorKind::kLog);
       EXPECT_EQ(result.last_index, 3);
     }},

    {"Claim.OrderedByHeadConsumerAndLane", "claim.2 values.3",
     [](Fixture& f) {
       f.add("a>d,c/z,c,c/b,B b>a");
       EXPECT_EQ(f.claim(), "claimed B#1@1 c/b#1@1 c/z#1@1 c#1@1 d#1@1 a#2@1");
     }},

    {"Claim.TheFirstLimitOfThem", "claim.2",
     [](Fixture& f) {
       f.add("a>d,c/z,c,c/b b>a");
       EXPECT_EQ(f.claim({.limit = 1}), "claimed c/b#1@1");
       EXPECT_EQ(f.claim({.limit = 2}), "claimed c/z#1@1 c#1@1");
       EXPECT_EQ(f.claim({.limit = 9}), "claimed d#1@1 a#2@1");
     }},

    {"Claim.TheDefaultLimitIs100", "values.11 claim.2",
     [](Fixture& f) {
       std::vector<NewEvent> events;
       for (int i = 0; i < 101; ++i)
         events.push_back({.type = "t", .targets = {{.consumer = "c"}}});
       f->append("s", events);
       const ClaimResult result = f->claim("s", {.holder = "w", .ttl = Duration(10)});
       EXPECT_EQ(result.heads.size(), 100u);
       EXPECT_EQ(f.claim(), "claimed c#101@1");
     }},

    {"Claim.OnlyServedConsumers", "claim.2 structures.2",
     [](Fixture& f) {
       f.add("a>c,d,e");
       EXPECT_EQ(f.claim("d x"), "claimed d#1@1");
       EXPECT_EQ(f.claim(""), "settled");
       EXPECT_EQ(f.claim("x"), "settled");
       EXPECT_EQ(f.claim("d"), "busy 101");
       EXPECT_EQ(f.claim("*"), "claimed c#1@1 e#1@1");
     }},

    {"Claim.OnlyHeadsThroughAnIndex", "claim.2",
     [](Fixture& f) {
       f.add("a>c b>c,d/k e>c");
       EXPECT_EQ(f.claim({.through = 0}), "settled");
       EXPECT_EQ(f.claim({.through = 2}), "claimed c#1@1 c#2@1 d/k#2@1");
       EXPECT_EQ(f.claim({.through = 2}), "busy 101");
       EXPECT_EQ(f.claim({.through = 3}), "claimed c#3@1");
     }},

    {"Claim.NotThroughAHeadAboveIt", "claim.2 claim.4",
     [](Fixture& f) {
       f.add("a b>c");
       f.claim();
       EXPECT_EQ(f.claim({.through = 1}), "settled");  // the claimed head does not count
       f.at(101);
       EXPECT_EQ(f.claim({.through = 1}), "settled");
       EXPECT_EQ(f.claim({.through = 2}), "claimed c#2@2");
     }},

    {"Claim.NotWhatIsExcluded", "claim.2",
     [](Fixture& f) {
       f.add("a>c,c/k,d/k b>c", "l+!");
       EXPECT_EQ(f.claim({.exclude = "c/k#9 c#2 l/log#7 x#1 d#1"}), "claimed c#1@1 d/k#1@1");
       EXPECT_EQ(f.claim({.exclude = "c#1 c#1 l/log#1"}), "claimed c/k#1@1 c#2@1");
       EXPECT_EQ(f.claim({.exclude = "d/k#1 c#1 c#2 c/k#1 l/log#1"}), "settled");
     }},

    {"Claim.ExcludedOnesDoNotUseUpTheLimit", "claim.2",
     [](Fixture& f) {
       f.add("a>c b>c d>c e>c");
       EXPECT_EQ(f.claim({.exclude = "c#1 c#2 c#3", .limit = 1}), "claimed c#4@1");
     }},

    {"Claim.ExcludedOnesDoNotMakeItBusy", "claim.4",
     [](Fixture& f) {
       f.add("a>c,d");
       f.claim("c");
       f.at(50);
       f.claim("d");
       EXPECT_EQ(f.claim({.exclude = "c#1"}), "busy 150");
       EXPECT_EQ(f.claim({.exclude = "c#1 d#1"}), "settled");
     }},

    {"Claim.NotADeadLetter", "claim.2 claim.4 fail.6",
     [](Fixture& f) {
       f.add("a>c,d/k b>d/k");
       f.claim();
       f.fail("c#1@1", 1);
       f.fail("d/k#1@1", 1);
       f.at(1'000);
       EXPECT_EQ(f.claim(), "settled");
     }},

    {"Claim.ExpiryAtEqualTimeIsClaimable", "claim.2",
     [](Fixture& f) {
       f.add("a>c");
       EXPECT_EQ(f.claim({.ttl = 10}), "claimed c#1@1");
       f.at(10);
       EXPECT_EQ(f.claim(), "busy 11");
       f.at(11);
       EXPECT_EQ(f.claim(), "claimed c#1@2");
     }},

    {"Claim.BusyTellsTheEarliestExpiry", "claim.4",
     [](Fixture& f) {
       f.add("a>c b>c,d/k e>d/k");
       f.claim({.through = 1});
       f.at(40);
       f.claim({.served = "c", .ttl = 20});
       f.at(45);
       f.claim({.served = "d"});
       EXPECT_EQ(f.claim(), "busy 60");
       EXPECT_EQ(f.claim("d"), "busy 145");
       EXPECT_EQ(f.claim({.exclude = "c#2"}), "busy 101");
       f.complete("c#2@1");
       EXPECT_EQ(f.claim(), "busy 101");
     }},

    {"Claim.SettledWhenNothingIsThere", "claim.4",
     [](Fixture& f) {
       EXPECT_EQ(f.claim(), "settled");
       f.add("a");
       EXPECT_EQ(f.claim(), "settled");
       f.add("b>c");
       f.claim();
       f.complete("c#2@1");
       EXPECT_EQ(f.claim(), "settled");
       f.add("d>c");
       f.clear();
       EXPECT_EQ(f.claim(), "settled");
     }},

    {"Claim.AnExpiryInThePastLapsesAtOnce", "structures.6 claim.3",
     [](Fixture& f) {
       f.add("a>c");
       f.at(50);
       EXPECT_EQ(f.claim({.expires_at = 20}), "claimed c#1@1");
       EXPECT_EQ(f.cursors(), "c event pos=0 head=1 attempts=1 first=50 last=50 by=w until=20");
       EXPECT_EQ(f.claim({.expires_at = 60}), "claimed c#1@2");
       EXPECT_EQ(f.claim(), "busy 60");
     }},

    {"Claim.ATimeToLiveOfZeroLapsesAtOnce", "structures.6 values.6",
     [](Fixture& f) {
       f.add("a>c");
       EXPECT_EQ(f.claim({.ttl = 0}), "claimed c#1@1");
       EXPECT_EQ(f.claim({.ttl = 0}), "claimed c#1@2");
     }},

    {"Claim.OfALapsedClaimCountsAFailure", "claim.3",
     [](Fixture& f) {
       f.add("a>c");
       f.claim({.holder = "v", .ttl = 10});
       f.at(30);
       EXPECT_EQ(f.claim({.ttl = 10}), "claimed c#1@2");
       EXPECT_EQ(f.cursors(),
                 "c event pos=0 head=1 attempts=2 first=1 last=30 by=w until=40 failures=1");
       f.at(40);
       f.claim({.ttl = 10});
       EXPECT_EQ(f.cursors(),
                 "c event pos=0 head=1 attempts=3 first=1 last=40 by=w until=50 failures=2");
     }},

    {"Claim.OfALapsedClaimKeepsTheLastFailure", "claim.3",
     [](Fixture& f) {
       f.add("a>c");
       f.claim();
       f.at(5);
       f.fail("c#1@1");
       f.claim({.ttl = 10});
       f.at(20);
       f.claim({.ttl = 10});
       EXPECT_EQ(f.cursors(),
                 "c event pos=0 head=1 attempts=3 first=1 last=20 by=w until=30 failures=2 "
                 "failed=5@1:e");
     }},

    {"Claim.OfAFailedOrReleasedHeadCountsNoFailure", "claim.3",
     [](Fixture& f) {
       f.add("a>c,d");
       f.claim();
       f.fail("c#1@1", 9, 10);
       f.release("d#1@1", 10);
       f.at(500);
       EXPECT_EQ(f.claim({.max_failures = 1}), "claimed c#1@2 d#1@2");
       EXPECT_EQ(f.cursor("c#1"),
                 "c event pos=0 head=1 attempts=2 first=1 last=500 by=w until=600 failures=1 "
                 "failed=1@1:e");
       EXPECT_EQ(f.cursor("d#1"),
                 "d event pos=0 head=1 attempts=2 first=1 last=500 by=w until=600");
     }},

    {"Claim.OfTooManyLapsesIsADeadLetter", "claim.3 claim.4",
     [](Fixture& f) {
       f.add("a:x=7>c,d");
       f.claim({.served = "c", .ttl = 10});
       f.at(20);
       EXPECT_EQ(f.claim({.served = "c", .ttl = 10, .max_failures = 2}), "claimed c#1@2");
       f.at(30);
       const ClaimResult result =
           f->claim("s", {.holder = "w", .ttl = Duration(10), .max_failures = 2});
       EXPECT_EQ(show(result), "claimed d#1@1 dead c#1@3");
       EXPECT_EQ(result.last_index, 1);
       ASSERT_EQ(result.dead_lettered.size(), 1u);
       EXPECT_EQ(show(result.dead_lettered[0]), "attempts=3 first=1 last=20 failures=2 dead=30");
       EXPECT_EQ(show_full(result.dead_lettered[0].event), "1 a x 7 at=1");
       EXPECT_EQ(f.dead(), "c#1@3");
       EXPECT_EQ(f.complete("c#1@2"), "superseded");
       EXPECT_EQ(f.claim("c"), "settled");
     }},

    {"Claim.OnlyDeadLettersIsStillClaimed", "claim.4",
     [](Fixture& f) {
       f.add("a>c/k b>c/k");
       f.claim({.ttl = 0});
       EXPECT_EQ(f.claim({.max_failures = 1}), "claimed dead c/k#1@2");
       EXPECT_EQ(f.claim({.max_failures = 1}), "settled");
     }},

    {"Claim.DeadLettersCountTowardsTheLimit", "claim.2 claim.3",
     [](Fixture& f) {
       f.add("a>c b>c d>c");
       f.claim({.ttl = 0, .through = 1});
       EXPECT_EQ(f.claim({.max_failures = 1, .limit = 2}), "claimed c#2@1 dead c#1@2");
       EXPECT_EQ(f.claim({.max_failures = 1}), "claimed c#3@1");
     }},

    {"Claim.WithoutMaxFailuresNothingDies", "claim.3",
     [](Fixture& f) {
       f.add("a>c");
       for (int attempt = 1; attempt <= 20; ++attempt) {
         EXPECT_EQ(f.claim({.ttl = 0}), "claimed c#1@" + std::to_string(attempt));
       }
     }},

    {"Claim.MaxFailuresCountsFailuresAndLapses", "claim.3 fail.5",
     [](Fixture& f) {
       f.add("a>c");
       f.claim();
       EXPECT_EQ(f.fail("c#1@1", 3), "failed 1");
       EXPECT_EQ(f.claim({.ttl = 0, .max_failures = 3}), "claimed c#1@2");
       EXPECT_EQ(f.claim({.ttl = 100, .max_failures = 3}), "claimed c#1@3");  // a lapse: 2
       EXPECT_EQ(f.release("c#1@3"), "released");
       EXPECT_EQ(f.claim({.ttl = 0, .max_failures = 3}), "claimed c#1@4");
       EXPECT_EQ(f.claim({.max_failures = 3}), "claimed dead c#1@5");
     }},

    {"Claim.TheDeadReleaseTheirPins", "claim.3 pins.1",
     [](Fixture& f) {
       f.add("a>c b");
       f.claim({.ttl = 0});
       f.put("r", "1=1<c#1");
       f.put("r", "2=2");
       EXPECT_EQ(f.load("r", 1), "1=1@1 newest 2 (clear 0 last 2)");
       f.claim({.max_failures = 1});
       EXPECT_EQ(f.load("r", 1), "none newest 2 events a#1 (clear 0 last 2)");
     }},

    {"Claim.AttemptsAreNeverTooMany", "claim.3 values.8",
     [](Fixture& f) {
       f.add("a>c");
       for (int i = 0; i < 300; ++i) {
         const ClaimResult result = f->claim("s", {.holder = "w", .ttl = Duration(0)});
         ASSERT_EQ(result.heads.size(), 1u);
       }
       EXPECT_EQ(f.claim(), "claimed c#1@301");
       EXPECT_EQ(f.fail("c#1@301", 1'000), "failed 301");
     }},

    {"Claim.ClocksMayStepBack", "claim.2",
     [](Fixture& f) {
       f.at(5'000);
       f.add("a>c b>d/k");
       f.at(1'000);  // free heads stay free
       EXPECT_EQ(f.claim("c"), "claimed c#1@1");
       EXPECT_EQ(f.cursor("c#1"),
                 "c event pos=0 head=1 attempts=1 first=1000 last=1000 by=w until=1100");
       f.at(900);
       EXPECT_EQ(f.claim("c"), "busy 1100");
       EXPECT_EQ(f.claim("d"), "claimed d/k#2@1");
     }},

    {"Claim.HeldBackHeadsHideNoFreeOne", "claim.2",
     [](Fixture& f) {
       std::vector<NewEvent> events;
       for (int i = 0; i < 1'000; ++i) {
         events.push_back(
             {.type = "t",
              .targets = {
                  {.consumer = "c", .lane = "k" + std::to_string(i), .available_at = ms(9'000)}}});
       }
       events.push_back({.type = "t", .targets = {{.consumer = "c", .lane = "z"}}});
       f->append("s", events);
       EXPECT_EQ(f.claim({.limit = 1}), "claimed c/z#1001@1");
       EXPECT_EQ(f.claim({.limit = 1}), "busy 101");
     }},

    {"Claim.OfHeldBackHeadsTheLongestDueThousandAreConsidered", "claim.2",
     [](Fixture& f) {
       std::vector<NewEvent> events;
       for (int i = 0; i < 1'003; ++i)
         events.push_back({.type = "t", .targets = {{.consumer = "c"}}});
       f->append("s", events);
       for (Int ttl : {201, 202, 203}) f.claim({.ttl = ttl, .limit = 1});
       f.claim({.ttl = 100, .limit = 10'000});
       f.at(500);
       EXPECT_EQ(f.claim({.ttl = 1'000, .limit = 2}), "claimed c#4@2 c#5@2");
       const ClaimResult rest =
           f->claim("s", {.holder = "w", .ttl = Duration(1'000), .limit = 10'000});
       ASSERT_EQ(rest.heads.size(), 1'000u);  // 1, 2 come in as 4 and 5 have gone
       EXPECT_EQ(show(static_cast<Claim>(rest.heads.front())), "c#1@2");
       EXPECT_EQ(show(static_cast<Claim>(rest.heads.back())), "c#1003@2");
       EXPECT_EQ(f.claim(), "claimed c#3@2");
     }},

    {"Claim.EachLaneHasOneHead", "claim.2 vocabulary.2",
     [](Fixture& f) {
       f.add("a>c/k,c/m b>c/k d>c/k,c/m");
       EXPECT_EQ(f.claim(), "claimed c/k#1@1 c/m#1@1");
       EXPECT_EQ(f.claim(), "busy 101");
     }},
};

}  // namespace

std::span<const CaseRow> claim_cases() { return kCases; }

}  // namespace pawl::conformance
