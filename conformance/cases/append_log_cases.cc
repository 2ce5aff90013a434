// Logs: how append and wake_log wake them, and the refresh of their types.
#include <gtest/gtest.h>

#include "cases/case.h"
#include "cases/fixture.h"

namespace pawl::conformance {
namespace {

// A log that has taken 1:x and stands idle there.
void idle_at_1(Fixture& f) {
  f.add("a:x", "l+x!");
  f.claim("l");
  EXPECT_EQ(f.complete("l/log#1@1"), "completed");
  EXPECT_EQ(f.cursor("l/log"), "l/log log pos=1");
}

constexpr CaseRow kCases[] = {
    {"Log.OpensAtTheLastIndexBeforeTheBatch", "append.8 vocabulary.1",
     [](Fixture& f) {
       f.add("a:x b:x");
       f.add("c:y d:x", "l+x");
       EXPECT_EQ(f.cursors(), "l/log log pos=2 head=4");
     }},

    {"Log.OpensAtTheClearIndexToBackfill", "append.8",
     [](Fixture& f) {
       f.add("a:y b:x");
       f.add("c:x", "l+x! m+!");
       EXPECT_EQ(f.cursors(), "l/log log pos=0 head=2\nm/log log pos=0 head=1");
       f.clear();
       f.add("d:x e:y g:x", "n+y!");
       EXPECT_EQ(f.cursor("n/log"), "n/log log pos=4 head=6");
     }},

    {"Log.OpensOnlyForABatchWithOneOfItsTypes", "append.8",
     [](Fixture& f) {
       f.add("a:x");
       EXPECT_EQ(f.add("b:y c:z", "l+x!"), "b#2 c#3 settled");
       EXPECT_EQ(f.cursors(), "");
       EXPECT_EQ(f.add("d:y e:x", "l+x,w"), "d#4 e#5 pending");
       EXPECT_EQ(f.cursors(), "l/log log pos=3 head=5");
     }},

    {"Log.OfAllTypesTakesEveryEvent", "append.8 structures.5",
     [](Fixture& f) {
       f.add("a:x b:y", "l+!");
       EXPECT_EQ(f.claim("l"), "claimed l/log#1@1");
       f.complete("l/log#1@1");
       EXPECT_EQ(f.claim("l"), "claimed l/log#2@1");
     }},

    {"Log.OfNoTypesTakesNoEvent", "structures.5 append.8",
     [](Fixture& f) {
       EXPECT_EQ(f.add("a:x", "l+-!"), "a#1 settled");
       EXPECT_EQ(f.cursors(), "");
       EXPECT_EQ(f.wake("l+-!"), "l/log log pos=0 (last 1)");
       EXPECT_EQ(f.add("b:x", "l+-"), "b#2 settled");
       EXPECT_EQ(f.cursors(), "l/log log pos=0");
     }},

    {"Log.TypesAreASet", "structures.5",
     [](Fixture& f) {
       f.add("a:x b:y c:z", "l+y,x,y,x!");
       for (const char* claim : {"l/log#1@1", "l/log#2@1"}) {
         f.claim("l");
         EXPECT_EQ(f.complete(claim, "", "l+x,y"), "completed");
       }
       EXPECT_EQ(f.cursor("l/log"), "l/log log pos=2");
     }},

    {"Log.AnIdleOneKeepsItsPosition", "append.8",
     [](Fixture& f) {
       idle_at_1(f);
       f.add("b:y c:y", "l+x");
       EXPECT_EQ(f.cursor("l/log"), "l/log log pos=1");
       f.add("d:y e:x", "l+x");
       EXPECT_EQ(f.cursor("l/log"), "l/log log pos=1 head=5");
     }},

    {"Log.AnIdleOneTakesTheFirstEventAboveItsPosition", "append.8 structures.4",
     [](Fixture& f) {
       idle_at_1(f);
       f.add("b:y");
       f.add("c:x", "l+x,y!");
       EXPECT_EQ(f.cursor("l/log"), "l/log log pos=1 head=2");
     }},

    {"Log.OneWithAHeadKeepsItClaimAndAll", "append.8",
     [](Fixture& f) {
       f.add("a:x", "l+x!");
       f.claim("l");
       f.at(5);
       f.add("b:x", "l+x!");
       EXPECT_EQ(f.cursor("l/log"),
                 "l/log log pos=0 head=1 attempts=1 first=1 last=1 by=w until=101");
       EXPECT_EQ(f.complete("l/log#1@1"), "completed");
       EXPECT_EQ(f.cursor("l/log"), "l/log log pos=1 head=2");
     }},

    {"Log.AWokenOnesTypesBecomeTheGivenOnes", "append.8",
     [](Fixture& f) {
       f.add("a:x", "l+x!");
       f.add("b:y", "l+y");  // woken by y: the head stays, the types are y from now on
       EXPECT_EQ(f.cursor("l/log"), "l/log log pos=0 head=1");
       f.add("c:x d:y");
       f.claim("l");
       f.complete("l/log#1@1");
       EXPECT_EQ(f.cursor("l/log"), "l/log log pos=1 head=2");
       f.claim("l");
       f.complete("l/log#2@1");
       EXPECT_EQ(f.cursor("l/log"), "l/log log pos=2 head=4");
     }},

    {"Log.OneThatIsNotWokenKeepsItsTypes", "append.8",
     [](Fixture& f) {
       idle_at_1(f);
       f.add("b:z", "l+y");
       f.add("c:x d:y");
       f.claim("l");
       f.add("e:x", "l+x");
       EXPECT_EQ(f.cursor("l/log"), "l/log log pos=1 head=3");
     }},

    {"Log.IsNotWokenWithoutTheConsumersLog", "append.8 structures.2",
     [](Fixture& f) {
       idle_at_1(f);
       f.add("b:x");
       f.add("c:x", "l");
       f.add("d:x", "");
       f.add("e:x", "m+");
       EXPECT_EQ(f.cursor("l/log"), "l/log log pos=1");
       f.add("g:x", "l+x");
       EXPECT_EQ(f.cursor("l/log"), "l/log log pos=1 head=2");
     }},

    {"Log.AConsumerMayHaveSeveralLanes", "vocabulary.1 vocabulary.4",
     [](Fixture& f) {
       f.add("a:x b:y", "l+x%p!");
       f.add("c:y", "l+y%q!");
       EXPECT_EQ(f.cursors(), "l/p log pos=0 head=1\nl/q log pos=0 head=2");
       EXPECT_EQ(f.claim("l"), "claimed l/p#1@1 l/q#2@1");
     }},

    {"Log.OneThatMeetsTwoEventsTakesTheFirst", "vocabulary.1 append.8",
     [](Fixture& f) {
       f.add("a:x b:x c:x", "l+x!");
       std::string order;
       for (const char* claim : {"l/log#1@1", "l/log#2@1", "l/log#3@1"}) {
         order += f.claim("l") + " ";
         EXPECT_EQ(f.complete(claim), "completed");
       }
       EXPECT_EQ(order, "claimed l/log#1@1 claimed l/log#2@1 claimed l/log#3@1 ");
     }},

    {"Log.NeverVisitsAClearMarker", "vocabulary.1",
     [](Fixture& f) {
       f.add("a:x", "l+x,pawl.clear!");
       f.clear();
       EXPECT_EQ(f.wake("l+!"), "l/log log pos=2 (last 2)");
       EXPECT_EQ(f.wake("m+!"), "m/log log pos=2 (last 2)");
       f.add("b:x", "l+x,pawl.clear! m+!");
       EXPECT_EQ(f.cursors(), "l/log log pos=2 head=3\nm/log log pos=2 head=3");
     }},

    {"WakeLog.NeedsALog", "wake_log.1",
     [](Fixture& f) {
       EXPECT_EQ(f.refused([&] { f.wake("l"); }, "consumer.log"), "invalid_argument");
     }},

    {"WakeLog.WithNothingToReadWritesNothing", "wake_log.2",
     [](Fixture& f) {
       EXPECT_EQ(f.wake("l+"), "l/log log pos=0 (last 0)");
       EXPECT_EQ(f.wake("l+x!"), "l/log log pos=0 (last 0)");
       EXPECT_EQ(f.sessions(), "");
       f.add("a");
       f.clear();
       EXPECT_EQ(f.wake("l+%k!"), "l/k log pos=2 (last 2)");
       EXPECT_EQ(f.cursors(), "");
     }},

    {"WakeLog.OpensIdleAtTheLastIndex", "wake_log.3",
     [](Fixture& f) {
       f.add("a b");
       EXPECT_EQ(f.wake("l+"), "l/log log pos=2 (last 2)");
       EXPECT_EQ(f.cursors(), "l/log log pos=2");
       f.add("c", "l+");
       EXPECT_EQ(f.cursors(), "l/log log pos=2 head=3");
     }},

    {"WakeLog.BackfillsFromTheClearIndex", "wake_log.3",
     [](Fixture& f) {
       f.add("a:x b:y");
       EXPECT_EQ(f.wake("l+y!"), "l/log log pos=0 head=2 (last 2)");
       f.clear();
       f.add("c:x");
       EXPECT_EQ(f.wake("m+x!"), "m/log log pos=3 head=4 (last 4)");
       EXPECT_EQ(f.wake("n+y!"), "n/log log pos=3 (last 4)");
     }},

    {"WakeLog.WakesAnIdleCursor", "wake_log.3",
     [](Fixture& f) {
       idle_at_1(f);
       f.add("b:y c:x");
       EXPECT_EQ(f.wake("l+z"), "l/log log pos=1 (last 3)");
       EXPECT_EQ(f.wake("l+x"), "l/log log pos=1 head=3 (last 3)");
       EXPECT_EQ(f.wake("l+y"), "l/log log pos=1 head=3 (last 3)");  // a head stays
       EXPECT_EQ(f.claim("l"), "claimed l/log#3@1");
     }},

    {"WakeLog.RecordsTheTypes", "wake_log.3",
     [](Fixture& f) {
       f.add("a:x b:x c:y", "l+x!");
       f.wake("l+y");
       f.claim("l");
       f.complete("l/log#1@1");
       EXPECT_EQ(f.cursor("l/log"), "l/log log pos=1 head=3");
       f.clear();
       f.wake("l+x");  // the last index is the clear index, but the cursor is there
       f.add("d:y e:x");
       f.claim("l");
       EXPECT_EQ(f.wake("l+x"), "l/log log pos=4 head=6 (last 6)");
     }},

    {"TypeRefresh.HoldsFromTheNextAdvanceOn", "structures.4 claim.1",
     [](Fixture& f) {
       f.add("a:x b:x c:y", "l+x!");
       EXPECT_EQ(f.claim("l+y"), "claimed l/log#1@1");  // the head stays
       EXPECT_EQ(f.complete("l/log#1@1"), "completed");
       EXPECT_EQ(f.cursor("l/log"), "l/log log pos=1 head=3");
     }},

    {"TypeRefresh.DoesNotWakeAnIdleCursor", "structures.4 claim.1",
     [](Fixture& f) {
       idle_at_1(f);
       f.add("b:y");
       EXPECT_EQ(f.claim("l+x,y"), "settled");
       EXPECT_EQ(f.cursor("l/log"), "l/log log pos=1");
       EXPECT_EQ(f.claim("l+x,y"), "settled");
     }},

    {"TypeRefresh.OpensNoCursor", "structures.4",
     [](Fixture& f) {
       f.add("a:x>c");
       EXPECT_EQ(f.claim("c+! l+!"), "claimed c#1@1");
       EXPECT_EQ(f.complete("c#1@1", "", "c+! l+!"), "completed");
       EXPECT_EQ(f.cursors(), "");
     }},

    {"TypeRefresh.WideningHandsOutOlderEvents", "structures.4",
     [](Fixture& f) {
       idle_at_1(f);
       f.add("b:y");
       f.claim("l+x,y");
       f.add("c:y", "l+x,y");
       EXPECT_EQ(f.cursor("l/log"), "l/log log pos=1 head=2");
     }},

    {"TypeRefresh.OfEachLaneByItself", "structures.4",
     [](Fixture& f) {
       f.add("a:x", "l+x%p!");
       f.add("b:x", "l+x%q!");
       f.claim("l+y%p");
       f.add("c:x d:y");
       f.complete("l/p#1@1");
       f.complete("l/q#1@1");
       EXPECT_EQ(f.cursors(), "l/p log pos=1 head=4\nl/q log pos=1 head=2");
     }},

    {"TypeRefresh.IsOfTheServedConsumersOnly", "structures.4 structures.2",
     [](Fixture& f) {
       f.add("a:x b:x c:y", "l+x!");
       f.claim();
       f.complete("l/log#1@1", "", "m+y");
       EXPECT_EQ(f.cursor("l/log"), "l/log log pos=1 head=2");
     }},

    {"TypeRefresh.OnComplete", "structures.4 complete.3 advance.2",
     [](Fixture& f) {
       f.add("a:x b:x c:y", "l+x!");
       f.claim();
       EXPECT_EQ(f.complete("l/log#1@1", "", "l+y"), "completed");
       EXPECT_EQ(f.cursor("l/log"), "l/log log pos=1 head=3");
     }},

    {"TypeRefresh.StaysWhenCompleteIsSuperseded", "complete.3",
     [](Fixture& f) {
       f.add("a:x>c b:x c:y", "l+x!");
       f.claim();
       EXPECT_EQ(f.complete("c#1@9", "", "l+y"), "superseded");
       f.complete("l/log#1@1");
       EXPECT_EQ(f.cursor("l/log"), "l/log log pos=1 head=3");
     }},

    {"TypeRefresh.OnRedrive", "redrive.2 structures.4",
     [](Fixture& f) {
       f.add("a:x b:x c:y", "l+x!");
       f.claim();
       f.fail("l/log#1@1", 1);
       f.redrive("l/log#1", RedriveAction::kSkip, "l+y");
       EXPECT_EQ(f.cursor("l/log"), "l/log log pos=1 head=3");
     }},
};

}  // namespace

std::span<const CaseRow> append_log_cases() { return kCases; }

}  // namespace pawl::conformance
