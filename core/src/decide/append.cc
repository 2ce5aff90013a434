// decide/append.cc: events get their indexes, work is queued, logs are woken.
#include "decide/append.h"

#include <algorithm>
#include <unordered_set>

#include "json_text.h"

namespace pawl::core {
namespace {

using driver::CursorKey;
using driver::CursorRow;
using driver::EventRow;
using driver::WorkRow;

std::string field_of(const char* list, std::size_t i) {
  return std::string(list) + "[" + std::to_string(i) + "]";
}

// Whether a log takes one of the events' types. Both are in byte order.
bool meets(const driver::Types& types, const EventTypes& events) {
  if (!types) return !events.empty();
  auto taken = types->begin();
  auto type = events.begin();
  while (taken != types->end() && type != events.end()) {
    const int order = type->compare(*taken);
    if (order == 0) return true;
    if (order < 0) {
      ++type;
    } else {
      ++taken;
    }
  }
  return false;
}

std::int64_t to_ms(const std::optional<Time>& time) {
  return time ? time->time_since_epoch().count() : 0;
}

void open_cursor(Workspace& space, CursorKey key, CursorKind kind, std::int64_t position,
                 std::int64_t head, std::int64_t available_at) {
  CursorRow row;
  row.key = std::move(key);
  row.kind = kind;
  row.position = position;
  take_head(row, head, available_at, space.now());
  space.put(std::move(row));
}

void queue_on_lane(Workspace& space, const Target& target, std::int64_t index,
                   const std::string& field) {
  const CursorKey key = key_of(target.consumer, target.lane, index);
  const std::int64_t available_at = to_ms(target.available_at);
  const CursorRow* cursor = space.cursor(key);
  if (cursor && cursor->kind == CursorKind::kLog) {
    refuse_argument(field + ".lane", "is the lane of a log cursor of that consumer");
  }
  WorkRow work;
  work.consumer = target.consumer;
  work.lane = target.lane;
  work.index = index;
  work.available_at = available_at;
  space.put_work(std::move(work));
  if (!cursor) {
    open_cursor(space, key, CursorKind::kLane, space.row().clear_index, index, available_at);
  } else if (cursor->head == 0) {
    take_head(space.change(key), index, available_at, space.now());
  }
}

void queue(Workspace& space, const NewEvent& event, std::int64_t index, const std::string& field) {
  for (std::size_t i = 0; i < event.targets.size(); ++i) {
    const Target& target = event.targets[i];
    if (target.lane) {
      queue_on_lane(space, target, index, field + "." + field_of("targets", i));
    } else {
      open_cursor(space, key_of(target.consumer, std::nullopt, index), CursorKind::kEvent,
                  index - 1, index, to_ms(target.available_at));
    }
  }
}

}  // namespace

const std::string& IdPool::next() {
  if (next_ == drawn_.size()) drawn_.push_back(source_->next());
  return drawn_[next_++];
}

void plan_cursor(driver::SessionQuery& query, CursorKey key, bool next, bool if_idle,
                 const driver::LogTypes* log, bool pins) {
  driver::CursorQuery& asked = query.cursors.emplace_back();
  asked.key = std::move(key);
  asked.pins = pins;
  if (!next) return;
  asked.next.emplace(driver::NextQuery{if_idle, std::nullopt});
  if (log) asked.next->log = *log;
}

void merge_cursors(driver::SessionQuery& query) {
  std::vector<driver::CursorQuery>& all = query.cursors;
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.key < b.key; });
  std::vector<driver::CursorQuery> merged;
  merged.reserve(all.size());
  for (driver::CursorQuery& asked : all) {
    if (merged.empty() || !(merged.back().key == asked.key)) {
      merged.push_back(std::move(asked));
      continue;
    }
    driver::CursorQuery& same = merged.back();
    same.pins = same.pins || asked.pins;
    if (!asked.next) continue;
    if (!same.next) {
      same.next = std::move(asked.next);
      continue;
    }
    same.next->if_idle = same.next->if_idle && asked.next->if_idle;
    if (asked.next->log) same.next->log = std::move(asked.next->log);
  }
  all = std::move(merged);
}

