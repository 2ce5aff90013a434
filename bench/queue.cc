// queue.cc: see queue.h.
#include "queue.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <vector>

#include "filled_stores.h"
#include "loop.h"

namespace pawl::bench {
namespace {

using namespace std::chrono_literals;

constexpr long kSessions = 100;
constexpr long kBatch = 1'000;
constexpr long kFillers = 4;
constexpr int kTurns = 5'000;

const std::vector<Consumer> kWorker{{.name = "worker"}};

std::string session_of(long turn) { return "session-" + std::to_string(turn % kSessions); }

void append(Store& store, long turn, long count) {
  const NewEvent event{.type = "work", .payload = payload(), .targets = {{.consumer = "worker"}}};
  store.append(session_of(turn), std::vector<NewEvent>(static_cast<std::size_t>(count), event),
               {.consumers = kWorker});
}

std::vector<SettleItem> claim(Store& store, long turn, bool is_named, long limit) {
  std::vector<SettleItem> items;
  const auto add = [&](const std::vector<Head>& heads) {
    for (const Head& head : heads) items.push_back({.session = session_of(turn), .claim = head});
  };
  if (is_named) {
    add(store
            .claim(session_of(turn),
                   {.holder = "bench", .ttl = 1h, .consumers = kWorker, .limit = limit})
            .heads);
  } else {
    const ClaimReadyResult claimed = store.claim_ready(
        {.holder = "bench", .ttl = 1h, .consumers = kWorker, .sessions_limit = 1, .limit = limit});
    for (const SessionClaims& session : claimed.claims) add(session.heads);
  }
  if (std::ssize(items) != limit) throw std::logic_error("queue: claim");
  return items;
}

// Each thread has sessions of its own.
void work_off(Store& store, long done) {
  static_assert(kSessions % kFillers == 0);
  std::vector<std::future<void>> fillers;
  for (long filler = 0; filler < kFillers; ++filler) {
    fillers.push_back(std::async(std::launch::async, [&store, filler, done] {
      for (long turn = filler; turn < done / kBatch; turn += kFillers) {
        append(store, turn, kBatch);
        (void)store.settle(claim(store, turn, true, kBatch));
      }
    }));
  }
  for (auto& filler : fillers) filler.get();
}

// Of one store.
class Turns {
 public:
  Turns(Store& store, bool is_named) : store_(store), is_named_(is_named) {}

  // One event's way; only the claim is measured.
  double take() {
    append(store_, ++turn_, 1);
    const auto start = std::chrono::steady_clock::now();
    const std::vector<SettleItem> items = claim(store_, turn_, is_named_, 1);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    (void)store_.settle(items);
    taken_us_.push_back(taken.count() * 1e6);
    return taken.count();
  }

  double percentile(std::size_t hundredth) {
    std::sort(taken_us_.begin(), taken_us_.end());
    return taken_us_[taken_us_.size() / 100 * hundredth];
  }

 private:
  Store& store_;
  const bool is_named_;
  long turn_ = 0;
  std::vector<double> taken_us_;
};

// The two stores take turns, so that what else the machine does hits both.
void measure(::benchmark::State& state, Store& store, Store& fresh, bool is_named) {
  Turns turns(store, is_named);
  Turns fresh_turns(fresh, is_named);
  for (auto _ : state) {
    fresh_turns.take();
    state.SetIterationTime(turns.take());
  }
  state.counters["p50_us"] = turns.percentile(50);
  state.counters["p99_us"] = turns.percentile(99);
  state.counters["fresh_p50_us"] = fresh_turns.percentile(50);
  state.counters["fresh_p99_us"] = fresh_turns.percentile(99);
}

// Closed and opened since: what is remembered in memory is no part of it. (A memory store would be
// another one.)
std::unique_ptr<Store> make_worked_off(const std::string& scheme, const std::string& folder,
                                       long done) {
  std::unique_ptr<Store> store = open_relaxed(scheme, folder);
  work_off(*store, done);
  if (scheme == "memory") return store;
  store.reset();
  return open_relaxed(scheme, folder);
}

}  // namespace

void add_queue(const std::string& scheme, long done) {
  const auto stores = std::make_shared<FilledStores>();
  const auto store_after = [stores, scheme](long size) -> Store& {
    return stores->get(scheme + std::to_string(size), [&](const std::string& folder) {
      return make_worked_off(scheme, folder, size);
    });
  };
  for (const bool is_named : {true, false}) {
    const std::string name = scheme + "/queue/" + (is_named ? "claim/" : "claim_ready/") +
                             "after-" + std::to_string(done);
    ::benchmark::RegisterBenchmark(name.c_str(),
                                   [store_after, done, is_named](::benchmark::State& state) {
                                     measure(state, store_after(done), store_after(0), is_named);
                                   })
        ->Iterations(kTurns)
        ->UseManualTime()
        ->Unit(::benchmark::kMicrosecond);
  }
}

}  // namespace pawl::bench
