// wait and tail. What is late is late by minutes here, so that only a missed waking fails.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "cases/case.h"
#include "cases/fixture.h"

namespace pawl::conformance {
namespace {

constexpr Duration kForever{120'000};

// Runs `work` and expects it to be over long before kForever.
void expect_soon(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  EXPECT_LT(std::chrono::steady_clock::now() - start, kForever / 4);
}

void await_ready(Store& store, const ServedList& served) {
  while (store.ready({served.get()}).sessions.empty()) store.wait(served.get(), kForever);
}

void await_index(Store& store, std::string_view session, Int after) {
  while (store.head(session).last_index <= after) store.wait(session, after, kForever);
}

// Events as tail delivers them, until one has the id "stop".
std::string tail(Store& store, Int after, Int* next = nullptr) {
  std::vector<Event> seen;
  const Int index = store.tail("s", after, [&](const Event& event) {
    seen.push_back(event);
    return event.id != "stop";
  });
  if (next != nullptr) *next = index;
  return show(seen);
}

constexpr CaseRow kCases[] = {
    {"Wait.ReturnsAtOnceWhereWorkIs", "wait.1",
     [](Fixture& f) {
       f.add("a>c");
       expect_soon([&] { f->wait(Served(), kForever); });
       const ServedList served("c d");
       expect_soon([&] { f->wait(served.get(), kForever); });
       expect_soon([&] { f->wait("s", 0, kForever); });
     }},

    {"Wait.ReturnsAtTheTimeout", "wait.1",
     [](Fixture& f) {
       f.add("a>c");
       const ServedList served("d");
       expect_soon([&] { f->wait(served.get(), Duration(5)); });
       expect_soon([&] { f->wait(served.get(), Duration(0)); });
       expect_soon([&] { f->wait("s", 1, Duration(5)); });
       expect_soon([&] { f->wait("unknown", 0, Duration(5)); });
     }},

    {"Wait.WakesOnACommit", "wait.1 wait.2",
     [](Fixture& f) {
       f.options().wake_poll = kForever;  // no polling in one process
       f->head("s");
       expect_soon([&] {
         run_threads(3, [&](int i) {
           if (i == 0) await_ready(f.store(), "c");
           if (i == 1) await_index(f.store(), "s", 0);
           if (i == 2) f.add("a>c");
         });
       });
     }},

    {"Wait.WakesOnACommitThroughAnotherStore", "wait.1 wait.2",
     [](Fixture& f) {
       f.options().wake_poll = Duration(10);
       f->head("s");
       Store other = f.open();
       expect_soon([&] {
         run_threads(3, [&](int i) {
           if (i == 0) await_ready(f.store(), "c");
           if (i == 1) await_index(f.store(), "s", 0);
           if (i == 2) Fixture::on(other).add("a>c");
         });
       });
     }},

    {"Wait.MissesNoAppend", "wait.2",
     [](Fixture& f) {
       f.options().wake_poll = kForever;
       f->head("s");
       expect_soon([&] {
         run_threads(2, [&](int i) {
           // In turn: each answers the other's append by its own.
           Ops mine = f.on(i == 0 ? "s" : "u");
           for (Int round = 0; round < 100; ++round) {
             if (i == 1) await_index(f.store(), "s", round);
             mine.add("-");
             if (i == 0) await_index(f.store(), "u", round);
           }
         });
       });
       EXPECT_EQ(f.sessions(), "s 100/0 u 100/0");
     }},

    {"Wait.MissesNothingClaimable", "wait.2",
     [](Fixture& f) {
       f.options().wake_poll = kForever;
       f.add("a>c/k");
       expect_soon([&] {
         run_threads(2, [&](int i) {
           // The one's completion is the other's work.
           const char* mine = i == 0 ? "c" : "d";
           const std::string next = i == 0 ? "-" : "+";
           for (int round = 0; round < 50; ++round) {
             await_ready(f.store(), mine);
             const ServedList served(mine);
             const ClaimResult claim = f->claim(
                 "s", {.holder = "w", .ttl = Duration(1'000'000), .consumers = served.get()});
             const std::string id = std::to_string(round) + next;
             f.complete(show(static_cast<Claim>(claim.heads.at(0))),
                        id + (i == 0 ? ">d/k" : ">c/k"));
           }
         });
       });
       EXPECT_EQ(f.head(), "last 101 clear 0");
     }},

    {"Wait.WakesOnEverythingThatMakesAHeadClaimable", "wait.1",
     [](Fixture& f) {
       f.options().wake_poll = kForever;
       f.add("a>c/k,d/k,e/k,g/k b>c/k,g/k", "l+!");
       f.claim();
       f.fail("g/k#1@1", 1);
       const std::vector<std::pair<const char*, std::function<void()>>> wakings{
           {"c", [&] { f.complete("c/k#1@1"); }},
           {"d", [&] { f.fail("d/k#1@1"); }},
           {"e", [&] { f.release("e/k#1@1"); }},
           {"g", [&] { f.redrive("g#1", RedriveAction::kSkip); }},
           {"l", [&] { f.complete("l/log#1@1"); }},
           {"m", [&] { f.wake("m+!"); }},
       };
       for (const auto& [consumer, waking] : wakings) {
         const std::string name = consumer;
         expect_soon([&, &work = waking] {
           run_threads(2, [&](int i) { i == 0 ? await_ready(f.store(), name) : work(); });
         });
       }
     }},

    {"Wait.WakesWhenATimeComes", "wait.1",
     [](Fixture& f) {
       f.use_real_time();
       f.options().wake_poll = kForever;
       const Time now = f->append("s", {{.type = "t"}}).events.at(0).created_at;
       const Time due = now + Duration(40);
       f->append("s", {{.type = "t", .targets = {{.consumer = "c", .available_at = due}}}});
       expect_soon([&] { await_ready(f.store(), "c"); });
       f.claim({.served = "c", .ttl = 40});
       expect_soon([&] { await_ready(f.store(), "c"); });  // as it lapses
     }},

    {"Wait.WakesWhenTheStoreIsClosed", "wait.1 open.4",
     [](Fixture& f) {
       f.options().wake_poll = kForever;
       f->head("s");
       std::atomic<int> waiting = 0;
       const auto until_closed = [&](const std::function<void()>& wait) {
         ++waiting;
         try {
           for (;;) wait();
         } catch (const Error& error) {
           EXPECT_EQ(error.code(), ErrorCode::kClosed);
         }
       };
       expect_soon([&] {
         run_threads(3, [&](int i) {
           if (i == 0) until_closed([&] { f->wait(Served(), kForever); });
           if (i == 1) until_closed([&] { f->wait("s", 0, kForever); });
           if (i == 2) {
             while (waiting < 2) std::this_thread::yield();
             f.close();
           }
         });
       });
     }},

    {"Tail.DeliversInOrder", "tail.1",
     [](Fixture& f) {
       f.add("a b c stop d");
       Int next = 0;
       EXPECT_EQ(tail(f.store(), 0, &next), "a#1 b#2 c#3 stop#4");
       EXPECT_EQ(next, 4);
       EXPECT_EQ(tail(f.store(), 2), "c#3 stop#4");
     }},

    {"Tail.DeliversWhatIsAppendedLater", "tail.1 wait.2",
     [](Fixture& f) {
       f.options().wake_poll = kForever;
       f.add("a");
       std::string seen;
       expect_soon([&] {
         run_threads(2, [&](int i) {
           if (i == 0) seen = tail(f.store(), 0);
           for (int n = 0; i == 1 && n < 50; ++n) f.add(n < 49 ? "-" : "stop");
         });
       });
       std::string expected = "a#1";
       for (int n = 1; n < 50; ++n) {
         expected += " id-" + std::to_string(n) + "#" + std::to_string(n + 1);
       }
       EXPECT_EQ(seen, expected + " stop#51");
     }},

    {"Tail.DeliversTheClearMarker", "tail.1",
     [](Fixture& f) {
       f.add("a b");
       f.clear();
       f.add("c stop");
       EXPECT_EQ(tail(f.store(), 0), "pawl.clear#3 c#4 stop#5");
       EXPECT_EQ(tail(f.store(), 1), "pawl.clear#3 c#4 stop#5");
       EXPECT_EQ(tail(f.store(), 3), "c#4 stop#5");
     }},

    {"Tail.GoesOnOverAClearAndItsReclaim", "tail.1 clear.6",
     [](Fixture& f) {
       f.add("a b c");
       std::vector<Event> seen;
       f->tail("s", 0, [&](const Event& event) {
         if (event.id == "a") {  // what lies ahead of the reader goes
           f.clear();
           f.reclaim();
           f.add("d stop");
         }
         seen.push_back(event);
         return event.id != "stop";
       });
       const std::string text = show(seen);
       // b and c may have been read before they went.
       EXPECT_TRUE(text == "a#1 pawl.clear#4 d#5 stop#6" ||
                   text == "a#1 b#2 c#3 pawl.clear#4 d#5 stop#6")
           << text;
     }},

    {"Tail.DoesNotDeliverTheMarkerOfADeletion", "tail.1 delete_session.3",
     [](Fixture& f) {
       f.add("a b");
       f.delete_session(1);
       f.add("c stop");
       EXPECT_EQ(tail(f.store(), 0), "c#4 stop#5");
     }},

    {"Tail.StopsWhenItIsAskedTo", "tail.1",
     [](Fixture& f) {
       f.options().wake_poll = Duration(10);
       f.add("a");
       std::stop_source stop;
       Int next = 0;
       expect_soon([&] {
         next = f->tail(
             "s", 0, [&](const Event&) { return stop.request_stop(); }, stop.get_token());
       });
       EXPECT_EQ(next, 1);
     }},

    {"Tail.LetsExceptionsOut", "tail.1",
     [](Fixture& f) {
       f.add("a b");
       EXPECT_THROW(f->tail("s", 0, [](const Event&) -> bool { throw 7; }), int);
       EXPECT_EQ(f.read(), "a#1 b#2");
     }},

    {"Tail.DeliversLongAnswersWhole", "tail.1 values.12",
     [](Fixture& f) {
       f.options().max_call_bytes = 8'000;
       std::string expected;
       for (int i = 1; i <= 10; ++i) {
         const std::string id = i < 10 ? "e" + std::to_string(i) : "stop";
         f->append("s",
                   {{.id = id, .type = "t", .payload = "\"" + std::string(3'000, 'x') + "\""}});
         expected += (i > 1 ? " " : "") + id + "#" + std::to_string(i);
       }
       EXPECT_EQ(tail(f.store(), 0), expected);
     }},
};

}  // namespace

std::span<const CaseRow> wait_cases() { return kCases; }

}  // namespace pawl::conformance
