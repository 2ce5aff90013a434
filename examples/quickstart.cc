// quickstart.cc: appends an event, claims the work it makes, finishes it.
#include <pawl/open.h>

#include <array>
#include <chrono>
#include <iostream>

using namespace std::chrono_literals;

// The program's own work. False: it has to be tried again.
bool handle(const pawl::Head& head) {
  std::cout << head.consumer << " handles " << head.event.type << " " << head.event.payload << "\n";
  return true;
}

int main() {
  pawl::Store store = pawl::open("sqlite:orders.db");

  // "billing" gets what is queued for it. "audit" reads every event of a session.
  const std::array consumers{
      pawl::Consumer{.name = "billing"},
      pawl::Consumer{.name = "audit", .log = pawl::Log{.backfill = true}},
  };

  // Sessions come into being by their first event. The id makes appending again harmless.
  store.append("order-42",
               {{.id = "placed",
                 .type = "placed",
                 .payload = R"({"total": "19.90"})",
                 .targets = {{.consumer = "billing", .lane = "customer-7"}}}},
               {.consumers = consumers});

  // Nobody else gets these heads within 30 seconds, and after that with a higher attempt.
  const pawl::ClaimResult claim = store.claim(
      "order-42", {.holder = "worker-1", .ttl = 30s, .consumers = consumers, .max_failures = 5});

  for (const pawl::Head& head : claim.heads) {
    // What follows from an event is appended in the transaction that finishes it.
    std::vector<pawl::NewEvent> follow_ups;
    if (head.consumer == "billing") follow_ups.push_back({.id = "billed", .type = "billed"});

    const pawl::FinishResult result =
        handle(head) ? store.complete("order-42", head, follow_ups, {.consumers = consumers})
                     : store.fail("order-42", head,
                                  {.error = "no answer", .max_failures = 5, .retry_after = 10s});
    if (result.superseded()) std::cout << "too late: another worker has it\n";
  }

  for (const pawl::Event& event : store.read("order-42")) {
    std::cout << event.index << " " << event.type << "\n";
  }
}
