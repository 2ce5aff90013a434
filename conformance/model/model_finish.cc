// Contract section 6, complete, fail, release and redrive, and settle of section 10.
#include <algorithm>

#include "model/rules.h"

namespace pawl::model {
namespace {

const Json kSuperseded = {{"outcome", "superseded"}};

Json failed(const char* outcome, std::int64_t failure_count) {
  return {{"outcome", outcome}, {"failure_count", failure_count}};
}

// An event cursor is its own index.
bool same_cursor(const HeadRef& a, const HeadRef& b) {
  return a.consumer == b.consumer && a.lane == b.lane && (a.lane || a.index == b.index);
}

}  // namespace

// ---- arguments

std::vector<NewEvent> Rules::follow_ups(Arguments& arguments) {
  if (!arguments.has("events")) {
    arguments.optional_objects("events", 0);
    return {};
  }
  std::vector<NewEvent> events = new_events(arguments, options_.max_payload_bytes);
  for (std::size_t i = 0; i < events.size(); ++i) {
    const std::string path = arguments.path("events") + "[" + std::to_string(i) + "]";
    if (!events[i].id) refuse(path + ".id is missing");
    if (events[i].cause) refuse(path + ".cause may not be given");
  }
  return events;
}

// `details` holds what belongs to the action: the operation itself, or a part of settle's item.
Finish Rules::finish_arguments(Arguments& arguments, Action action, Arguments& details) {
  Finish finish;
  finish.session = arguments.name("session");
  finish.head = head_ref(arguments);
  finish.attempt = arguments.integer("attempt", 1);
  finish.action = action;
  std::optional<std::int64_t> delay;
  std::string delay_name;
  if (action == Action::kComplete) {
    finish.events = follow_ups(details);
  } else if (action == Action::kFail) {
    finish.error = error_text(details.string("error"));
    finish.max_failures = details.integer("max_failures", 1);
    delay_name = "retry_after_ms";
  } else {
    delay_name = "delay_ms";
  }
  if (!delay_name.empty()) delay = details.optional_integer(delay_name, 0, kMaxTime);
  if (delay) finish.claimable_from = later(now_, *delay, details.path(delay_name));
  for (NewEvent& event : finish.events) {
    event.cause = Cause{finish.head, finish.attempt, std::nullopt};
  }
  return finish;
}

Json Rules::complete(Arguments& arguments) {
  const Finish request = finish_arguments(arguments, Action::kComplete, arguments);
  const Served consumers = served(arguments);
  arguments.nothing_else();
  return finish(request, consumers);
}

Json Rules::fail(Arguments& arguments) {
  const Finish request = finish_arguments(arguments, Action::kFail, arguments);
  arguments.nothing_else();
  return finish(request, std::nullopt);
}

Json Rules::release(Arguments& arguments) {
  const Finish request = finish_arguments(arguments, Action::kRelease, arguments);
  arguments.nothing_else();
  return finish(request, std::nullopt);
}

Finish Rules::settle_item(Arguments& item) {
  std::optional<Arguments> parts[] = {item.optional_object("complete"),
                                      item.optional_object("fail"),
                                      item.optional_object("release")};
  const auto given = std::count_if(std::begin(parts), std::end(parts),
                                   [](const auto& part) { return part.has_value(); });
  if (given != 1) refuse("exactly one of complete, fail and release must be given");
  const Action actions[] = {Action::kComplete, Action::kFail, Action::kRelease};
  Finish finish;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!parts[i]) continue;
    finish = finish_arguments(item, actions[i], *parts[i]);
    parts[i]->nothing_else();
  }
  item.nothing_else();
  return finish;
}

