// Contract section 4: append, append_batch, wake_log.
#include <algorithm>

#include "model/rules.h"

namespace pawl::model {

Json Rules::append(Arguments& arguments) { return append_arguments(arguments); }

Json Rules::append_arguments(Arguments& arguments) {
  const std::string name = arguments.name("session");
  const std::vector<NewEvent> events = new_events(arguments, options_.max_payload_bytes);
  const Served consumers = served(arguments);
  const std::int64_t origin = arguments.optional_integer("origin_index", 0).value_or(0);
  arguments.nothing_else();
  Session& session = change(name);
  const std::vector<Event> appended = append_events(session, events, consumers, origin);
  return {{"events", events_json(session, appended)},
          {"has_pending", has_pending(session, consumers)}};
}

Json Rules::append_batch(Arguments& arguments) {
  std::vector<Arguments> items = arguments.objects("items", 1'000);
  arguments.nothing_else();
  std::set<std::string> names;
  std::size_t events = 0;
  for (Arguments& item : items) {
    if (!names.insert(item.name("session")).second) {
      refuse(item.path("session") + " stands twice in items");
    }
    events += new_events(item, options_.max_payload_bytes).size();
    served(item);
    item.optional_integer("origin_index", 0);
    item.nothing_else();
  }
  if (events > kMaxListed) refuse("items hold more than 10000 events");
  Json results = Json::array();
  for (Arguments& item : items) results.push_back(append_arguments(item));
  return results;
}

std::vector<Event> Rules::append_events(Session& session, const std::vector<NewEvent>& events,
                                        const Served& consumers, std::int64_t origin_index) {
  if (events.empty()) return {};  // 1
  std::set<std::string> ids;
  for (const NewEvent& event : events) {  // 2
    if (event.id && !ids.insert(*event.id).second) {
      throw ModelError{"partial_duplicate_batch", "id " + *event.id + " stands twice"};
    }
  }
  if (auto stored = replayed(session, events)) return *stored;    // 3
  if (origin_index > 0 && origin_index <= session.clear_index) {  // 4
    throw ModelError{"session_cleared", "origin_index has been cleared"};
  }
  for (const NewEvent& event : events) {  // 5
    if (event.cause) check_cause(session, *event.cause);
  }
  return store_and_queue(session, events, consumers);
}

// Steps 6 to 8.
std::vector<Event> Rules::store_and_queue(Session& session, const std::vector<NewEvent>& events,
                                          const Served& consumers) {
  const std::int64_t last_before = session.last_index;
  std::set<std::string> ids;
  for (const NewEvent& event : events) {
    if (event.id) ids.insert(*event.id);
  }
  std::vector<Event> stored;
  for (const NewEvent& event : events) stored.push_back(store_event(session, event, ids));
  for (std::size_t i = 0; i < events.size(); ++i) {
    for (const Target& target : events[i].targets) queue_target(session, stored[i].index, target);
  }
  if (!consumers) return stored;
  for (const Consumer& consumer : *consumers) {
    const bool concerned =
        consumer.log && std::any_of(events.begin(), events.end(), [&](const NewEvent& event) {
          return !consumer.log->types || consumer.log->types->count(event.type);
        });
    if (concerned) wake(session, consumer, last_before);
  }
  return stored;
}

std::optional<std::vector<Event>> Rules::replayed(const Session& session,
                                                  const std::vector<NewEvent>& events) const {
  std::vector<Event> stored;
  std::vector<const NewEvent*> given;
  for (const NewEvent& event : events) {
    const Event* found = event.id ? find_id(session, *event.id) : nullptr;
    if (!found) continue;
    stored.push_back(*found);
    given.push_back(&event);
  }
  if (stored.empty()) return std::nullopt;
  if (stored.size() < events.size()) {
    throw ModelError{"partial_duplicate_batch", "some of the ids exist already"};
  }
  for (std::size_t i = 0; i < stored.size(); ++i) check_replay(stored[i], *given[i]);
  return stored;
}

void Rules::check_replay(const Event& stored, const NewEvent& given) const {
  const bool same_payload =
      stored.payload->text == given.payload->text || stored.payload->value == given.payload->value;
  if (stored.type != given.type || !same_payload) {
    throw ModelError{"replay_mismatch", "event " + stored.id + " was stored with other contents"};
  }
}

void Rules::check_cause(const Session& session, const Cause& cause) const {
  const Cursor* cursor = find_cursor(session, cause.head);
  const bool current =
      cause.head.index > session.clear_index && cursor && cursor->head == cause.head.index &&
      cursor->dispatch.attempt_count == cause.attempt && !cursor->dispatch.failed_at;
  if (!current) throw ModelError{"superseded_attempt", "the cause is no current attempt"};
}

Event Rules::store_event(Session& session, const NewEvent& given,
                         const std::set<std::string>& batch_ids) {
  Event event;
  event.index = ++session.last_index;
  event.id = given.id ? *given.id : generate_id(session, batch_ids);
  event.type = given.type;
  event.payload = given.payload;
  event.created_at = now_;
  event.cause = given.cause;
  delete_namesake(session, event.id);
  session.events.push_back(event);
  return event;
}

// Step 3: an event that lost its id to a new one is deleted. `reclaim` no longer counts it.
void Rules::delete_namesake(Session& session, const std::string& id) {
  for (const Event& event : session.events) {
    if (event.id != id || visible(session, event)) continue;
    const std::int64_t index = event.index;
    std::erase_if(session.cursors, [&](const Cursor& cursor) { return cursor.event == index; });
    std::erase_if(session.entries, [&](const LaneEntry& entry) { return entry.index == index; });
  }
  std::erase_if(session.events,
                [&](const Event& event) { return event.id == id && !visible(session, event); });
}

std::string Rules::generate_id(const Session& session, const std::set<std::string>& batch_ids) {
  std::string id;
  do {
    id = "id-" + std::to_string(++ids_drawn_);
  } while (find_id(session, id) || batch_ids.count(id));
  return id;
}

void Rules::queue_target(Session& session, std::int64_t index, const Target& target) {
  if (target.lane) {
    queue_on_lane(session, index, target);
    return;
  }
  Cursor cursor;
  cursor.kind = Kind::kEvent;
  cursor.consumer = target.consumer;
  cursor.event = index;
  cursor.position = index - 1;
  become_head(cursor, index, target.available_at);
  session.cursors.push_back(cursor);
}

void Rules::queue_on_lane(Session& session, std::int64_t index, const Target& target) {
  const HeadRef ref{target.consumer, target.lane, index};
  Cursor* cursor = find_cursor(session, ref);
  if (cursor && cursor->kind == Kind::kLog) {
    refuse("targets: lane " + *target.lane + " is a log's of this consumer");
  }
  LaneEntry entry;
  entry.consumer = target.consumer;
  entry.lane = *target.lane;
  entry.index = index;
  entry.available_at = target.available_at;
  session.entries.push_back(entry);
  if (!cursor) {
    // A superseded cursor of this lane lies wholly at or below the clear index: it is replaced.
    std::erase_if(session.cursors, [&](const Cursor& old) { return names(old, ref); });
    cursor = &session.cursors.emplace_back();
    cursor->kind = Kind::kLane;
    cursor->consumer = target.consumer;
    cursor->lane = target.lane;
  } else if (cursor->head) {
    return;
  }
  cursor->position = std::max(cursor->position, session.clear_index);
  become_head(*cursor, index, target.available_at);
}

// Step 8 for a log that is concerned.
Cursor& Rules::wake(Session& session, const Consumer& consumer, std::int64_t opening_position) {
  const Log& log = *consumer.log;
  const HeadRef ref{consumer.name, log.lane, 0};
  Cursor* cursor = find_cursor(session, ref);
  if (cursor && cursor->kind == Kind::kLane) {
    refuse("consumers: log lane " + log.lane + " is a lane of this consumer");
  }
  if (!cursor) {
    std::erase_if(session.cursors, [&](const Cursor& old) { return names(old, ref); });
    cursor = &session.cursors.emplace_back();
    cursor->kind = Kind::kLog;
    cursor->consumer = consumer.name;
    cursor->lane = log.lane;
    cursor->position = log.backfill ? std::max(session.clear_index, session.floors[consumer.name])
                                    : opening_position;
  }
  cursor->types = log.types;
  if (cursor->head) return *cursor;
  if (const auto first = first_of_types(session, cursor->position, log.types)) {
    become_head(*cursor, *first, std::nullopt);
  }
  return *cursor;
}

void Rules::become_head(Cursor& cursor, std::int64_t index,
                        std::optional<std::int64_t> available_at) {
  cursor.head = index;
  cursor.dispatch = Dispatch{};
  cursor.dispatch.claimable_since = now_;
  if (available_at && *available_at > now_) cursor.dispatch.claim_expires_at = available_at;
}

Json Rules::wake_log(Arguments& arguments) {
  const std::string name = arguments.name("session");
  Arguments given = arguments.object("consumer");
  const Consumer consumer = model::consumer(given);
  if (!consumer.log) refuse("consumer.log is missing");
  arguments.nothing_else();
  Session& session = change(name);
  const Cursor* cursor = find_cursor(session, {consumer.name, consumer.log->lane, 0});
  if (session.last_index == session.clear_index && !cursor) {
    Cursor idle;
    idle.kind = Kind::kLog;
    idle.consumer = consumer.name;
    idle.lane = consumer.log->lane;
    idle.position = session.clear_index;
    return {{"cursor", cursor_json(idle)}, {"last_index", session.last_index}};
  }
  const Cursor& woken = wake(session, consumer, session.last_index);
  return {{"cursor", cursor_json(woken)}, {"last_index", session.last_index}};
}

}  // namespace pawl::model
