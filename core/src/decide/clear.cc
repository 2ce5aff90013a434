// decide/clear.cc: a clear marker supersedes what lies below it; upkeep deletes that.
//
// A clear writes the marker and the session's row, nothing else: a new era makes every row
// of the old one mean nothing (as_of in workspace.h). delete_session is a clear whose era
// takes the log cursors and the marker too.
#include "decide/clear.h"

#include <algorithm>
#include <set>
#include <utility>

namespace pawl::core {
namespace {

using driver::CursorRow;
using driver::EventRow;
using driver::SessionRow;
using driver::WorkRow;

EventRow marker(Workspace& space, IdPool& ids) {
  EventRow event;
  event.type = "pawl.clear";
  event.payload = "null";
  do {
    event.id = ids.next();
  } while (space.owner(event.id));
  return event;
}

void begin_era(Workspace& space) {
  ++space.change_row().era;
  space.change_row().upkeep = true;
  space.effects().new_era = true;
}

// Deletes at most `limit` superseded events, and when none is left, at most `limit` of the
// other rows; the facts hold one more of each. `end` is the index at which events end;
// `more` tells of an event there that the facts do not hold yet.
DeletedResult sweep(Workspace& space, std::int64_t limit, std::int64_t end, bool more) {
  const driver::SupersededFacts& found = space.facts().superseded;
  const std::int64_t deleted = std::min<std::int64_t>(limit, std::ssize(found.events));
  for (std::int64_t i = 0; i < deleted; ++i) space.erase(found.events[i]);
  for (const CursorRow& row : found.event_cursors) {
    if (row.key.index <= found.events[deleted - 1].index) space.effects().drop.push_back(row);
  }
  if (std::ssize(found.events) > limit || more) {
    space.change_row().first_index = found.events[deleted - 1].index + 1;
    return {deleted, false};
  }
  if (end > space.row().first_index) space.change_row().first_index = end;
  std::int64_t left = limit;
  for (const CursorRow& row : found.cursors) {
    if (left-- <= 0) return {deleted, false};
    if (auto kept = as_of(row, space.row())) {
      space.put(std::move(*kept));
    } else {
      space.effects().drop.push_back(row);
    }
  }
  for (const driver::SnapshotRow& row : found.snapshots) {
    if (left-- <= 0) return {deleted, false};
    space.effects().drop_snapshots.push_back(row);
  }
  for (const driver::PinRow& row : found.pins) {
    if (left-- <= 0) return {deleted, false};
    space.effects().drop_pins.push_back(row);
  }
  return {deleted, true};
}

}  // namespace

void plan_clear(driver::SessionQuery& query, const ClearRequest& request, const IdPool& ids) {
  if (request.cause) {
    plan_cursor(query, key_of(request.cause->consumer, request.cause->lane, request.cause->index),
                false, false, nullptr, false);
  }
  query.ids = ids.drawn();
}

ClearResult decide_clear(Workspace& space, const ClearRequest& request, IdPool& ids) {
  const SessionRow& row = space.row();
  const auto answer = [&](bool cleared) {
    return ClearResult{cleared, row.last_index, row.clear_index};
  };
  if (request.if_last_index && row.clear_index - 1 == *request.if_last_index) return answer(true);
  if (request.cause) check_cause(space, *request.cause, "cause");
  if (request.if_last_index && row.last_index != *request.if_last_index) return answer(false);
  if (row.last_index == row.clear_index) return answer(true);
  space.append(marker(space, ids));
  space.change_row().clear_index = row.last_index;
  begin_era(space);
  return answer(true);
}

void plan_reclaim(driver::SessionQuery& query, const ReclaimRequest& request) {
  query.superseded = driver::SupersededQuery{request.limit + 1, false};
}

DeletedResult decide_reclaim(Workspace& space, const ReclaimRequest& request) {
  if (!space.row().upkeep) return {0, true};
  const DeletedResult swept = sweep(space, request.limit, space.row().clear_index, false);
  if (swept.done && !space.row().deleting) space.change_row().upkeep = false;
  return swept;
}

void plan_delete_session(driver::SessionQuery& query, const DeleteSessionRequest& request,
                         const IdPool& ids) {
  query.superseded = driver::SupersededQuery{request.limit + 1, true};
  query.ids = ids.drawn();
}

DeletedResult decide_delete_session(Workspace& space, const DeleteSessionRequest& request,
                                    IdPool& ids) {
  const bool begins = !space.row().deleting;
  if (begins && (request.only_go_on || !space.row().listed())) return {0, true};
  // A new marker is stored only if this call leaves events for the next one.
  bool stores_marker = false;
  bool spares_marker = false;
  if (begins) {
    SessionRow& row = space.change_row();
    if (row.last_index > row.clear_index) {
      EventRow event = marker(space, ids);
      spares_marker = std::ssize(space.facts().superseded.events) < request.limit;
      stores_marker = !spares_marker;
      if (spares_marker) {
        ++row.last_index;
      } else {
        space.append(std::move(event));
      }
      row.clear_index = row.last_index;
    }
    row.deleted_index = row.clear_index;
    row.deleting = true;
    begin_era(space);
    row.deleted_era = row.era;
  }
  DeletedResult swept = sweep(space, request.limit, space.row().deleted_index + 1, stores_marker);
  if (spares_marker) ++swept.deleted;
  if (swept.done) {
    SessionRow& row = space.change_row();
    row.deleting = false;
    row.upkeep = row.clear_index > row.deleted_index;
  }
  return swept;
}

void plan_prune(driver::SessionQuery& query, const PruneRequest& request) {
  query.finished = driver::FinishedQuery{request.finished_before, request.limit};
}

DeletedResult decide_prune(Workspace& space, const PruneRequest& request) {
  const driver::FinishedFacts& found = space.facts().finished;
  DeletedResult result;
  std::set<std::pair<driver::CursorKey, std::int64_t>> pruned;
  std::set<std::string> floors;
  for (const WorkRow& work : found.rows) {
    if (work.lane) pruned.insert({{work.consumer, work.lane, 0}, work.index});
    space.effects().drop_work.push_back(work);
    if (work.index > space.row().clear_index) ++result.deleted;
  }
  for (const driver::FinishedLane& lane : found.lanes) {
    const bool idle = lane.row && lane.row->kind == CursorKind::kLane && lane.row->head == 0;
    const bool emptied =
        idle && std::all_of(lane.entries.begin(), lane.entries.end(), [&](std::int64_t index) {
          return pruned.contains({lane.lane, index});
        });
    if (!emptied) continue;
    space.effects().drop.push_back(*lane.row);
    if (floors.insert(lane.lane.consumer).second) {
      space.effects().put.push_back(floor_row(lane.lane.consumer, space.row()));
    }
  }
  if (space.row().finished_since != found.next_finished_at) {
    space.change_row().finished_since = found.next_finished_at;
  }
  result.done = found.next_finished_at == 0 || found.next_finished_at >= request.finished_before;
  return result;
}

void plan_delete_consumer(driver::SessionQuery& query, const DeleteConsumerRequest& request) {
  query.of_consumer = driver::OfConsumerQuery{request.consumer, request.limit};
}

DeletedResult decide_delete_consumer(Workspace& space, const DeleteConsumerRequest& request) {
  const driver::OfConsumerFacts& found = space.facts().of_consumer;
  const std::int64_t last = space.row().last_index;
  for (const driver::FoundCursor& stored : found.logs) {
    const std::optional<CursorRow> log = as_of(*stored.row, space.row());
    if (!log) continue;
    CursorRow idle = *log;
    idle.position = last;
    idle.completion.reset();
    make_idle(idle);
    if (idle == *log) continue;
    space.remember(log->key, stored);
    space.release_pins(log->key);
    space.put(std::move(idle));
  }
  DeletedResult result;
  std::int64_t left = request.limit;
  for (const driver::FoundCursor& cursor : found.cursors) {
    if (left-- <= 0) return result;
    space.remember(cursor.row->key, cursor);
    space.release_pins(cursor.row->key);
    space.drop(cursor.row->key);
    if (cursor.row->kind == CursorKind::kLane) space.put(floor_row(request.consumer, space.row()));
    ++result.deleted;
  }
  for (const WorkRow& work : found.work) {
    if (left-- <= 0) return result;
    space.effects().drop_work.push_back(work);
    if (work.index > space.row().clear_index) ++result.deleted;
  }
  result.done = true;
  return result;
}

}  // namespace pawl::core
