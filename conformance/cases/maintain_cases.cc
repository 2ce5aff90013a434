// maintain: the upkeep of the whole store in small steps.
#include <gtest/gtest.h>

#include "cases/case.h"
#include "cases/fixture.h"

namespace pawl::conformance {
namespace {

constexpr CaseRow kCases[] = {
    {"Maintain.OfNothing", "maintain.1 maintain.2",
     [](Fixture& f) {
       EXPECT_EQ(f.maintain(), "0 done");
       f.add("a>c", "l+!");
       f.claim();
       f.complete("c#1@1");
       const std::string before = f.state();
       EXPECT_EQ(f.maintain(), "0 done");
       EXPECT_EQ(f.state(), before);
       EXPECT_EQ(f.complete("c#1@1"), "completed");  // not pruned
     }},

    {"Maintain.ReclaimsWhatWasCleared", "maintain.1",
     [](Fixture& f) {
       for (const char* session : {"s", "u", "v"}) {
         f.on(session).add("a>c,c/k b>c/k", "l+!");
         f.on(session).put("r", "1=1<c#1");
         f.on(session).put("r", "2=2");
       }
       f.clear();
       f.on("u").clear();
       const std::string before = f.state();
       EXPECT_GE(f.maintain_all(1), 4);
       EXPECT_EQ(f.state(), before);
       for (const char* session : {"s", "u", "v"}) EXPECT_EQ(f.on(session).reclaim(), "0 done");
       EXPECT_EQ(f.maintain(), "0 done");
     }},

    {"Maintain.GoesOnWithDeletions", "maintain.1 delete_session.2",
     [](Fixture& f) {
       f.add("a>c,c/k b d", "l+!");
       f.on("u").add("a");
       f.delete_session(1);
       f.add("e>c", "l+!");
       const std::string before = f.state();
       EXPECT_GE(f.maintain_all(2), 3);
       EXPECT_EQ(f.state(), before);
       EXPECT_EQ(f.read(), "e#5");
       EXPECT_EQ(f.delete_session(), "2 done");  // of the new life: it has begun no deletion
     }},

    {"Maintain.SweepsExpiredPresence", "maintain.1",
     [](Fixture& f) {
       for (const char* name_space : {"m", "n"}) {
         f->set_presence(name_space, "p", {{"a", "1"}, {"b", {}}},
                         {.at = ms(1), .ttl = Duration(10)});
         f->set_presence(name_space, "q", {{"a", "1"}}, {.at = ms(1), .ttl = Duration(500)});
       }
       EXPECT_EQ(f.maintain(), "0 done");
       f.at(11);
       EXPECT_EQ(f.maintain_all(1), 4);
       EXPECT_EQ(show(f->reclaim_presence("m")), "0 done");
       EXPECT_EQ(show(f->reclaim_presence("n")), "0 done");
       EXPECT_EQ(f.presence("m"), "q.a=1@1..501");
     }},

    {"Maintain.PrunesWhereATimeIsGiven", "maintain.1",
     [](Fixture& f) {
       for (const char* session : {"s", "u", "v"}) {
         f.on(session).add("a>c,c/k b>c");
         f.on(session).claim();
         f.on(session).complete("c#1@1");
         f.on(session).complete("c/k#1@1");
       }
       f.at(5);
       f.complete("c#2@1");
       EXPECT_EQ(f.maintain(), "0 done");
       EXPECT_EQ(f.maintain_all(1, 5), 6);
       EXPECT_EQ(f.complete("c#1@1"), "superseded");
       EXPECT_EQ(f.complete("c#2@1"), "completed");
       EXPECT_EQ(f.on("v").cursors(),
                 "c event pos=1 head=2 attempts=1 first=1 last=1 by=w until=101");
       EXPECT_EQ(f.maintain_all(10, 6), 1);
       EXPECT_EQ(f.maintain(10, 6), "0 done");
     }},

    {"Maintain.PrunesNothingOfBeforeAClear", "maintain.1 prune.1",
     [](Fixture& f) {
       f.add("a>c");
       f.claim();
       f.complete("c#1@1");
       f.clear();
       f.at(9);
       EXPECT_EQ(f.maintain_all(1'000, 9), 1);  // the event, with its record
       EXPECT_EQ(f.maintain(1'000, 9), "0 done");
     }},

    {"Maintain.WorksInSmallSteps", "maintain.2",
     [](Fixture& f) {
       std::vector<NewEvent> events(60, {.type = "t"});
       for (const char* session : {"s", "u"}) {
         f->append(session, events);
         f.on(session).clear();
       }
       EXPECT_TRUE(f.maintain(10).ends_with(" more"));
       EXPECT_TRUE(f.maintain(10).ends_with(" more"));
       f.maintain_all(10);
       EXPECT_EQ(f.reclaim(), "0 done");
       EXPECT_EQ(f.on("u").reclaim(), "0 done");
     }},

    {"Maintain.OfManySessions", "maintain.2",
     [](Fixture& f) {
       for (int i = 0; i < 40; ++i) {
         Ops session = f.on("u" + std::to_string(i));
         session.add("a");
         if (i % 2 == 0) session.clear();
       }
       EXPECT_EQ(f.maintain_all(7), 20);
       for (int i = 0; i < 40; ++i) EXPECT_EQ(f.on("u" + std::to_string(i)).reclaim(), "0 done");
     }},
};

}  // namespace

std::span<const CaseRow> maintain_cases() { return kCases; }

}  // namespace pawl::conformance
