// decide/clear.h: clear, and the upkeep that follows it: reclaim, prune, delete_session and
// delete_consumer.
#pragma once

#include <optional>
#include <string>

#include "decide/append.h"
#include "decide/decision.h"
#include "decide/workspace.h"
#include "pawl/store.h"

namespace pawl::core {

struct ClearRequest {
  std::string session;
  std::optional<Cause> cause;
  std::optional<std::int64_t> if_last_index;
};
void plan_clear(driver::SessionQuery& query, const ClearRequest& request, const IdPool& ids);
ClearResult decide_clear(Workspace& space, const ClearRequest& request, IdPool& ids);

struct ReclaimRequest {
  std::string session;
  std::int64_t limit = 0;
};
void plan_reclaim(driver::SessionQuery& query, const ReclaimRequest& request);
DeletedResult decide_reclaim(Workspace& space, const ReclaimRequest& request);

struct DeleteSessionRequest {
  std::string session;
  std::int64_t limit = 0;
  bool only_go_on = false;  // with a deletion that has begun; never begin one
};
void plan_delete_session(driver::SessionQuery& query, const DeleteSessionRequest& request,
                         const IdPool& ids);
DeletedResult decide_delete_session(Workspace& space, const DeleteSessionRequest& request,
                                    IdPool& ids);

struct PruneRequest {
  std::string session;
  std::int64_t finished_before = 0;
  std::int64_t limit = 0;
};
void plan_prune(driver::SessionQuery& query, const PruneRequest& request);
DeletedResult decide_prune(Workspace& space, const PruneRequest& request);

struct DeleteConsumerRequest {
  std::string session;
  std::string consumer;
  std::int64_t limit = 0;
};
void plan_delete_consumer(driver::SessionQuery& query, const DeleteConsumerRequest& request);
DeletedResult decide_delete_consumer(Workspace& space, const DeleteConsumerRequest& request);

}  // namespace pawl::core
