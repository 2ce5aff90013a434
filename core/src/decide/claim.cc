// decide/claim.cc: which heads may be claimed, and what a claim does to them.
#include "decide/claim.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include "decide/append.h"

namespace pawl::core {
namespace {

using driver::CursorKey;
using driver::CursorRow;

// How many sessions are picked beyond those that the heads can come from, each of which gives one
// at least: from one that is picked another may just have taken what there was.
constexpr std::int64_t kSpare = 4;

bool before(const CursorRow* a, const CursorRow* b) {
  return a->head != b->head ? a->head < b->head : a->key < b->key;
}

// A head that only a time can keep from being claimed.
bool open_to(const CursorRow& row, const ClaimRequest& request, std::int64_t clear_index) {
  return row.head > clear_index && row.head <= request.through && !row.dead() &&
         request.served.serves(row.key.consumer) &&
         !std::binary_search(request.exclude.begin(), request.exclude.end(), row.key);
}

bool has_come(const CursorRow& row, std::int64_t now) { return row.due <= now; }

// Of heads that a time held back, keeps each consumer's longest due.
void keep_longest_due(std::vector<const CursorRow*>& eligible) {
  if (std::ssize(eligible) <= kConsideredDue) return;
  std::sort(eligible.begin(), eligible.end(), [](const CursorRow* a, const CursorRow* b) {
    return a->due != b->due ? a->due < b->due : before(a, b);
  });
  std::map<std::string_view, std::int64_t> due;
  std::erase_if(eligible, [&](const CursorRow* row) {
    return row->due > 0 && ++due[row->key.consumer] > kConsideredDue;
  });
}

TakenHead take(Workspace& space, const CursorKey& key, const ClaimRequest& request,
               std::int64_t until) {
  CursorRow& row = space.change(key);
  const bool lapsed = row.claim_holder.has_value();
  ++row.attempt_count;
  if (lapsed) ++row.failure_count;
  if (lapsed && request.max_failures > 0 && row.failure_count >= request.max_failures) {
    row.failed_at = space.now();
    row.claim_holder.reset();
    row.due = driver::kNever;
    space.release_pins(key);
    return {row, true};
  }
  if (row.first_claimed_at == 0) row.first_claimed_at = space.now();
  row.last_claimed_at = space.now();
  row.claim_holder = request.lease.holder;
  row.due = until;
  return {row, false};
}

// The earlier of two times, 0 standing for none.
std::int64_t earlier(std::int64_t a, std::int64_t b) {
  if (a == 0 || b == 0) return std::max(a, b);
  return std::min(a, b);
}

// Since when the session has been ready for the served consumers (contract, "ready"), from
// its cursors as they are now; 0: it is not.
std::int64_t ready_at(const Workspace& space, const ClaimRequest& request) {
  struct First {
    const CursorRow* free = nullptr;
    std::int64_t due = 0;
  };
  std::map<std::string, First> firsts;
  for (const CursorRow* row : space.cursors()) {
    if (!open_to(*row, request, space.row().clear_index) || !has_come(*row, space.now())) continue;
    First& first = firsts[row->key.consumer];
    if (row->due == 0) {
      if (!first.free || before(row, first.free)) first.free = row;
    } else {
      first.due = earlier(first.due, row->due);
    }
  }
  std::int64_t at = 0;
  for (const auto& [consumer, first] : firsts) {
    at = earlier(at, first.free ? first.free->since : first.due);
  }
  return at;
}

}  // namespace

driver::Window claim_window(const ClaimRequest& request, std::int64_t touched) {
  driver::Window window;
  const auto excluded = static_cast<std::int64_t>(request.exclude.size());
  window.consumers = request.served.names;
  window.through = request.through;
  window.free = request.limit + excluded;
  window.due = kConsideredDue + excluded + touched;
  window.later = 1 + excluded;
  window.pins = request.max_failures > 0;
  return window;
}

void plan_claim(driver::SessionQuery& query, const ClaimRequest& request) {
  plan_refresh(query, request.served, request.max_failures > 0);
  query.window = claim_window(request, 0);
}

ClaimAnswer decide_claim(Workspace& space, const ClaimRequest& request) {
  const std::int64_t until = request.lease.until(space.now());
  refresh_types(space, request.served);
  std::vector<const CursorRow*> eligible;
  ClaimAnswer answer;
  answer.clear_index = space.row().clear_index;
  answer.last_index = space.row().last_index;
  for (const CursorRow* row : space.cursors()) {
    if (!open_to(*row, request, space.row().clear_index)) continue;
    if (has_come(*row, space.now())) {
      eligible.push_back(row);
    } else if (row->due != driver::kNever) {
      answer.retry_at = earlier(answer.retry_at, row->due);
    }
  }
  keep_longest_due(eligible);
  std::sort(eligible.begin(), eligible.end(), before);
  if (std::ssize(eligible) > request.limit) {
    eligible.resize(static_cast<std::size_t>(request.limit));
  }
  for (const CursorRow* row : eligible) {
    answer.taken.push_back(take(space, CursorKey(row->key), request, until));
  }
  return answer;
}

void read_back_taken(driver::ReadBack& read, const std::string& session,
                     const std::vector<TakenHead>& taken) {
  for (const TakenHead& head : taken) read.events.push_back({session, head.row.head});
}

void plan_renew(driver::SessionQuery& query, const RenewRequest& request) {
  for (const Claim& claim : request.claims) {
    plan_cursor(query, key_of(claim.consumer, claim.lane, claim.index), false, false, nullptr,
                false);
    if (!claim.lane) query.work.push_back({claim.consumer, claim.lane, claim.index});
  }
}

RenewAnswer decide_renew(Workspace& space, const RenewRequest& request) {
  const std::int64_t now = space.now();
  const std::int64_t until = request.lease.until(now);
  RenewAnswer answer;
  for (const Claim& claim : request.claims) {
    const CursorKey key = key_of(claim.consumer, claim.lane, claim.index);
    const HeadRef ref{claim.consumer, claim.lane, claim.index};
    const CursorRow* row = space.cursor(key);
    if (claim.index <= space.row().clear_index) {
      answer.superseded.push_back(ref);
    } else if (!row) {
      if (!claim.lane && space.work(key, claim.index)) answer.superseded.push_back(ref);
    } else if (std::max(row->head, row->position) < claim.index) {
      continue;  // not there yet
    } else if (row->head != claim.index || row->attempt_count > claim.attempt) {
      answer.superseded.push_back(ref);
    } else if (row->attempt_count == claim.attempt && !row->dead() &&
               row->claim_holder == request.lease.holder && !has_come(*row, now)) {
      space.change(key).due = until;
      answer.renewed.push_back(ref);
    }
  }
  const auto in_order = [](const HeadRef& a, const HeadRef& b) {
    if (a.index != b.index) return a.index < b.index;
    return key_of(a.consumer, a.lane, a.index) < key_of(b.consumer, b.lane, b.index);
  };
  std::sort(answer.renewed.begin(), answer.renewed.end(), in_order);
  std::sort(answer.superseded.begin(), answer.superseded.end(), in_order);
  return answer;
}

driver::Pick claim_pick(const ClaimReadyRequest& request, std::int64_t settled,
                        std::int64_t touched) {
  driver::Pick pick;
  pick.consumers = request.each.served.names;
  pick.sessions = std::min(request.sessions_limit, request.each.limit + kSpare) + settled;
  driver::SessionQuery logs;
  plan_refresh(logs, request.each.served, request.each.max_failures > 0);
  pick.cursors = std::move(logs.cursors);
  pick.window = claim_window(request.each, touched);
  pick.window.later = 0;
  return pick;
}

ClaimReadyAnswer decide_claim_ready(std::vector<Workspace>& spaces,
                                    const ClaimReadyRequest& request) {
  struct Waiting {
    std::int64_t since;
    Workspace* space;
  };
  std::vector<Waiting> waiting;
  for (Workspace& space : spaces) {
    if (const std::int64_t at = ready_at(space, request.each)) waiting.push_back({at, &space});
  }
  std::sort(waiting.begin(), waiting.end(), [](const Waiting& a, const Waiting& b) {
    return std::forward_as_tuple(a.since, a.space->session()) <
           std::forward_as_tuple(b.since, b.space->session());
  });
  if (std::ssize(waiting) > request.sessions_limit) {
    waiting.resize(static_cast<std::size_t>(request.sessions_limit));
  }
  ClaimReadyAnswer answer;
  ClaimRequest each = request.each;
  for (const Waiting& session : waiting) {
    if (each.limit == 0) break;
    ClaimAnswer taken = decide_claim(*session.space, each);
    each.limit -= std::ssize(taken.taken);
    answer.claims.push_back({session.space->session(), std::move(taken)});
  }
  return answer;
}

}  // namespace pawl::core
