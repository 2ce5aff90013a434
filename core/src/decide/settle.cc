// decide/settle.cc: the items in order over one workspace per session, then the claims over
// the same workspaces.
//
// Why one load is enough for the claims: the pick is made on the state before the items and
// is longer than the answer by the number of settled sessions. A settled session that was
// not picked had nothing claimable, and has now what the items made so; or the pick was full,
// and then enough other sessions have waited longer. How long a settled session has waited is
// told by its window, which is loaded whether it is picked or not: the cursors of its items
// alone would order it by a lapsed claim, though a free head of that consumer counts.
#include "decide/settle.h"

#include <algorithm>
#include <optional>

namespace pawl::core {
namespace {

// The place of a session among the query's, which are in byte order.
std::size_t place_of(const driver::Query& query, const std::string& session) {
  const auto found = std::lower_bound(
      query.sessions.begin(), query.sessions.end(), session,
      [](const driver::SessionQuery& a, const std::string& name) { return a.session < name; });
  return static_cast<std::size_t>(found - query.sessions.begin());
}

std::vector<Workspace> workspaces(const driver::Query& query, driver::Facts&& facts) {
  std::vector<Workspace> spaces;
  spaces.reserve(facts.sessions.size());
  for (std::size_t i = 0; i < facts.sessions.size(); ++i) {
    const auto& keys = i < query.sessions.size() ? query.sessions[i].cursors : query.pick->cursors;
    spaces.emplace_back(std::move(facts.sessions[i]), keys, facts.now);
  }
  return spaces;
}

// The logs that the completions of a session refresh and wake: asked for once, not by item.
void plan_logs(driver::Query& query, const SettleRequest& request) {
  std::vector<std::optional<EventTypes>> types(query.sessions.size());
  for (const FinishRequest& item : request.items) {
    if (item.action != SettleAction::kComplete) continue;
    std::optional<EventTypes>& of_session = types[place_of(query, item.session)];
    if (!of_session) of_session.emplace();
    add_types(*of_session, *item.events);
  }
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (!types[i]) continue;
    plan_refresh(query.sessions[i], request.served);
    plan_wakes(query.sessions[i], request.served, *types[i]);
  }
}

// What the claims may do to cursors of the settled sessions, whether they were picked or not.
void plan_claims(driver::Query& query, const SettleRequest& request) {
  const ClaimReadyRequest& claim = *request.claim;
  query.pick = claim_pick(claim, std::ssize(query.sessions), std::ssize(request.items));
  for (driver::SessionQuery& session : query.sessions) {
    session.window = query.pick->window;
    plan_refresh(session, claim.each.served);
    if (claim.each.max_failures == 0) continue;
    for (driver::CursorQuery& cursor : session.cursors) cursor.pins = true;
  }
}

}  // namespace

driver::Query plan_settle(const SettleRequest& request, const IdPool& ids) {
  driver::Query query;
  std::vector<std::string> names;
  for (const FinishRequest& item : request.items) names.push_back(item.session);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  query.sessions.resize(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) query.sessions[i].session = std::move(names[i]);
  for (const FinishRequest& item : request.items) {
    plan_finish(query.sessions[place_of(query, item.session)], item, request.served, ids);
  }
  plan_logs(query, request);
  if (request.claim) plan_claims(query, request);
  for (driver::SessionQuery& session : query.sessions) merge_cursors(session);
  return query;
}

Decision<SettleAnswer> decide_settle(const SettleRequest& request, const driver::Query& query,
                                     driver::Facts&& facts) {
  Decision<SettleAnswer> decision;
  SettleAnswer& answer = decision.answer;
  answer.now = facts.now;
  // Times that are none are arguments that are wrong, whatever is stored.
  for (std::size_t i = 0; i < request.items.size(); ++i) {
    in_item(request.is_settle, i, ": ", [&] { return request.items[i].open_at(facts.now); });
  }
  if (request.claim) request.claim->each.lease.until(facts.now);
  std::vector<Workspace> spaces = workspaces(query, std::move(facts));
  for (std::size_t i = 0; i < request.items.size(); ++i) {
    const FinishRequest& item = request.items[i];
    Workspace& space = spaces[place_of(query, item.session)];
    answer.results.push_back(in_item(request.is_settle, i, ": ",
                                     [&] { return decide_finish(space, item, request.served); }));
  }
  driver::ReadBack& read = decision.effects.read;
  if (request.claim) {
    answer.claimed = decide_claim_ready(spaces, *request.claim);
    for (const SessionTaken& taken : answer.claimed.claims) {
      read_back_taken(read, taken.session, taken.answer.taken);
    }
    read.next_due = request.claim->each.served.names;
  }
  for (Workspace& space : spaces) {
    driver::SessionEffects effects = space.take();
    if (!effects.empty()) decision.effects.sessions.push_back(std::move(effects));
  }
  return decision;
}

}  // namespace pawl::core
