// pawl_loop.cc: the work done by a Store.
#include <chrono>
#include <stdexcept>
#include <vector>

#include "loop.h"
#include "place.h"

namespace pawl::bench {
namespace {

using namespace std::chrono_literals;

void require(bool held, const char* what) {
  if (!held) throw std::logic_error(std::string("bench: ") + what);
}

class PawlLoop final : public Loop {
 public:
  PawlLoop(const std::string& scheme, const Settings& settings,
           const std::map<std::string, std::string>& engine)
      : work_(settings.work), store_(open(scheme, settings, engine)) {}

  void prepare(int threads, std::int64_t turns) override {
    claims_.resize(threads);
    for (int thread = 0; thread < threads; ++thread) {
      sessions_.push_back("session-" + std::to_string(thread));
      if (work_ == Work::kClaim || work_ == Work::kComplete) fill(thread, turns);
    }
  }

  void turn(int thread) override {
    switch (work_) {
      case Work::kAppend1:
        return append(thread, 1);
      case Work::kAppend100:
        return append(thread, 100);
      case Work::kClaim:
        return claim(thread, 1);
      case Work::kComplete:
        return complete(thread, true);
      case Work::kCycle:
        append(thread, 1);
        claim(thread, 1);
        return complete(thread, false);
      case Work::kHundreds:
        return hundreds(thread);
    }
  }

 private:
  static Store open(const std::string& scheme, const Settings& settings,
                    const std::map<std::string, std::string>& engine) {
    OpenOptions options;
    options.engine = engine;
    options.durability = settings.full ? Durability::kFull : Durability::kRelaxed;
    return open_store(scheme, settings.scratch, options);
  }

  static std::vector<NewEvent> batch(std::int64_t count) {
    NewEvent event;
    event.type = "work";
    event.payload = payload();
    event.targets = {{.consumer = "worker"}};
    return std::vector<NewEvent>(static_cast<std::size_t>(count), event);
  }

  void append(int thread, std::int64_t count) {
    const std::vector<NewEvent>& events = count == 1 ? one_ : hundred_;
    require(std::ssize(store_.append(sessions_[thread], events, {.consumers = served_}).events) ==
                count,
            "append");
  }

  void claim(int thread, std::int64_t limit) {
    ClaimResult result = store_.claim(
        sessions_[thread],
        {.holder = "bench", .ttl = 1h, .consumers = served_, .max_failures = 5, .limit = limit});
    require(std::ssize(result.heads) == limit, "claim");
    for (Head& head : result.heads) claims_[thread].push_back(head);
  }

  void complete(int thread, bool follow_up) {
    const Claim claim = std::move(claims_[thread].back());
    claims_[thread].pop_back();
    std::vector<NewEvent> events;
    if (follow_up) {
      events.push_back(
          {.id = "done-" + std::to_string(claim.index), .type = "done", .payload = payload()});
    }
    require(store_.complete(sessions_[thread], claim, events, {.consumers = served_}).outcome ==
                FinishOutcome::kCompleted,
            "complete");
  }

  // A hundred events through the whole cycle: one append_batch, one claim_ready, one settle.
  void hundreds(int thread) {
    append(thread, 100);
    const ClaimReadyResult claimed = store_.claim_ready(
        {.holder = "bench", .ttl = 1h, .consumers = served_, .sessions_limit = 100, .limit = 100});
    std::vector<SettleItem> items;
    for (const SessionClaims& session : claimed.claims) {
      for (const Head& head : session.heads) {
        items.push_back({.session = session.session, .claim = head});
      }
    }
    require(std::ssize(store_.settle(items, {.consumers = served_}).results) == 100, "settle");
  }

  void fill(int thread, std::int64_t turns) {
    for (std::int64_t left = turns; left > 0; left -= 100) append(thread, 100);
    if (work_ == Work::kComplete) {
      for (std::int64_t left = turns; left > 0; left -= 1'000) {
        claim(thread, std::min<std::int64_t>(1'000, left));
      }
    }
  }

  Work work_;
  Store store_;
  std::vector<Consumer> consumers_{{.name = "worker"}};
  Served served_{consumers_};
  std::vector<NewEvent> one_ = batch(1);
  std::vector<NewEvent> hundred_ = batch(100);
  std::vector<std::string> sessions_;
  std::vector<std::vector<Claim>> claims_;
};

}  // namespace

std::string payload() {
  return "\"" + std::string(static_cast<std::size_t>(kPayloadBytes - 2), 'x') + "\"";
}

std::int64_t events_of(Work work) {
  return work == Work::kAppend100 || work == Work::kHundreds ? 100 : 1;
}

const char* name_of(Work work) {
  switch (work) {
    case Work::kAppend1:
      return "append";
    case Work::kAppend100:
      return "append-100";
    case Work::kClaim:
      return "claim";
    case Work::kComplete:
      return "complete";
    case Work::kCycle:
      return "cycle";
    case Work::kHundreds:
      return "hundreds";
  }
  return "";
}

std::unique_ptr<Loop> make_pawl_loop(const std::string& scheme, const Settings& settings,
                                     const std::map<std::string, std::string>& engine) {
  return std::make_unique<PawlLoop>(scheme, settings, engine);
}

}  // namespace pawl::bench
