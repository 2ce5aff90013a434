// What was acknowledged is there when the place is opened again, and goes on as before.
#include <gtest/gtest.h>

#include "cases/case.h"
#include "cases/fixture.h"

namespace pawl::conformance {
namespace {

// Everything that a session, a namespace and the store can hold.
void fill(Fixture& f) {
  f.options().durability = Durability::kFull;
  f.add("a:x=1>c,c/k,d,e/k+500 b:y=[2]>c/k,g b2:x", "l+x! m+y!");
  f.at(3);
  f.claim({.ttl = 50});
  f.complete("c/k#1@1", "x:x=3>h", "l+x");
  f.complete("l/log#1@1");
  f.fail("c#1@1", 3, 20);
  f.fail("g#2@1", 1, {}, "why");
  f.release("d#1@1", 30);
  f.put("r", "1=1<m/log#2 3=3");
  f.put("q", "2={\"a\":1}");
  f.on("cleared").add("a>c b", "l+!");
  f.on("cleared").clear();
  f.on("cleared").add("d>c,c/k", "l+!");
  f.on("deleted").add("a b c");
  f.on("deleted").delete_session(1);
  f.on("reborn").add("a b");
  f.on("reborn").delete_session(1);
  f.on("reborn").add("c>c");
  f->set_presence("n", "p", {{"f", "1"}, {"g", {}}},
                  {.at = ms(9), .ttl = Duration(500), .seen = 4});
}

std::string everything(Fixture& f) {
  std::string text = f.state() + f.presence("n") + "\n";
  for (const char* session : {"s", "cleared", "deleted", "reborn"}) {
    text += f.on(session).head() + " " + f.on(session).load("r") + "\n";
  }
  return text + f.load("r", 2) + f.load("q");
}

constexpr CaseRow kCases[] = {
    {"Reopen.EverythingIsAsItWas", "atomicity.2 open.3",
     [](Fixture& f) {
       fill(f);
       const std::string before = everything(f);
       f.reopen();
       EXPECT_EQ(everything(f), before);
       f.reopen();
       EXPECT_EQ(everything(f), before);
     }},

    {"Reopen.ClaimsGoOn", "atomicity.2 complete.5 renew.1",
     [](Fixture& f) {
       fill(f);
       f.reopen();
       EXPECT_EQ(f.renew("m/log#2@1", 500), "renewed m/log#2");
       EXPECT_EQ(f.complete("m/log#2@1", "z"), "completed z#5");
       f.reopen();
       EXPECT_EQ(f.complete("m/log#2@1", "z"), "completed z#5");  // a replay
       EXPECT_EQ(f.load("r", 2), "none newest 3 events a#1 b#2 (clear 0 last 5)");
     }},

    {"Reopen.RecordsOfFinishedWorkStay", "atomicity.2 atomicity.5",
     [](Fixture& f) {
       fill(f);
       f.reopen();
       EXPECT_EQ(f.complete("c/k#1@1", "x:x=3"), "completed x#4");
       EXPECT_EQ(f.complete("l/log#1@1"), "completed");
       EXPECT_EQ(f.fail("c#1@1", 3, 20), "failed 1");
       EXPECT_EQ(f.fail("g#2@1", 1), "dead_lettered 1");
       EXPECT_EQ(f.release("d#1@1", 30), "released");
       EXPECT_EQ(f.add("a:x=1"), "a#1 pending");
       EXPECT_EQ(f.on("cleared").clear({.if_last_index = 2}), "cleared 4 (clear 3)");
     }},

    {"Reopen.TimesHoldOn", "atomicity.2 claim.2",
     [](Fixture& f) {
       fill(f);
       f.reopen();
       f.at(22);
       EXPECT_EQ(f.claim("c"), "claimed c/k#2@1");
       f.at(23);
       EXPECT_EQ(f.claim("c"), "claimed c#1@2");
       EXPECT_EQ(f.claim("d"), "busy 33");
       f.reopen();
       f.at(53);
       EXPECT_EQ(f.claim("d m"), "claimed d#1@2 m/log#2@2");
       EXPECT_EQ(f.claim("e"), "busy 500");
     }},

    {"Reopen.AttemptsNeverComeRoundAgain", "atomicity.2 complete.5",
     [](Fixture& f) {
       f.add("a>c");
       for (int attempt = 1; attempt <= 6; ++attempt) {
         EXPECT_EQ(f.claim({.ttl = 0}), "claimed c#1@" + std::to_string(attempt));
         f.reopen();
       }
       EXPECT_EQ(f.complete("c#1@5"), "superseded");
       EXPECT_EQ(f.complete("c#1@6"), "completed");
     }},

    {"Reopen.TypesOfLogsStay", "atomicity.2 structures.4",
     [](Fixture& f) {
       f.add("a:x b:y c:x", "l+x!");
       f.claim();
       f.reopen();
       f.complete("l/log#1@1");
       EXPECT_EQ(f.cursors(), "l/log log pos=1 head=3");
     }},

    {"Reopen.LanesKeepTheirOrder", "atomicity.2 advance.2",
     [](Fixture& f) {
       f.add("a>c/k b>c/k d>c/k+500");
       for (const char* claim : {"c/k#1@1", "c/k#2@1"}) {
         EXPECT_EQ(f.claim(), "claimed " + std::string(claim));
         f.reopen();
         EXPECT_EQ(f.complete(claim), "completed");
         f.reopen();
       }
       EXPECT_EQ(f.claim(), "busy 500");
     }},

    {"Reopen.ReclaimGoesOn", "atomicity.2 reclaim.2",
     [](Fixture& f) {
       f.add("a>c b>c/k c d e");
       f.clear();
       Int deleted = 0;
       for (int call = 0; call < 100; ++call) {
         const DeletedResult result = f->reclaim("s", 1);
         deleted += result.deleted;
         f.reopen();
         if (result.done) break;
       }
       EXPECT_EQ(deleted, 5);
       EXPECT_EQ(f.reclaim(), "0 done");
     }},

    {"Reopen.DeletionsGoOn", "atomicity.2 delete_session.2 maintain.1",
     [](Fixture& f) {
       fill(f);
       f.reopen();
       EXPECT_EQ(f.on("deleted").delete_session(1), "1 more");
       const std::string before = everything(f);
       f.reopen();
       f.maintain_all(2);
       EXPECT_EQ(everything(f), before);
       EXPECT_EQ(f.on("deleted").delete_session(), "0 done");
       EXPECT_EQ(f.on("reborn").read(), "c#4");
     }},

    {"Reopen.IndexesOfTheDeletedStay", "atomicity.2 delete_session.4",
     [](Fixture& f) {
       f.add("a>c");
       f.claim();
       while (f.delete_session().ends_with("more")) {
       }
       f.reopen();
       EXPECT_EQ(f.head(), "last 2 clear 2");
       EXPECT_EQ(f.complete("c#1@1"), "superseded");
       EXPECT_EQ(f.add("b"), "b#3 settled");
     }},

    {"Reopen.ATombstoneStays", "atomicity.2 set_presence.2",
     [](Fixture& f) {
       fill(f);
       f.reopen();
       f->set_presence("n", "p", {{"g", "1"}}, {.at = ms(8), .ttl = Duration(500)});
       EXPECT_EQ(f.presence("n"), "p.f=1@9..503(4)");
     }},
};

}  // namespace

std::span<const CaseRow> reopen_cases() { return kCases; }

}  // namespace pawl::conformance
