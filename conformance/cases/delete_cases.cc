// delete_session and delete_consumer.
#include <gtest/gtest.h>

#include "cases/case.h"
#include "cases/fixture.h"

namespace pawl::conformance {
namespace {

// Deletes until it is done: what was deleted in all, and never more than `limit` in a call.
Int delete_all(const std::function<DeletedResult(Int limit)>& step, Int limit) {
  Int deleted = 0;
  for (int call = 0; call < 1'000; ++call) {
    const DeletedResult result = step(limit);
    EXPECT_LE(result.deleted, limit);
    deleted += result.deleted;
    if (result.done) return deleted;
  }
  ADD_FAILURE() << "deletion is never done";
  return deleted;
}

Int delete_session(Fixture& f, Int limit = 1'000) {
  return delete_all([&](Int n) { return f->delete_session("s", n); }, limit);
}

Int delete_consumer(Fixture& f, const char* consumer, Int limit = 1'000) {
  return delete_all([&](Int n) { return f->delete_consumer("s", consumer, n); }, limit);
}

// A session with everything in it: 3 events.
void fill(Fixture& f) {
  f.add("a>c,c/k,d/k,e b>c/k,d/k e", "l+! m+!");
  f.claim();
  f.complete("d/k#1@1");
  f.complete("m/log#1@1");
  f.fail("e#1@1", 1);
  f.put("r", "1=1<c#1");
  f.put("r", "3=3");
}

constexpr CaseRow kCases[] = {
    {"DeleteSession.LeavesOnlyItsIndexes", "delete_session.1 delete_session.4",
     [](Fixture& f) {
       fill(f);
       EXPECT_EQ(delete_session(f), 4);  // with the marker
       EXPECT_EQ(f.head(), "last 4 clear 4");
       EXPECT_EQ(f.state(), "ready: \n");
       EXPECT_EQ(f.read(), "");
       EXPECT_EQ(f.cursors(), "");
       EXPECT_EQ(f.dead(), "");
       EXPECT_EQ(f.load("r"), "none (clear 4 last 4)");
       EXPECT_EQ(f.claim(), "settled");
     }},

    {"DeleteSession.IndexesGoOn", "delete_session.4",
     [](Fixture& f) {
       fill(f);
       delete_session(f);
       EXPECT_EQ(f.add("a>c,c/k", "l+!"), "a#5 pending");
       EXPECT_EQ(f.sessions(), "s 5/4");
       EXPECT_EQ(f.read(), "a#5");
       EXPECT_EQ(f.cursors(),
                 "c/k lane pos=4 head=5\n"
                 "c event pos=4 head=5\n"
                 "l/log log pos=4 head=5");
       f.claim();
       EXPECT_EQ(f.complete("c#1@1"), "superseded");
       EXPECT_EQ(f.complete("c/k#1@1"), "superseded");
       EXPECT_EQ(f.complete("l/log#1@1"), "superseded");
       EXPECT_EQ(f.complete("c/k#5@1"), "completed");
     }},

    {"DeleteSession.InBatches", "delete_session.1 delete_session.2",
     [](Fixture& f) {
       fill(f);
       EXPECT_EQ(f.delete_session(1), "1 more");
       EXPECT_EQ(delete_session(f, 1), 3);
       EXPECT_EQ(f.delete_session(1), "0 done");
     }},

    {"DeleteSession.TheOldLifeIsInvisibleAtOnce", "delete_session.3",
     [](Fixture& f) {
       fill(f);
       f.delete_session(1);
       EXPECT_EQ(f.sessions(), "");
       EXPECT_EQ(f.state(), "ready: \n");
       EXPECT_EQ(f.read(), "");
       EXPECT_EQ(f.cursors(), "");
       EXPECT_EQ(f.dead(), "");
       EXPECT_EQ(f.head(), "last 4 clear 4");
       EXPECT_EQ(f.load("r"), "none (clear 4 last 4)");
       EXPECT_EQ(f.renew("c#1@1 l/log#1@1"), "superseded c#1 l/log#1");
       EXPECT_EQ(f.refused([&] { f.add("x", "*", 4); }), "session_cleared");
       EXPECT_EQ(f.wake("l+!"), "l/log log pos=4 (last 4)");  // not there
       EXPECT_EQ(f.cursors(), "");
     }},

    {"DeleteSession.ItsIdsAreFreeAtOnce", "delete_session.3 append.3",
     [](Fixture& f) {
       f.add("a=1 b");
       f.clear();  // 3: id-1
       f.add("d=1");
       f.delete_session(1);  // 5: id-2
       EXPECT_EQ(f.add("a=2 d=2 id-1 id-2=5"), "a#6 d#7 id-1#8 id-2#9 settled");
       EXPECT_EQ(f.add("d=2"), "d#7 settled");
       delete_session(f, 1);
       EXPECT_EQ(f.add("a=2 d=2 id-1 id-2=5"), "a#6 d#7 id-1#8 id-2#9 settled");
       EXPECT_EQ(f.read(), "a#6 d#7 id-1#8 id-2#9");
     }},

    {"DeleteSession.LogsOpenAnewInTheNewLife", "delete_session.3 append.8",
     [](Fixture& f) {
       f.add("a b", "l+! m+!");
       f.delete_session(1);
       f.add("d", "l+!");
       f.add("e", "m+");
       EXPECT_EQ(f.cursors(), "l/log log pos=3 head=4\nm/log log pos=4 head=5");
       delete_session(f, 1);
       EXPECT_EQ(f.cursors(), "l/log log pos=3 head=4\nm/log log pos=4 head=5");
       EXPECT_EQ(f.claim(), "claimed l/log#4@1 m/log#5@1");
     }},

    {"DeleteSession.WhatIsAppendedMeanwhileStays", "delete_session.2",
     [](Fixture& f) {
       fill(f);
       f.delete_session(1);
       f.add("x>c,c/k,d/k", "l+!");
       f.claim();
       f.complete("d/k#5@1", "y>d/k");
       f.put("r", "5=5<c#5");
       f.put("r", "6=6");
       const std::string before = f.state();
       delete_session(f, 1);
       EXPECT_EQ(f.state(), before);
       EXPECT_EQ(f.sessions(), "s 6/4");
       EXPECT_EQ(f.load("r", 5), "5=5@1 newest 6 (clear 4 last 6)");
       EXPECT_EQ(f.complete("d/k#5@1", "y>d/k"), "completed y#6");
       EXPECT_EQ(f.claim(), "claimed d/k#6@1");
     }},

    {"DeleteSession.OfAClearedOneNotesItsMarker", "delete_session.1",
     [](Fixture& f) {
       f.add("a");
       f.clear();
       f.put("r", "2=2");
       EXPECT_EQ(delete_session(f), 2);
       EXPECT_EQ(f.head(), "last 2 clear 2");
       EXPECT_EQ(f.load("r"), "none (clear 2 last 2)");
       EXPECT_EQ(f.add("b"), "b#3 settled");
     }},

    {"DeleteSession.OfAReclaimedOne", "delete_session.1 delete_session.2",
     [](Fixture& f) {
       f.add("a", "l+!");
       f.clear();
       f.reclaim();
       EXPECT_EQ(delete_session(f), 1);
       EXPECT_EQ(f.state(), "ready: \n");
     }},

    {"DeleteSession.OfNothing", "delete_session.5",
     [](Fixture& f) {
       EXPECT_EQ(f.delete_session(), "0 done");
       EXPECT_EQ(f.sessions(), "");
       f.add("a");
       delete_session(f);
       EXPECT_EQ(f.delete_session(), "0 done");
       EXPECT_EQ(f.head(), "last 2 clear 2");
     }},

    {"DeleteSession.OfTheNewLifeToo", "delete_session.5",
     [](Fixture& f) {
       f.add("a>c");
       delete_session(f);
       f.add("b>c");
       f.claim();
       EXPECT_EQ(delete_session(f), 2);
       EXPECT_EQ(f.head(), "last 4 clear 4");
       EXPECT_EQ(f.sessions(), "");
       EXPECT_EQ(f.complete("c#3@1"), "superseded");
       EXPECT_EQ(f.add("d"), "d#5 settled");
     }},

    {"DeleteSession.AClearInTheNewLife", "delete_session.2 clear.5",
     [](Fixture& f) {
       f.add("a>c b", "l+!");
       f.delete_session(1);  // marker 3
       f.add("d>c", "l+!");
       EXPECT_EQ(f.clear(), "cleared 5 (clear 5)");
       f.add("e>c");
       delete_session(f, 1);
       EXPECT_EQ(f.read(), "pawl.clear#5 e#6");
       EXPECT_EQ(f.cursors(), "c event pos=5 head=6\nl/log log pos=5");
       EXPECT_EQ(f.sessions(), "s 6/5");
     }},

    {"DeleteSession.ReclaimStopsBelowTheClearIndex", "delete_session.6 reclaim.2",
     [](Fixture& f) {
       f.add("a b c d");
       f.delete_session(1);
       Int deleted = 0;
       for (int call = 0; call < 100; ++call) {
         const DeletedResult result = f->reclaim("s", 2);
         deleted += result.deleted;
         if (result.done) break;
       }
       EXPECT_EQ(deleted, 3);
       EXPECT_EQ(f.reclaim(), "0 done");
       EXPECT_EQ(delete_session(f), 1);  // the marker
     }},

    {"DeleteSession.OthersStay", "delete_session.2",
     [](Fixture& f) {
       f.add("a>c");
       f.on("u").add("a>c");
       f.on("ss").add("a>c");
       delete_session(f);
       EXPECT_EQ(f.sessions(), "ss 1/0 u 1/0");
       EXPECT_EQ(f.claim_ready(), "ss: c#1@1; u: c#1@1; next 101");
     }},

    {"DeleteConsumer.DeletesItsCursorsAndEntries", "delete_consumer.1",
     [](Fixture& f) {
       f.add("a>c,c/k,d,d/k b>c,c/k");
       f.claim();
       f.complete("c#1@1");
       EXPECT_EQ(delete_consumer(f, "c"), 5);  // c#1, c#2, the lane and its two entries
       EXPECT_EQ(f.cursors(),
                 "d/k lane pos=0 head=1 attempts=1 first=1 last=1 by=w until=101\n"
                 "d event pos=0 head=1 attempts=1 first=1 last=1 by=w until=101");
       EXPECT_EQ(f.complete("c#1@1"), "superseded");
       EXPECT_EQ(f.complete("c#2@1"), "superseded");
       EXPECT_EQ(f.complete("c/k#1@1"), "superseded");
       EXPECT_EQ(f.complete("d#1@1"), "completed");
       EXPECT_EQ(f.read(), "a#1 b#2");
       f.at(500);
       EXPECT_EQ(f.claim("c"), "settled");
       EXPECT_EQ(f.delete_consumer("c"), "0 done");
     }},

    {"DeleteConsumer.ALateAttemptNeverMatchesALogOfTheLanesName", "append.11 delete_consumer.2",
     [](Fixture& f) {
       f.add("a>c/k b>c/k");
       f.claim();  // this attempt comes back too late
       delete_consumer(f, "c");
       f.add("d", "c+%k!");
       EXPECT_EQ(f.cursors(), "c/k log pos=2 head=3");
       f.claim("c");
       EXPECT_EQ(f.complete("c/k#1@1"), "superseded");
       EXPECT_EQ(f.fail("c/k#1@1"), "superseded 0");
       EXPECT_EQ(f.delete_consumer("c"), "0 done");  // what keeps it so is no row of its own
       f.clear();
       EXPECT_EQ(f.on("s").reclaim(), "3 done");
     }},

    {"DeleteConsumer.ALogOfADeletedLifeOpensNoFurtherBack", "append.11 delete_session.3",
     [](Fixture& f) {
       f.add("a", "c+!");
       f->delete_session("s", 1);  // the log's row is stored still
       f.add("b>c/k");
       delete_consumer(f, "c");
       f.add("d", "c+!");
       EXPECT_EQ(f.cursors(), "c/log log pos=3 head=4");
     }},

    {"DeleteConsumer.InBatches", "delete_consumer.1",
     [](Fixture& f) {
       f.add("a>c,c/k,c/m b>c,c/k d>c/k,e");
       f.claim();
       f.complete("c#2@1");
       f.complete("c/k#1@1");
       EXPECT_EQ(delete_consumer(f, "c", 1), 8);
       EXPECT_EQ(f.cursors(), "e event pos=2 head=3 attempts=1 first=1 last=1 by=w until=101");
     }},

    {"DeleteConsumer.LeavesItsLogsIdleAtTheLastIndex", "delete_consumer.2",
     [](Fixture& f) {
       f.add("a b", "l+!");
       f.add("d", "l+%k!");
       f.claim();
       f.complete("l/log#1@1", "x");
       f.claim();
       EXPECT_EQ(f.delete_consumer("l"), "0 done");
       EXPECT_EQ(f.cursors(), "l/k log pos=4\nl/log log pos=4");
       EXPECT_EQ(f.complete("l/log#1@1", "x"), "superseded");
       EXPECT_EQ(f.complete("l/log#2@1"), "superseded");
       EXPECT_EQ(f.complete("l/k#1@1"), "superseded");
       f.add("e", "l+");
       EXPECT_EQ(f.cursors(), "l/k log pos=4\nl/log log pos=4 head=5");
       EXPECT_EQ(f.claim(), "claimed l/log#5@1");
     }},

    {"DeleteConsumer.EveryCallMovesItsLogs", "delete_consumer.2",
     [](Fixture& f) {
       f.add("a>l,l/k", "l+!");
       f.delete_consumer("l", 1);
       EXPECT_EQ(f.cursor("l/log"), "l/log log pos=1");
       f.add("b", "l+");
       EXPECT_EQ(f.cursor("l/log"), "l/log log pos=1 head=2");
       delete_consumer(f, "l", 1);
       EXPECT_EQ(f.cursors(), "l/log log pos=2");
       EXPECT_EQ(f.delete_consumer("l"), "0 done");
     }},

    {"DeleteConsumer.ReleasesItsPins", "delete_consumer.1 pins.1",
     [](Fixture& f) {
       f.add("a>c,c/k,d b", "c+!");
       f.put("r", "1=1<c#1,c/k#1,c/log#1,d#1");
       f.put("q", "1=1<c#1,c/k#1,c/log#1");
       f.put("r", "2=2");
       f.put("q", "2=2");
       delete_consumer(f, "c");
       EXPECT_EQ(f.load("q", 1), "none newest 2 events a#1 (clear 0 last 2)");
       EXPECT_EQ(f.load("r", 1), "1=1@1 newest 2 (clear 0 last 2)");
       f.claim();
       f.complete("d#1@1");
       EXPECT_EQ(f.load("r", 1), "none newest 2 events a#1 (clear 0 last 2)");
     }},

    {"DeleteConsumer.OfNothing", "delete_consumer.3",
     [](Fixture& f) {
       EXPECT_EQ(f.delete_consumer("c"), "0 done");
       EXPECT_EQ(f.sessions(), "");
       f.add("a>d");
       EXPECT_EQ(f.delete_consumer("c"), "0 done");
     }},

    {"DeleteConsumer.WorkQueuedLaterIsNew", "delete_consumer.1 append.7",
     [](Fixture& f) {
       f.add("a>c,c/k b>c/k");
       f.claim();
       delete_consumer(f, "c");
       f.add("d>c,c/k");
       EXPECT_EQ(f.cursors(), "c/k lane pos=0 head=3\nc event pos=2 head=3");
       f.claim();
       EXPECT_EQ(f.complete("c/k#1@1"), "superseded");
       EXPECT_EQ(f.complete("c/k#3@1"), "completed");
       EXPECT_EQ(f.cursor("c/k"), "c/k lane pos=3");
     }},

    {"DeleteConsumer.OfOneSession", "delete_consumer.1",
     [](Fixture& f) {
       f.add("a>c");
       f.on("u").add("a>c");
       delete_consumer(f, "c");
       EXPECT_EQ(f.claim_ready(), "u: c#1@1; next 101");
     }},

    {"DeleteConsumer.ItsDeadLettersToo", "delete_consumer.1",
     [](Fixture& f) {
       f.add("a>c,d");
       f.claim();
       f.fail("c#1@1", 1);
       f.fail("d#1@1", 1);
       EXPECT_EQ(delete_consumer(f, "c"), 1);
       EXPECT_EQ(f.dead(), "d#1@1");
     }},
};

}  // namespace

std::span<const CaseRow> delete_cases() { return kCases; }

}  // namespace pawl::conformance
