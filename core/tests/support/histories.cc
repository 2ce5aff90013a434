// See histories.h.
#include "tests/support/histories.h"

#include <algorithm>
#include <set>

namespace pawl::core::testing {
namespace {

const SessionRows& rows_of(const World& world, const std::string& session) {
  static const SessionRows unknown;
  const auto found = world.sessions.find(session);
  return found == world.sessions.end() ? unknown : found->second;
}

template <class Op>
Step on_session(std::string verb, const std::string& session, Op operation, Again again) {
  operation.session = session;
  return {std::move(verb), std::make_unique<Op>(std::move(operation)), again};
}

}  // namespace

std::int64_t Histories::number(std::int64_t least, std::int64_t most) {
  return least +
         static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most - least + 1));
}

driver::Types Histories::types() {
  return pick<driver::Types>({std::nullopt, {{"t"}}, {{"u"}}, {{"t", "u"}}, {{}}});
}

std::vector<Consumer> Histories::served() {
  std::vector<Consumer> consumers;
  for (const char* name : {"c", "d", "e"}) {
    if (!chance(70)) continue;
    consumers.push_back({name});
    if (chance(60)) consumers.back() = reads(name, types(), chance(50));
    // By the name of a lane, which may be there already. Without backfill: that could come to
    // heads which a lane of that name had before it was pruned or deleted.
    if (chance(5)) consumers.back() = reads(name, types(), false, "k");
  }
  return consumers;
}

ServedSet Histories::served_or_all() { return chance(40) ? ServedSet() : serving(served()); }

// That of a cursor that is there, mostly; rarely of another attempt or index.
Claim Histories::claim(const World& world, const std::string& session) {
  const SessionRows& rows = rows_of(world, session);
  if (rows.cursors.empty() || chance(3)) return {consumer(), {}, number(1, 9), 1};
  const driver::CursorRow* row = &pick(rows.cursors);
  for (int tries = 0; tries < 4 && !row->claim_holder; ++tries) row = &pick(rows.cursors);
  Claim claim{row->key.consumer, row->key.lane, std::max<std::int64_t>(row->head, 1),
              std::max<std::int64_t>(row->attempt_count, 1)};
  if (row->completion && chance(30)) {
    claim.index = row->completion->index;
    claim.attempt = row->completion->attempt;
  }
  if (chance(5)) claim.attempt += chance(50) ? 1 : -1;
  if (chance(5)) claim.index = index(world, session);
  claim.attempt = std::max<std::int64_t>(claim.attempt, 1);
  return claim;
}

std::int64_t Histories::index(const World& world, const std::string& session) {
  return number(1, rows_of(world, session).row.last_index + 1);
}

std::vector<NewEvent> Histories::events(const World& world, const std::string& session,
                                        bool follow_ups) {
  std::vector<NewEvent> list;
  std::set<std::string> ids;
  for (std::int64_t i = number(follow_ups ? 0 : 1, 3); i > 0; --i) {
    NewEvent event;
    event.type = type();
    event.payload = chance(95) ? "1" : "2";
    // Few ids, so that they meet; but most are new.
    if (follow_ups || chance(60)) {
      event.id = "x" + std::to_string(chance(85) ? 100 + ++ids_ : number(0, 40));
      if (!ids.insert(*event.id).second) continue;
    }
    if (!follow_ups && chance(10)) {
      const Claim from = claim(world, session);
      event.cause = Cause{from.consumer, from.lane, from.index, from.attempt};
    }
    std::set<std::pair<std::string, Lane>> targets;
    for (std::int64_t j = number(0, 3); j > 0; --j) {
      Target target{consumer(), pick<Lane>({std::nullopt, "k", "z"})};
      if (chance(20))
        target.available_at = ms(std::max<std::int64_t>(1, world.now + number(-9, 30)));
      if (targets.emplace(target.consumer, target.lane).second) event.targets.push_back(target);
    }
    list.push_back(std::move(event));
  }
  return list;
}

