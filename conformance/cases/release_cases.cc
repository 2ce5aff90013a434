// release: giving a claim back.
#include <gtest/gtest.h>

#include "cases/case.h"
#include "cases/fixture.h"

namespace pawl::conformance {
namespace {

constexpr CaseRow kCases[] = {
    {"Release.GivesTheClaimBack", "release.4",
     [](Fixture& f) {
       f.add("a>c,d/k", "l+!");
       f.claim();
       for (const char* claim : {"c#1@1", "d/k#1@1", "l/log#1@1"}) {
         EXPECT_EQ(f.release(claim), "released") << claim;
       }
       EXPECT_EQ(f.cursors(),
                 "c event pos=0 head=1 attempts=1 first=1 last=1\n"
                 "d/k lane pos=0 head=1 attempts=1 first=1 last=1\n"
                 "l/log log pos=0 head=1 attempts=1 first=1 last=1");
       EXPECT_EQ(f.claim(), "claimed c#1@2 d/k#1@2 l/log#1@2");
     }},

    {"Release.CountsNoFailure", "release.4 claim.3",
     [](Fixture& f) {
       f.add("a>c");
       for (int attempt = 1; attempt <= 5; ++attempt) {
         EXPECT_EQ(f.claim({.max_failures = 1}), "claimed c#1@" + std::to_string(attempt));
         EXPECT_EQ(f.release("c#1@" + std::to_string(attempt)), "released");
       }
       EXPECT_EQ(f.cursors(), "c event pos=0 head=1 attempts=5 first=1 last=1");
     }},

    {"Release.WithADelay", "release.4",
     [](Fixture& f) {
       f.add("a>c,d");
       f.claim();
       f.at(5);
       EXPECT_EQ(f.release("c#1@1", 10), "released");
       EXPECT_EQ(f.release("d#1@1", 0), "released");
       EXPECT_EQ(f.cursors(),
                 "c event pos=0 head=1 attempts=1 first=1 last=1 until=15\n"
                 "d event pos=0 head=1 attempts=1 first=1 last=1 until=5");
       EXPECT_EQ(f.claim(), "claimed d#1@2");
       EXPECT_EQ(f.claim("c"), "busy 15");
       f.at(15);
       EXPECT_EQ(f.claim("c"), "claimed c#1@2");
     }},

    {"Release.FencesTheReleasedAttempt", "release.4 complete.5",
     [](Fixture& f) {
       f.add("a>c");
       f.claim();
       f.release("c#1@1");
       EXPECT_EQ(f.complete("c#1@1"), "superseded");
       EXPECT_EQ(f.renew("c#1@1"), "");
       f.claim();
       EXPECT_EQ(f.complete("c#1@1"), "superseded");
       EXPECT_EQ(f.release("c#1@1"), "superseded");
       EXPECT_EQ(f.complete("c#1@2"), "completed");
     }},

    {"Release.ChecksAsFailDoes", "release.1",
     [](Fixture& f) {
       EXPECT_EQ(f.refused([&] { f.release("c#1@1"); }), "unknown_event");
       f.add("a>c,c/k b>c/k", "l+!");
       f.claim();
       EXPECT_EQ(f.refused([&] { f.release("c#3@1"); }), "unknown_event");
       EXPECT_EQ(f.refused([&] { f.release("d/k#3@1"); }), "unknown_event");
       EXPECT_EQ(f.release("d#1@1"), "superseded");    // no cursor
       EXPECT_EQ(f.release("c/k#2@1"), "superseded");  // another head
       EXPECT_EQ(f.release("c#1@2"), "superseded");    // another attempt
       f.complete("c#1@1");
       EXPECT_EQ(f.release("c#1@1"), "superseded");
       f.clear();
       EXPECT_EQ(f.release("l/log#1@1"), "superseded");
       EXPECT_EQ(f.release("x#3@1"), "superseded");
     }},

    {"Release.AfterTakeoverIsSuperseded", "release.1",
     [](Fixture& f) {
       f.add("a>c");
       f.claim({.ttl = 0});
       f.claim();
       const std::string before = f.state();
       EXPECT_EQ(f.release("c#1@1", 500), "superseded");
       EXPECT_EQ(f.state(), before);
     }},

    {"Release.ARepeatChangesNothing", "release.2 atomicity.5",
     [](Fixture& f) {
       f.add("a>c");
       f.claim();
       EXPECT_EQ(f.release("c#1@1", 50), "released");
       const std::string before = f.state();
       f.at(20);
       EXPECT_EQ(f.release("c#1@1", 500), "released");
       EXPECT_EQ(f.release("c#1@1"), "released");
       EXPECT_EQ(f.state(), before);
     }},

    {"Release.WithoutHolderIsSuperseded", "release.3",
     [](Fixture& f) {
       f.add("a>c,d,e");
       f.claim({.ttl = 0});
       f.fail("c#1@1");
       EXPECT_EQ(f.release("c#1@1"), "superseded");
       f.fail("d#1@1", 1);
       EXPECT_EQ(f.release("d#1@1"), "superseded");
       f.claim({.served = "e", .max_failures = 1});
       EXPECT_EQ(f.release("e#1@2"), "superseded");
     }},

    {"Release.OfAnExpiredClaimNobodyTookOver", "release.4",
     [](Fixture& f) {
       f.add("a>c");
       f.claim({.ttl = 10});
       f.at(500);
       EXPECT_EQ(f.release("c#1@1"), "released");
       EXPECT_EQ(f.claim({.max_failures = 1}), "claimed c#1@2");
     }},

    {"Release.KeepsTheFailures", "release.4",
     [](Fixture& f) {
       f.add("a>c");
       f.claim();
       f.fail("c#1@1", 9);
       f.claim();
       f.release("c#1@2");
       EXPECT_EQ(f.cursors(),
                 "c event pos=0 head=1 attempts=2 first=1 last=1 failures=1 failed=1@1:e");
       EXPECT_EQ(f.fail("c#1@2"), "superseded 1");
     }},

    {"Release.KeepsThePins", "release.4",
     [](Fixture& f) {
       f.add("a>c b");
       f.claim();
       f.put("r", "1=1<c#1");
       f.put("r", "2=2");
       f.release("c#1@1");
       EXPECT_EQ(f.load("r", 1), "1=1@1 newest 2 (clear 0 last 2)");
     }},
};

}  // namespace

std::span<const CaseRow> release_cases() { return kCases; }

}  // namespace pawl::conformance
