// decide/settle.h: many finishes, and claims over many sessions, in one transaction.
//
// complete, fail and release are a settle with one item; claim_ready is one without items.
#pragma once

#include <optional>
#include <vector>

#include "decide/claim.h"
#include "decide/finish.h"

namespace pawl::core {

struct SettleRequest {
  std::vector<FinishRequest> items;
  bool is_settle = false;  // messages then begin with `items[3]: `
  ServedSet served;
  std::optional<ClaimReadyRequest> claim;
};
struct SettleAnswer {
  std::int64_t now = 0;
  std::vector<FinishAnswer> results;
  ClaimReadyAnswer claimed;
};

driver::Query plan_settle(const SettleRequest& request, const IdPool& ids);
Decision<SettleAnswer> decide_settle(const SettleRequest& request, const driver::Query& query,
                                     driver::Facts&& facts);

}  // namespace pawl::core
