// How a cursor goes on from a head that is finished.
#include <gtest/gtest.h>

#include "cases/case.h"
#include "cases/fixture.h"

namespace pawl::conformance {
namespace {

constexpr CaseRow kCases[] = {
    {"Advance.ALaneIsFirstInFirstOut", "advance.2 vocabulary.2",
     [](Fixture& f) {
       f.add("a>c/k b d>c/k");
       f.add("e>c/k");
       for (const char* claim : {"c/k#1@1", "c/k#3@1", "c/k#4@1"}) {
         EXPECT_EQ(f.claim(), "claimed " + std::string(claim));
         EXPECT_EQ(f.complete(claim), "completed");
       }
       EXPECT_EQ(f.cursors(), "c/k lane pos=4");
     }},

    {"Advance.LanesDoNotMix", "advance.2 vocabulary.2",
     [](Fixture& f) {
       f.add("a>c/k b>c/m d>d/k e>c/kk g>c/k");
       f.claim();
       f.complete("c/k#1@1");
       f.complete("c/m#2@1");
       f.complete("d/k#3@1");
       f.complete("c/kk#4@1");
       EXPECT_EQ(f.cursors(),
                 "c/k lane pos=1 head=5\nc/kk lane pos=4\nc/m lane pos=2\nd/k lane pos=3");
     }},

    {"Advance.ALogTakesTheFirstOfItsTypes", "advance.2 vocabulary.1",
     [](Fixture& f) {
       f.add("a:x b:y c:z d:y e:x", "l+x,z!");
       std::string order;
       for (const char* claim : {"l/log#1@1", "l/log#3@1", "l/log#5@1"}) {
         order += f.claim() + " ";
         EXPECT_EQ(f.complete(claim), "completed");
       }
       EXPECT_EQ(order, "claimed l/log#1@1 claimed l/log#3@1 claimed l/log#5@1 ");
       EXPECT_EQ(f.cursors(), "l/log log pos=5");
     }},

    {"Advance.AnEventCursorEnds", "advance.2 vocabulary.3",
     [](Fixture& f) {
       f.add("a>c b>c");
       f.claim();
       f.complete("c#2@1");  // in any order
       EXPECT_EQ(f.cursors(), "c event pos=0 head=1 attempts=1 first=1 last=1 by=w until=101");
       f.complete("c#1@1");
       EXPECT_EQ(f.cursors(), "");
       EXPECT_EQ(f.claim(), "settled");
     }},

    {"Advance.TheNextHeadStartsFresh", "advance.3",
     [](Fixture& f) {
       f.add("a>c/k b>c/k", "l+!");
       f.claim();
       f.fail("c/k#1@1");
       f.fail("l/log#1@1");
       f.claim({.ttl = 0});
       f.claim();
       f.complete("c/k#1@3");
       f.complete("l/log#1@3");
       EXPECT_EQ(f.cursors(), "c/k lane pos=1 head=2\nl/log log pos=1 head=2");
       EXPECT_EQ(f.claim(), "claimed c/k#2@1 l/log#2@1");
     }},

    {"Advance.AnIdleCursorIsFresh", "advance.3",
     [](Fixture& f) {
       f.add("a>c/k", "l+!");
       f.claim();
       f.fail("c/k#1@1");
       f.claim();
       f.complete("c/k#1@2");
       f.complete("l/log#1@1");
       EXPECT_EQ(f.cursors(), "c/k lane pos=1\nl/log log pos=1");
     }},

    {"Advance.TheNextHeadHasFailedInNoAttempt", "advance.3 fail.3 release.2",
     [](Fixture& f) {
       // The marks of the last failed and released attempt go with the head that bore them.
       f.add("a>c/k b>c/k");
       f.claim();
       f.release("c/k#1@1");
       f.claim();
       f.fail("c/k#1@2");
       f.claim();
       f.complete("c/k#1@3");
       for (int attempt = 1; attempt <= 2; ++attempt) {
         f.claim();
         EXPECT_EQ(f.fail("c/k#2@" + std::to_string(attempt), 9),
                   "failed " + std::to_string(attempt));
       }
     }},

    {"Advance.FollowUpOfTheSameLaneIsFound", "advance.4",
     [](Fixture& f) {
       f.add("a>c/k");
       f.claim();
       EXPECT_EQ(f.complete("c/k#1@1", "x y>c/k z>c/k"), "completed x#2 y#3 z#4");
       EXPECT_EQ(f.cursors(), "c/k lane pos=1 head=3");
       EXPECT_EQ(f.claim(), "claimed c/k#3@1");
       EXPECT_EQ(f.complete("c/k#3@1"), "completed");
       EXPECT_EQ(f.claim(), "claimed c/k#4@1");
     }},

    {"Advance.FollowUpOfTheSameLaneWaitsItsTurn", "advance.4 advance.2",
     [](Fixture& f) {
       f.add("a>c/k b>c/k");
       f.claim();
       f.complete("c/k#1@1", "x>c/k");
       EXPECT_EQ(f.claim(), "claimed c/k#2@1");
       f.complete("c/k#2@1");
       EXPECT_EQ(f.claim(), "claimed c/k#3@1");
     }},

    {"Advance.FollowUpOfTheSameLogIsFound", "advance.4",
     [](Fixture& f) {
       f.add("a:x", "l+x!");
       f.claim();
       f.complete("l/log#1@1", "b:y c:x");
       EXPECT_EQ(f.cursors(), "l/log log pos=1 head=3");
       f.claim();
       f.complete("l/log#3@1", "d:y e:y", "l+x,y");  // with types given just now
       EXPECT_EQ(f.cursors(), "l/log log pos=3 head=4");
     }},

    {"Advance.FollowUpOfTheSameConsumerWithoutLane", "advance.4",
     [](Fixture& f) {
       f.add("a>c");
       f.claim();
       f.complete("c#1@1", "x>c y>c");
       EXPECT_EQ(f.claim(), "claimed c#2@1 c#3@1");
     }},

    {"Advance.ALaneSkipsWhatIsBelowTheClearIndex", "advance.2 clear.6",
     [](Fixture& f) {
       f.add("a>c/k b>c/k");
       f.clear();
       f.add("d>c/k e>c/k");
       f.claim();
       f.complete("c/k#4@1");
       EXPECT_EQ(f.claim(), "claimed c/k#5@1");
     }},

    {"Advance.ReleasesThePins", "advance.1 pins.1",
     [](Fixture& f) {
       f.add("a>c,d/k b", "l+!");
       f.claim();
       f.put("r", "1=1<c#1,d/k#1,l/log#1");
       f.put("r", "2=2");
       for (const char* claim : {"c#1@1", "d/k#1@1", "l/log#1@1"}) {
         EXPECT_EQ(f.load("r", 1), "1=1@1 newest 2 (clear 0 last 2)") << claim;
         EXPECT_EQ(f.complete(claim), "completed");
       }
       EXPECT_EQ(f.load("r", 1), "none newest 2 events a#1 (clear 0 last 2)");
     }},

    {"Advance.APositionIsTheFinishedIndex", "advance.1",
     [](Fixture& f) {
       f.add("a:x b:y c:x", "l+x!");
       f.claim();
       f.complete("l/log#1@1");
       EXPECT_EQ(f.cursors(), "l/log log pos=1 head=3");
       f.claim();
       f.complete("l/log#3@1");
       EXPECT_EQ(f.cursors(), "l/log log pos=3");
     }},
};

}  // namespace

std::span<const CaseRow> advance_cases() { return kCases; }

}  // namespace pawl::conformance
