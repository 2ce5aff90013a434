// growth.cc: see growth.h.
#include "growth.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <vector>

#include "filled_stores.h"
#include "loop.h"

namespace pawl::bench {
namespace {

using namespace std::chrono_literals;

constexpr const char* kSession = "grown";
constexpr std::int64_t kBatch = 1'000;

// "grown" is the consumer that things grow for, "measured" the one that operations serve.
const std::vector<Consumer> kGrown{{.name = "grown"}};
const std::vector<Consumer> kMeasured{{.name = "measured"}};
const std::vector<Consumer> kBoth{{.name = "grown"}, {.name = "measured"}};

void require(bool held, const char* what) {
  if (!held) throw std::logic_error(std::string("growth: ") + what);
}

NewEvent event_for(std::vector<Target> targets) {
  return {.type = "work", .payload = payload(), .targets = std::move(targets)};
}

// Appends `count` events to the session, with the targets that `targets` makes for each.
void grow(Store& store, long count, const std::function<std::vector<Target>(long)>& targets) {
  for (long done = 0; done < count;) {
    std::vector<NewEvent> events;
    for (; done < count && std::ssize(events) < kBatch; ++done) {
      events.push_back(event_for(targets(done)));
    }
    store.append(kSession, events, {.consumers = kGrown});
  }
}

std::vector<Target> for_grown(long) { return {{.consumer = "grown"}}; }

std::vector<Head> claim_grown(Store& store, Duration ttl,
                              std::optional<std::int64_t> max_failures) {
  ClaimResult claim = store.claim(kSession, {.holder = "bench",
                                             .ttl = ttl,
                                             .consumers = kGrown,
                                             .max_failures = max_failures,
                                             .limit = kBatch});
  claim.heads.insert(claim.heads.end(), claim.dead_lettered.begin(), claim.dead_lettered.end());
  return std::move(claim.heads);
}

void finish_all(Store& store) {
  while (true) {
    std::vector<SettleItem> items;
    for (const Head& head : claim_grown(store, 1h, std::nullopt)) {
      items.push_back({.session = kSession, .claim = head});
    }
    if (items.empty()) return;
    require(std::ssize(store.settle(items).results) == std::ssize(items), "settle");
  }
}

// Each claim lapses at once; the next one makes a dead letter of it.
void kill_all(Store& store, long count) {
  for (long dead = 0; dead < count;) {
    const std::vector<Head> heads = claim_grown(store, 0ms, 1);
    for (const Head& head : heads) dead += head.failed_at ? 1 : 0;
  }
}

struct Dimension {
  const char* name;
  std::function<void(Store&, long)> fill;
};

const std::vector<Dimension>& dimensions() {
  static const std::vector<Dimension> all{
      {"events",
       [](Store& store, long n) { grow(store, n, [](long) { return std::vector<Target>(); }); }},
      {"finished",
       [](Store& store, long n) {
         grow(store, n, for_grown);
         finish_all(store);
       }},
      {"lanes",
       [](Store& store, long n) {
         grow(store, n, [](long i) {
           return std::vector<Target>{{.consumer = "grown", .lane = "lane-" + std::to_string(i)}};
         });
       }},
      {"dead",
       [](Store& store, long n) {
         grow(store, n, for_grown);
         kill_all(store, n);
       }},
      {"superseded",
       [](Store& store, long n) {
         grow(store, n, for_grown);
         store.clear(kSession);
       }},
      {"claimed",
       [](Store& store, long n) {
         grow(store, n, for_grown);
         while (!claim_grown(store, 24h, std::nullopt).empty()) {
         }
       }},
      {"scheduled",
       [](Store& store, long n) {
         const Time later =
             std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()) + 24h;
         grow(store, n, [&](long) {
           return std::vector<Target>{{.consumer = "grown", .available_at = later}};
         });
       }},
      {"sessions",
       [](Store& store, long n) {
         for (long done = 0; done < n;) {
           std::vector<AppendItem> items;
           for (; done < n && std::ssize(items) < kBatch; ++done) {
             items.push_back({.session = "session-" + std::to_string(done),
                              .events = {event_for(for_grown(0))}});
           }
           store.append_batch(items);
         }
       }},
  };
  return all;
}

struct Operation {
  const char* name;
  std::function<void(Store&)> run;
  int turns = 100;
};

Head claim_one(Store& store) {
  ClaimResult claim =
      store.claim(kSession, {.holder = "bench", .ttl = 1h, .consumers = kBoth, .limit = 1});
  require(claim.heads.size() == 1, "claim");
  return std::move(claim.heads[0]);
}

// A head of "measured" is always there to be claimed, but for "cycle", which brings its own.
const std::vector<Operation>& operations() {
  static const std::vector<Operation> all{
      {"append",
       [](Store& store) { store.append(kSession, {event_for({})}, {.consumers = kMeasured}); }},
      {"claim-release",
       [](Store& store) {
         require(!store.release(kSession, claim_one(store)).superseded(), "release");
       }},
      {"cycle",
       [](Store& store) {
         store.append("cycle", {event_for({{.consumer = "cycle"}})});
         const std::vector<Consumer> served{{.name = "cycle"}};
         const ClaimReadyResult claimed = store.claim_ready(
             {.holder = "bench", .ttl = 1h, .consumers = served, .sessions_limit = 1, .limit = 1});
         require(!store.complete("cycle", claimed.claims.at(0).heads.at(0)).superseded(), "cycle");
       }},
      {"renew",
       [](Store& store) {
         static thread_local std::map<Store*, Claim> claims;
         if (!claims.contains(&store)) claims[&store] = claim_one(store);
         store.renew(kSession, {claims[&store]}, {.holder = "bench", .ttl = 1h});
       }},
      {"ready", [](Store& store) { store.ready({.consumers = kBoth, .limit = 1}); }},
      {"read",
       [](Store& store) {
         const std::int64_t last = store.head(kSession).last_index;
         store.read(kSession, {.after = std::max<std::int64_t>(0, last - 10), .limit = 10});
       }},
      {"cursors", [](Store& store) { store.cursors(kSession, {.limit = 10}); }},
      {"dead_letters", [](Store& store) { store.dead_letters(kSession, {.limit = 10}); }},
      {"wake_log",
       [](Store& store) {
         store.wake_log(kSession, {.name = "log", .log = Log{.types = {{"none"}}}});
       }},
      {"snapshot",
       [](Store& store) {
         const std::int64_t last = store.head(kSession).last_index;
         store.put_snapshots(kSession, "reducer", {{.index = last, .state = "{}"}});
         store.load_snapshot(kSession, "reducer", {.limit = 10});
       }},
      {"sessions", [](Store& store) { store.sessions({.limit = 10}); }},
      // Fewer turns in all than the smallest store has superseded rows: each finds one.
      {"maintain", [](Store& store) { store.maintain({.limit = 1}); }, 20},
  };
  return all;
}

std::unique_ptr<Store> make_grown(const std::string& scheme, const std::string& folder,
                                  const Dimension& dimension, long size) {
  std::unique_ptr<Store> store = open_relaxed(scheme, folder);
  dimension.fill(*store, size);
  // What the engine still has to do for the filling is not the operations' cost. (A memory store
  // has nothing to do, and would be another one.)
  if (scheme != "memory") {
    store.reset();
    store = open_relaxed(scheme, folder);
    catch_up(scheme, *store);
  }
  store->append(kSession, {event_for({{.consumer = "measured"}})});
  store->append(kSession, {event_for({{.consumer = "measured"}})});
  return store;
}

}  // namespace

void add_growth(const std::string& scheme, long largest) {
  const auto stores = std::make_shared<FilledStores>();
  for (const Dimension& dimension : dimensions()) {
    for (const Operation& operation : operations()) {
      for (const long size : {100L, 10'000L, largest}) {
        const std::string name = scheme + "/growth/" + dimension.name + "/" + operation.name + "/" +
                                 std::to_string(size);
        ::benchmark::RegisterBenchmark(
            name.c_str(),
            [stores, scheme, &dimension, &operation, size](::benchmark::State& state) {
              Store& store = stores->get(scheme + dimension.name + std::to_string(size),
                                         [&](const std::string& folder) {
                                           return make_grown(scheme, folder, dimension, size);
                                         });
              for (auto _ : state) operation.run(store);
              state.SetItemsProcessed(state.iterations());
            })
            ->Iterations(operation.turns)
            ->UseRealTime()
            ->Unit(::benchmark::kMicrosecond);
      }
    }
  }
}

}  // namespace pawl::bench
