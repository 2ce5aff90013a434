// Snapshots of reducers, their history, and the pins that hold it.
#include <gtest/gtest.h>

#include "cases/case.h"
#include "cases/fixture.h"

namespace pawl::conformance {
namespace {

constexpr CaseRow kCases[] = {
    {"Snapshot.IsGivenBackWithTheEventsAfterIt", "load_snapshot.1 load_snapshot.2 put_snapshots.5",
     [](Fixture& f) {
       f.add("a b c");
       f.at(5);
       f.put("r", "2={\"n\":1}");
       const LoadSnapshotResult result = f->load_snapshot("s", "r");
       EXPECT_EQ(show(result), "2={\"n\":1}@5 newest 2 events c#3 (clear 0 last 3)");
       EXPECT_EQ(result.events, f->read("s", {.after = 2}));
     }},

    {"Snapshot.OfNothing", "load_snapshot.1 load_snapshot.2",
     [](Fixture& f) {
       EXPECT_EQ(f.load("r"), "none (clear 0 last 0)");
       f.add("a b");
       EXPECT_EQ(f.load("r"), "none events a#1 b#2 (clear 0 last 2)");
       EXPECT_EQ(f.load("r", 1), "none events a#1 (clear 0 last 2)");
       EXPECT_EQ(f.load("r", 0), "none (clear 0 last 2)");
       f.clear();
       EXPECT_EQ(f.load("r"), "none (clear 3 last 3)");
       f.add("c");
       EXPECT_EQ(f.load("r"), "none events c#4 (clear 3 last 4)");
     }},

    {"Snapshot.EventsComeInALimitedNumber", "load_snapshot.1",
     [](Fixture& f) {
       f.add("a b c d");
       f.put("r", "1=1");
       EXPECT_EQ(f.load("r", {}, 2), "1=1@1 newest 1 events b#2 c#3 (clear 0 last 4)");
       EXPECT_EQ(f.load("r", 3, 9), "1=1@1 newest 1 events b#2 c#3 (clear 0 last 4)");
       EXPECT_EQ(f.load("r", 1), "1=1@1 newest 1 (clear 0 last 4)");
       EXPECT_EQ(f.load("r", 99), "1=1@1 newest 1 events b#2 c#3 d#4 (clear 0 last 4)");
     }},

    {"Snapshot.ReducersAndSessionsAreIndependent", "load_snapshot.1",
     [](Fixture& f) {
       f.add("a");
       f.on("u").add("a");
       f.put("r", "1=1");
       f.put("q", "1=2");
       EXPECT_EQ(f.load("r"), "1=1@1 newest 1 (clear 0 last 1)");
       EXPECT_EQ(f.load("q"), "1=2@1 newest 1 (clear 0 last 1)");
       EXPECT_EQ(f.on("u").load("r"), "none events a#1 (clear 0 last 1)");
     }},

    {"Snapshot.ANewerOneReplacesTheNewest", "put_snapshots.5",
     [](Fixture& f) {
       f.add("a b c");
       f.put("r", "1=1");
       f.put("r", "3=3");
       EXPECT_EQ(f.load("r"), "3=3@1 newest 3 (clear 0 last 3)");
       EXPECT_EQ(f.load("r", 2), "none newest 3 events a#1 b#2 (clear 0 last 3)");
     }},

    {"Snapshot.OneOfTheSameIndexOverwrites", "put_snapshots.5",
     [](Fixture& f) {
       f.add("a>c b");
       f.put("r", "1=1<c#1");
       f.at(7);
       f.put("r", "1=2");
       EXPECT_EQ(f.load("r"), "1=2@7 newest 1 events b#2 (clear 0 last 2)");
       f.put("r", "2=3");  // the pin still holds index 1
       EXPECT_EQ(f.load("r", 1), "1=2@7 newest 2 (clear 0 last 2)");
     }},

    {"Snapshot.AnOlderOneIsDropped", "put_snapshots.6",
     [](Fixture& f) {
       f.add("a b");
       f.put("r", "2=2");
       f.put("r", "1=1");
       EXPECT_EQ(f.load("r"), "2=2@1 newest 2 (clear 0 last 2)");
       EXPECT_EQ(f.load("r", 1), "none newest 2 events a#1 (clear 0 last 2)");
     }},

    {"Snapshot.AnOlderOneThatAPinHoldsIsKept", "put_snapshots.6 put_snapshots.4",
     [](Fixture& f) {
       f.add("a>c b d>e");
       f.put("r", "3=3");
       f.put("r", "1=1<c#1");
       EXPECT_EQ(f.load("r", 2), "1=1@1 newest 3 events b#2 (clear 0 last 3)");
       f.at(8);
       f.put("r", "1=9");  // held by the pin that is there
       EXPECT_EQ(f.load("r", 2), "1=9@8 newest 3 events b#2 (clear 0 last 3)");
       EXPECT_EQ(f.load("r"), "3=3@1 newest 3 (clear 0 last 3)");
     }},

    {"Snapshot.WritesAreTakenInAscendingOrder", "put_snapshots.1",
     [](Fixture& f) {
       f.add("a>c b d>c");
       f.put("r", "3=3 1=1<c#1 2=2");
       EXPECT_EQ(f.load("r"), "3=3@1 newest 3 (clear 0 last 3)");
       EXPECT_EQ(f.load("r", 2), "1=1@1 newest 3 events b#2 (clear 0 last 3)");
       f.put("r", "3=4 3=5");  // of one index in the order given
       EXPECT_EQ(f.load("r"), "3=5@1 newest 3 (clear 0 last 3)");
     }},

    {"Snapshot.NoWrites", "put_snapshots.1",
     [](Fixture& f) {
       f.add("a");
       f.put("r", "");
       EXPECT_EQ(f.load("r"), "none events a#1 (clear 0 last 1)");
     }},

    {"Snapshot.AnIndexThatIsNotThereIsInvalid", "put_snapshots.2",
     [](Fixture& f) {
       EXPECT_EQ(f.refused([&] { f.put("r", "1=1"); }, "index"), "invalid_argument");
       f.add("a b");
       f.clear();
       EXPECT_EQ(f.refused([&] { f.put("r", "3=3 4=4"); }, "index"), "invalid_argument");
       EXPECT_EQ(f.refused([&] { f.put("r", "1=1 4=4"); }, "index"), "invalid_argument");
       EXPECT_EQ(f.refused([&] { f.put("r", "0=1"); }, "index"), "invalid_argument");
       EXPECT_EQ(f.load("r"), "none (clear 3 last 3)");
     }},

    {"Snapshot.BelowTheClearIndexIsDropped", "put_snapshots.3 clear.6",
     [](Fixture& f) {
       f.add("a b>c");
       f.clear();
       f.add("d>c");
       f.put("r", "1=1 2=2<c#4");
       EXPECT_EQ(f.load("r"), "none events d#4 (clear 3 last 4)");
       f.put("r", "3=3");  // at the marker
       EXPECT_EQ(f.load("r"), "3=3@1 newest 3 events d#4 (clear 3 last 4)");
       f.put("r", "2=2<c#4");
       EXPECT_EQ(f.load("r", 2), "none newest 3 (clear 3 last 4)");
     }},

    {"Snapshot.OfBeforeAClearIsGone", "load_snapshot.1 load_snapshot.2 pins.1",
     [](Fixture& f) {
       f.add("a>c b");
       f.put("r", "1=1<c#1");
       f.put("r", "2=2");
       f.clear();
       EXPECT_EQ(f.load("r"), "none (clear 3 last 3)");
       EXPECT_EQ(f.load("r", 1), "none (clear 3 last 3)");
       f.add("d");
       f.put("r", "4=4");
       EXPECT_EQ(f.load("r"), "4=4@1 newest 4 (clear 3 last 4)");
       EXPECT_EQ(f.load("r", 3), "none newest 4 (clear 3 last 4)");
     }},

    {"Pins.OnlyOfThatVeryHead", "put_snapshots.4",
     [](Fixture& f) {
       f.add("a>c,d/k b>c,d/k", "l+!");
       f.claim();
       f.fail("c#1@1", 1);
       f.complete("c#2@1");
       f.put("r", "1=1<c#1,c#2,c#3,d/k#2,d#1,l/log#2,l#1,x#1");  // dead, finished, not yet, none
       f.put("r", "2=2");
       EXPECT_EQ(f.load("r", 1), "none newest 2 events a#1 (clear 0 last 2)");
       f.put("r", "1=1<x#1,d/k#1");
       EXPECT_EQ(f.load("r", 1), "1=1@1 newest 2 (clear 0 last 2)");
     }},

    {"Pins.NotOfBeforeAClear", "put_snapshots.4 clear.6",
     [](Fixture& f) {
       f.add("a>c,d/k", "l+!");
       f.clear();
       f.add("b e");
       f.put("r", "3=3<c#1,d/k#1,l/log#1");
       f.put("r", "4=4");
       EXPECT_EQ(f.load("r", 3), "none newest 4 events b#3 (clear 2 last 4)");
     }},

    {"Pins.HoldAnUnclaimedHeadToo", "put_snapshots.4",
     [](Fixture& f) {
       f.add("a>c+500,d/k b", "l+!");
       f.put("r", "1=1<c#1,d/k#1,l/log#1");
       f.put("r", "2=2");
       EXPECT_EQ(f.load("r", 1), "1=1@1 newest 2 (clear 0 last 2)");
     }},

    {"Pins.TheLastOneLetsTheHistoryGo", "pins.1 put_snapshots.5",
     [](Fixture& f) {
       f.add("a>c,d b>c e");
       f.claim();
       f.put("r", "1=1<c#1,d#1,c#2");
       f.put("r", "3=3");
       f.complete("c#1@1");
       f.fail("d#1@1", 1);
       EXPECT_EQ(f.load("r", 1), "1=1@1 newest 3 (clear 0 last 3)");
       f.complete("c#2@1");
       EXPECT_EQ(f.load("r", 1), "none newest 3 events a#1 (clear 0 last 3)");
       EXPECT_EQ(f.load("r"), "3=3@1 newest 3 (clear 0 last 3)");
     }},

    {"Pins.TheSameTwiceIsOne", "put_snapshots.4 pins.1 structures.7",
     [](Fixture& f) {
       f.add("a>c b");
       f.claim();
       f.put("r", "1=1<c#1,c#1");
       f.put("r", "1=2<c#1");
       f.put("r", "2=2");
       f.complete("c#1@1");
       EXPECT_EQ(f.load("r", 1), "none newest 2 events a#1 (clear 0 last 2)");
     }},

    {"Pins.OneHeadMayHoldSeveralSnapshots", "pins.1",
     [](Fixture& f) {
       f.add("a b e>c g");
       f.claim();
       f.put("r", "1=1<c#3 2=2<c#3 4=4");
       f.put("q", "2=5<c#3 4=6");
       EXPECT_EQ(f.load("r", 1), "1=1@1 newest 4 (clear 0 last 4)");
       EXPECT_EQ(f.load("r", 3), "2=2@1 newest 4 events e#3 (clear 0 last 4)");
       f.complete("c#3@1");
       EXPECT_EQ(f.load("r", 3), "none newest 4 events a#1 b#2 e#3 (clear 0 last 4)");
       EXPECT_EQ(f.load("q", 3), "none newest 4 events a#1 b#2 e#3 (clear 0 last 4)");
     }},

    {"Pins.TheNewestStaysWithoutThem", "pins.1",
     [](Fixture& f) {
       f.add("a>c");
       f.claim();
       f.put("r", "1=1<c#1");
       f.complete("c#1@1");
       EXPECT_EQ(f.load("r"), "1=1@1 newest 1 (clear 0 last 1)");
       f.add("b");
       f.put("r", "2=2");
       EXPECT_EQ(f.load("r", 1), "none newest 2 events a#1 (clear 0 last 2)");
     }},

    {"Pins.SkippingReleasesThem", "pins.1 redrive.4",
     [](Fixture& f) {
       f.add("a>c/k b>c/k");
       f.claim({.ttl = 0});
       f.claim({.max_failures = 1});
       f.redrive("c#1", RedriveAction::kRetry);
       f.claim();
       f.put("r", "1=1<c/k#1");
       f.put("r", "2=2");
       f.fail("c/k#1@3", 1);
       EXPECT_EQ(f.load("r", 1), "none newest 2 events a#1 (clear 0 last 2)");
       f.put("r", "1=1<c/k#1");  // dead: no pin
       f.redrive("c#1", RedriveAction::kSkip);
       EXPECT_EQ(f.load("r", 1), "none newest 2 events a#1 (clear 0 last 2)");
       f.put("r", "1=1<c/k#2");
       EXPECT_EQ(f.load("r", 1), "1=1@1 newest 2 (clear 0 last 2)");
     }},

    {"Pins.ATakeoverKeepsThem", "pins.1",
     [](Fixture& f) {
       f.add("a>c b");
       f.claim({.ttl = 0});
       f.put("r", "1=1<c#1");
       f.put("r", "2=2");
       f.claim();
       f.fail("c#1@2", 9);
       f.claim();
       EXPECT_EQ(f.load("r", 1), "1=1@1 newest 2 (clear 0 last 2)");
       f.complete("c#1@3");
       EXPECT_EQ(f.load("r", 1), "none newest 2 events a#1 (clear 0 last 2)");
     }},
};

}  // namespace

std::span<const CaseRow> snapshot_cases() { return kCases; }

}  // namespace pawl::conformance
