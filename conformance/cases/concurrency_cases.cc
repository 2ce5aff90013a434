// Threads at once: one winner, dense indexes, nothing twice, nothing lost.
//
// Even threads work through the fixture's store, odd ones through another on the same place.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>

#include "cases/case.h"
#include "cases/fixture.h"

namespace pawl::conformance {
namespace {

constexpr int kThreads = 4;

// Threads on two stores of the place.
class Crowd {
 public:
  explicit Crowd(Fixture& f) : f_(f), other_(f.open()) { f->head("s"); }

  Store& store(int i) { return i % 2 == 0 ? f_.store() : other_; }
  Ops on(int i, std::string session = "s") { return Fixture::on(store(i), std::move(session)); }

  // What each thread's work returned.
  std::vector<std::string> run(int threads, const std::function<std::string(int)>& work) {
    std::vector<std::string> answers(static_cast<size_t>(threads));
    run_threads(threads, [&](int i) { answers[static_cast<size_t>(i)] = work(i); });
    return answers;
  }

 private:
  Fixture& f_;
  Store other_;
};

Int count(const std::vector<std::string>& list, const std::string& text) {
  return std::count(list.begin(), list.end(), text);
}

Int count_prefix(const std::vector<std::string>& list, const std::string& prefix) {
  return std::count_if(list.begin(), list.end(),
                       [&](const std::string& text) { return text.starts_with(prefix); });
}

// Works off what there is of the session's consumers until it is settled; every claim it finished.
std::vector<std::string> drain(Store& store, const std::string& session, Int limit) {
  std::vector<std::string> finished;
  for (;;) {
    const ClaimResult claim =
        store.claim(session, {.holder = "w", .ttl = Duration(1'000'000), .limit = limit});
    if (claim.outcome == ClaimOutcome::kSettled) return finished;
    for (const Head& head : claim.heads) {
      if (!store.complete(session, head).superseded()) {
        finished.push_back(show(static_cast<Claim>(head)));
      }
    }
  }
}

std::string number(Int n) { return std::to_string(n); }

constexpr CaseRow kCases[] = {
    {"Concurrency.OneWinsAClaim", "atomicity.3 claim.2 claim.3",
     [](Fixture& f) {
       Crowd crowd(f);
       for (Int round = 1; round <= 40; ++round) {
         f.add("->c");
         const auto answers = crowd.run(kThreads, [&](int i) { return crowd.on(i).claim(); });
         EXPECT_EQ(count(answers, "claimed c#" + number(round) + "@1"), 1);
         EXPECT_EQ(count_prefix(answers, "busy "), kThreads - 1);
         f.complete("c#" + number(round) + "@1");
       }
     }},

    {"Concurrency.OneWinsATakeover", "atomicity.3 claim.3",
     [](Fixture& f) {
       Crowd crowd(f);
       f.add("a>c/k");
       for (Int attempt = 1; attempt <= 40; ++attempt) {
         const auto answers =
             crowd.run(kThreads, [&](int i) { return crowd.on(i).claim({.ttl = 10}); });
         EXPECT_EQ(count(answers, "claimed c/k#1@" + number(attempt)), 1);
         EXPECT_EQ(count_prefix(answers, "busy "), kThreads - 1);
         f.at(f.now() + 10);
       }
     }},

    {"Concurrency.OneFinishes", "atomicity.3 complete.5 fail.4 release.3",
     [](Fixture& f) {
       Crowd crowd(f);
       for (Int round = 0; round < 60; ++round) {
         Ops s = f.on("u" + number(round));
         s.add("a>c");
         s.claim({.ttl = 0});
         const auto answers = crowd.run(4, [&](int i) {
           Ops mine = crowd.on(i, s.session());
           if (i == 0) return mine.complete("c#1@1", "x y");
           if (i == 1) return mine.fail("c#1@1", 9, 1'000);
           if (i == 2) return mine.release("c#1@1", 1'000);
           return mine.claim();  // takes over
         });
         const bool completed = answers[0] != "superseded";
         const bool failed = answers[1].starts_with("failed");
         const bool released = answers[2] == "released";
         const bool taken = answers[3].starts_with("claimed");
         EXPECT_EQ(completed + failed + released + taken, 1)
             << answers[0] << ", " << answers[1] << ", " << answers[2] << ", " << answers[3];
         EXPECT_EQ(s.read(), completed ? "a#1 x#2 y#3" : "a#1");
       }
     }},

    {"Concurrency.ARepeatedCompletionAppendsOnce", "atomicity.3 complete.4",
     [](Fixture& f) {
       Crowd crowd(f);
       for (Int round = 0; round < 30; ++round) {
         Ops s = f.on("u" + number(round));
         s.add("a>c");
         s.claim();
         const auto answers = crowd.run(
             kThreads, [&](int i) { return crowd.on(i, s.session()).complete("c#1@1", "x>d y"); });
         EXPECT_EQ(count(answers, "completed x#2 y#3"), kThreads);
         EXPECT_EQ(s.read(), "a#1 x#2 y#3");
         EXPECT_EQ(s.claim(), "claimed d#2@1");
       }
     }},

    {"Concurrency.ARepeatedAppendAppendsOnce", "atomicity.3 append.3",
     [](Fixture& f) {
       Crowd crowd(f);
       for (Int round = 0; round < 30; ++round) {
         Ops s = f.on("u" + number(round));
         const auto answers =
             crowd.run(kThreads, [&](int i) { return crowd.on(i, s.session()).add("a>c b"); });
         EXPECT_EQ(count(answers, "a#1 b#2 pending"), kThreads);
         EXPECT_EQ(s.claim(), "claimed c#1@1");
       }
     }},

    {"Concurrency.IndexesAreDenseAndBatchesWhole", "atomicity.3 append.6",
     [](Fixture& f) {
       Crowd crowd(f);
       constexpr int kEach = 40;
       run_threads(kThreads, [&](int i) {
         for (int n = 0; n < kEach; ++n) {
           const std::string id = number(i) + "." + number(n);
           const std::string answer = crowd.on(i).add(id + "a " + id + "b " + id + "c");
           if (n % 10 == 9) {
             EXPECT_THROW(crowd.on(i).add(id + "a x"), Error) << answer;
           }
         }
       });
       const std::vector<Event> events = f->read("s", {.limit = 10'000});
       ASSERT_EQ(events.size(), 3u * kThreads * kEach);
       std::map<std::string, std::string> latest;
       for (size_t i = 0; i < events.size(); ++i) {
         EXPECT_EQ(events[i].index, static_cast<Int>(i) + 1);
         if (i % 3 == 0) {
           const std::string batch = events[i].id.substr(0, events[i].id.size() - 1);
           EXPECT_EQ(events[i + 1].id, batch + "b");
           EXPECT_EQ(events[i + 2].id, batch + "c");
         }
       }
     }},

    {"Concurrency.IndexesBecomeVisibleInOrder", "atomicity.4",
     [](Fixture& f) {
       Crowd crowd(f);
       std::atomic<int> writing = 2;
       run_threads(4, [&](int i) {
         if (i < 2) {
           for (int n = 0; n < 100; ++n) crowd.on(i).add(n % 7 == 0 ? "- - - -" : "-");
           --writing;
           return;
         }
         bool last = false;
         while (!last) {
           last = writing == 0;
           const Int seen = crowd.store(i).head("s").last_index;
           const std::vector<Event> events = crowd.store(i).read("s", {.limit = 10'000});
           EXPECT_GE(static_cast<Int>(events.size()), seen);
           if (!events.empty()) {
             EXPECT_EQ(events.back().index, static_cast<Int>(events.size()));
           }
         }
       });
     }},

    {"Concurrency.EveryHeadIsWorkedOffOnce", "atomicity.3 claim.2 complete.5",
     [](Fixture& f) {
       Crowd crowd(f);
       for (int n = 0; n < 20; ++n) f.add("->c,d/k,d/m ->c ->c,d/k ->e/k");
       std::mutex mutex;
       std::multiset<std::string> finished;
       run_threads(kThreads, [&](int i) {
         const auto mine = drain(crowd.store(i), "s", i + 1);
         const std::lock_guard lock(mutex);
         finished.insert(mine.begin(), mine.end());
       });
       EXPECT_EQ(finished.size(), 20u * 7u);
       EXPECT_EQ(std::set<std::string>(finished.begin(), finished.end()).size(), finished.size());
       for (const std::string& claim : finished) EXPECT_TRUE(claim.ends_with("@1")) << claim;
       EXPECT_EQ(f.ready(), "");
     }},

    {"Concurrency.LanesStayFirstInFirstOut", "atomicity.3 advance.2 vocabulary.2",
     [](Fixture& f) {
       Crowd crowd(f);
       for (int n = 0; n < 15; ++n) f.add("->c/a,c/b,c/d");
       run_threads(kThreads, [&](int i) {
         for (;;) {
           const ClaimResult claim =
               crowd.store(i).claim("s", {.holder = "w", .ttl = Duration(1'000'000), .limit = 1});
           if (claim.outcome == ClaimOutcome::kSettled) return;
           for (const Head& head : claim.heads) {
             const std::string name = show(static_cast<Claim>(head));
             // Giving it back now and then must not let the next one pass.
             if (head.attempt_count == 1 && head.event.index % 4 == 0) {
               crowd.on(i).release(name);
             } else {
               crowd.on(i).complete(name, *head.lane + "-" + number(head.event.index));
             }
           }
         }
       });
       std::map<std::string, Int> latest;
       Int done = 0;
       for (const Event& event : f->read("s", {.after = 15})) {
         const std::string lane = event.id.substr(0, 1);
         const Int index = std::stoll(event.id.substr(2));
         EXPECT_GT(index, latest[lane]);
         latest[lane] = index;
         ++done;
       }
       EXPECT_EQ(done, 45);
     }},

    {"Concurrency.ADeadHoldersClaimsAreAllTakenOver", "claim.2 claim.3 advance.2",
     [](Fixture& f) {
       Crowd crowd(f);
       for (int n = 0; n < 10; ++n) f.add("->c,d/k" + number(n) + " ->d/k" + number(n));
       EXPECT_EQ(f->claim("s", {.holder = "dead", .ttl = Duration(100)}).heads.size(), 20u);
       f.at(101);  // all of them lapse at once
       std::mutex mutex;
       std::multiset<std::string> finished;
       run_threads(kThreads, [&](int i) {
         const auto mine = drain(crowd.store(i), "s", 3);
         const std::lock_guard lock(mutex);
         finished.insert(mine.begin(), mine.end());
       });
       EXPECT_EQ(finished.size(), 30u);
       for (Int n = 0; n < 10; ++n) {
         const std::string lane = "d/k" + number(n);
         EXPECT_EQ(finished.count("c#" + number(2 * n + 1) + "@2"), 1u);
         EXPECT_EQ(finished.count(lane + "#" + number(2 * n + 1) + "@2"), 1u);
         EXPECT_EQ(finished.count(lane + "#" + number(2 * n + 2) + "@1"), 1u);
       }
     }},

    {"Concurrency.ATailMissesNothingOfManyWriters", "tail.1 atomicity.4 wait.2",
     [](Fixture& f) {
       Crowd crowd(f);
       constexpr int kEach = 30;
       std::vector<std::string> tailed;
       run_threads(kThreads, [&](int i) {
         if (i > 0) {
           for (int n = 0; n < kEach; ++n) {
             // Slow commits among quick ones.
             const size_t length = n % 10 == i ? 300'000 : 1;
             crowd.store(i).append("s", {{.id = number(i) + "." + number(n),
                                          .type = "t",
                                          .payload = '"' + std::string(length, 'x') + '"'}});
           }
           return;
         }
         crowd.store(0).tail("s", 0, [&](const Event& event) {
           tailed.push_back(event.id);
           EXPECT_EQ(event.index, static_cast<Int>(tailed.size()));
           return event.index < (kThreads - 1) * kEach;
         });
       });
       std::vector<std::string> stored;
       for (const Event& event : f->read("s")) stored.push_back(event.id);
       EXPECT_EQ(tailed, stored);
       EXPECT_EQ(std::set<std::string>(stored.begin(), stored.end()).size(),
                 static_cast<size_t>((kThreads - 1) * kEach));
     }},

    {"Concurrency.AClearLeavesNoFollowUpOfTheOldLife", "atomicity.3 clear.6 complete.1",
     [](Fixture& f) {
       Crowd crowd(f);
       std::atomic<bool> over = false;
       run_threads(4, [&](int i) {
         Ops mine = crowd.on(i);
         if (i == 0) {
           for (int n = 0; n < 30; ++n) {
             mine.add("->c,d/k ->c");
             mine.clear();
             mine.add("->c");
           }
           over = true;
           return;
         }
         if (i == 1) {
           while (!over) mine.reclaim(3);
           return;
         }
         for (Int n = 0; !over; ++n) {
           const ClaimResult claim =
               crowd.store(i).claim("s", {.holder = "w", .ttl = Duration(1'000'000)});
           for (const Head& head : claim.heads) {
             mine.complete(show(static_cast<Claim>(head)), "f" + number(i) + "." + number(n) + "." +
                                                               number(head.event.index) +
                                                               (head.lane ? "k" : ""));
           }
         }
       });
       const SessionHead head = f->head("s");
       for (const Event& event : f->read("s", {.limit = 10'000})) {
         if (event.cause) {
           EXPECT_GT(event.cause->index, head.clear_index) << show_full(event);
         }
       }
       while (f.reclaim(100).ends_with("more")) {
       }
       drain(f.store(), "s", 100);
       EXPECT_EQ(f.ready(), "");
     }},

    {"Concurrency.OneIsFencedByAnother", "atomicity.3 append.5 complete.5",
     [](Fixture& f) {
       Crowd crowd(f);
       for (Int round = 0; round < 40; ++round) {
         Ops s = f.on("u" + number(round));
         s.add("a>c");
         s.claim({.ttl = 0});
         const auto answers = crowd.run(2, [&](int i) -> std::string {
           Ops mine = crowd.on(i, s.session());
           if (i == 0) return mine.claim();
           try {
             return mine.add("b<c#1@1");
           } catch (const Error& error) {
             return std::string(to_string(error.code()));
           }
         });
         EXPECT_EQ(answers[0], "claimed c#1@2");
         EXPECT_EQ(s.read(), answers[1] == "superseded_attempt" ? "a#1" : "a#1 b#2");
       }
     }},

    {"Concurrency.OneOfManyClearsIfNothingWasAppended", "atomicity.3 clear.1 clear.3",
     [](Fixture& f) {
       Crowd crowd(f);
       for (Int round = 0; round < 30; ++round) {
         Ops s = f.on("u" + number(round));
         s.add("a b");
         const auto answers = crowd.run(kThreads, [&](int i) -> std::string {
           Ops mine = crowd.on(i, s.session());
           return i == 0 ? mine.add("c") : mine.clear({.if_last_index = 2});
         });
         if (answers[0] == "c#3 settled") {
           EXPECT_EQ(count(answers, "kept 3 (clear 0)") + count(answers, "kept 2 (clear 0)"),
                     kThreads - 1);
           EXPECT_EQ(s.head(), "last 3 clear 0");
         } else {
           EXPECT_EQ(answers[0], "c#4 settled");
           EXPECT_EQ(count_prefix(answers, "cleared "), kThreads - 1);
           EXPECT_EQ(s.read(), "pawl.clear#3 c#4");
         }
       }
     }},

    {"Concurrency.SessionsInOppositeOrdersDoNotBlock", "atomicity.3 settle.1 append_batch.1",
     [](Fixture& f) {
       Crowd crowd(f);
       for (int n = 0; n < 200; ++n)
         f->append_batch({{.session = "s", .events = parse_events("->c")},
                          {.session = "u", .events = parse_events("->c")}});
       f->claim("s", {.holder = "w", .ttl = Duration(1'000), .limit = 1'000});
       f->claim("u", {.holder = "w", .ttl = Duration(1'000), .limit = 1'000});
       run_threads(kThreads, [&](int i) {
         const std::string first = i % 2 == 0 ? "s" : "u";
         const std::string second = i % 2 == 0 ? "u" : "s";
         for (Int n = 0; n < 50; ++n) {
           const Claim claim{"c", {}, n * kThreads + i + 1, 1};
           const SettleResult settled = crowd.store(i).settle(
               {{.session = first, .claim = claim}, {.session = second, .claim = claim}});
           EXPECT_EQ(settled.results.at(1).outcome, FinishOutcome::kCompleted);
           crowd.store(i).append_batch({{.session = second, .events = parse_events("-")},
                                        {.session = first, .events = parse_events("-")}});
         }
       });
       EXPECT_EQ(f.claim_ready(), "");
       EXPECT_EQ(f.sessions(), "s 400/0 u 400/0");
     }},

    {"Concurrency.ClaimReadyHandsOutEachHeadOnce", "atomicity.3 claim_ready.1 claim_ready.3",
     [](Fixture& f) {
       Crowd crowd(f);
       for (int n = 0; n < 40; ++n) f.on("u" + number(n)).add("->c ->c,d/k");
       std::mutex mutex;
       std::multiset<std::string> claimed;
       run_threads(kThreads, [&](int i) {
         for (;;) {
           const ClaimReadyResult result = crowd.store(i).claim_ready(
               {.holder = "w", .ttl = Duration(1'000'000), .sessions_limit = 3, .limit = 5});
           const std::lock_guard lock(mutex);
           for (const SessionClaims& c : result.claims) {
             for (const Head& head : c.heads) {
               claimed.insert(c.session + " " + show(static_cast<Claim>(head)));
             }
           }
           // Sessions that others held are passed over; next_at is now then.
           if (result.claims.empty() && result.next_at != ms(f.now())) return;
         }
       });
       EXPECT_EQ(claimed.size(), 120u);
       EXPECT_EQ(std::set<std::string>(claimed.begin(), claimed.end()).size(), 120u);
     }},

    {"Concurrency.SettleAndClaimInOneStepLoseNothing", "atomicity.3 settle.5",
     [](Fixture& f) {
       Crowd crowd(f);
       for (int n = 0; n < 30; ++n) f.on("u" + number(n % 6)).add("->c/k ->c,d");
       std::atomic<Int> finished = 0;
       run_threads(kThreads, [&](int i) {
         std::vector<SettleItem> items;
         for (;;) {
           SettleOptions options;
           options.claim = ClaimReadyOptions{
               .holder = "w", .ttl = Duration(1'000'000), .sessions_limit = 2, .limit = 4};
           const SettleResult result = crowd.store(i).settle(items, options);
           for (const FinishResult& one : result.results) finished += one.superseded() ? 0 : 1;
           items.clear();
           for (const SessionClaims& c : *result.claims) {
             for (const Head& head : c.heads)
               items.push_back({.session = c.session, .claim = head});
           }
           if (items.empty() && result.next_at != ms(f.now())) return;
         }
       });
       EXPECT_EQ(finished, 90);
       EXPECT_EQ(f.ready(), "");
     }},

    {"Concurrency.ALoadIsOneView", "load_snapshot.1 atomicity.3",
     [](Fixture& f) {
       Crowd crowd(f);
       std::atomic<bool> over = false;
       run_threads(3, [&](int i) {
         if (i == 0) {
           for (Int n = 1; n <= 100; ++n) {
             f.add("-");
             if (n % 3 == 0) f.put("r", number(n) + "=" + number(n));
             if (n == 50) f.clear();  // from then on a marker is among the indexes
           }
           over = true;
           return;
         }
         while (!over) {
           const LoadSnapshotResult view = crowd.store(i).load_snapshot("s", "r");
           const Int from = view.snapshot ? view.snapshot->index : view.clear_index;
           EXPECT_EQ(from + static_cast<Int>(view.events.size()), view.last_index);
           if (view.snapshot) {
             EXPECT_EQ(view.snapshot->state, number(view.snapshot->index));
           }
         }
       });
     }},

    {"Concurrency.TheLatestPresenceWins", "set_presence.1 atomicity.3",
     [](Fixture& f) {
       Crowd crowd(f);
       run_threads(kThreads, [&](int i) {
         for (Int n = 0; n < 50; ++n) {
           const Int at = n * kThreads + i + 1;
           crowd.store(i).set_presence("n", "p", {{"f", number(at)}},
                                       {.at = ms(at), .ttl = Duration(1'000)});
         }
       });
       EXPECT_EQ(f.presence("n"), "p.f=200@200..1001");
     }},

    {"Concurrency.UpkeepByManyRunsBesideEverything", "maintain.2 reclaim.3 delete_session.2",
     [](Fixture& f) {
       Crowd crowd(f);
       for (int n = 0; n < 12; ++n) {
         Ops s = f.on("u" + number(n));
         s.add("a>c,c/k b>c/k d e", "l+!");
         if (n % 3 == 0) s.clear();
         if (n % 3 == 1) s.delete_session(1);
       }
       run_threads(kThreads, [&](int i) {
         if (i < 2) {
           while (!crowd.store(i).maintain({.limit = 5}).done) {
           }
           return;
         }
         for (int n = 0; n < 60; ++n) {
           Ops s = crowd.on(i, "u" + number(n % 12));
           s.add("->c,c/k");
           s.claim({.ttl = 0, .limit = 3});
         }
       });
       f.maintain_all(50);
       for (int n = 0; n < 12; ++n) {
         const std::string name = "u" + number(n);
         EXPECT_EQ(f.on(name).reclaim(), "0 done");
         // The crowd's 10 events, twice each; where nothing was cleared, the old work and a log
         // too.
         EXPECT_EQ(drain(f.store(), name, 100).size(), n % 3 == 2 ? 20u + 3u + 14u : 20u) << name;
       }
     }},

    {"Concurrency.DeletionBesideAppendsKeepsTheNewLife", "delete_session.2 delete_session.4",
     [](Fixture& f) {
       Crowd crowd(f);
       f.add("a b c d e>c");
       std::atomic<bool> begun = false;
       run_threads(2, [&](int i) {
         if (i == 0) {
           f.delete_session(1);
           begun = true;
           while (!f->delete_session("s", 1).done) {
           }
           return;
         }
         while (!begun) std::this_thread::yield();
         for (int n = 0; n < 20; ++n) crowd.on(i).add("n" + number(n) + ">c");
       });
       EXPECT_EQ(f->read("s").size(), 20u);
       EXPECT_EQ(drain(f.store(), "s", 100).size(), 20u);
       EXPECT_EQ(f.add("z"), "z#27 settled");
     }},

    {"Concurrency.RenewalsKeepTheirClaims", "atomicity.3 renew.1 claim.2",
     [](Fixture& f) {
       Crowd crowd(f);
       f.add("a>c b>c d>c");
       f.claim({.ttl = 1'000});
       run_threads(kThreads, [&](int i) {
         for (int n = 0; n < 30; ++n) {
           if (i < 3) {
             EXPECT_EQ(crowd.on(i).renew("c#" + number(i + 1) + "@1", 1'000),
                       "renewed c#" + number(i + 1));
           } else {
             EXPECT_TRUE(crowd.on(i).claim().starts_with("busy"));
             f.at(f.now() + 5);
           }
         }
       });
     }},
};

}  // namespace

std::span<const CaseRow> concurrency_cases() { return kCases; }

}  // namespace pawl::conformance
