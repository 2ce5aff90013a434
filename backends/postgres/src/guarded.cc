// The decision is made three times: twice to find out which times move with the clock, and for the
// answer when the clock is known.
#include "guarded.h"

#include <algorithm>

#include "moments.h"

namespace pawl::postgres {
namespace {

// Deciding more than once costs more than a round trip then.
constexpr std::size_t kMostRows = 256;
constexpr std::size_t kMostClaims = 32;
constexpr std::size_t kLongestPayloads = 65'536;

bool is_small(const driver::SessionEffects& session) {
  if (session.append.size() + session.put.size() + session.put_work.size() > kMostRows)
    return false;
  std::size_t bytes = 0;
  for (const driver::EventRow& event : session.append) bytes += event.payload.size();
  return bytes <= kLongestPayloads;
}

// Whether the effects are of the kinds whose times are known, on the one session.
bool fits(const driver::Effects& effects) {
  if (effects.sessions.size() != 1 || !effects.presence.empty()) return false;
  if (effects.read.events.size() > kMostClaims || effects.read.next_due) return false;
  const driver::SessionEffects& session = effects.sessions.front();
  return !session.empty() && !session.new_era && session.erase.empty() &&
         session.drop_work.empty() && session.drop_snapshots.empty() && session.drop_pins.empty() &&
         session.put_snapshots.empty() && session.put_pins.empty() && is_small(session);
}

}  // namespace

driver::Effects GuardedWrite::decide_for(std::int64_t now) const {
  driver::Facts facts = facts_->facts;
  facts.now = now;
  return decide_(std::move(facts));
}

bool GuardedWrite::decide(std::int64_t from) {
  facts_ = known_.facts(query_, from);
  if (!facts_) return false;
  try {
    effects_ = decide_for(from);
    // A claim of nothing may still write a log's types. It answers when there will be something, of
    // which the window knows the first only.
    const bool claims_nothing = query_.sessions.front().window && effects_.read.events.empty();
    if (claims_nothing || !fits(effects_)) return false;
    driver::Effects later = decide_for(from + 1);
    if (!make_relative(effects_, later, from)) return false;
  } catch (const std::exception&) {
    return false;
  }
  from_ = from;
  before_ = std::min(facts_->before, deadline_of(facts_->facts, effects_, from));
  return before_ > from + 1;
}

driver::Readings GuardedWrite::write(Connection& connection, std::optional<std::int64_t> now,
                                     std::int64_t revision) {
  const std::map<std::string, std::int64_t> stored{{known_.name(), known_.row().era}};
  const driver::SessionEffects& written = effects_.sessions.front();
  Writer writer(connection, effects_, stored, revision);
  LookUps look_ups;
  look_ups.add(written, &known_);
  writer.send_guarded(
      {known_.row(), known_.revision(), from_, before_, now, [&](const std::string& consumer) {
         return known_.heads().first_after(consumer, written, from_, before_);
       }});
  look_ups.send(connection);
  connection.commit();
  connection.fetch(Connection::End::kCommit);
  now_ = writer.now();
  driver::Readings readings = writer.take();
  effects_ = decide_for(now_);
  known_.apply(effects_.sessions.front(), revision);
  look_ups.take();
  look_ups.note_in(known_);
  return readings;
}

bool GuardedWrite::is_miss(const Refused& refused) {
  return refused.sqlstate == kGuardFailed || refused.sqlstate == kUnanswerable ||
         refused.constraint == kEventIds;
}

}  // namespace pawl::postgres
