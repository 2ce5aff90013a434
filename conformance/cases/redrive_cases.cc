// redrive: another try for a dead letter, or its end.
#include <gtest/gtest.h>

#include "cases/case.h"
#include "cases/fixture.h"

namespace pawl::conformance {
namespace {

constexpr RedriveAction kRetry = RedriveAction::kRetry;
constexpr RedriveAction kSkip = RedriveAction::kSkip;

// Claims all there is and lets it die.
void kill_heads(Fixture& f) {
  const ClaimResult claim = f->claim("s", {.holder = "w", .ttl = Duration(100)});
  for (const Head& head : claim.heads) f.fail(show(static_cast<Claim>(head)), 1);
}

constexpr CaseRow kCases[] = {
    {"Redrive.RetryMakesItClaimable", "redrive.3",
     [](Fixture& f) {
       f.add("a>c/k b>c/k");
       kill_heads(f);
       f.at(9);
       EXPECT_EQ(f.redrive("c#1", kRetry), "redriven pending");
       EXPECT_EQ(f.cursors(), "c/k lane pos=0 head=1 attempts=1 first=1 last=1 failed=1@1:e");
       EXPECT_EQ(f.dead(), "");
       EXPECT_EQ(f.claim({.max_failures = 1}), "claimed c/k#1@2");
       EXPECT_EQ(f.fail("c/k#1@2", 2), "failed 1");  // counted from 0 again
     }},

    {"Redrive.RetryKeepsFencing", "redrive.3 complete.5",
     [](Fixture& f) {
       f.add("a>c");
       kill_heads(f);
       f.redrive("c#1", kRetry);
       EXPECT_EQ(f.complete("c#1@1"), "superseded");
       f.claim();
       EXPECT_EQ(f.complete("c#1@1"), "superseded");
       EXPECT_EQ(f.complete("c#1@2"), "completed");
     }},

    {"Redrive.SkipAdvances", "redrive.4 advance.2",
     [](Fixture& f) {
       f.add("a>c,c/k b>c/k", "l+!");
       kill_heads(f);
       EXPECT_EQ(f.redrive("c#1", kSkip), "redriven pending");  // c/k, in lane order
       EXPECT_EQ(f.redrive("c#1", kSkip), "redriven pending");
       EXPECT_EQ(f.redrive("l#1", kSkip), "redriven pending");
       EXPECT_EQ(f.cursors(), "c/k lane pos=1 head=2\nl/log log pos=1 head=2");
       EXPECT_EQ(f.claim(), "claimed c/k#2@1 l/log#2@1");
     }},

    {"Redrive.SkippedIsFinishedWithoutACompletion", "redrive.4 complete.4",
     [](Fixture& f) {
       f.add("a>c,d/k");
       kill_heads(f);
       f.redrive("c#1", kSkip);
       f.redrive("d#1", kSkip);
       EXPECT_EQ(f.complete("c#1@1"), "superseded");
       EXPECT_EQ(f.complete("d/k#1@1"), "superseded");
       EXPECT_EQ(f.fail("c#1@1"), "superseded 0");
       EXPECT_EQ(f.renew("c#1@1 d/k#1@1"), "superseded c#1 d/k#1");
       f.at(9);
       EXPECT_EQ(f.prune(9), "2 done");
     }},

    {"Redrive.SkipKeepsALogsEarlierCompletion", "redrive.4",
     [](Fixture& f) {
       f.add("a b c", "l+!");
       f.claim();
       f.complete("l/log#1@1", "x");
       kill_heads(f);
       f.redrive("l#2", kSkip);
       EXPECT_EQ(f.complete("l/log#1@1", "x"), "completed x#4");
       EXPECT_EQ(f.complete("l/log#2@1"), "superseded");
       EXPECT_EQ(f.cursors(), "l/log log pos=2 head=3");
     }},

    {"Redrive.FindsTheFirstInLaneOrder", "redrive.1",
     [](Fixture& f) {
       f.add("a>c,c/z,c/b,d/a");
       kill_heads(f);
       f.redrive("c#1", kRetry);
       EXPECT_EQ(f.dead(), "c/z#1@1 c#1@1 d/a#1@1");
       f.redrive("c#1", kRetry);
       EXPECT_EQ(f.dead(), "c#1@1 d/a#1@1");
       f.redrive("c#1", kRetry);
       EXPECT_EQ(f.dead(), "d/a#1@1");
       EXPECT_EQ(f.redrive("c#1", kRetry), "none pending");
     }},

    {"Redrive.OfAGivenLane", "redrive.1",
     [](Fixture& f) {
       f.add("a>c,c/z,c/b", "c+!");
       kill_heads(f);
       EXPECT_EQ(f.redrive("c/z#1", kRetry), "redriven pending");
       EXPECT_EQ(f.redrive("c/log#1", kRetry), "redriven pending");
       EXPECT_EQ(f.redrive("c/x#1", kRetry), "none pending");
       EXPECT_EQ(f.dead(), "c/b#1@1 c#1@1");
     }},

    {"Redrive.OnlyADeadLetterWithThatHead", "redrive.1",
     [](Fixture& f) {
       f.add("a>c,d/k b>e");
       EXPECT_EQ(f.redrive("c#1", kRetry), "none pending");
       f.claim();
       for (const char* ref : {"c#1", "c#2", "d/k#1", "d/k#2", "x#1", "c#99"}) {
         const std::string before = f.state();
         EXPECT_EQ(f.redrive(ref, kRetry), "none pending") << ref;
         EXPECT_EQ(f.redrive(ref, kSkip), "none pending") << ref;
         EXPECT_EQ(f.state(), before);
       }
       EXPECT_EQ(f.on("u").redrive("c#1", kSkip), "none settled");
     }},

    {"Redrive.NotBelowTheClearIndex", "redrive.1 clear.6",
     [](Fixture& f) {
       f.add("a>c,d/k", "l+!");
       kill_heads(f);
       f.clear();
       for (const char* ref : {"c#1", "d#1", "l#1"}) {
         EXPECT_EQ(f.redrive(ref, kRetry), "none settled") << ref;
       }
       EXPECT_EQ(f.claim(), "settled");
     }},

    {"Redrive.TellsWhatIsPending", "redrive.1 structures.3",
     [](Fixture& f) {
       f.add("a>c,d");
       kill_heads(f);
       EXPECT_EQ(f.redrive("c#1", kSkip), "redriven settled");
       EXPECT_EQ(f.redrive("d#1", kRetry, "c"), "redriven settled");
       EXPECT_EQ(f.redrive("d#1", kRetry, "d"), "none pending");
       EXPECT_EQ(f.redrive("d#1", kRetry, ""), "none settled");
     }},

    {"Redrive.NothingFoundRefreshesNoTypes", "redrive.1 redrive.2",
     [](Fixture& f) {
       f.add("a:x b:x c:y", "l+x!");
       f.redrive("l#1", kRetry, "l+y");
       f.claim();
       f.complete("l/log#1@1");
       EXPECT_EQ(f.cursors(), "l/log log pos=1 head=2");
     }},

    {"Redrive.PinsDoNotComeBack", "redrive.5 pins.1",
     [](Fixture& f) {
       f.add("a>c b");
       f.claim();
       f.put("r", "1=1<c#1");
       f.put("r", "2=2");
       f.fail("c#1@1", 1);
       f.redrive("c#1", kRetry);
       EXPECT_EQ(f.load("r", 1), "none newest 2 events a#1 (clear 0 last 2)");
     }},

    {"Redrive.OfManyKeepsTheirOrder", "redrive.3 claim.2",
     [](Fixture& f) {
       f.add("a>c b>c d>c e>c g>c");
       kill_heads(f);
       for (const char* ref : {"c#4", "c#2"}) f.redrive(ref, kRetry);
       EXPECT_EQ(f.claim({.limit = 1}), "claimed c#2@2");
       EXPECT_EQ(f.claim(), "claimed c#4@2");
       EXPECT_EQ(f.fail("c#4@2", 1), "dead_lettered 1");  // at once, none tried more often
       EXPECT_EQ(f.dead(), "c#1@1 c#3@1 c#4@2 c#5@1");
     }},
};

}  // namespace

std::span<const CaseRow> redrive_cases() { return kCases; }

}  // namespace pawl::conformance
