// fail and dead letters.
#include <gtest/gtest.h>

#include "cases/case.h"
#include "cases/fixture.h"

namespace pawl::conformance {
namespace {

// The error text that is kept of `given`.
std::string kept_error(Fixture& f, const std::string& given) {
  f->append("s", {{.type = "t", .targets = {{.consumer = "c", .lane = "error"}}}});
  const ClaimResult claim = f->claim("s", {.holder = "w", .ttl = Duration(9)});
  EXPECT_EQ(f->fail("s", claim.heads.at(0), {.error = given, .max_failures = 1}).outcome,
            FinishOutcome::kDeadLettered);
  const std::vector<Head> dead = f->dead_letters("s");
  std::string kept = dead.at(0).last_error.value_or("absent");
  f.redrive(show(dead.at(0).ref()), RedriveAction::kSkip);
  return kept;
}

constexpr CaseRow kCases[] = {
    {"Fail.NotesTheFailure", "fail.5",
     [](Fixture& f) {
       f.add("a>c/k b>c/k");
       f.claim();
       f.at(5);
       EXPECT_EQ(f.fail("c/k#1@1", 3), "failed 1");
       EXPECT_EQ(f.cursors(),
                 "c/k lane pos=0 head=1 attempts=1 first=1 last=1 failures=1 failed=5@1:e");
       EXPECT_EQ(f.claim(), "claimed c/k#1@2");  // at once
       f.at(7);
       EXPECT_EQ(f.fail("c/k#1@2", 3, {}, "again"), "failed 2");
       EXPECT_EQ(f.cursors(),
                 "c/k lane pos=0 head=1 attempts=2 first=1 last=5 failures=2 failed=7@2:again");
     }},

    {"Fail.RetriesAfterADelay", "fail.5",
     [](Fixture& f) {
       f.add("a>c b>c");
       f.claim();
       f.at(5);
       EXPECT_EQ(f.fail("c#1@1", 3, 10), "failed 1");
       EXPECT_EQ(f.cursor("c#1"),
                 "c event pos=0 head=1 attempts=1 first=1 last=1 until=15 failures=1 failed=5@1:e");
       EXPECT_EQ(f.claim(), "busy 15");
       f.at(15);
       EXPECT_EQ(f.claim(), "claimed c#1@2");
     }},

    {"Fail.ADelayOfZeroIsATimeThatHasCome", "fail.5",
     [](Fixture& f) {
       f.add("a>c");
       f.claim();
       f.at(5);
       EXPECT_EQ(f.fail("c#1@1", 3, 0), "failed 1");
       EXPECT_EQ(f.cursors(),
                 "c event pos=0 head=1 attempts=1 first=1 last=1 until=5 failures=1 failed=5@1:e");
       EXPECT_EQ(f.claim(), "claimed c#1@2");
     }},

    {"Fail.TooOftenIsADeadLetter", "fail.5 fail.6",
     [](Fixture& f) {
       f.add("a>c/k,c/m b>c/k", "l+!");
       f.claim();
       EXPECT_EQ(f.fail("c/k#1@1", 2, 10), "failed 1");
       f.at(50);
       f.claim("c");
       EXPECT_EQ(f.fail("c/k#1@2", 2, 10), "dead_lettered 2");
       EXPECT_EQ(f.cursor("c/k"),
                 "c/k lane pos=0 head=1 attempts=2 first=1 last=50 failures=2 failed=50@2:e "
                 "dead=50");
       f.at(5'000);
       EXPECT_EQ(f.claim("c"), "claimed c/m#1@2");  // other lanes go on
     }},

    {"Fail.MaxFailuresIsThePresentCalls", "fail.5",
     [](Fixture& f) {
       f.add("a>c,d");
       f.claim();
       EXPECT_EQ(f.fail("c#1@1", 1), "dead_lettered 1");
       f.fail("d#1@1", 9);
       f.claim();
       f.fail("d#1@2", 9);
       f.claim();
       EXPECT_EQ(f.fail("d#1@3", 2), "dead_lettered 3");  // 3 has reached 2
     }},

    {"Fail.ADeadLetterBlocksOnlyItsCursor", "fail.6",
     [](Fixture& f) {
       f.add("a>c,c/k,c/m b>c,c/k,c/m", "l+! m+!");
       f.claim();
       f.fail("c#1@1", 1);
       f.fail("c/k#1@1", 1);
       f.fail("l/log#1@1", 1);
       f.complete("c/m#1@1");
       f.complete("m/log#1@1");
       f.at(1'000);
       EXPECT_EQ(f.claim(), "claimed c/m#2@1 c#2@2 m/log#2@1");
     }},

    {"Fail.BelowTheClearIndexIsSuperseded", "fail.1 clear.6",
     [](Fixture& f) {
       f.add("a>c,d/k", "l+!");
       f.claim();
       f.fail("c#1@1");
       f.clear();
       for (const char* claim : {"c#1@1", "d/k#1@1", "l/log#1@1", "x#1@1", "c#2@1"}) {
         EXPECT_EQ(f.fail(claim), "superseded 0") << claim;
       }
     }},

    {"Fail.WithoutEventIsUnknown", "fail.1 errors.1",
     [](Fixture& f) {
       EXPECT_EQ(f.refused([&] { f.fail("c#1@1"); }), "unknown_event");
       f.add("a>c");
       EXPECT_EQ(f.refused([&] { f.fail("c#2@1"); }), "unknown_event");
       EXPECT_EQ(f.refused([&] { f.fail("c/k#2@1"); }), "unknown_event");
       EXPECT_EQ(f.fail("d#1@1"), "superseded 0");
       EXPECT_EQ(f.fail("c/k#1@1"), "superseded 0");
     }},

    {"Fail.OfAnotherHeadIsSuperseded", "fail.1",
     [](Fixture& f) {
       f.add("a>c,c/k b>c/k", "l+!");
       f.claim();
       for (const char* claim : {"c#1@1", "c/k#1@1", "l/log#1@1"}) f.complete(claim);
       for (const char* claim : {"c#1@1", "c/k#1@1", "l/log#1@1", "c/k#9@1"}) {
         EXPECT_EQ(f.fail(claim), "superseded 0") << claim;
       }
     }},

    {"Fail.OfAnotherAttemptIsSuperseded", "fail.2",
     [](Fixture& f) {
       f.add("a>c");
       f.claim();
       f.fail("c#1@1", 9);
       f.claim({.ttl = 0});
       f.claim();  // a lapse: two failures
       const std::string before = f.state();
       EXPECT_EQ(f.fail("c#1@1"), "superseded 2");
       EXPECT_EQ(f.fail("c#1@2", 1, 50, "late"), "superseded 2");
       EXPECT_EQ(f.fail("c#1@4"), "superseded 2");
       EXPECT_EQ(f.state(), before);
     }},

    {"Fail.ARepeatGivesTheSameAnswer", "fail.3 atomicity.5",
     [](Fixture& f) {
       f.add("a>c");
       f.claim();
       EXPECT_EQ(f.fail("c#1@1", 2, 50), "failed 1");
       const std::string before = f.state();
       f.at(20);
       EXPECT_EQ(f.fail("c#1@1", 2, 70, "other"), "failed 1");
       EXPECT_EQ(f.state(), before);
       f.at(51);
       f.claim();
       EXPECT_EQ(f.fail("c#1@2", 2), "dead_lettered 2");
       EXPECT_EQ(f.fail("c#1@2", 2), "dead_lettered 2");
       EXPECT_EQ(f.fail("c#1@1", 2), "superseded 2");
     }},

    {"Fail.OfADeadLetterTellsSo", "fail.4",
     [](Fixture& f) {
       f.add("a>c");
       f.claim({.ttl = 0});
       f.claim({.max_failures = 1});  // dies by its lapse: attempt 2 was never given to anybody
       EXPECT_EQ(f.fail("c#1@2", 5), "dead_lettered 1");
       EXPECT_EQ(f.fail("c#1@1", 5), "superseded 1");
     }},

    {"Fail.WithoutHolderIsSuperseded", "fail.4",
     [](Fixture& f) {
       f.add("a>c,d");
       f.claim();
       f.release("c#1@1");
       EXPECT_EQ(f.fail("c#1@1"), "superseded 0");
       f.fail("d#1@1");
       f.claim("d");
       f.release("d#1@2");
       EXPECT_EQ(f.fail("d#1@2"), "superseded 1");
       EXPECT_EQ(f.fail("d#1@1"), "superseded 1");
     }},

    {"Fail.OfAnExpiredClaimNobodyTookOver", "fail.5",
     [](Fixture& f) {
       f.add("a>c");
       f.claim({.ttl = 10});
       f.at(500);
       EXPECT_EQ(f.fail("c#1@1", 3), "failed 1");
       EXPECT_EQ(f.claim(), "claimed c#1@2");
       EXPECT_EQ(f.cursors(),
                 "c event pos=0 head=1 attempts=2 first=1 last=500 by=w until=600 failures=1 "
                 "failed=500@1:e");
     }},

    {"Fail.ReleasesThePinsOfTheDead", "fail.5 pins.1",
     [](Fixture& f) {
       f.add("a>c b");
       f.claim();
       f.put("r", "1=1<c#1");
       f.put("r", "2=2");
       f.fail("c#1@1", 2);
       EXPECT_EQ(f.load("r", 1), "1=1@1 newest 2 (clear 0 last 2)");
       f.claim();
       f.fail("c#1@2", 2);
       EXPECT_EQ(f.load("r", 1), "none newest 2 events a#1 (clear 0 last 2)");
     }},

    {"Fail.AnyErrorTextIsKept", "values.7",
     [](Fixture& f) {
       const std::string fffd = "\xEF\xBF\xBD";
       EXPECT_EQ(kept_error(f, ""), "");
       EXPECT_EQ(kept_error(f, "'; DROP TABLE t;-- \n\t%s \xE2\x82\xAC"),
                 "'; DROP TABLE t;-- \n\t%s \xE2\x82\xAC");
       EXPECT_EQ(kept_error(f, std::string("a\0b", 3)), "a" + fffd + "b");
       EXPECT_EQ(kept_error(f,
                            "a\xFF"
                            "b"),
                 "a" + fffd + "b");
       EXPECT_EQ(kept_error(f, "\xC3"), fffd);
     }},

    {"Fail.ALongErrorTextIsCutAtACharactersEdge", "values.7",
     [](Fixture& f) {
       const std::string full(16 * 1024, 'x');
       EXPECT_EQ(kept_error(f, full), full);
       EXPECT_EQ(kept_error(f, full + "y"), full);
       const std::string edge(16 * 1024 - 2, 'x');
       EXPECT_EQ(kept_error(f, edge + "\xE2\x82\xAC"), edge);  // three bytes, two fit
       EXPECT_EQ(kept_error(f, edge + "\xC3\xA4zzz"), edge + "\xC3\xA4");
     }},

    {"DeadLetters.OrderedByHeadConsumerAndLane", "dead_letters.1 cursors.2",
     [](Fixture& f) {
       f.add("a>d,c,c/z,c/b b>a,b/k e>a");
       const ClaimResult claim = f->claim("s", {.holder = "w", .ttl = Duration(9)});
       for (const Head& head : claim.heads) f.fail(show(static_cast<Claim>(head)), 1);
       const std::string order = "c/b#1@1 c/z#1@1 c#1@1 d#1@1 a#2@1 b/k#2@1 a#3@1 ";
       for (Int limit : {1, 2, 3, 100}) {
         std::string listed;
         std::optional<HeadRef> after;
         for (;;) {
           const std::vector<Head> page = f->dead_letters("s", {after, limit});
           if (page.empty()) break;
           EXPECT_LE(static_cast<Int>(page.size()), limit);
           listed += show(page) + " ";
           after = page.back().ref();
         }
         EXPECT_EQ(listed, order) << limit;
       }
     }},

    {"DeadLetters.AreHeadEvents", "dead_letters.1 structures.1",
     [](Fixture& f) {
       f.add("x");
       f.clear();
       f.at(3);
       f.add("a:y=[1]>c/k b>d");
       f.claim();
       f.fail("c/k#3@1", 1, {}, "why");
       const std::vector<Head> dead = f->dead_letters("s");
       ASSERT_EQ(dead.size(), 1u);
       EXPECT_EQ(show_full(dead[0].event), "3 a y [1] at=3");
       EXPECT_EQ(show(dead[0]), "attempts=1 first=3 last=3 failures=1 failed=3@1:why dead=3");
       EXPECT_EQ(dead[0].kind, CursorKind::kLane);
       EXPECT_EQ(dead[0].clear_index, 2);
     }},

    {"DeadLetters.OnlyOfThisLife", "dead_letters.1 clear.6",
     [](Fixture& f) {
       f.add("a>c,d/k", "l+!");
       f.claim();
       for (const char* claim : {"c#1@1", "d/k#1@1", "l/log#1@1"}) f.fail(claim, 1);
       EXPECT_EQ(f.dead(), "c#1@1 d/k#1@1 l/log#1@1");
       f.clear();
       EXPECT_EQ(f.dead(), "");
       EXPECT_EQ(f.on("u").dead(), "");
     }},
};

}  // namespace

std::span<const CaseRow> fail_cases() { return kCases; }

}  // namespace pawl::conformance
