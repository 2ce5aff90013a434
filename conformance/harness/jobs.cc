// The jobs of workers, all on the session "s".
#include "harness/jobs.h"

#include <unistd.h>

#include <csignal>
#include <functional>
#include <iostream>
#include <map>
#include <stdexcept>

#include "cases/fixture.h"

namespace pawl::conformance {
namespace {

using Args = std::vector<std::string>;

// What has been written here has been acknowledged by the store.
void say(const std::string& line) { std::cout << line << std::endl; }

// open: says that it did.
int opened(Store& store, const Args&) {
  say(std::to_string(store.head("s").last_index));
  return 0;
}

// append PREFIX COUNT EVENT: appends COUNT events with the ids PREFIX0, PREFIX1, ..., one at a
// time, and says each one's index.
int append(Store& store, const Args& args) {
  Ops s = Fixture::on(store);
  for (int i = 0; i < std::stoi(args.at(1)); ++i) {
    say(s.add(args.at(0) + std::to_string(i) + args.at(2)));
  }
  return 0;
}

// drain CONSUMER: claims and completes in small batches until nothing is pending; says every
// claim that it completed.
int drain(Store& store, const Args& args) {
  const ServedList served(args.at(0));
  const std::string holder = std::to_string(getpid());
  for (;;) {
    const ClaimResult claim = store.claim(
        "s", {.holder = holder, .ttl = Duration(60'000), .consumers = served.get(), .limit = 3});
    if (claim.outcome == ClaimOutcome::kSettled) return 0;
    if (claim.outcome == ClaimOutcome::kBusy) store.wait(served.get(), Duration(20));
    for (const Head& head : claim.heads) {
      const FinishResult result = store.complete("s", head);
      if (!result.superseded()) say(show(static_cast<Claim>(head)));
    }
  }
}

// hold CONSUMER TTL HOLDER: claims, says what it got, and does nothing more.
int hold(Store& store, const Args& args) {
  Ops s = Fixture::on(store);
  say(s.claim({.served = args.at(0), .holder = args.at(2), .ttl = std::stoll(args.at(1))}));
  for (;;) pause();
}

// takeover CONSUMER COUNT: claims COUNT times with claims that lapse at once, and says what it got.
int takeover(Store& store, const Args& args) {
  Ops s = Fixture::on(store);
  for (int i = 0; i < std::stoi(args.at(1)); ++i) {
    say(s.claim({.served = args.at(0), .holder = std::to_string(getpid()), .ttl = 0}));
  }
  return 0;
}

// late CONSUMER TTL: claims, says what it got, stops itself, and when it is continued completes
// its claim and says the outcome.
int late(Store& store, const Args& args) {
  Ops s = Fixture::on(store);
  const ServedList served(args.at(0));
  const ClaimResult claim = store.claim(
      "s", {.holder = "late", .ttl = Duration(std::stoll(args.at(1))), .consumers = served.get()});
  say(show(claim));
  raise(SIGSTOP);
  say(s.complete(show(static_cast<Claim>(claim.heads.at(0))), "late"));
  return 0;
}

// follow CONSUMER TTL: as drain, but with short claims, and each completion has a follow-up.
int follow(Store& store, const Args& args) {
  Ops s = Fixture::on(store);
  const ServedList served(args.at(0));
  for (;;) {
    const ClaimResult claim = store.claim("s", {.holder = std::to_string(getpid()),
                                                .ttl = Duration(std::stoll(args.at(1))),
                                                .consumers = served.get(),
                                                .limit = 3});
    if (claim.outcome == ClaimOutcome::kSettled) return 0;
    if (claim.outcome == ClaimOutcome::kBusy) store.wait(served.get(), Duration(20));
    for (const Head& head : claim.heads) {
      const std::string name = show(static_cast<Claim>(head));
      if (s.complete(name, "f" + std::to_string(head.event.index)) != "superseded") say(name);
    }
  }
}

// await AFTER: says "waiting", waits for an index above it, and says what is there.
int await(Store& store, const Args& args) {
  const std::int64_t after = std::stoll(args.at(0));
  say("waiting");
  while (store.head("s").last_index <= after) store.wait("s", after, Duration(10'000));
  say(show(store.read("s", {.after = after})));
  return 0;
}

// upkeep: maintains until all is done.
int upkeep(Store& store, const Args&) {
  std::int64_t deleted = 0;
  for (;;) {
    const DeletedResult result = store.maintain({.limit = 20});
    deleted += result.deleted;
    if (result.done) break;
  }
  say(std::to_string(deleted));
  return 0;
}

}  // namespace

int run_job(const std::string& job, Store& store, const std::vector<std::string>& args) {
  static const std::map<std::string, std::function<int(Store&, const Args&)>> jobs{
      {"open", opened}, {"append", append}, {"drain", drain},
      {"hold", hold},   {"late", late},     {"follow", follow},
      {"await", await}, {"upkeep", upkeep}, {"takeover", takeover},
  };
  const auto found = jobs.find(job);
  if (found == jobs.end()) throw std::logic_error("no job " + job);
  return found->second(store, args);
}

}  // namespace pawl::conformance
