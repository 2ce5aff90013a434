// decide/finish.cc: finishing a head, or leaving it for a later attempt.
#include "decide/finish.h"

namespace pawl::core {
namespace {

using driver::Completion;
using driver::CursorKey;
using driver::CursorRow;
using driver::EventRow;
using driver::WorkRow;

// Steps 1 and 2, the same for all three: whether the cursor exists, with the index above
// the clear marker. Throws unknown_event if the session has no such event.
bool is_there(const Workspace& space, const FinishRequest& request) {
  const Claim& claim = request.claim;
  if (claim.index <= space.row().clear_index) return false;
  if (space.cursor(request.key())) return true;
  if (!claim.lane && space.work(request.key(), claim.index)) return true;
  // Above the clear marker there are no gaps.
  if (claim.index > space.row().last_index) {
    refuse(ErrorCode::kUnknownEvent, "index: the session has no event there");
  }
  return false;
}

// The cursor, if the index is its head.
const CursorRow* at_head(const Workspace& space, const FinishRequest& request) {
  const CursorRow* row = space.cursor(request.key());
  return row && row->head == request.claim.index ? row : nullptr;
}

const Completion* recorded_completion(const Workspace& space, const FinishRequest& request) {
  const CursorKey key = request.key();
  const std::int64_t index = request.claim.index;
  const CursorRow* row = space.cursor(key);
  if (row && row->kind == CursorKind::kLog) {
    return row->completion && row->completion->index == index ? &*row->completion : nullptr;
  }
  const WorkRow* work = space.work(key, index);
  return work && work->completion ? &*work->completion : nullptr;
}

Cause cause_of(const Claim& claim) {
  return {claim.consumer, claim.lane, claim.index, claim.attempt, std::nullopt};
}

// Step 4: a repeat of the completion that was recorded, or too late.
FinishAnswer answer_finished(const Workspace& space, const FinishRequest& request) {
  const Completion* done = recorded_completion(space, request);
  if (!done || done->attempt != request.claim.attempt) return {};
  std::vector<std::string> ids;
  for (const NewEvent& event : *request.events) ids.push_back(*event.id);
  if (ids != done->ids) {
    refuse(ErrorCode::kPartialDuplicateBatch, "events: this attempt was completed with others");
  }
  const Cause cause = cause_of(request.claim);
  for (const std::string& id : ids) {
    const EventRow* event = space.owner(id);
    if (!event || event->cause != cause) return {};
  }
  return {FinishOutcome::kCompleted, replayed(space, *request.events), 0};
}

// Finishes the cursor's head and moves on to the next. `completion` is absent for a skip.
void advance(Workspace& space, const CursorKey& key, std::optional<Completion> completion) {
  space.release_pins(key);
  CursorRow& row = space.change(key);
  const std::int64_t index = row.head;
  if (row.kind == CursorKind::kLog) {
    if (completion) row.completion = std::move(completion);
  } else {
    space.put_work({key.consumer, key.lane, index, 0, space.now(), std::move(completion)});
    space.note_finished(space.now());
  }
  if (row.kind == CursorKind::kEvent) {
    space.drop(key);
    return;
  }
  row.position = index;
  make_idle(row);
  if (const auto next = space.next_after(row, index)) {
    take_head(row, next->index, next->available_at, space.now());
  }
}

FinishAnswer complete(Workspace& space, const FinishRequest& request, const ServedSet& served) {
  const std::vector<NewEvent>& events = *request.events;
  if (!is_there(space, request)) return {};
  refresh_types(space, served);
  refuse_repeated_ids(events);
  const CursorRow* row = at_head(space, request);
  if (!row) return answer_finished(space, request);
  if (row->attempt_count != request.claim.attempt || !row->claim_holder || row->dead()) return {};
  Completion completion{request.claim.index, request.claim.attempt, {}};
  for (const NewEvent& event : events) {
    if (space.owner(*event.id)) {
      refuse(ErrorCode::kPartialDuplicateBatch, "events: an id is stored already");
    }
    completion.ids.push_back(*event.id);
  }
  const Cause cause = cause_of(request.claim);
  FinishAnswer answer{FinishOutcome::kCompleted, {}, 0};
  answer.events = write_events(space, events, served, &cause);
  advance(space, request.key(), std::move(completion));
  return answer;
}

FinishAnswer fail(Workspace& space, const FinishRequest& request) {
  if (!is_there(space, request)) return {};
  const CursorRow* present = at_head(space, request);
  if (!present) return {};
  const std::int64_t count = present->failure_count;
  if (present->attempt_count != request.claim.attempt) {
    return {FinishOutcome::kSuperseded, {}, count};
  }
  if (!present->claim_holder && present->last_failed_attempt == request.claim.attempt) {
    return {present->dead() ? FinishOutcome::kDeadLettered : FinishOutcome::kFailed, {}, count};
  }
  if (present->dead()) return {FinishOutcome::kDeadLettered, {}, count};
  if (!present->claim_holder) return {FinishOutcome::kSuperseded, {}, count};
  const std::int64_t now = space.now();
  const std::int64_t open_at = request.open_at(now);
  CursorRow& row = space.change(request.key());
  ++row.failure_count;
  row.last_error = request.error;
  row.last_failed_at = now;
  row.last_failed_attempt = request.claim.attempt;
  row.claim_holder.reset();
  if (row.failure_count >= request.max_failures) {
    row.failed_at = now;
    row.due = driver::kNever;
    space.release_pins(request.key());
    return {FinishOutcome::kDeadLettered, {}, row.failure_count};
  }
  row.due = open_at;
  row.since = now;
  return {FinishOutcome::kFailed, {}, row.failure_count};
}

FinishAnswer release(Workspace& space, const FinishRequest& request) {
  if (!is_there(space, request)) return {};
  const CursorRow* present = at_head(space, request);
  if (!present || present->attempt_count != request.claim.attempt) return {};
  if (!present->claim_holder && present->last_released_attempt == request.claim.attempt) {
    return {FinishOutcome::kReleased, {}, 0};
  }
  if (present->dead() || !present->claim_holder) return {};
  const std::int64_t now = space.now();
  const std::int64_t open_at = request.open_at(now);
  CursorRow& row = space.change(request.key());
  row.claim_holder.reset();
  row.last_released_attempt = request.claim.attempt;
  row.due = open_at;
  row.since = now;
  return {FinishOutcome::kReleased, {}, 0};
}

}  // namespace

CursorKey FinishRequest::key() const { return key_of(claim.consumer, claim.lane, claim.index); }

std::int64_t FinishRequest::open_at(std::int64_t now) const {
  if (!delay_ms) return 0;
  return time_after(now, *delay_ms, action == SettleAction::kFail ? "retry_after_ms" : "delay_ms");
}

void plan_finish(driver::SessionQuery& query, const FinishRequest& request, const ServedSet& served,
                 const IdPool& ids) {
  const CursorKey key = request.key();
  const bool completes = request.action == SettleAction::kComplete;
  const ServedLog* log = served.log_of(key);
  plan_cursor(query, key, completes, false, log ? &log->log : nullptr,
              request.action != SettleAction::kRelease);
  // A finished event cursor is known by its record alone; a lane's completion stands there.
  if (completes || !key.lane) query.work.push_back({key.consumer, key.lane, request.claim.index});
  if (completes) plan_append(query, *request.events, ids);
}

FinishAnswer decide_finish(Workspace& space, const FinishRequest& request,
                           const ServedSet& served) {
  switch (request.action) {
    case SettleAction::kComplete:
      return complete(space, request, served);
    case SettleAction::kFail:
      return fail(space, request);
    case SettleAction::kRelease:
      return release(space, request);
  }
  return {};
}

void plan_redrive(driver::SessionQuery& query, const RedriveRequest& request) {
  plan_refresh(query, request.served);
  query.dead = driver::DeadQuery{request.consumer, request.index, request.lane, std::nullopt};
  for (const ServedLog& log : request.served.logs) {
    if (log.consumer == request.consumer) query.dead->log = log.log;
  }
}

bool decide_redrive(Workspace& space, const RedriveRequest& request) {
  const std::optional<driver::FoundCursor>& dead = space.facts().dead;
  if (!dead || !dead->row) return false;
  const CursorKey key = dead->row->key;
  space.remember(key, *dead);
  refresh_types(space, request.served);
  if (request.action == RedriveAction::kSkip) {
    advance(space, key, std::nullopt);
    return true;
  }
  CursorRow& row = space.change(key);
  row.failed_at = 0;
  row.failure_count = 0;
  row.due = 0;
  row.since = space.now();
  return true;
}

}  // namespace pawl::core
