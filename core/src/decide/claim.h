// decide/claim.h: claim and renew, and claim_ready, which is claim over several sessions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decide/decision.h"
#include "decide/served.h"
#include "decide/workspace.h"
#include "pawl/types.h"

namespace pawl::core {

// A lease as a call states it: exactly one of the two is given.
struct Lease {
  std::string holder;
  std::optional<std::int64_t> ttl_ms;
  std::int64_t expires_at = 0;

  std::int64_t until(std::int64_t now) const {
    return ttl_ms ? time_after(now, *ttl_ms, "ttl_ms") : expires_at;
  }
};

struct ClaimRequest {
  std::string session;
  Lease lease;
  ServedSet served;
  std::vector<driver::CursorKey> exclude;  // sorted
  std::int64_t through = driver::kNever;
  std::int64_t max_failures = 0;  // 0: not given
  std::int64_t limit = 0;
};

// A head that was claimed or dead-lettered by a decision; its event is read back.
struct TakenHead {
  driver::CursorRow row;
  bool dead_lettered = false;
};

struct ClaimAnswer {
  std::vector<TakenHead> taken;  // in the order of claiming
  std::int64_t retry_at = 0;     // with none taken: the earliest time to come; 0: none
  std::int64_t last_index = 0;
  std::int64_t clear_index = 0;
};

// How many heads that a time holds back are considered per consumer in one call.
inline constexpr std::int64_t kConsideredDue = 1'000;

// The window from which claim chooses. `touched`: how many of its heads the same call may
// have changed before.
driver::Window claim_window(const ClaimRequest& request, std::int64_t touched);

void plan_claim(driver::SessionQuery& query, const ClaimRequest& request);
ClaimAnswer decide_claim(Workspace& space, const ClaimRequest& request);
void read_back_taken(driver::ReadBack& read, const std::string& session,
                     const std::vector<TakenHead>& taken);

struct RenewRequest {
  std::string session;
  Lease lease;
  std::vector<Claim> claims;
};
struct RenewAnswer {
  std::vector<HeadRef> renewed;
  std::vector<HeadRef> superseded;
};
void plan_renew(driver::SessionQuery& query, const RenewRequest& request);
RenewAnswer decide_renew(Workspace& space, const RenewRequest& request);

// ---- claim_ready

struct ClaimReadyRequest {
  ClaimRequest each;  // without session; its limit is for all sessions together
  std::int64_t sessions_limit = 0;
};
struct SessionTaken {
  std::string session;
  ClaimAnswer answer;
};
struct ClaimReadyAnswer {
  std::vector<SessionTaken> claims;
};

// `settled`: how many sessions are named beside the pick, `touched`: how many items.
driver::Pick claim_pick(const ClaimReadyRequest& request, std::int64_t settled,
                        std::int64_t touched);
// Claims over the given sessions, those that are ready, longest ready first.
ClaimReadyAnswer decide_claim_ready(std::vector<Workspace>& spaces,
                                    const ClaimReadyRequest& request);

}  // namespace pawl::core
