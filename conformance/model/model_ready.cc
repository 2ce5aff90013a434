// Contract section 10: ready, claim_ready, wait.
#include <algorithm>

#include "model/rules.h"

namespace pawl::model {

Json Rules::ready(Arguments& arguments) {
  const Served consumers = served(arguments);
  const std::int64_t limit = arguments.limit("limit", 1'000);
  arguments.nothing_else();
  const ReadyList list = ready_list(consumers);
  Json sessions = Json::array();
  for (const auto& [ready_at, name] : list.sessions) {
    if (static_cast<std::int64_t>(sessions.size()) >= limit) break;
    sessions.push_back({{"session", name}, {"ready_at", ready_at}});
  }
  Json result = {{"sessions", sessions}};
  put_optional(result, "next_at", list.next_at);
  return result;
}

// Rule 2 for one consumer in one session, and its part in rule 3.
Waiting Rules::waiting(const Session& session, const std::string& consumer) const {
  const Cursor* lowest = nullptr;
  std::optional<std::int64_t> earliest;
  for (const Cursor& cursor : session.cursors) {
    if (cursor.consumer != consumer || !has_live_head(session, cursor)) continue;
    if (const auto expiry = cursor.dispatch.claim_expires_at) {
      if (!earliest || *expiry < *earliest) earliest = expiry;
    } else if (!lowest || head_order(ref_of_head(cursor)) < head_order(ref_of_head(*lowest))) {
      lowest = &cursor;
    }
  }
  if (lowest) return {lowest->dispatch.claimable_since, std::nullopt};
  if (earliest && *earliest <= now_) return {earliest, std::nullopt};
  return {std::nullopt, earliest};
}

ReadyList Rules::ready_list(const Served& consumers) const {
  ReadyList result;
  for (const auto& [name, session] : sessions_) {
    std::set<std::string> concerned;
    for (const Cursor& cursor : session.cursors) {
      if (serves(consumers, cursor.consumer)) concerned.insert(cursor.consumer);
    }
    std::optional<std::int64_t> ready_at;
    for (const std::string& consumer : concerned) {
      const Waiting one = waiting(session, consumer);
      if (one.ready_at) ready_at = std::min(*one.ready_at, ready_at.value_or(kMaxCount));
      if (one.next_at) {
        result.next_at = std::min(*one.next_at, result.next_at.value_or(kMaxCount));
      }
    }
    if (ready_at) result.sessions.emplace_back(*ready_at, name);
  }
  std::sort(result.sessions.begin(), result.sessions.end());
  return result;
}

ClaimRequest Rules::claim_ready_arguments(Arguments& arguments) {
  ClaimRequest request;
  request.lease = lease(arguments);
  request.served = served(arguments);
  request.max_failures = arguments.optional_integer("max_failures", 1);
  request.sessions_limit = arguments.limit("sessions_limit", 100);
  request.limit = arguments.limit("limit", 100);
  arguments.nothing_else();
  return request;
}

Json Rules::claim_ready(Arguments& arguments) {
  const ClaimRequest request = claim_ready_arguments(arguments);
  Json result = Json::object();
  claim_ready_into(result, request);
  return result;
}

void Rules::claim_ready_into(Json& answer, const ClaimRequest& request) {
  Json claims = Json::array();
  ClaimRequest remaining = request;
  for (const auto& [ready_at, name] : ready_list(request.served).sessions) {
    if (static_cast<std::int64_t>(claims.size()) >= request.sessions_limit) break;
    if (remaining.limit == 0) break;
    Session& session = change(name);
    refresh_types(session, request.served);
    ClaimedHeads claimed = claim_in(session, remaining);
    remaining.limit -= claimed.count();
    claims.push_back({{"session", name},
                      {"heads", claimed.heads},
                      {"dead_lettered", claimed.dead_lettered},
                      {"last_index", session.last_index}});
  }
  answer["claims"] = claims;
  const ReadyList left = ready_list(request.served);
  if (!left.sessions.empty()) {
    answer["next_at"] = now_;
  } else {
    put_optional(answer, "next_at", left.next_at);
  }
}

// The model waits for nobody: returning for nothing is allowed.
Json Rules::wait(Arguments& arguments) {
  arguments.integer("timeout_ms", 0, kMaxTime);
  if (arguments.has("session") || arguments.has("after")) {
    arguments.name("session");
    arguments.integer("after", 0);
  } else {
    arguments.optional_name("session");
    arguments.optional_integer("after", 0);
    served(arguments);
  }
  arguments.nothing_else();
  return Json::object();
}

}  // namespace pawl::model