Json Rules::settle(Arguments& arguments) {
  const Served consumers = served(arguments);
  std::optional<ClaimRequest> claim;
  if (auto given = arguments.optional_object("claim")) {
    claim = claim_ready_arguments(*given);
    if (!claim->served) claim->served = consumers;
  }
  std::vector<Finish> items;
  std::size_t events = 0;
  std::vector<Arguments> given = arguments.objects("items", 1'000);
  const auto in_item = [&](std::size_t i, const auto& work) {
    try {
      work();
    } catch (const ModelError& error) {
      throw ModelError{error.code, "items[" + std::to_string(i) + "]: " + error.message};
    }
  };
  for (std::size_t i = 0; i < given.size(); ++i) {
    in_item(i, [&] {
      Arguments item = given[i].relative();
      items.push_back(settle_item(item));
      events += items.back().events.size();
      for (std::size_t j = 0; j < i; ++j) {
        if (items[j].session == items[i].session && same_cursor(items[j].head, items[i].head)) {
          refuse("the same cursor stands twice in items");
        }
      }
    });
  }
  if (events > kMaxListed) refuse("items hold more than 10000 events");
  arguments.nothing_else();

  Json answer = {{"results", Json::array()}};
  for (std::size_t i = 0; i < items.size(); ++i) {
    in_item(i, [&] { answer["results"].push_back(finish(items[i], consumers)); });
  }
  if (claim) claim_ready_into(answer, *claim);
  return answer;
}

// ---- the rules

Json Rules::finish(const Finish& request, const Served& consumers) {
  Session& session = change(request.session);
  switch (request.action) {
    case Action::kComplete:
      return complete_one(session, request, consumers);
    case Action::kFail:
      return fail_one(session, request);
    case Action::kRelease:
      break;
  }
  return release_one(session, request);
}

// Above the clear index no index is missing.
void Rules::check_event_exists(const Session& session, std::int64_t index) const {
  if (index > session.last_index) {
    throw ModelError{"unknown_event", "no event at index " + std::to_string(index)};
  }
}

Json Rules::complete_one(Session& session, const Finish& request, const Served& consumers) {
  const std::int64_t index = request.head.index;
  if (index <= session.clear_index) return kSuperseded;  // 1
  if (!find_cursor(session, request.head)) {             // 2
    check_event_exists(session, index);
    return kSuperseded;
  }
  refresh_types(session, consumers);  // 3
  std::set<std::string> ids;
  for (const NewEvent& event : request.events) {
    if (!ids.insert(*event.id).second) {
      throw ModelError{"partial_duplicate_batch", "id " + *event.id + " stands twice"};
    }
  }
  const Cursor& cursor = *find_cursor(session, request.head);
  if (cursor.head != index) return complete_again(session, cursor, request);  // 4
  const Dispatch& dispatch = cursor.dispatch;
  if (dispatch.attempt_count != request.attempt || !dispatch.claim_holder ||
      dispatch.failed_at) {  // 5
    return kSuperseded;
  }
  for (const NewEvent& event : request.events) {  // 6
    if (find_id(session, *event.id)) {
      throw ModelError{"partial_duplicate_batch", "id " + *event.id + " exists already"};
    }
  }
  const std::vector<Event> stored = store_and_queue(session, request.events, consumers);  // 7
  Completion completion{index, request.attempt, {}};
  for (const NewEvent& event : request.events) completion.ids.push_back(*event.id);
  finish_head(session, *find_cursor(session, request.head), completion);
  return {{"outcome", "completed"}, {"events", events_json(session, stored)}};
}

// Step 4: a replay, or too late.
Json Rules::complete_again(Session& session, const Cursor& cursor, const Finish& request) {
  std::optional<Completion> recorded = cursor.completion;
  for (const LaneEntry& entry : session.entries) {
    const HeadRef of_entry{entry.consumer, entry.lane, entry.index};
    if (cursor.kind == Kind::kLane && of_entry == request.head) recorded = entry.completion;
  }
  if (!recorded || recorded->index != request.head.index || recorded->attempt != request.attempt) {
    return kSuperseded;
  }
  std::vector<std::string> ids;
  for (const NewEvent& event : request.events) ids.push_back(*event.id);
  if (ids != recorded->ids) {
    throw ModelError{"partial_duplicate_batch", "this attempt completed with other ids"};
  }
  std::vector<Event> stored;
  for (const NewEvent& event : request.events) {
    const Event* found = find_id(session, *event.id);
    const bool caused = found && found->cause && found->cause->head == request.head &&
                        found->cause->attempt == request.attempt;
    if (!caused) return kSuperseded;
    stored.push_back(*found);
  }
  for (std::size_t i = 0; i < stored.size(); ++i) check_replay(stored[i], request.events[i]);
  return {{"outcome", "completed"}, {"events", events_json(session, stored)}};
}

Json Rules::fail_one(Session& session, const Finish& request) {
  const std::int64_t index = request.head.index;
  if (index <= session.clear_index) return failed("superseded", 0);  // 1
  Cursor* cursor = find_cursor(session, request.head);
  if (!cursor) check_event_exists(session, index);
  if (!cursor || cursor->head != index) return failed("superseded", 0);
  Dispatch& dispatch = cursor->dispatch;
  if (dispatch.attempt_count != request.attempt) {  // 2
    return failed("superseded", dispatch.failure_count);
  }
  if (!dispatch.claim_holder && dispatch.last_failed_attempt == request.attempt) {  // 3
    return failed(dispatch.failed_at ? "dead_lettered" : "failed", dispatch.failure_count);
  }
  if (dispatch.failed_at) return failed("dead_lettered", dispatch.failure_count);  // 4
  if (!dispatch.claim_holder) return failed("superseded", dispatch.failure_count);
  ++dispatch.failure_count;  // 5
  dispatch.last_error = request.error;
  dispatch.last_failed_at = now_;
  dispatch.last_failed_attempt = request.attempt;
  if (dispatch.failure_count >= request.max_failures) {
    die(session, *cursor);
    return failed("dead_lettered", dispatch.failure_count);
  }
  let_go(*cursor, request.claimable_from);
  return failed("failed", dispatch.failure_count);
}

Json Rules::release_one(Session& session, const Finish& request) {
  const std::int64_t index = request.head.index;
  if (index <= session.clear_index) return kSuperseded;  // 1
  Cursor* cursor = find_cursor(session, request.head);
  if (!cursor) check_event_exists(session, index);
  if (!cursor || cursor->head != index) return kSuperseded;
  Dispatch& dispatch = cursor->dispatch;
  if (dispatch.attempt_count != request.attempt) return kSuperseded;
  if (!dispatch.claim_holder && dispatch.last_released_attempt == request.attempt) {  // 2
    return {{"outcome", "released"}};
  }
  if (dispatch.failed_at || !dispatch.claim_holder) return kSuperseded;  // 3
  dispatch.last_released_attempt = request.attempt;                      // 4
  let_go(*cursor, request.claimable_from);
  return {{"outcome", "released"}};
}

// The holder goes; the head may be claimed again from then on, or at once.
void Rules::let_go(Cursor& cursor, std::optional<std::int64_t> claimable_from) {
  cursor.dispatch.claim_holder.reset();
  cursor.dispatch.claim_expires_at = claimable_from;
  cursor.dispatch.claimable_since = now_;
}

void Rules::die(Session& session, Cursor& cursor) {
  cursor.dispatch.claim_holder.reset();
  cursor.dispatch.claim_expires_at.reset();
  cursor.dispatch.failed_at = now_;
  release_pins(session, ref_of_head(cursor));
}

// A completion is recorded, unless the head is skipped; then the cursor advances.
void Rules::finish_head(Session& session, Cursor& cursor,
                        const std::optional<Completion>& completion) {
  if (cursor.kind == Kind::kLane) {
    for (LaneEntry& entry : session.entries) {
      if (HeadRef{entry.consumer, entry.lane, entry.index} != ref_of_head(cursor)) continue;
      entry.finished_at = now_;
      entry.completion = completion;
    }
  } else if (completion) {
    cursor.completion = completion;
  }
  if (cursor.kind == Kind::kEvent) cursor.finished_at = now_;
  advance(session, cursor);
}

void Rules::advance(Session& session, Cursor& cursor) {
  release_pins(session, ref_of_head(cursor));
  cursor.position = *cursor.head;
  cursor.head.reset();
  cursor.dispatch = Dispatch{};
  if (cursor.kind == Kind::kLog) {
    const auto next = first_of_types(session, cursor.position, cursor.types);
    if (next) become_head(cursor, *next, std::nullopt);
  }
  if (cursor.kind != Kind::kLane) return;
  const LaneEntry* next = nullptr;
  for (const LaneEntry& entry : session.entries) {
    if (entry.consumer != cursor.consumer || entry.lane != cursor.lane) continue;
    if (entry.finished_at || entry.index <= cursor.position) continue;
    if (entry.index <= session.clear_index) continue;
    if (!next || entry.index < next->index) next = &entry;
  }
  if (next) become_head(cursor, next->index, next->available_at);
}

Json Rules::redrive(Arguments& arguments) {
  const std::string name = arguments.name("session");
  const std::string consumer = arguments.name("consumer");
  const std::int64_t index = arguments.integer("index", 1);
  const std::string action = arguments.string("action");
  if (action != "retry" && action != "skip") refuse("action must be retry or skip");
  const Lane lane = arguments.optional_name("lane");
  const Served consumers = served(arguments);
  arguments.nothing_else();

  Session& session = change(name);
  Cursor* dead = nullptr;
  for (Cursor& cursor : session.cursors) {  // 1
    const bool is_it = exists(session, cursor) && cursor.consumer == consumer &&
                       cursor.head == index && cursor.dispatch.failed_at &&
                       (!lane || cursor.lane == lane);
    if (is_it && (!dead || lane_order(cursor.lane) < lane_order(dead->lane))) dead = &cursor;
  }
  if (dead) {
    refresh_types(session, consumers);  // 2
    if (action == "retry") {            // 3
      dead->dispatch.failed_at.reset();
      dead->dispatch.failure_count = 0;
      dead->dispatch.claimable_since = now_;
    } else {  // 4
      finish_head(session, *dead, std::nullopt);
    }
  }
  return {{"redriven", dead != nullptr}, {"has_pending", has_pending(session, consumers)}};
}

}  // namespace pawl::model
