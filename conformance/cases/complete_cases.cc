// complete: the fence, replays, and follow-up events.
#include <gtest/gtest.h>

#include "cases/case.h"
#include "cases/fixture.h"

namespace pawl::conformance {
namespace {

constexpr CaseRow kCases[] = {
    {"Complete.FinishesTheHead", "complete.7 advance.1",
     [](Fixture& f) {
       f.add("a>c,c/k b>c/k", "l+!");
       f.claim();
       EXPECT_EQ(f.complete("c#1@1"), "completed");
       EXPECT_EQ(f.complete("c/k#1@1"), "completed");
       EXPECT_EQ(f.complete("l/log#1@1"), "completed");
       EXPECT_EQ(f.cursors(), "c/k lane pos=1 head=2\nl/log log pos=1 head=2");
       EXPECT_EQ(f.read(), "a#1 b#2");
     }},

    {"Complete.BelowTheClearIndexIsSuperseded", "complete.1 clear.6",
     [](Fixture& f) {
       f.add("a>c", "l+!");
       f.claim();
       f.clear();
       for (const char* claim : {"c#1@1", "l/log#1@1", "x#1@1", "x#2@1", "l/log#2@1"}) {
         EXPECT_EQ(f.complete(claim, "x"), "superseded") << claim;
       }
       EXPECT_EQ(f.complete("c#1@1", "x x"), "superseded");  // before the ids are looked at
       EXPECT_EQ(f.read(), "pawl.clear#2");
     }},

    {"Complete.WithoutEventIsUnknown", "complete.2 errors.1",
     [](Fixture& f) {
       EXPECT_EQ(f.refused([&] { f.complete("c#1@1"); }), "unknown_event");
       f.add("a>c,c/k");
       EXPECT_EQ(f.refused([&] { f.complete("c#2@1"); }), "unknown_event");
       EXPECT_EQ(f.refused([&] { f.complete("d/k#2@1"); }), "unknown_event");
       EXPECT_EQ(f.refused([&] { f.complete("c#2@1", "x x"); }), "unknown_event");
     }},

    {"Complete.WithoutCursorIsSuperseded", "complete.2",
     [](Fixture& f) {
       f.add("a>c b");
       EXPECT_EQ(f.complete("d#1@1", "x"), "superseded");
       EXPECT_EQ(f.complete("c#2@1"), "superseded");
       EXPECT_EQ(f.complete("c/k#1@1"), "superseded");
       EXPECT_EQ(f.complete("d#1@1", "x x"), "superseded");
       EXPECT_EQ(f.read(), "a#1 b#2");
     }},

    {"Complete.BeyondACursorIsSuperseded", "complete.4",
     [](Fixture& f) {
       f.add("a>c/k", "l+!");
       f.claim();
       EXPECT_EQ(f.complete("c/k#9@1"), "superseded");
       EXPECT_EQ(f.complete("l/log#9@1"), "superseded");
     }},

    {"Complete.AnIdTwiceIsAPartialDuplicate", "complete.3",
     [](Fixture& f) {
       f.add("a>c");
       EXPECT_EQ(f.refused([&] { f.complete("c#1@1", "x y x"); }), "partial_duplicate_batch");
       f.claim();
       EXPECT_EQ(f.refused([&] { f.complete("c#1@1", "x x"); }), "partial_duplicate_batch");
     }},

    {"Complete.ARepeatGivesTheSameEvents", "complete.4 atomicity.5",
     [](Fixture& f) {
       f.add("a>c");
       f.claim();
       const auto events = parse_events("x:p=1 y:q=2>d");
       const FinishResult first = f->complete("s", parse_claim("c#1@1"), events);
       EXPECT_EQ(show(first, false), "completed x#2 y#3");
       f.claim();
       f.complete("d#3@1");
       f.at(50);
       const std::string before = f.state();
       const FinishResult again = f->complete("s", parse_claim("c#1@1"), events);
       EXPECT_EQ(again.outcome, FinishOutcome::kCompleted);
       EXPECT_EQ(again.events, first.events);
       EXPECT_EQ(f.state(), before);  // nothing queued, nothing woken
     }},

    {"Complete.ARepeatWithoutEvents", "complete.4",
     [](Fixture& f) {
       f.add("a>c,c/k", "l+!");
       f.claim();
       for (const char* claim : {"c#1@1", "c/k#1@1", "l/log#1@1"}) {
         EXPECT_EQ(f.complete(claim), "completed");
         EXPECT_EQ(f.complete(claim), "completed");
       }
     }},

    {"Complete.ARepeatWithOtherIdsIsAPartialDuplicate", "complete.4",
     [](Fixture& f) {
       f.add("a>c b");
       f.claim();
       f.complete("c#1@1", "x y");
       for (const char* events : {"", "x", "y x", "x y z", "z", "x b"}) {
         EXPECT_EQ(f.refused([&] { f.complete("c#1@1", events); }), "partial_duplicate_batch")
             << events;
       }
     }},

    {"Complete.ARepeatWithOtherContentsIsAMismatch", "complete.4",
     [](Fixture& f) {
       f.add("a>c");
       f.claim();
       f.complete("c#1@1", "x:p=1 y");
       EXPECT_EQ(f.refused([&] { f.complete("c#1@1", "x:p=2 y"); }), "replay_mismatch");
       EXPECT_EQ(f.refused([&] { f.complete("c#1@1", "x:q=1 y"); }), "replay_mismatch");
       EXPECT_EQ(f.complete("c#1@1", "x:p=1.0 y>d"), "completed x#2 y#3");
       EXPECT_EQ(f.cursors(), "");
     }},

    {"Complete.ARepeatByAnotherAttemptIsSuperseded", "complete.4 complete.5",
     [](Fixture& f) {
       f.add("a>c");
       f.claim({.ttl = 0});
       f.claim();
       f.complete("c#1@2", "x");
       EXPECT_EQ(f.complete("c#1@1", "x"), "superseded");
       EXPECT_EQ(f.complete("c#1@1", "y"), "superseded");
       EXPECT_EQ(f.complete("c#1@3", "x"), "superseded");
       EXPECT_EQ(f.complete("c#1@2", "x"), "completed x#2");
     }},

    {"Complete.ALaneRemembersEveryCompletion", "complete.4",
     [](Fixture& f) {
       f.add("a>c/k b>c/k d>c/k");
       f.claim();
       f.complete("c/k#1@1", "x");
       f.claim({.ttl = 0});
       f.claim();
       f.complete("c/k#2@2");
       f.claim();
       f.complete("c/k#3@1", "y");
       EXPECT_EQ(f.complete("c/k#1@1", "x"), "completed x#4");
       EXPECT_EQ(f.complete("c/k#2@2"), "completed");
       EXPECT_EQ(f.complete("c/k#2@1"), "superseded");
       EXPECT_EQ(f.complete("c/k#3@1", "y"), "completed y#5");
     }},

    {"Complete.ALogRemembersTheLatestCompletion", "complete.4",
     [](Fixture& f) {
       f.add("a b", "l+!");
       f.claim();
       f.complete("l/log#1@1");
       f.claim();
       EXPECT_EQ(f.complete("l/log#1@1"), "completed");  // while at work on the next
       f.complete("l/log#2@1", "x");
       EXPECT_EQ(f.complete("l/log#1@1"), "superseded");
       EXPECT_EQ(f.complete("l/log#2@1", "x"), "completed x#3");
     }},

    {"Complete.AfterAClearARepeatIsSuperseded", "complete.1 clear.5 atomicity.5",
     [](Fixture& f) {
       f.add("a>c,c/k", "l+!");
       f.claim();
       for (const char* claim : {"c#1@1", "c/k#1@1", "l/log#1@1"}) f.complete(claim);
       f.clear();
       for (const char* claim : {"c#1@1", "c/k#1@1", "l/log#1@1"}) {
         EXPECT_EQ(f.complete(claim), "superseded");
       }
     }},

    {"Complete.AfterTakeoverIsSuperseded", "complete.5 claim.3",
     [](Fixture& f) {
       f.add("a>c,c/k", "l+!");
       f.claim({.holder = "v", .ttl = 10});
       f.at(11);
       f.claim();
       for (const char* claim : {"c#1@1", "c/k#1@1", "l/log#1@1"}) {
         const std::string before = f.state();
         EXPECT_EQ(f.complete(claim, "x"), "superseded") << claim;
         EXPECT_EQ(f.state(), before);
       }
       for (const char* claim : {"c#1@2", "c/k#1@2", "l/log#1@2"}) {
         EXPECT_EQ(f.complete(claim), "completed") << claim;
       }
     }},

    {"Complete.OfAnExpiredClaimNobodyTookOver", "complete.5",
     [](Fixture& f) {
       f.add("a>c");
       f.claim({.ttl = 10});
       f.at(5'000);
       EXPECT_EQ(f.complete("c#1@1", "x"), "completed x#2");
     }},

    {"Complete.WithoutHolderIsSuperseded", "complete.5",
     [](Fixture& f) {
       f.add("a>c,d,e");
       EXPECT_EQ(f.complete("c#1@1"), "superseded");
       f.claim();
       f.fail("c#1@1");
       f.release("d#1@1");
       EXPECT_EQ(f.complete("c#1@1", "x"), "superseded");
       EXPECT_EQ(f.complete("d#1@1", "x"), "superseded");
       EXPECT_EQ(f.complete("e#1@2", "x"), "superseded");
       EXPECT_EQ(f.read(), "a#1");
     }},

    {"Complete.OfADeadLetterIsSuperseded", "complete.5",
     [](Fixture& f) {
       f.add("a>c,d/k");
       f.claim({.ttl = 0});
       f.fail("c#1@1", 1);
       f.claim({.max_failures = 1});
       for (const char* claim : {"c#1@1", "d/k#1@1", "d/k#1@2"}) {
         EXPECT_EQ(f.complete(claim, "x"), "superseded") << claim;
       }
     }},

    {"Complete.WithATakenIdIsAPartialDuplicate", "complete.6",
     [](Fixture& f) {
       f.add("a>c b");
       f.claim();
       EXPECT_EQ(f.refused([&] { f.complete("c#1@1", "x b"); }), "partial_duplicate_batch");
       EXPECT_EQ(f.refused([&] { f.complete("c#1@1", "a"); }), "partial_duplicate_batch");
       EXPECT_EQ(f.refused([&] { f.complete("c#1@1", "a b"); }), "partial_duplicate_batch");
       EXPECT_EQ(f.complete("c#1@9", "b"), "superseded");  // the fence comes first
       EXPECT_EQ(f.complete("c#1@1", "x"), "completed x#3");
     }},

    {"Complete.AnIdBelowTheClearIndexIsFree", "complete.6 append.3",
     [](Fixture& f) {
       f.add("x=1>d");
       f.clear();
       f.add("a>c");
       f.claim();
       EXPECT_EQ(f.complete("c#3@1", "x=2"), "completed x#4");
       EXPECT_EQ(f.complete("c#3@1", "x=2"), "completed x#4");
     }},

    {"Complete.FollowUpsBearTheHeadAsTheirCause", "complete.7 complete.8",
     [](Fixture& f) {
       f.add("a>c,c/k");
       f.claim({.ttl = 0});
       f.claim();
       f.at(9);
       const FinishResult result =
           f->complete("s", parse_claim("c#1@2"), parse_events("x:p=1 y:q=2"));
       ASSERT_EQ(result.events.size(), 2u);
       EXPECT_EQ(show_full(result.events[0]), "2 x p 1 at=9 cause=c#1@2");
       EXPECT_EQ(show_full(result.events[1]), "3 y q 2 at=9 cause=c#1@2");
       EXPECT_EQ(f->read("s", {.after = 1}), result.events);
       f.complete("c/k#1@2", "z");
       EXPECT_EQ(show_full(f->read("s", {.after = 3}).at(0)), "4 z t null at=9 cause=c/k#1@2");
     }},

    {"Complete.FollowUpsQueueAndWake", "complete.7 append.7 append.8",
     [](Fixture& f) {
       f.add("a>c");
       f.claim();
       EXPECT_EQ(f.complete("c#1@1", "x:p>d,e/k y:q>e/k", "l+q m+p! n+z!"), "completed x#2 y#3");
       EXPECT_EQ(f.cursors(),
                 "d event pos=1 head=2\n"
                 "e/k lane pos=0 head=2\n"
                 "l/log log pos=1 head=3\n"
                 "m/log log pos=0 head=2");
       EXPECT_EQ(f.claim(), "claimed d#2@1 e/k#2@1 m/log#2@1 l/log#3@1");
     }},

    {"Complete.FollowUpsThatAreWrongFinishNothing", "complete.7 atomicity.1 vocabulary.5",
     [](Fixture& f) {
       f.add("a>c", "l+%k!");
       f.claim();
       EXPECT_EQ(f.refused([&] { f.complete("c#1@1", "x>d,d"); }, "events[0].targets"),
                 "invalid_argument");
       EXPECT_EQ(f.refused([&] { f.complete("c#1@1", "x y>l/k"); }), "invalid_argument");
       EXPECT_EQ(f.refused([&] { f.complete("c#1@1", "x y:pawl.x"); }, "events[1].type"),
                 "invalid_argument");
       EXPECT_EQ(f.complete("c#1@1", "x"), "completed x#2");
     }},

    {"Complete.FollowUpsNeedIdsAndNoCause", "complete.8",
     [](Fixture& f) {
       f.add("a>c");
       f.claim();
       EXPECT_EQ(f.refused([&] { f.complete("c#1@1", "x -"); }, "events[1].id"),
                 "invalid_argument");
       EXPECT_EQ(f.refused([&] { f.complete("c#1@1", "x<c#1@1"); }, "events[0].cause"),
                 "invalid_argument");
       EXPECT_EQ(f.refused([&] { f.complete("c#9@1", "-"); }, "events[0].id"),
                 "invalid_argument");  // before anything is looked up
     }},

    {"Complete.GivesNoIdsOfItsOwn", "complete.8 append.10",
     [](Fixture& f) {
       f.add("a>c");
       f.claim();
       f.complete("c#1@1", "x");
       EXPECT_EQ(f.add("-"), "id-1#3 settled");
     }},

    {"Complete.SessionsDoNotMix", "complete.2",
     [](Fixture& f) {
       f.add("a>c");
       f.on("u").add("a>c");
       f.claim();
       EXPECT_EQ(f.on("u").complete("c#1@1"), "superseded");
       EXPECT_EQ(f.complete("c#1@1"), "completed");
     }},

    {"Complete.OfTenThousandEventsIsAllOrNothing", "complete.7 atomicity.1 values.10",
     [](Fixture& f) {
       f.add("a>c b");
       f.claim();
       std::vector<NewEvent> events;
       for (int i = 0; i < 10'000; ++i) {
         events.push_back({.id = "x" + std::to_string(i), .type = "t"});
       }
       events[9'999].id = "b";
       EXPECT_EQ(f.refused([&] { f->complete("s", parse_claim("c#1@1"), events).superseded(); }),
                 "partial_duplicate_batch");
       events[9'999].id = "y";
       EXPECT_EQ(f->complete("s", parse_claim("c#1@1"), events).events.size(), 10'000u);
       EXPECT_EQ(f.head(), "last 10002 clear 0");
       EXPECT_EQ(f->complete("s", parse_claim("c#1@1"), events).events.back().index, 10'002);
     }},
};

}  // namespace

std::span<const CaseRow> complete_cases() { return kCases; }

}  // namespace pawl::conformance
