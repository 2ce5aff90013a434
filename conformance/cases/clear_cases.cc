// clear: the marker, and what it leaves of everything below it.
#include <gtest/gtest.h>

#include "cases/case.h"
#include "cases/fixture.h"

namespace pawl::conformance {
namespace {

Cause cause(const char* claim) {
  const Claim c = parse_claim(claim);
  return {c.consumer, c.lane, c.index, c.attempt, {}};
}

constexpr CaseRow kCases[] = {
    {"Clear.AppendsAMarker", "clear.5 clear.7",
     [](Fixture& f) {
       f.add("a b");
       f.at(6);
       EXPECT_EQ(f.clear(), "cleared 3 (clear 3)");
       EXPECT_EQ(show_full(f->read("s").at(0)), "3 id-1 pawl.clear null at=6");
       EXPECT_EQ(f->read("s").at(0).cause, std::nullopt);
       EXPECT_EQ(f.head(), "last 3 clear 3");
       EXPECT_EQ(f.add("c"), "c#4 settled");
       EXPECT_EQ(f.clear(), "cleared 5 (clear 5)");
     }},

    {"Clear.OfNothingWritesNothing", "clear.4 clear.7 append.10",
     [](Fixture& f) {
       EXPECT_EQ(f.clear(), "cleared 0 (clear 0)");
       EXPECT_EQ(f.sessions(), "");
       f.add("a");
       EXPECT_EQ(f.clear(), "cleared 2 (clear 2)");
       EXPECT_EQ(f.clear(), "cleared 2 (clear 2)");
       EXPECT_EQ(f.head(), "last 2 clear 2");
       EXPECT_EQ(f.add("-"), "id-2#3 settled");  // no id was drawn for nothing
     }},

    {"Clear.OnlyIfTheLastIndexIsThis", "clear.3 clear.7",
     [](Fixture& f) {
       f.add("a b");
       const std::string before = f.state();
       EXPECT_EQ(f.clear({.if_last_index = 1}), "kept 2 (clear 0)");
       EXPECT_EQ(f.clear({.if_last_index = 3}), "kept 2 (clear 0)");
       EXPECT_EQ(f.clear({.if_last_index = 0}), "kept 2 (clear 0)");
       EXPECT_EQ(f.state(), before);
       EXPECT_EQ(f.clear({.if_last_index = 2}), "cleared 3 (clear 3)");
       f.add("c");
       EXPECT_EQ(f.clear({.if_last_index = 3}), "kept 4 (clear 3)");
       EXPECT_EQ(f.on("u").clear({.if_last_index = 0}), "cleared 0 (clear 0)");
       EXPECT_EQ(f.on("u").clear({.if_last_index = 1}), "kept 0 (clear 0)");
     }},

    {"Clear.ARepeatIsAReplay", "clear.1 clear.7 atomicity.5",
     [](Fixture& f) {
       f.add("a>c b");
       EXPECT_EQ(f.clear({.if_last_index = 2}), "cleared 3 (clear 3)");
       EXPECT_EQ(f.clear({.if_last_index = 2}), "cleared 3 (clear 3)");
       f.add("c");
       EXPECT_EQ(f.clear({.if_last_index = 2}), "cleared 4 (clear 3)");
       EXPECT_EQ(f.clear({.cause = cause("c#1@1"), .if_last_index = 2}), "cleared 4 (clear 3)");
       EXPECT_EQ(f.read(), "pawl.clear#3 c#4");
     }},

    {"Clear.ACauseIsFenced", "clear.2 errors.1",
     [](Fixture& f) {
       f.add("a>c,d/k b>d/k", "l+!");
       f.claim({.ttl = 0});
       f.claim();
       const auto refused = [&](const char* claim, MaybeInt if_last = {}) {
         return f.refused([&] { f.clear({.cause = cause(claim), .if_last_index = if_last}); });
       };
       for (const char* claim : {"c#1@1", "d/k#1@1", "d/k#2@1", "x#1@1", "c#9@1", "l/log#1@3"}) {
         EXPECT_EQ(refused(claim), "superseded_attempt") << claim;
       }
       EXPECT_EQ(refused("c#1@1", 1), "superseded_attempt");  // before the last index
       EXPECT_EQ(f.clear({.cause = cause("l/log#1@2"), .if_last_index = 1}), "kept 2 (clear 0)");
       EXPECT_EQ(f.clear({.cause = cause("c#1@2")}), "cleared 3 (clear 3)");
       EXPECT_EQ(refused("c#1@2"), "superseded_attempt");  // cleared by itself
       EXPECT_EQ(f.complete("c#1@2"), "superseded");
     }},

    {"Clear.LogsStandAtTheMarkerFresh", "clear.5",
     [](Fixture& f) {
       f.add("a b", "l+! m+!");
       f.claim();
       f.complete("l/log#1@1", "x");
       f.fail("m/log#1@1", 1);
       f.claim("l");
       f.clear();
       EXPECT_EQ(f.cursors(), "l/log log pos=4\nm/log log pos=4");
       EXPECT_EQ(f.complete("l/log#1@1", "x"), "superseded");
       EXPECT_EQ(f.complete("l/log#2@1"), "superseded");
       f.add("c", "l+ m+");
       EXPECT_EQ(f.cursors(), "l/log log pos=4 head=5\nm/log log pos=4 head=5");
       EXPECT_EQ(f.claim(), "claimed l/log#5@1 m/log#5@1");
     }},

    {"Clear.WhatIsBelowIsInvisibleToEveryOperation", "clear.6",
     [](Fixture& f) {
       f.add("a>c,c/k,d,e/k b>c/k");
       f.claim();
       f.fail("d#1@1", 1);
       f.complete("e/k#1@1");
       f.put("r", "1=1<c#1");
       f.clear();
       EXPECT_EQ(f.state(), "s: last 3 clear 3\n3 id-1 pawl.clear null at=1\n\nready: \n");
       EXPECT_EQ(f.claim_ready(), "");
       EXPECT_EQ(f.renew("c/k#1@1 c#1@1 d#1@1"), "superseded c/k#1 c#1 d#1");
       EXPECT_EQ(f.complete("c#1@1", "x"), "superseded");
       EXPECT_EQ(f.fail("c#1@1"), "superseded 0");
       EXPECT_EQ(f.release("c#1@1"), "superseded");
       EXPECT_EQ(f.redrive("d#1", RedriveAction::kRetry), "none settled");
       EXPECT_EQ(f.load("r"), "none (clear 3 last 3)");
       f.at(9);
       EXPECT_EQ(f.prune(9), "0 done");
       EXPECT_EQ(f.delete_consumer("c"), "0 done");
       EXPECT_EQ(f.refused([&] { f.add("x<c#1@1"); }), "superseded_attempt");
     }},

    {"Clear.TheSameAfterReclaim", "clear.6 reclaim.1",
     [](Fixture& f) {
       f.add("a>c,c/k,d b>c/k", "l+!");
       f.claim();
       f.fail("d#1@1", 1);
       f.clear();
       f.add("e>c,c/k", "l+");
       const std::string before = f.state();
       while (f.reclaim(1).ends_with("more")) EXPECT_EQ(f.state(), before);
       EXPECT_EQ(f.state(), before);
       EXPECT_EQ(f.renew("c/k#1@1 c#1@1"), "superseded c/k#1 c#1");
       EXPECT_EQ(f.complete("c#1@1"), "superseded");
       EXPECT_EQ(f.complete("l/log#1@1"), "superseded");
       EXPECT_EQ(f.refused([&] { f.add("x", "*", 3); }), "session_cleared");
     }},

    {"Clear.AHolderCannotReachTheNewLife", "clear.6 complete.1",
     [](Fixture& f) {
       f.add("a>c/k", "l+!");
       f.claim();
       f.clear();
       f.add("b>c/k", "l+");
       f.claim();
       const std::string before = f.state();
       EXPECT_EQ(f.complete("c/k#1@1", "x"), "superseded");
       EXPECT_EQ(f.complete("l/log#1@1", "x"), "superseded");
       EXPECT_EQ(f.fail("c/k#1@1"), "superseded 0");
       EXPECT_EQ(f.state(), before);
     }},

    {"Clear.OfManyClaimsLeavesNothingToHandOut", "clear.6 claim.2",
     [](Fixture& f) {
       std::vector<NewEvent> events;
       for (int i = 0; i < 200; ++i) {
         events.push_back(
             {.type = "t", .targets = {{.consumer = "c"}, {.consumer = "d", .lane = "k"}}});
       }
       f->append("s", events);
       f.claim();
       f.clear();
       f.at(1'000);
       EXPECT_EQ(f.claim(), "settled");
       f.add("x>d/k");
       EXPECT_EQ(f.claim(), "claimed d/k#202@1");
       f.complete("d/k#202@1");
       EXPECT_EQ(f.claim(), "settled");
     }},

    {"Clear.SessionsAreIndependent", "clear.5",
     [](Fixture& f) {
       f.add("a>c");
       f.on("u").add("a>c");
       f.clear();
       EXPECT_EQ(f.on("u").head(), "last 1 clear 0");
       EXPECT_EQ(f.claim_ready(), "u: c#1@1; next 101");
     }},
};

}  // namespace

std::span<const CaseRow> clear_cases() { return kCases; }

}  // namespace pawl::conformance