Step Histories::append(const World& world) {
  const std::string name = session();
  Append operation(events(world, name, false));
  if (chance(50)) operation.served = served();
  if (chance(5)) operation.origin_index = index(world, name);
  operation.session = name;
  operation.first_id = 1'000 * ++ids_;
  const bool named = std::all_of(operation.events.begin(), operation.events.end(),
                                 [](const NewEvent& event) { return event.id.has_value(); });
  return {"append", std::make_unique<Append>(std::move(operation)),
          named ? Again::kSame : Again::kUnknown};
}

Step Histories::append_batch(const World& world) {
  AppendBatch operation({});
  for (const char* name : {"s", "a"}) {
    Append item(events(world, name, false));
    if (chance(50)) item.served = served();
    item.session = name;
    operation.items.push_back(std::move(item));
  }
  operation.first_id = 1'000 * ++ids_;
  return {"append_batch", std::make_unique<AppendBatch>(std::move(operation))};
}

Step Histories::wake(const World&) {
  return on_session("wake_log", session(), WakeLog(reads(consumer(), types(), chance(50))),
                    Again::kSame);
}

ClaimRequest Histories::claim_request(const World& world, const std::string& session) {
  ClaimRequest request;
  request.lease = {chance(50) ? "v" : "w", number(0, 40), 0};
  request.served = served_or_all();
  request.limit = number(1, 6);
  if (chance(50)) request.max_failures = number(1, 3);
  if (session.empty()) return request;
  if (chance(15)) request.through = index(world, session);
  for (std::int64_t i = chance(30) ? number(1, 3) : 0; i > 0; --i) {
    const Claim excluded = claim(world, session);
    request.exclude.push_back(key_of(excluded.consumer, excluded.lane, excluded.index));
  }
  std::sort(request.exclude.begin(), request.exclude.end());
  return request;
}

Step Histories::claim_heads(const World& world) {
  if (chance(40)) {
    const ClaimReadyRequest request{claim_request(world, ""), number(1, 2)};
    return {"claim_ready", std::make_unique<Settle>(claim_ready(request))};
  }
  const std::string name = session();
  return on_session("claim", name, ClaimHeads(claim_request(world, name)), Again::kUnknown);
}

Step Histories::renew(const World& world) {
  const std::string name = session();
  RenewRequest request;
  request.lease = {chance(50) ? "v" : "w", number(1, 40), 0};
  std::set<std::pair<driver::CursorKey, std::int64_t>> seen;
  for (std::int64_t i = number(0, 5); i > 0; --i) {
    const Claim one = claim(world, name);
    if (seen.emplace(key_of(one.consumer, one.lane, one.index), one.index).second) {
      request.claims.push_back(one);
    }
  }
  return on_session("renew", name, Renew(std::move(request)), Again::kSame);
}

Step Histories::settle(const World& world) {
  Settle operation;
  std::set<std::pair<std::string, driver::CursorKey>> seen;
  for (std::int64_t i = number(1, 4); i > 0; --i) {
    Settle::Item item;
    item.session = session();
    item.claim = claim(world, item.session);
    const auto key = key_of(item.claim.consumer, item.claim.lane, item.claim.index);
    if (!seen.emplace(item.session, key).second) continue;
    item.action = pick<SettleAction>({SettleAction::kComplete, SettleAction::kComplete,
                                      SettleAction::kFail, SettleAction::kRelease});
    if (item.action == SettleAction::kComplete) item.events = events(world, item.session, true);
    if (item.action == SettleAction::kFail) item.max_failures = number(1, 4);
    if (chance(40)) item.delay_ms = number(0, 20);
    operation.items.push_back(std::move(item));
  }
  operation.served = served();
  if (chance(40)) operation.claim = ClaimReadyRequest{claim_request(world, ""), number(1, 2)};
  const Again again = operation.claim ? Again::kUnknown : Again::kSame;
  return {"settle", std::make_unique<Settle>(std::move(operation)), again};
}

