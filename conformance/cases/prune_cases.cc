// prune: forgetting finished work.
#include <gtest/gtest.h>

#include "cases/case.h"
#include "cases/fixture.h"

namespace pawl::conformance {
namespace {

constexpr CaseRow kCases[] = {
    {"Prune.DeletesWhatWasFinishedStrictlyBefore", "prune.1 prune.2",
     [](Fixture& f) {
       f.add("a>c,d b>c");
       f.claim();
       f.at(5);
       f.complete("c#1@1");
       f.at(6);
       f.complete("d#1@1");
       EXPECT_EQ(f.prune(5), "0 done");
       EXPECT_EQ(f.prune(6), "1 done");
       EXPECT_EQ(f.prune(6), "0 done");
       EXPECT_EQ(f.prune(7), "1 done");
       EXPECT_EQ(f.read(), "a#1 b#2");  // no events
       EXPECT_EQ(f.cursors(), "c event pos=1 head=2 attempts=1 first=1 last=1 by=w until=101");
     }},

    {"Prune.OnlyWhatIsFinished", "prune.1",
     [](Fixture& f) {
       f.add("a>c,c/k,d,e b>c/k", "l+!");
       f.claim();
       f.fail("d#1@1", 1);
       f.release("e#1@1");
       const std::string before = f.state();
       f.at(9);
       EXPECT_EQ(f.prune(9), "0 done");
       EXPECT_EQ(f.state(), before);
       EXPECT_EQ(f.on("u").prune(9), "0 done");
       EXPECT_EQ(f.sessions(), "s 2/0");
     }},

    {"Prune.SkippedWorkToo", "prune.1 redrive.4",
     [](Fixture& f) {
       f.add("a>c");
       f.claim();
       f.fail("c#1@1", 1);
       f.redrive("c#1", RedriveAction::kSkip);
       EXPECT_EQ(f.prune(2), "1 done");
     }},

    {"Prune.TheEarliestFirstInALimitedNumber", "prune.1 prune.2",
     [](Fixture& f) {
       f.add("a>c b>c d>c e>c g>c");
       f.claim();
       for (Int i = 5; i >= 1; --i) {
         f.at(20 - i);
         f.complete("c#" + std::to_string(i) + "@1");
       }
       f.at(50);
       EXPECT_EQ(f.prune(50, 2), "2 more");  // 5 and 4
       EXPECT_EQ(f.complete("c#5@1"), "superseded");
       EXPECT_EQ(f.complete("c#4@1"), "superseded");
       EXPECT_EQ(f.complete("c#3@1"), "completed");
       EXPECT_EQ(f.prune(50, 3), "3 done");  // exactly
       EXPECT_EQ(f.prune(50, 3), "0 done");
     }},

    {"Prune.DoneIsExactOnTheTimeToo", "prune.2",
     [](Fixture& f) {
       f.add("a>c b>c");
       f.claim();
       f.at(5);
       f.complete("c#1@1");
       f.at(9);
       f.complete("c#2@1");
       EXPECT_EQ(f.prune(9, 1), "1 done");
       EXPECT_EQ(f.prune(10, 1), "1 done");
     }},

    {"Prune.ARepeatedCompletionIsSuperseded", "prune.3 atomicity.5",
     [](Fixture& f) {
       f.add("a>c,d/k");
       f.claim();
       f.complete("c#1@1", "x");
       f.complete("d/k#1@1");
       f.prune(2);
       EXPECT_EQ(f.complete("c#1@1", "x"), "superseded");
       EXPECT_EQ(f.complete("d/k#1@1"), "superseded");
       EXPECT_EQ(f.renew("c#1@1 d/k#1@1"), "");
       EXPECT_EQ(f.add("a>c"), "a#1 settled");  // the event is there still
       EXPECT_EQ(f.claim(), "settled");
     }},

    {"Prune.AnIdleLaneGoesWithItsLastEntry", "prune.2 vocabulary.5",
     [](Fixture& f) {
       f.add("a>c/k b>c/k");
       f.claim();
       f.at(5);
       f.complete("c/k#1@1");
       EXPECT_EQ(f.prune(6), "1 done");
       EXPECT_EQ(f.cursors(), "c/k lane pos=1 head=2");
       f.claim();
       f.complete("c/k#2@1");
       EXPECT_EQ(f.cursors(), "c/k lane pos=2");
       EXPECT_EQ(f.prune(6), "1 done");
       EXPECT_EQ(f.cursors(), "");
       f.add("d", "c+%k!");  // its name is free
       EXPECT_EQ(f.cursors(), "c/k log pos=2 head=3");
     }},

    {"Prune.ALateAttemptNeverMatchesALogOfThePrunedLanesName", "append.11 prune.2 complete.4",
     [](Fixture& f) {
       f.add("a>c/k,d/k b");
       f.claim();  // this attempt comes back too late
       f.at(200);
       f.claim();
       f.complete("c/k#1@2");
       f.prune(500);
       f.add("e", "c+%k! d+!");
       EXPECT_EQ(f.cursor("c/k"), "c/k log pos=2 head=3");
       EXPECT_EQ(f.cursor("d/log"), "d/log log pos=0 head=1");  // no lane of d is gone
       f.claim("c");
       EXPECT_EQ(f.complete("c/k#1@1"), "superseded");
       EXPECT_EQ(f.refused([&] { f.add("x<c/k#1@1"); }), "superseded_attempt");
     }},

    {"Prune.SupersededRecordsUseUpTheLimit", "prune.1 prune.2",
     [](Fixture& f) {
       f.add("a>c b>c");
       f.claim();
       f.complete("c#1@1");
       f.complete("c#2@1");
       f.clear();
       f.at(2);
       f.add("d>c");
       f.claim();
       f.complete("c#4@1");
       Int deleted = 0;
       for (int call = 0; call < 3; ++call) deleted += f->prune("s", ms(9), 1).deleted;
       EXPECT_EQ(deleted, 1);
       EXPECT_EQ(f.prune(9, 1), "0 done");
     }},

    {"Prune.AnIdleLaneStaysWhileItHasEntries", "prune.2",
     [](Fixture& f) {
       f.add("a>c/k b>c/k");
       f.claim();
       f.at(5);
       f.complete("c/k#1@1");
       f.claim();
       f.at(7);
       f.complete("c/k#2@1");
       EXPECT_EQ(f.prune(6), "1 done");
       EXPECT_EQ(f.cursors(), "c/k lane pos=2");
       EXPECT_EQ(f.complete("c/k#2@1"), "completed");
       EXPECT_EQ(f.prune(50), "1 done");
       EXPECT_EQ(f.cursors(), "");
     }},

    {"Prune.AnIdleLaneOfManyEntriesGoesInSteps", "prune.1 prune.2",
     [](Fixture& f) {
       f.add("a>c/k b>c/k d>c/k");
       for (const char* claim : {"c/k#1@1", "c/k#2@1", "c/k#3@1"}) {
         f.claim();
         f.complete(claim);
       }
       EXPECT_EQ(f.prune(2, 2), "2 more");
       EXPECT_EQ(f.cursors(), "c/k lane pos=3");
       EXPECT_EQ(f.prune(2, 2), "1 done");
       EXPECT_EQ(f.cursors(), "");
     }},

    {"Prune.APrunedLaneBeginsAnew", "prune.2 append.7",
     [](Fixture& f) {
       f.add("a>c/k");
       f.claim();
       f.complete("c/k#1@1");
       f.prune(2);
       f.add("b>c/k");
       EXPECT_EQ(f.cursors(), "c/k lane pos=0 head=2");
       EXPECT_EQ(f.complete("c/k#1@1"), "superseded");
       EXPECT_EQ(f.claim(), "claimed c/k#2@1");
     }},

    {"Prune.NotBelowTheClearIndex", "prune.1",
     [](Fixture& f) {
       f.add("a>c,c/k b>c");
       f.claim();
       f.complete("c#1@1");
       f.complete("c/k#1@1");
       f.clear();
       f.add("d>c,c/k");
       f.claim();
       f.complete("c#4@1");
       f.complete("c/k#4@1");
       f.at(9);
       EXPECT_EQ(f.prune(9), "2 done");
       EXPECT_EQ(f.cursors(), "");
     }},

    {"Prune.LogsKeepTheirCompletion", "prune.1",
     [](Fixture& f) {
       f.add("a", "l+!");
       f.claim();
       f.complete("l/log#1@1");
       f.at(9);
       EXPECT_EQ(f.prune(9), "0 done");
       EXPECT_EQ(f.complete("l/log#1@1"), "completed");
     }},
};

}  // namespace

std::span<const CaseRow> prune_cases() { return kCases; }

}  // namespace pawl::conformance
