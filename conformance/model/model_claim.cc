// Contract section 5: claim, renew.
#include <algorithm>

#include "model/rules.h"

namespace pawl::model {
namespace {

constexpr int kMaxDue = 1'000;

}  // namespace

Lease Rules::lease(Arguments& arguments) {
  Lease result;
  result.holder = arguments.name("holder");
  const auto ttl = arguments.optional_integer("ttl_ms", 0, kMaxTime);
  const auto expires_at = arguments.optional_integer("expires_at", 1, kMaxTime);
  if (ttl.has_value() == expires_at.has_value()) {
    refuse("exactly one of ttl_ms and expires_at must be given");
  }
  result.expires_at = expires_at ? *expires_at : later(now_, *ttl, "ttl_ms");
  return result;
}

Json Rules::claim(Arguments& arguments) {
  ClaimRequest request;
  const std::string name = arguments.name("session");
  request.lease = lease(arguments);
  request.served = served(arguments);
  for (Arguments& item : arguments.optional_objects("exclude", kMaxListed)) {
    request.exclude.push_back(head_ref(item));
    item.nothing_else();
  }
  request.through = arguments.optional_integer("through", 0);
  request.max_failures = arguments.optional_integer("max_failures", 1);
  request.limit = arguments.limit("limit", 100);
  arguments.nothing_else();

  Session& session = change(name);
  refresh_types(session, request.served);  // 1
  ClaimedHeads claimed = claim_in(session, request);
  if (claimed.count() > 0) {  // 4
    return {{"outcome", "claimed"},
            {"heads", claimed.heads},
            {"dead_lettered", claimed.dead_lettered},
            {"last_index", session.last_index}};
  }
  if (const auto at = retry_at(session, request)) return {{"outcome", "busy"}, {"retry_at", *at}};
  return {{"outcome", "settled"}};
}

// Step 2 without its last condition.
bool Rules::may_be_claimed_but_for_time(const Session& session, const Cursor& cursor,
                                        const ClaimRequest& request) const {
  if (!serves(request.served, cursor.consumer) || !has_live_head(session, cursor)) return false;
  if (request.through && *cursor.head > *request.through) return false;
  return std::none_of(request.exclude.begin(), request.exclude.end(),
                      [&](const HeadRef& ref) { return names(cursor, ref); });
}

bool Rules::time_has_come(const Cursor& cursor) const {
  return cursor.dispatch.claim_expires_at.value_or(0) <= now_;
}

// Of the heads that a time held back, each consumer's 1,000 longest due.
void Rules::keep_longest_due(std::vector<Cursor*>& eligible) {
  std::sort(eligible.begin(), eligible.end(), [](const Cursor* a, const Cursor* b) {
    return std::tuple(a->dispatch.claim_expires_at, head_order(ref_of_head(*a))) <
           std::tuple(b->dispatch.claim_expires_at, head_order(ref_of_head(*b)));
  });
  std::map<std::string, int> due;
  std::erase_if(eligible, [&](const Cursor* cursor) {
    return cursor->dispatch.claim_expires_at && ++due[cursor->consumer] > kMaxDue;
  });
}

// Steps 2 and 3.
ClaimedHeads Rules::claim_in(Session& session, const ClaimRequest& request) {
  std::vector<Cursor*> eligible;
  for (Cursor& cursor : session.cursors) {
    if (may_be_claimed_but_for_time(session, cursor, request) && time_has_come(cursor)) {
      eligible.push_back(&cursor);
    }
  }
  keep_longest_due(eligible);
  std::sort(eligible.begin(), eligible.end(), [](const Cursor* a, const Cursor* b) {
    return head_order(ref_of_head(*a)) < head_order(ref_of_head(*b));
  });
  ClaimedHeads result;
  for (Cursor* cursor : eligible) {
    if (result.count() >= request.limit) break;
    const bool alive = claim_one(session, *cursor, request);
    (alive ? result.heads : result.dead_lettered).push_back(head_json(session, *cursor));
  }
  return result;
}

// Step 3. False when the head has become a dead letter.
bool Rules::claim_one(Session& session, Cursor& cursor, const ClaimRequest& request) {
  Dispatch& dispatch = cursor.dispatch;
  const bool lapsed = dispatch.claim_holder.has_value();
  ++dispatch.attempt_count;
  if (lapsed) ++dispatch.failure_count;
  if (lapsed && request.max_failures && dispatch.failure_count >= *request.max_failures) {
    die(session, cursor);
    return false;
  }
  if (!dispatch.first_claimed_at) dispatch.first_claimed_at = now_;
  dispatch.last_claimed_at = now_;
  dispatch.claim_holder = request.lease.holder;
  dispatch.claim_expires_at = request.lease.expires_at;
  return true;
}

std::optional<std::int64_t> Rules::retry_at(const Session& session,
                                            const ClaimRequest& request) const {
  std::optional<std::int64_t> earliest;
  for (const Cursor& cursor : session.cursors) {
    if (!may_be_claimed_but_for_time(session, cursor, request)) continue;
    const std::int64_t expiry = *cursor.dispatch.claim_expires_at;
    if (!earliest || expiry < *earliest) earliest = expiry;
  }
  return earliest;
}

Json Rules::renew(Arguments& arguments) {
  const std::string name = arguments.name("session");
  const Lease lease = this->lease(arguments);
  std::vector<std::pair<HeadRef, std::int64_t>> claims;
  for (Arguments& item : arguments.objects("claims", kMaxListed)) {
    const HeadRef ref = head_ref(item);
    for (const auto& [other, attempt] : claims) {
      if (other == ref) refuse(item.path("index") + " is the same head reference twice");
    }
    claims.emplace_back(ref, item.integer("attempt", 1));
    item.nothing_else();
  }
  arguments.nothing_else();
  std::sort(claims.begin(), claims.end(),
            [](const auto& a, const auto& b) { return head_order(a.first) < head_order(b.first); });

  Session& session = change(name);
  Json renewed = Json::array();
  Json superseded = Json::array();
  for (const auto& [ref, attempt] : claims) {
    if (ref.index <= session.clear_index) {
      superseded.push_back(ref_json(ref));
      continue;
    }
    Cursor* cursor = find_cursor(session, ref);
    if (!cursor || cursor->head.value_or(cursor->position) < ref.index) continue;
    Dispatch& dispatch = cursor->dispatch;
    if (cursor->head != ref.index || dispatch.attempt_count > attempt) {
      superseded.push_back(ref_json(ref));
    } else if (dispatch.attempt_count == attempt && !dispatch.failed_at &&
               dispatch.claim_holder == lease.holder && *dispatch.claim_expires_at > now_) {
      dispatch.claim_expires_at = lease.expires_at;
      renewed.push_back(ref_json(ref));
    }
  }
  return {{"renewed", renewed}, {"superseded", superseded}};
}

}  // namespace pawl::model
