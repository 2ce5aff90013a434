// reclaim: deleting what a clear has superseded, in batches.
#include <gtest/gtest.h>

#include "cases/case.h"
#include "cases/fixture.h"

namespace pawl::conformance {
namespace {

// Reclaims until it is done: what was deleted in all, and never more than `limit` in a call.
Int reclaim_all(Fixture& f, Int limit) {
  Int deleted = 0;
  for (int call = 0; call < 1'000; ++call) {
    const DeletedResult result = f->reclaim("s", limit);
    EXPECT_LE(result.deleted, limit);
    deleted += result.deleted;
    if (result.done) return deleted;
  }
  ADD_FAILURE() << "reclaim is never done";
  return deleted;
}

constexpr CaseRow kCases[] = {
    {"Reclaim.DeletesInBatches", "reclaim.1 reclaim.2",
     [](Fixture& f) {
       f.add("a b c d e");
       f.clear();
       EXPECT_EQ(f.reclaim(2), "2 more");
       EXPECT_EQ(f.reclaim(2), "2 more");
       EXPECT_EQ(reclaim_all(f, 2), 1);
       EXPECT_EQ(f.reclaim(2), "0 done");
       EXPECT_EQ(f.read(), "pawl.clear#6");
     }},

    {"Reclaim.EventCursorsGoWithTheirEvents", "reclaim.1 reclaim.2",
     [](Fixture& f) {
       f.add("a>c,d b>c,d,e g>c");
       f.claim("e");
       f.clear();
       EXPECT_EQ(f.reclaim(2), "2 more");
       EXPECT_EQ(f.reclaim(2), "1 done");
     }},

    {"Reclaim.CountsEvents", "reclaim.2",
     [](Fixture& f) {
       f.add("a>c,c/k,d b>c/k,e", "l+!");
       f.claim();
       f.complete("c#1@1");
       f.complete("c/k#1@1");
       f.put("r", "1=1<d#1");
       f.put("r", "2=2");
       f.clear();
       EXPECT_EQ(reclaim_all(f, 256), 2);
       EXPECT_EQ(f.reclaim(), "0 done");
     }},

    {"Reclaim.EveryStepIsBounded", "reclaim.1 reclaim.2",
     [](Fixture& f) {
       f.add("a>c,c/k,d/k,e/k b>c/k,c g>h", "l+!");
       f.put("r", "1=1<c#1");
       f.put("r", "2=2");
       f.put("q", "2=2");
       f.clear();
       EXPECT_EQ(reclaim_all(f, 1), 3);
       EXPECT_EQ(f.reclaim(), "0 done");
       EXPECT_EQ(f.cursors(), "l/log log pos=4");
     }},

    {"Reclaim.OfNothing", "reclaim.2",
     [](Fixture& f) {
       EXPECT_EQ(f.reclaim(), "0 done");
       EXPECT_EQ(f.sessions(), "");
       f.add("a>c");
       EXPECT_EQ(f.reclaim(), "0 done");
       EXPECT_EQ(f.claim(), "claimed c#1@1");
     }},

    {"Reclaim.TheDefaultLimitIs256", "values.11 reclaim.1",
     [](Fixture& f) {
       std::vector<NewEvent> events;
       for (int i = 0; i < 300; ++i) events.push_back({.type = "t"});
       f->append("s", events);
       f.clear();
       EXPECT_EQ(show(f->reclaim("s")), "256 more");
       EXPECT_EQ(reclaim_all(f, 256), 44);
     }},

    {"Reclaim.LeavesTheNewLifeAlone", "reclaim.3",
     [](Fixture& f) {
       f.add("a>c/k,d/k,c b>c/k,d/k", "l+!");
       f.claim();
       f.complete("c/k#1@1");
       f.put("r", "1=1<c#1");
       f.clear();
       f.add("e>c/k,c x:y", "l+");
       f.add("g>c/k");
       f.claim();
       f.complete("c/k#4@1");
       f.put("r", "4=4<c#4");
       f.put("r", "5=5");
       const std::string before = f.state();
       EXPECT_EQ(reclaim_all(f, 1), 2);
       EXPECT_EQ(f.state(), before);
       EXPECT_EQ(f.load("r", 4), "4=4@1 newest 5 (clear 3 last 6)");
       EXPECT_EQ(f.complete("c/k#4@1"), "completed");  // its record is of this life
       EXPECT_EQ(f.claim(), "claimed c/k#6@1");
       f.complete("c#4@1");
       EXPECT_EQ(f.load("r", 4), "none newest 5 events e#4 (clear 3 last 6)");
     }},

    {"Reclaim.AfterSeveralClears", "reclaim.1 reclaim.2",
     [](Fixture& f) {
       f.add("a>c/k b");
       f.clear();
       f.add("d>c/k");
       EXPECT_EQ(f.reclaim(1), "1 more");
       f.clear();
       f.add("e>c/k");
       EXPECT_EQ(reclaim_all(f, 2), 3);  // b, the first marker, d
       EXPECT_EQ(f.read(), "pawl.clear#5 e#6");
       EXPECT_EQ(f.claim(), "claimed c/k#6@1");
     }},

    {"Reclaim.LogsStayAtTheMarker", "reclaim.3",
     [](Fixture& f) {
       f.add("a:x", "l+x!");
       f.clear();
       reclaim_all(f, 10);
       EXPECT_EQ(f.cursors(), "l/log log pos=2");
       f.add("b:y c:x", "l+x");
       EXPECT_EQ(f.cursors(), "l/log log pos=2 head=4");
     }},

    {"Reclaim.HandsOutNothingThatIsHalfThere", "reclaim.3 clear.6",
     [](Fixture& f) {
       std::vector<NewEvent> events;
       for (int i = 0; i < 50; ++i) {
         events.push_back({.type = "t",
                           .targets = {{.consumer = "c"},
                                       {.consumer = "c", .lane = "k" + std::to_string(i % 7)}}});
       }
       f->append("s", events);
       f.claim({.ttl = 0});
       f.clear();
       f.add("x>c/k0,c/k1");
       for (int call = 0; call < 200; ++call) {
         const bool done = f->reclaim("s", 3).done;
         EXPECT_EQ(f.claim({.ttl = 0}), "claimed c/k0#52@" + std::to_string(call + 1) +
                                            " c/k1#52@" + std::to_string(call + 1));
         if (done) return;
       }
       ADD_FAILURE() << "reclaim is never done";
     }},
};

}  // namespace

std::span<const CaseRow> reclaim_cases() { return kCases; }

}  // namespace pawl::conformance
