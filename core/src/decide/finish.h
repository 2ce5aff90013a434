// decide/finish.h: complete, fail, release and redrive: how a head is left.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decide/append.h"
#include "decide/decision.h"
#include "decide/served.h"
#include "decide/workspace.h"
#include "pawl/store.h"
#include "pawl/types.h"

namespace pawl::core {

// One finish; settle makes many of them. Borrows the follow-up events from the call.
struct FinishRequest {
  std::string session;
  Claim claim;
  SettleAction action = SettleAction::kComplete;
  const std::vector<NewEvent>* events = nullptr;  // of kComplete
  std::string error;                              // of kFail, mended
  std::int64_t max_failures = 0;                  // of kFail
  std::optional<std::int64_t> delay_ms;           // of kFail and kRelease

  driver::CursorKey key() const;
  // From when on the head may be claimed again, after a fail or a release; 0: at once. Throws
  // if that is no time.
  std::int64_t open_at(std::int64_t now) const;
};

struct FinishAnswer {
  FinishOutcome outcome = FinishOutcome::kSuperseded;
  std::vector<driver::EventRow> events;
  std::int64_t failure_count = 0;
};

// Apart from the served logs, which an item of settle need not ask for again.
void plan_finish(driver::SessionQuery& query, const FinishRequest& request, const ServedSet& served,
                 const IdPool& ids);
FinishAnswer decide_finish(Workspace& space, const FinishRequest& request, const ServedSet& served);

struct RedriveRequest {
  std::string session;
  std::string consumer;
  std::int64_t index = 0;
  std::optional<std::string> lane;
  RedriveAction action = RedriveAction::kRetry;
  ServedSet served;
};
void plan_redrive(driver::SessionQuery& query, const RedriveRequest& request);
// Whether a dead letter was found, and redriven.
bool decide_redrive(Workspace& space, const RedriveRequest& request);

}  // namespace pawl::core
