// queue.cc: see queue.h.
#include "queue.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <map>
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
constexpr int kTurns = 2'000;

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

void work_off(Store& store, long done) {
  for (long turn = 0; turn < done / kBatch; ++turn) {
    append(store, turn, kBatch);
    (void)store.settle(claim(store, turn, false, kBatch));
  }
}

// One event at a time; only the claim is measured.
void measure(::benchmark::State& state, Store& store, bool is_named) {
  std::vector<double> taken_us;
  long turn = 0;
  for (auto _ : state) {
    append(store, ++turn, 1);
    const auto start = std::chrono::steady_clock::now();
    const std::vector<SettleItem> items = claim(store, turn, is_named, 1);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    state.SetIterationTime(taken.count());
    taken_us.push_back(taken.count() * 1e6);
    (void)store.settle(items);
  }
  std::sort(taken_us.begin(), taken_us.end());
  state.counters["p50_us"] = taken_us[taken_us.size() / 2];
  state.counters["p99_us"] = taken_us[taken_us.size() / 100 * 99];
}

std::unique_ptr<Store> make_worked_off(const std::string& scheme, const std::string& folder,
                                       long done) {
  std::unique_ptr<Store> store = open_relaxed(scheme, folder);
  work_off(*store, done);
  return store;
}

}  // namespace

void add_queue(const std::string& scheme, long done) {
  const auto stores = std::make_shared<FilledStores>();
  for (const bool is_named : {true, false}) {
    for (const long size : {0L, done}) {
      const std::string name = scheme + "/queue/" + (is_named ? "claim/" : "claim_ready/") +
                               "after-" + std::to_string(size);
      ::benchmark::RegisterBenchmark(
          name.c_str(),
          [stores, scheme, size, is_named](::benchmark::State& state) {
            Store& store = stores->get(
                scheme + std::to_string(size),
                [&](const std::string& folder) { return make_worked_off(scheme, folder, size); });
            measure(state, store, is_named);
          })
          ->Iterations(kTurns)
          ->UseManualTime()
          ->Unit(::benchmark::kMicrosecond);
    }
  }
}

}  // namespace pawl::bench
