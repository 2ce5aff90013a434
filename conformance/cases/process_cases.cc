// Several processes on one place, and processes that are killed. Only here does a case wait for
// real time, and for little of it.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <set>

#include "cases/case.h"
#include "cases/fixture.h"
#include "harness/worker.h"

namespace pawl::conformance {
namespace {

constexpr unsigned kKilling = kDurable;  // one process at a time
constexpr unsigned kSeveral = kDurable | kProcesses;

// The store that the fixture has opened, on real time.
void open_now(Fixture& f) {
  f.use_real_time();
  f.options().wake_poll = Duration(20);
  f->head("s");
}

// Waits until the consumer's heads can be claimed, and claims them.
ClaimResult await_claim(Fixture& f, const ServedList& served) {
  for (;;) {
    ClaimResult claim =
        f->claim("s", {.holder = "parent", .ttl = Duration(60'000), .consumers = served.get()});
    if (claim.outcome == ClaimOutcome::kClaimed) return claim;
    f->wait(served.get(), Duration(200));
  }
}

constexpr CaseRow kCases[] = {
    {"Processes.DrainOneStoreTogether", "atomicity.3 atomicity.6 claim.2",
     [](Fixture& f) {
       open_now(f);
       std::vector<NewEvent> events;
       for (int i = 0; i < 300; ++i) {
         events.push_back({.type = "t",
                           .targets = {{.consumer = "c"},
                                       {.consumer = "c", .lane = "k" + std::to_string(i % 5)}}});
       }
       f->append("s", events);
       Worker one(f, "drain", {"c"});
       Worker two(f, "drain", {"c"});
       std::multiset<std::string> finished;
       for (const std::string& claim : one.lines()) finished.insert(claim);
       for (const std::string& claim : two.lines()) finished.insert(claim);
       EXPECT_EQ(one.wait(), 0);
       EXPECT_EQ(two.wait(), 0);
       EXPECT_EQ(finished.size(), 600u);
       EXPECT_EQ(std::set<std::string>(finished.begin(), finished.end()).size(), 600u);
       for (const std::string& claim : finished) EXPECT_TRUE(claim.ends_with("@1")) << claim;
     },
     kSeveral},

    {"Processes.AppendDenseIndexes", "atomicity.3 append.6",
     [](Fixture& f) {
       open_now(f);
       std::vector<std::unique_ptr<Worker>> workers;
       for (const char* prefix : {"a", "b", "d"}) {
         workers.push_back(
             std::make_unique<Worker>(f, "append", std::vector<std::string>{prefix, "50", ">c"}));
       }
       for (int i = 0; i < 50; ++i) f.add("p" + std::to_string(i));
       for (auto& worker : workers) {
         EXPECT_EQ(worker->lines().size(), 50u);
         EXPECT_EQ(worker->wait(), 0);
       }
       const std::vector<Event> events = f->read("s");
       ASSERT_EQ(events.size(), 200u);
       for (size_t i = 0; i < events.size(); ++i) {
         EXPECT_EQ(events[i].index, static_cast<Int>(i) + 1);
       }
     },
     kSeveral},

    {"Processes.OpenANewPlaceTogether", "open.3",
     [](Fixture& f) {
       std::vector<std::unique_ptr<Worker>> workers;
       for (int i = 0; i < 6; ++i) workers.push_back(std::make_unique<Worker>(f, "open"));
       for (auto& worker : workers) {
         EXPECT_EQ(worker->lines(), std::vector<std::string>{"0"});
         EXPECT_EQ(worker->wait(), 0);
       }
       open_now(f);
       EXPECT_EQ(f.add("a"), "a#1 settled");
     },
     kSeveral},

    {"Processes.ACommitWakesAnother", "wait.2 wait.1",
     [](Fixture& f) {
       open_now(f);
       f.add("a");
       Worker worker(f, "await", {"1"});
       EXPECT_EQ(worker.line(), "waiting");
       f.add("b");
       EXPECT_EQ(worker.line(), "b#2");
       EXPECT_EQ(worker.wait(), 0);
     },
     kSeveral},

    {"Processes.AnothersCommitWakesThisOne", "wait.2 wait.1",
     [](Fixture& f) {
       open_now(f);
       Worker worker(f, "append", {"a", "1", ">c"});
       EXPECT_EQ(show(await_claim(f, "c")), "claimed c#1@1");
       EXPECT_EQ(worker.wait(), 0);
     },
     kSeveral},

    {"Processes.AKilledHoldersClaimIsTakenOverWhenItExpires", "claim.2 claim.3 atomicity.2",
     [](Fixture& f) {
       open_now(f);
       f.add("a>c,c/k b>c/k");
       Worker holder(f, "hold", {"c", "400", "v"});
       EXPECT_EQ(holder.line(), "claimed c/k#1@1 c#1@1");
       holder.kill();
       const std::vector<Cursor> held = f->cursors("s");
       ASSERT_EQ(held.size(), 2u);
       const ClaimResult claim = await_claim(f, "c");
       // The lane and the event were claimed in one call, so they expire at one time.
       EXPECT_EQ(show(claim), "claimed c/k#1@2 c#1@2");
       for (const Head& head : claim.heads) {
         EXPECT_GE(head.last_claimed_at, held[0].claim_expires_at);
         EXPECT_LE(*head.last_claimed_at, *held[0].claim_expires_at + Duration(5'000));
         EXPECT_EQ(head.failure_count, 1);
       }
       EXPECT_EQ(f.complete("c#1@1"), "superseded");
       EXPECT_EQ(f.complete("c/k#1@2"), "completed");
       EXPECT_EQ(show(await_claim(f, "c")), "claimed c/k#2@1");
     },
     kSeveral},

    {"Processes.TakeoversNeverShareAnAttempt", "claim.3 atomicity.3 structures.6",
     [](Fixture& f) {
       open_now(f);
       f.add("a>c,c/k");
       constexpr int kWorkers = 3;
       constexpr int kEach = 40;
       std::vector<std::unique_ptr<Worker>> workers;
       for (int i = 0; i < kWorkers; ++i) {
         workers.push_back(std::make_unique<Worker>(
             f, "takeover", std::vector<std::string>{"c", std::to_string(kEach)}));
       }
       std::multiset<std::string> claimed;
       for (auto& worker : workers) {
         for (const std::string& claim : worker->lines()) claimed.insert(claim);
         EXPECT_EQ(worker->wait(), 0);
       }
       EXPECT_EQ(claimed.size(), size_t{kWorkers * kEach});
       for (int n = 1; n <= kWorkers * kEach; ++n) {
         const std::string attempt = "@" + std::to_string(n);
         EXPECT_EQ(claimed.count("claimed c/k#1" + attempt + " c#1" + attempt), 1u) << n;
       }
       f.reopen();
       EXPECT_EQ(show(await_claim(f, "c")), "claimed c/k#1@121 c#1@121");
     },
     kSeveral},

    {"Processes.AStoppedHolderIsFencedWhenItWakes", "complete.5 atomicity.3",
     [](Fixture& f) {
       open_now(f);
       f.add("a>c");
       Worker holder(f, "late", {"c", "200"});
       EXPECT_EQ(holder.line(), "claimed c#1@1");  // and stops itself
       EXPECT_EQ(show(await_claim(f, "c")), "claimed c#1@2");
       EXPECT_EQ(f.complete("c#1@2", "x"), "completed x#2");
       while (!holder.stopped()) {
       }
       holder.signal(SIGCONT);
       EXPECT_EQ(holder.line(), "superseded");
       EXPECT_EQ(holder.wait(), 0);
       EXPECT_EQ(f.read(), "a#1 x#2");
     },
     kSeveral},

    {"Processes.KilledAtAnyMomentLeavesNothingHalfDone", "atomicity.1 atomicity.2",
     [](Fixture& f) {
       open_now(f);
       std::vector<NewEvent> events;
       for (int i = 0; i < 400; ++i)
         events.push_back({.type = "t", .targets = {{.consumer = "c"}}});
       f->append("s", events);
       std::multiset<std::string> finished;
       for (int round = 0; round < 8; ++round) {
         Worker worker(f, "follow", {"c", "50"});
         for (int lines = 0; lines < 5 * round; ++lines) {
           if (const auto claim = worker.line()) finished.insert(*claim);
         }
         worker.kill();
         for (const std::string& claim : worker.lines()) finished.insert(claim);
       }
       Worker worker(f, "follow", {"c", "50"});
       for (const std::string& claim : worker.lines()) finished.insert(claim);
       EXPECT_EQ(worker.wait(), 0);
       // What was acknowledged happened, once; each event has exactly one follow-up.
       for (const std::string& claim : finished) EXPECT_EQ(finished.count(claim), 1u);
       std::set<Int> followed;
       for (const Event& event : f->read("s", {.after = 400})) {
         EXPECT_TRUE(followed.insert(event.cause.value().index).second);
       }
       EXPECT_EQ(followed.size(), 400u);
     },
     kSeveral},

    {"Processes.UpkeepTogether", "maintain.2 atomicity.3",
     [](Fixture& f) {
       open_now(f);
       for (int i = 0; i < 30; ++i) {
         Ops s = f.on("u" + std::to_string(i));
         s.add("a>c,c/k b>c/k d e");
         i % 2 == 0 ? s.clear() : s.delete_session(1);
       }
       Worker one(f, "upkeep");
       Worker two(f, "upkeep");
       EXPECT_EQ(one.lines().size(), 1u);
       EXPECT_EQ(two.lines().size(), 1u);
       EXPECT_EQ(one.wait(), 0);
       EXPECT_EQ(two.wait(), 0);
       f.maintain_all();
       for (int i = 0; i < 30; ++i) EXPECT_EQ(f.on("u" + std::to_string(i)).reclaim(), "0 done");
     },
     kSeveral},

    {"Processes.AKilledWriterLosesNothingAcknowledged", "atomicity.2 open.3",
     [](Fixture& f) {
       std::vector<std::string> acknowledged;
       {
         Worker writer(f, "append", {"a", "1000000", ">c,d/k"});
         while (acknowledged.size() < 60) {
           const auto line = writer.line();
           ASSERT_TRUE(line.has_value());
           acknowledged.push_back(*line);
         }
         writer.kill();
         for (const std::string& line : writer.lines()) acknowledged.push_back(line);
       }
       open_now(f);
       const std::vector<Event> events = f->read("s", {.limit = 10'000});
       // The last one may have been written without a chance to say so.
       EXPECT_GE(events.size(), acknowledged.size());
       EXPECT_LE(events.size(), acknowledged.size() + 1);
       for (size_t i = 0; i < events.size(); ++i) {
         EXPECT_EQ(events[i].index, static_cast<Int>(i) + 1);
         EXPECT_EQ(events[i].id, "a" + std::to_string(i));
       }
       EXPECT_EQ(
           f->claim("s", {.holder = "w", .ttl = Duration(60'000), .limit = 10'000}).heads.size(),
           events.size() + 1);  // with the head of the lane
     },
     kKilling},
};

}  // namespace

std::span<const CaseRow> process_cases() { return kCases; }

}  // namespace pawl::conformance