void add_types(EventTypes& types, const std::vector<NewEvent>& events) {
  for (const NewEvent& event : events) types.insert(event.type);
}

void plan_append(driver::SessionQuery& query, const std::vector<NewEvent>& events,
                 const IdPool& ids) {
  for (const NewEvent& event : events) {
    if (event.id) {
      query.ids.push_back(*event.id);
    } else {
      query.draws_ids = true;
    }
    if (event.cause) {
      plan_cursor(query, key_of(event.cause->consumer, event.cause->lane, event.cause->index),
                  false, false, nullptr, false);
    }
    for (const Target& target : event.targets) {
      if (target.lane) {
        plan_cursor(query, {target.consumer, target.lane, 0}, false, false, nullptr, false);
      }
    }
  }
  query.ids.insert(query.ids.end(), ids.drawn().begin(), ids.drawn().end());
}

void plan_wakes(driver::SessionQuery& query, const ServedSet& served, const EventTypes& types) {
  for (const ServedLog& log : served.logs) {
    if (meets(log.log.types, types)) plan_cursor(query, log.key(), true, true, &log.log, false);
  }
}

void refuse_repeated_ids(const std::vector<NewEvent>& events) {
  std::unordered_set<std::string> seen;
  for (std::size_t i = 0; events.size() > 1 && i < events.size(); ++i) {
    if (events[i].id && !seen.insert(*events[i].id).second) {
      refuse(ErrorCode::kPartialDuplicateBatch,
             field_of("events", i) + ".id stands twice in the batch");
    }
  }
}

std::vector<EventRow> replayed(const Workspace& space, const std::vector<NewEvent>& events) {
  std::vector<EventRow> stored;
  stored.reserve(events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    const EventRow& event = *space.owner(*events[i].id);
    if (event.type != events[i].type) {
      refuse(ErrorCode::kReplayMismatch, field_of("events", i) + ".type is not the stored event's");
    }
    if (!json_equal(event.payload, events[i].payload)) {
      refuse(ErrorCode::kReplayMismatch,
             field_of("events", i) + ".payload is not the stored event's");
    }
    stored.push_back(event);
  }
  return stored;
}

void check_cause(const Workspace& space, const Cause& cause, const std::string& field) {
  const CursorRow* cursor = cause.index > space.row().clear_index
                                ? space.cursor(key_of(cause.consumer, cause.lane, cause.index))
                                : nullptr;
  if (!cursor || cursor->head != cause.index || cursor->attempt_count != cause.attempt ||
      cursor->dead()) {
    refuse(ErrorCode::kSupersededAttempt, field + " is not the current attempt");
  }
}

void wake(Workspace& space, const ServedLog& log, std::int64_t end) {
  const CursorKey key = log.key();
  const CursorRow* present = space.cursor(key);
  if (present && present->kind != CursorKind::kLog) {
    const std::string consumer =
        log.place < 0 ? "consumer" : field_of("consumers", static_cast<std::size_t>(log.place));
    refuse_argument(consumer + ".log.lane", "is a lane of that consumer already");
  }
  if (!present) {
    CursorRow opened;
    opened.key = key;
    opened.kind = CursorKind::kLog;
    opened.position = log.backfill ? space.opening_place(key) : end;
    present = &space.put(std::move(opened));
  }
  if (present->types != log.log.types) space.change(key).types = log.log.types;
  if (present->head != 0) return;
  if (const auto next = space.next_after(*present, present->position)) {
    take_head(space.change(key), next->index, 0, space.now());
  }
}

void plan_wake_log(driver::SessionQuery& query, const ServedLog& log) {
  plan_cursor(query, log.key(), true, true, &log.log, false);
}

CursorRow decide_wake_log(Workspace& space, const ServedLog& log) {
  const driver::SessionRow& row = space.row();
  if (!space.cursor(log.key()) && row.last_index == row.clear_index) {
    CursorRow idle;
    idle.key = log.key();
    idle.position = row.clear_index;
    return idle;
  }
  wake(space, log, row.last_index);
  return *space.cursor(log.key());
}

