// decide/snapshot.cc: the newest snapshot of a reducer, and the history that pins hold.
#include "decide/snapshot.h"

#include <algorithm>
#include <map>
#include <set>

#include "decide/append.h"

namespace pawl::core {
namespace {

using driver::CursorRow;
using driver::FoundSnapshots;
using driver::SnapshotRow;

// The reducer's snapshots as far as the writes concern them, with the writes laid over.
class Shelf {
 public:
  Shelf(Workspace& space, const PutSnapshotsRequest& request) : space_(space), request_(request) {
    const FoundSnapshots& found = space.facts().snapshots.front();
    for (const std::optional<SnapshotRow>& row : found.at) {
      if (row) rows_[row->index] = *row;
    }
    if (found.newest) {
      rows_[found.newest->index] = *found.newest;
      newest_ = found.newest->index;
    }
    stored_ = rows_;
  }

  // `pin`: the place of the write's first pin among those that the query asked for.
  void write(const SnapshotWrite& write, std::size_t pin) {
    const std::int64_t pins_before = rows_.contains(write.index) ? rows_[write.index].pins : 0;
    const std::int64_t pins = pins_before + pin_heads(write, pin);
    if (write.index < newest_ && pins == 0) return;
    SnapshotRow row{request_.reducer, write.index, space_.row().era,
                    space_.now(),     pins,        write.state};
    if (write.index > newest_) {
      drop_if_free(newest_);
      newest_ = write.index;
    }
    rows_[write.index] = std::move(row);
    changed_.insert(write.index);
  }

  void finish() {
    for (const std::int64_t index : changed_) {
      if (const auto row = rows_.find(index); row != rows_.end()) {
        space_.effects().put_snapshots.push_back(std::move(row->second));
      } else if (const auto old = stored_.find(index); old != stored_.end()) {
        space_.effects().drop_snapshots.push_back(old->second);
      }
    }
  }

 private:
  void drop_if_free(std::int64_t index) {
    const auto row = rows_.find(index);
    if (row == rows_.end() || row->second.pins > 0) return;
    rows_.erase(row);
    changed_.insert(index);
  }

  // Records the write's pins; how many of them are new.
  std::int64_t pin_heads(const SnapshotWrite& write, std::size_t at) {
    std::int64_t added = 0;
    for (const HeadRef& ref : write.pins) {
      const bool stored = space_.facts().pins[at++];
      const driver::CursorKey key = key_of(ref.consumer, ref.lane, ref.index);
      const CursorRow* cursor = space_.cursor(key);
      if (!cursor || cursor->head != ref.index || cursor->dead()) continue;
      if (stored || !added_.insert({key, write.index}).second) continue;
      CursorRow& pinned = space_.change(key);
      if (pinned.pins == kMaxPinsPerHead) {
        refuse_argument("writes[" + std::to_string(&write - request_.first) + "].pins",
                        "would give a head more than 256 pins");
      }
      ++pinned.pins;
      space_.effects().put_pins.push_back(
          {space_.row().era, key, ref.index, request_.reducer, write.index});
      ++added;
    }
    return added;
  }

  Workspace& space_;
  const PutSnapshotsRequest& request_;
  std::map<std::int64_t, SnapshotRow> rows_;
  std::map<std::int64_t, SnapshotRow> stored_;
  std::set<std::int64_t> changed_;
  std::set<std::pair<driver::CursorKey, std::int64_t>> added_;  // pins, by head and snapshot
  std::int64_t newest_ = -1;
};

}  // namespace

void plan_put_snapshots(driver::SessionQuery& query, const PutSnapshotsRequest& request) {
  driver::SnapshotQuery snapshots;
  snapshots.reducer = request.reducer;
  snapshots.newest = true;
  for (const SnapshotWrite* write : request.writes) {
    if (snapshots.indexes.empty() || snapshots.indexes.back() != write->index) {
      snapshots.indexes.push_back(write->index);
    }
    for (const HeadRef& ref : write->pins) {
      driver::CursorKey key = key_of(ref.consumer, ref.lane, ref.index);
      query.pins.push_back({0, key, ref.index, request.reducer, write->index});
      plan_cursor(query, std::move(key), false, false, nullptr, false);
    }
  }
  query.snapshots.push_back(std::move(snapshots));
}

void decide_put_snapshots(Workspace& space, const PutSnapshotsRequest& request) {
  for (const SnapshotWrite* write : request.writes) {
    if (write->index > space.row().last_index) {
      refuse_argument("writes[" + std::to_string(write - request.first) + "].index",
                      "is above the last index");
    }
  }
  Shelf shelf(space, request);
  std::size_t pin = 0;
  for (const SnapshotWrite* write : request.writes) {
    if (write->index >= space.row().clear_index) shelf.write(*write, pin);
    pin += write->pins.size();
  }
  shelf.finish();
}

}  // namespace pawl::core