Step Histories::redrive(const World& world) {
  const std::string name = session();
  RedriveRequest request;
  Claim dead{consumer(), {}, index(world, name), 1};
  for (const driver::CursorRow& row : rows_of(world, name).cursors) {
    if (row.dead() && (dead.attempt == 1 || chance(30))) {
      dead = {row.key.consumer, row.key.lane, row.head, 2};
    }
  }
  request.consumer = dead.consumer;
  request.index = dead.index;
  if (chance(50)) request.lane = dead.lane;
  request.action = chance(50) ? RedriveAction::kRetry : RedriveAction::kSkip;
  request.served = served_or_all();
  Step step = on_session("redrive", name, Redrive(std::move(request)), Again::kUnknown);
  step.redrives = true;
  return step;
}

Step Histories::put_snapshots(const World& world) {
  const std::string name = session();
  std::vector<SnapshotWrite> writes;
  for (std::int64_t i = number(1, 3); i > 0; --i) {
    SnapshotWrite write{index(world, name), "0"};
    for (std::int64_t j = number(0, 3); j > 0; --j) {
      const Claim pinned = claim(world, name);
      write.pins.push_back({pinned.consumer, pinned.lane, pinned.index});
    }
    writes.push_back(std::move(write));
  }
  std::sort(writes.begin(), writes.end(),
            [](const SnapshotWrite& a, const SnapshotWrite& b) { return a.index < b.index; });
  return on_session("put_snapshots", name, PutSnapshots(chance(50) ? "r" : "q", std::move(writes)),
                    Again::kUnknown);
}

Step Histories::clear(const World& world) {
  const std::string name = session();
  Clear operation;
  operation.first_id = 1'000 * ++ids_;
  if (chance(50)) operation.request.if_last_index = index(world, name) - 1;
  if (chance(20)) {
    const Claim from = claim(world, name);
    operation.request.cause = Cause{from.consumer, from.lane, from.index, from.attempt};
  }
  // A repeat without if_last_index has nothing to clear; one with a cause is superseded.
  const Again again = operation.request.cause ? Again::kUnknown : Again::kSame;
  return on_session("clear", name, std::move(operation), again);
}

Step Histories::upkeep(const World& world) {
  const std::string name = session();
  switch (number(0, 3)) {
    case 0:
      return on_session("reclaim", name, Reclaim(number(1, 6)), Again::kIfDone);
    case 1:
      return on_session("prune", name, Prune(world.now - number(0, 60), number(1, 6)),
                        Again::kIfDone);
    case 2: {
      DeleteSession operation(number(1, 8), chance(30));
      operation.first_id = 1'000 * ++ids_;
      // Once done, it begins anew if there is a newer life.
      const Again again = operation.only_go_on ? Again::kIfDone : Again::kUnknown;
      return on_session("delete_session", name, std::move(operation), again);
    }
    default:
      break;
  }
  const std::string retired = consumer();
  Step step =
      on_session("delete_consumer", name, DeleteConsumer(retired, number(1, 8)), Again::kIfDone);
  step.deletes = name + "/" + retired;
  return step;
}

Step Histories::next(World& world) {
  if (chance(40)) world.now += number(0, 25);
  if (chance(3)) world.now = std::max<std::int64_t>(1, world.now - number(0, 25));
  const std::int64_t which = number(1, 100);
  if (which <= 22) return append(world);
  if (which <= 26) return append_batch(world);
  if (which <= 30) return wake(world);
  if (which <= 50) return claim_heads(world);
  if (which <= 55) return renew(world);
  if (which <= 78) return settle(world);
  if (which <= 83) return redrive(world);
  if (which <= 91) return put_snapshots(world);
  if (which <= 94) return clear(world);
  return upkeep(world);
}

}  // namespace pawl::core::testing
