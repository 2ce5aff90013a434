// decide/presence.h: set_presence: the last writer wins, field by field.
#pragma once

#include <string>
#include <vector>

#include "decide/decision.h"
#include "pawl/driver/facts.h"
#include "pawl/driver/query.h"
#include "pawl/store.h"

namespace pawl::core {

struct SetPresenceRequest {
  std::string name_space;
  std::string participant;
  const std::vector<PresenceField>* fields = nullptr;  // borrowed from the call
  std::int64_t at = 0;
  std::int64_t ttl_ms = 0;
  std::optional<std::int64_t> seen;
};
driver::Query plan_set_presence(const SetPresenceRequest& request);
driver::Effects decide_set_presence(const SetPresenceRequest& request, driver::Facts&& facts);

}  // namespace pawl::core
