// worker.cc: the loop of a worker: whole batches, claims given back at the end, dead letters.
//
//   pawl_worker [URI]
#include <array>
#include <chrono>
#include <iostream>
#include <stdexcept>
#include <thread>

#include "pawl/error.h"
#include "pawl/open.h"

using namespace std::chrono_literals;

namespace {

const std::array kConsumers{pawl::Consumer{.name = "shipping"}};
constexpr std::int64_t kMaxFailures = 3;

// The program's own work. One that may outlast the claim calls store.renew now and then.
void ship(const pawl::Head& head) {
  if (head.event.session == "order-13") throw std::runtime_error("no such address");
}

pawl::SettleItem handle(const pawl::Head& head) {
  pawl::SettleItem item{.session = head.event.session, .claim = head};
  try {
    ship(head);
    item.events = {{.id = "shipped", .type = "shipped"}};
  } catch (const std::exception& error) {
    item.action = pawl::SettleAction::kFail;
    item.fail = {.error = error.what(), .max_failures = kMaxFailures, .retry_after = 50ms};
  }
  return item;
}

// One transaction settles a batch and claims the next one.
void work(const std::stop_token& stop, pawl::Store& store, const std::string& holder) {
  std::vector<pawl::SettleItem> done;
  while (!stop.stop_requested()) {
    try {
      const pawl::SettleResult settled = store.settle(
          done, {.consumers = kConsumers,
                 .claim = pawl::ClaimReadyOptions{
                     .holder = holder, .ttl = 30s, .max_failures = kMaxFailures, .limit = 10}});
      done.clear();
      for (const pawl::SessionClaims& claims : *settled.claims) {
        for (const pawl::Head& head : claims.heads) {
          done.push_back(stop.stop_requested()
                             ? pawl::SettleItem{.session = head.event.session,
                                                .claim = head,
                                                .action = pawl::SettleAction::kRelease}
                             : handle(head));
        }
      }
      if (done.empty()) store.wait(kConsumers, 200ms);
    } catch (const pawl::Error& error) {
      if (!error.retryable()) throw;  // otherwise the same batch is settled again
    }
  }
  std::ignore = store.settle(done);
}

bool has_work(pawl::Store& store) {
  const pawl::ReadyResult ready = store.ready({.consumers = kConsumers});
  return !ready.sessions.empty() || ready.next_at;
}

}  // namespace

int main(int argc, char** argv) {
  pawl::Store store = pawl::open(argc > 1 ? argv[1] : "sqlite:shipping.db");
  {
    std::jthread first(work, std::ref(store), "worker-1");
    std::jthread second(work, std::ref(store), "worker-2");
    for (int order = 1; order <= 20; ++order) {
      store.append("order-" + std::to_string(order),
                   {{.id = "paid", .type = "paid", .targets = {{.consumer = "shipping"}}}});
    }
    while (has_work(store)) std::this_thread::sleep_for(20ms);
  }

  for (const pawl::SessionInfo& session : store.sessions()) {
    for (const pawl::Head& dead : store.dead_letters(session.session)) {
      std::cout << session.session << " failed " << dead.failure_count
                << " times: " << dead.last_error.value_or("") << "\n";
      store.redrive(session.session, dead.consumer, dead.event.index, pawl::RedriveAction::kSkip);
    }
    if (session.last_index == 2) std::cout << session.session << " is shipped\n";
  }
}
