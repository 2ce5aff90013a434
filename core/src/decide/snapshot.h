// decide/snapshot.h: put_snapshots. (load_snapshot only looks.)
#pragma once

#include <string>
#include <vector>

#include "decide/decision.h"
#include "decide/workspace.h"
#include "pawl/store.h"

namespace pawl::core {

struct PutSnapshotsRequest {
  std::string session;
  std::string reducer;
  std::vector<const SnapshotWrite*> writes;  // ascending by index, borrowed from the call
  const SnapshotWrite* first = nullptr;      // of the call's own order
};

void plan_put_snapshots(driver::SessionQuery& query, const PutSnapshotsRequest& request);
void decide_put_snapshots(Workspace& space, const PutSnapshotsRequest& request);

}  // namespace pawl::core
