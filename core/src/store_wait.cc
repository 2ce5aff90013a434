// store_wait.cc: waiting for work and following a session's log.
//
// The order that loses nothing: take the change count, look, and only then wait for it to
// change.
#include <algorithm>
#include <chrono>

#include "store_impl.h"

namespace pawl {
namespace {

using core::Check;
using SteadyTime = std::chrono::steady_clock::time_point;

SteadyTime deadline_after(Duration timeout) {
  // Far enough to be for ever, near enough not to overflow the clock's nanoseconds.
  static constexpr Duration kForEver = std::chrono::hours(24 * 365 * 10);
  return std::chrono::steady_clock::now() + std::min(timeout, kForEver);
}

// How often tail asks whether it is to stop.
constexpr Duration kStopPoll{100};

void wait_for_index(Backend& backend, const std::string& session, std::int64_t after,
                    SteadyTime until) {
  driver::Query query;
  query.sessions.resize(1);
  query.sessions[0].session = session;
  while (true) {
    const std::uint64_t seen = backend.changes();
    if (backend.look(query).sessions[0].row.last_index > after) return;
    if (std::chrono::steady_clock::now() >= until) return;
    backend.wait(seen, until);
  }
}

}  // namespace

void Store::wait(const Served& consumers, Duration timeout) {
  Check check = impl_->check();
  check.served(consumers, {"consumers"});
  Check::duration(timeout, {"timeout_ms"});
  Backend& backend = *impl_->backend;
  driver::Query query;
  query.ready = driver::ReadyQuery{core::served_set(consumers).names, 1};
  const SteadyTime deadline = deadline_after(timeout);
  while (true) {
    const std::uint64_t seen = backend.changes();
    const driver::Facts facts = backend.look(query);
    if (!order_ready(facts.ready, facts.now, 1).empty()) return;
    const SteadyTime now = std::chrono::steady_clock::now();
    if (now >= deadline) return;
    SteadyTime until = deadline;
    if (const auto next = next_due(facts.ready, facts.now)) {
      until = std::min(until, deadline_after(Duration(*next - facts.now)));
    }
    backend.wait(seen, until);
  }
}

void Store::wait(std::string_view session, std::int64_t after, Duration timeout) {
  Check check = impl_->check();
  check.name(session, {"session"});
  Check::at_least(after, 0, {"after"});
  Check::duration(timeout, {"timeout_ms"});
  wait_for_index(*impl_->backend, std::string(session), after, deadline_after(timeout));
}

std::int64_t Store::tail(std::string_view session, std::int64_t after,
                         const std::function<bool(const Event&)>& on_event,
                         const std::stop_token& stop) {
  impl_->check().name(session, {"session"});
  Check::at_least(after, 0, {"after"});
  bool idle = false;
  while (!stop.stop_requested()) {
    // What is there before a read that gives nothing is of a deleted life, and no news.
    const std::int64_t old = idle ? head(session).last_index : 0;
    const std::vector<Event> events = read(session, {.after = after});
    for (const Event& event : events) {
      if (stop.stop_requested()) return after;
      after = event.index;
      if (!on_event(event)) return after;
    }
    idle = events.empty();
    if (idle) {
      wait_for_index(*impl_->backend, std::string(session), std::max(after, old),
                     deadline_after(kStopPoll));
    }
  }
  return after;
}

}  // namespace pawl
