// Scheduled work: targets with available_at.
#include <gtest/gtest.h>

#include "cases/case.h"
#include "cases/fixture.h"

namespace pawl::conformance {
namespace {

constexpr CaseRow kCases[] = {
    {"Schedule.NotBeforeItsTime", "schedule.1 schedule.4",
     [](Fixture& f) {
       EXPECT_EQ(f.add("a>c+50,c/k+60"), "a#1 pending");
       EXPECT_EQ(f.cursors(), "c/k lane pos=0 head=1 until=60\nc event pos=0 head=1 until=50");
       EXPECT_EQ(f.claim(), "busy 50");
       f.at(49);
       EXPECT_EQ(f.claim(), "busy 50");
       f.at(50);
       EXPECT_EQ(f.claim(), "claimed c#1@1");
       EXPECT_EQ(f.claim(), "busy 60");
       f.at(60);
       EXPECT_EQ(f.claim(), "claimed c/k#1@1");
     }},

    {"Schedule.ATimeThatHasComeHoldsNothingBack", "schedule.1",
     [](Fixture& f) {
       f.at(50);
       f.add("a>c+50,d+49,e/k+1");
       EXPECT_EQ(f.cursors(),
                 "c event pos=0 head=1\n"
                 "d event pos=0 head=1\n"
                 "e/k lane pos=0 head=1");
       EXPECT_EQ(f.claim(), "claimed c#1@1 d#1@1 e/k#1@1");
     }},

    {"Schedule.ClaimingItCountsNoFailure", "schedule.1 claim.3",
     [](Fixture& f) {
       f.add("a>c+50");
       f.at(70);
       EXPECT_EQ(f.claim({.max_failures = 1}), "claimed c#1@1");
       EXPECT_EQ(f.cursors(), "c event pos=0 head=1 attempts=1 first=70 last=70 by=w until=170");
     }},

    {"Schedule.HoldsBackWhatIsQueuedBehindIt", "schedule.2",
     [](Fixture& f) {
       f.add("a>c/k+50 b>c/k d>c/m");
       EXPECT_EQ(f.claim(), "claimed c/m#3@1");
       EXPECT_EQ(f.claim("c"), "busy 50");
       f.at(50);
       EXPECT_EQ(f.claim(), "claimed c/k#1@1");
       f.complete("c/k#1@1");
       EXPECT_EQ(f.claim(), "claimed c/k#2@1");
     }},

    {"Schedule.HoldsWhenItBecomesTheHead", "schedule.1",
     [](Fixture& f) {
       f.add("a>c/k b>c/k+50 d>c/k+20");
       EXPECT_EQ(f.claim(), "claimed c/k#1@1");
       f.at(10);
       f.complete("c/k#1@1");
       EXPECT_EQ(f.cursors(), "c/k lane pos=1 head=2 until=50");
       EXPECT_EQ(f.claim(), "busy 50");
       f.at(50);
       f.claim();
       f.complete("c/k#2@1");
       EXPECT_EQ(f.cursors(), "c/k lane pos=2 head=3");  // its time has come meanwhile
       EXPECT_EQ(f.claim(), "claimed c/k#3@1");
     }},

    {"Schedule.HoldsWhenSkippingMakesItTheHead", "schedule.1 redrive.4",
     [](Fixture& f) {
       f.add("a>c/k b>c/k+50");
       f.claim();
       f.fail("c/k#1@1", 1);
       f.redrive("c#1", RedriveAction::kSkip);
       EXPECT_EQ(f.cursors(), "c/k lane pos=1 head=2 until=50");
     }},

    {"Schedule.HoldsOnAnIdleOrClearedLane", "schedule.1 append.7",
     [](Fixture& f) {
       f.add("a>c/k,d/k");
       f.claim("c");
       f.complete("c/k#1@1");
       f.add("b>c/k+50");
       EXPECT_EQ(f.cursor("c/k"), "c/k lane pos=1 head=2 until=50");
       f.clear();
       f.add("e>d/k+70,c/k+80");
       EXPECT_EQ(f.cursors(), "c/k lane pos=3 head=4 until=80\nd/k lane pos=3 head=4 until=70");
     }},

    {"Schedule.OfAFollowUp", "schedule.1 complete.7 advance.4",
     [](Fixture& f) {
       f.add("a>c/k");
       f.claim();
       f.complete("c/k#1@1", "x>c/k+50,d+60");
       EXPECT_EQ(f.cursors(), "c/k lane pos=1 head=2 until=50\nd event pos=1 head=2 until=60");
     }},

    {"Schedule.LogsTakeNoNotice", "schedule.3",
     [](Fixture& f) {
       f.add("a>c+50", "l+!");
       EXPECT_EQ(f.claim("l"), "claimed l/log#1@1");
       EXPECT_EQ(f.read(), "a#1");
     }},

    {"Schedule.IsPendingWork", "schedule.4 structures.3 ready.3",
     [](Fixture& f) {
       EXPECT_EQ(f.add("a>c+50"), "a#1 pending");
       EXPECT_EQ(f.add("", "c"), "pending");
       EXPECT_EQ(f.ready(), "next 50");
       EXPECT_EQ(f.claim_ready(), "next 50");
       f.at(50);
       EXPECT_EQ(f.ready(), "s@50");
     }},

    {"Schedule.RetriesHaveTheirOwnTimes", "schedule.1 fail.5 release.4",
     [](Fixture& f) {
       f.add("a>c+50,d+50,e+50");
       f.at(50);
       f.claim();
       f.fail("c#1@1");
       f.fail("d#1@1", 3, 20);
       f.release("e#1@1");
       EXPECT_EQ(f.claim(), "claimed c#1@2 e#1@2");
       EXPECT_EQ(f.claim("d"), "busy 70");
     }},

    {"Schedule.AReplayDoesNotMoveIt", "schedule.1 append.3",
     [](Fixture& f) {
       f.add("a>c+50");
       f.add("a>c+9");
       EXPECT_EQ(f.claim(), "busy 50");
     }},
};

}  // namespace

std::span<const CaseRow> schedule_cases() { return kCases; }

}  // namespace pawl::conformance