void plan_refresh(driver::SessionQuery& query, const ServedSet& served, bool pins) {
  for (const ServedLog& log : served.logs) {
    plan_cursor(query, log.key(), false, false, nullptr, pins);
  }
}

void refresh_types(Workspace& space, const ServedSet& served) {
  if (!space.first_refresh(served)) return;
  for (const ServedLog& log : served.logs) {
    const CursorRow* cursor = space.cursor(log.key());
    if (cursor && cursor->kind == CursorKind::kLog && cursor->types != log.log.types) {
      space.change(log.key()).types = log.log.types;
    }
  }
}

std::vector<EventRow> write_events(Workspace& space, const std::vector<NewEvent>& events,
                                   const ServedSet& served, const Cause* cause) {
  const std::int64_t end = space.row().last_index;
  std::vector<EventRow> written;
  written.reserve(events.size());
  space.expect(events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    const NewEvent& event = events[i];
    EventRow row;
    if (event.id) row.id = *event.id;
    row.type = event.type;
    row.payload = event.payload;
    row.cause = cause ? *cause : event.cause;
    for (const Target& target : event.targets)
      row.targets.push_back({target.consumer, target.lane});
    const EventRow& appended = space.append(std::move(row));
    written.push_back(appended);
    queue(space, event, written.back().index, field_of("events", i));
  }
  EventTypes types;
  add_types(types, events);
  for (const ServedLog& log : served.logs) {
    if (meets(log.log.types, types)) wake(space, log, end);
  }
  return written;
}

void name_events(Workspace& space, std::vector<EventRow>& written, IdPool& ids) {
  for (EventRow& row : written) {
    if (!row.id.empty()) continue;
    do {
      row.id = ids.next();
    } while (space.owner(row.id));
    space.name(row.index, row.id);
  }
}

AppendAnswer decide_append(Workspace& space, const AppendRequest& request) {
  const std::vector<NewEvent>& events = *request.events;
  if (events.empty()) return {};
  refuse_repeated_ids(events);
  const auto owned = std::count_if(events.begin(), events.end(), [&](const NewEvent& event) {
    return event.id && space.owner(*event.id);
  });
  if (owned == static_cast<std::ptrdiff_t>(events.size())) {
    return {replayed(space, events)};
  }
  if (owned > 0) {
    refuse(ErrorCode::kPartialDuplicateBatch, "events: some, but not all, are stored already");
  }
  if (request.origin_index > 0 && request.origin_index <= space.row().clear_index) {
    refuse(ErrorCode::kSessionCleared, "origin_index has been cleared");
  }
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].cause) {
      check_cause(space, *events[i].cause, field_of("events", i) + ".cause");
    }
  }
  return {write_events(space, events, request.served, nullptr)};
}

driver::Query plan_append_batch(const AppendBatchRequest& request, const IdPool& ids) {
  driver::Query query;
  for (const AppendRequest& item : request.items) {
    driver::SessionQuery& session = query.sessions.emplace_back();
    session.session = item.session;
    plan_append(session, *item.events, ids);
    EventTypes types;
    add_types(types, *item.events);
    plan_wakes(session, item.served, types);
    merge_cursors(session);
  }
  return query;
}

Decision<std::vector<AppendAnswer>> decide_append_batch(const AppendBatchRequest& request,
                                                        const driver::Query& query,
                                                        driver::Facts&& facts, IdPool& ids) {
  Decision<std::vector<AppendAnswer>> decision;
  std::vector<Workspace> spaces;
  for (std::size_t i = 0; i < request.items.size(); ++i) {
    spaces.emplace_back(std::move(facts.sessions[i]), query.sessions[i].cursors, facts.now);
    decision.answer.push_back(in_item(
        request.is_batch, i, ".", [&] { return decide_append(spaces.back(), request.items[i]); }));
  }
  ids.rewind();
  for (std::size_t i = 0; i < request.items.size(); ++i) {
    const AppendRequest& item = request.items[i];
    name_events(spaces[i], decision.answer[i].events, ids);
    decision.effects.read.pending.push_back({item.session, item.served.names});
    decision.effects.sessions.push_back(spaces[i].take());
  }
  return decision;
}

}  // namespace pawl::core
