// renew: which claims go on, which are superseded, and which are in neither list.
#include <gtest/gtest.h>

#include "cases/case.h"
#include "cases/fixture.h"

namespace pawl::conformance {
namespace {

constexpr CaseRow kCases[] = {
    {"Renew.MovesTheExpiry", "renew.1",
     [](Fixture& f) {
       f.add("a>c,d/k", "l+!");
       f.claim();
       f.at(90);
       EXPECT_EQ(f.renew("c#1@1 l/log#1@1"), "renewed c#1 l/log#1");
       EXPECT_EQ(f.cursors(),
                 "c event pos=0 head=1 attempts=1 first=1 last=1 by=w until=190\n"
                 "d/k lane pos=0 head=1 attempts=1 first=1 last=1 by=w until=101\n"
                 "l/log log pos=0 head=1 attempts=1 first=1 last=1 by=w until=190");
       f.at(150);
       EXPECT_EQ(f.claim(), "claimed d/k#1@2");
     }},

    {"Renew.ToATime", "renew.1 structures.6",
     [](Fixture& f) {
       f.add("a>c");
       f.claim();
       EXPECT_EQ(show(f->renew("s", parse_claims("c#1@1"), {.holder = "w", .expires_at = ms(50)})),
                 "renewed c#1");
       f.at(20);
       EXPECT_EQ(f.claim(), "busy 50");
       // One in the past is allowed: the claim lapses at once.
       EXPECT_EQ(show(f->renew("s", parse_claims("c#1@1"), {.holder = "w", .expires_at = ms(10)})),
                 "renewed c#1");
       EXPECT_EQ(f.claim(), "claimed c#1@2");
     }},

    {"Renew.OfNothing", "renew.1",
     [](Fixture& f) {
       f.add("a>c");
       f.claim();
       EXPECT_EQ(f.renew(""), "");
     }},

    {"Renew.ByAnotherHolderIsInNeitherList", "renew.1",
     [](Fixture& f) {
       f.add("a>c");
       f.claim();
       EXPECT_EQ(f.renew("c#1@1", 500, "v"), "");
       EXPECT_EQ(f.claim(), "busy 101");
     }},

    {"Renew.AtItsExpiryIsInNeitherList", "renew.1",
     [](Fixture& f) {
       f.add("a>c");
       f.claim();
       f.at(101);
       EXPECT_EQ(f.renew("c#1@1"), "");
       f.at(102);
       EXPECT_EQ(f.renew("c#1@1"), "");
       EXPECT_EQ(f.claim(), "claimed c#1@2");
     }},

    {"Renew.AfterTakeoverIsSuperseded", "renew.1",
     [](Fixture& f) {
       f.add("a>c,d/k");
       f.claim({.ttl = 10});
       f.at(20);
       f.claim();
       EXPECT_EQ(f.renew("c#1@1 d/k#1@1"), "superseded c#1 d/k#1");
       EXPECT_EQ(f.renew("c#1@2"), "renewed c#1");
     }},

    {"Renew.OfAnAttemptToComeIsInNeitherList", "renew.1",
     [](Fixture& f) {
       f.add("a>c b>c");
       f.claim({.through = 1});
       EXPECT_EQ(f.renew("c#1@2 c#2@1"), "");
     }},

    {"Renew.OfAFinishedHeadIsSuperseded", "renew.1",
     [](Fixture& f) {
       f.add("a>c,d/k,e/k b>d/k", "l+!");
       f.claim();
       for (const char* claim : {"c#1@1", "d/k#1@1", "e/k#1@1", "l/log#1@1"}) f.complete(claim);
       EXPECT_EQ(f.renew("l/log#1@1 e/k#1@1 d/k#1@1 c#1@1"), "superseded c#1 d/k#1 e/k#1 l/log#1");
       EXPECT_EQ(f.renew("c#1@7"), "superseded c#1");
     }},

    {"Renew.OfAnUnknownCursorIsInNeitherList", "renew.1",
     [](Fixture& f) {
       f.add("a>c");
       EXPECT_EQ(f.renew("d#1@1 c/k#1@1 c#2@1 c#99@1 x/log#1@1"), "");
       EXPECT_EQ(f.on("u").renew("c#1@1"), "");
     }},

    {"Renew.OfAHeadNotReachedYetIsInNeitherList", "renew.1",
     [](Fixture& f) {
       f.add("a>c/k b>c/k d>e/k", "l+!");
       f.claim();
       EXPECT_EQ(f.renew("c/k#2@1 c/k#9@1 l/log#3@1 l/log#2@1"), "");
       f.complete("e/k#3@1");
       EXPECT_EQ(f.renew("e/k#4@1"), "");  // an idle lane
     }},

    {"Renew.OfASkippedIndexIsSuperseded", "renew.1",
     [](Fixture& f) {
       f.add("a b>c/k");
       f.claim();
       EXPECT_EQ(f.renew("c/k#1@1"), "superseded c/k#1");  // its head is another
     }},

    {"Renew.BelowTheClearIndexIsSuperseded", "renew.1 clear.6",
     [](Fixture& f) {
       f.add("a>c,d/k", "l+!");
       f.claim();
       f.clear();
       EXPECT_EQ(f.renew("c#1@1 d/k#1@1 l/log#1@1 x#1@5 x#2@1"),
                 "superseded c#1 d/k#1 l/log#1 x#1 x#2");
       EXPECT_EQ(f.renew("x#3@1 l/log#3@1"), "");
     }},

    {"Renew.OfADeadLetterIsInNeitherList", "renew.1",
     [](Fixture& f) {
       f.add("a>c,d");
       f.claim({.ttl = 0});
       f.fail("c#1@1", 1);
       EXPECT_EQ(f.renew("c#1@1"), "");
       f.claim({.max_failures = 1});  // d dies, which is its second attempt
       EXPECT_EQ(f.renew("d#1@1"), "superseded d#1");
       EXPECT_EQ(f.renew("d#1@2"), "");
     }},

    {"Renew.OfAFailedOrReleasedAttemptIsInNeitherList", "renew.1",
     [](Fixture& f) {
       f.add("a>c,d,e");
       f.claim();
       f.fail("c#1@1", 9, 50);
       f.release("d#1@1", 50);
       f.release("e#1@1");
       EXPECT_EQ(f.renew("c#1@1 d#1@1 e#1@1"), "");
     }},

    {"Renew.OfTheUnclaimedIsInNeitherList", "renew.1",
     [](Fixture& f) {
       f.add("a>c,d+50");
       EXPECT_EQ(f.renew("c#1@1 d#1@1"), "");
     }},

    {"Renew.ListsAreOrderedByIndexConsumerAndLane", "renew.2",
     [](Fixture& f) {
       f.add("a>d,c,c/z,c/b b>a,b");
       f.claim();
       EXPECT_EQ(f.renew("a#2@1 d#1@1 c#1@1 c/z#1@1 c/b#1@1 b#2@1"),
                 "renewed c/b#1 c/z#1 c#1 d#1 a#2 b#2");
       f.clear();
       EXPECT_EQ(f.renew("a#2@1 d#1@1 c#1@1 c/z#1@1 c/b#1@1 b#2@1"),
                 "superseded c/b#1 c/z#1 c#1 d#1 a#2 b#2");
     }},

    {"Renew.EachByItself", "renew.1",
     [](Fixture& f) {
       f.add("a>c b>c d>c e>c");
       f.claim();
       f.complete("c#1@1");
       f.fail("c#2@1");
       EXPECT_EQ(f.renew("c#1@1 c#2@1 c#3@1 c#4@2"), "renewed c#3 superseded c#1");
     }},

    {"Renew.TheSameHeadTwiceIsInvalid", "renew.3 structures.7",
     [](Fixture& f) {
       f.add("a>c");
       f.claim();
       EXPECT_EQ(f.refused([&] { f.renew("c#1@1 c#1@1"); }, "claims"), "invalid_argument");
       EXPECT_EQ(f.refused([&] { f.renew("c#1@1 d#1@1 c#1@2"); }, "claims"), "invalid_argument");
       EXPECT_EQ(f.renew("c#1@1 c#2@1 c/k#1@1"), "renewed c#1");
     }},

    {"Renew.KeepsAClaimForManyTimesItsLength", "renew.1",
     [](Fixture& f) {
       f.add("a>c");
       f.claim({.ttl = 20});
       for (Int now = 15; now < 500; now += 15) {
         f.at(now);
         EXPECT_EQ(f.renew("c#1@1", 20), "renewed c#1");
         EXPECT_EQ(f.claim({.holder = "v"}), "busy " + std::to_string(now + 20));
       }
       EXPECT_EQ(f.complete("c#1@1"), "completed");
     }},

    {"Renew.TheHolderIsNoFence", "renew.1 complete.5",
     [](Fixture& f) {
       // A restarted worker of the same name does not own its predecessor's attempts.
       f.add("a>c");
       f.claim({.holder = "w", .ttl = 10});
       f.at(11);
       f.claim({.holder = "w", .ttl = 10});
       EXPECT_EQ(f.renew("c#1@1"), "superseded c#1");
       EXPECT_EQ(f.complete("c#1@1"), "superseded");
       EXPECT_EQ(f.complete("c#1@2"), "completed");
     }},
};

}  // namespace

std::span<const CaseRow> renew_cases() { return kCases; }

}  // namespace pawl::conformance
