// Contract section 4, the reading operations, and `sessions` of section 10.
#include <algorithm>

#include "model/rules.h"

namespace pawl::model {
namespace {

const char* kind_name(Kind kind) {
  switch (kind) {
    case Kind::kLog:
      return "log";
    case Kind::kLane:
      return "lane";
    case Kind::kEvent:
      break;
  }
  return "event";
}

void put_dispatch(Json& object, const Cursor& cursor) {
  const Dispatch& dispatch = cursor.dispatch;
  object["consumer"] = cursor.consumer;
  object["kind"] = kind_name(cursor.kind);
  put_optional(object, "lane", cursor.lane);
  object["attempt_count"] = dispatch.attempt_count;
  put_optional(object, "first_claimed_at", dispatch.first_claimed_at);
  put_optional(object, "last_claimed_at", dispatch.last_claimed_at);
  put_optional(object, "claim_holder", dispatch.claim_holder);
  put_optional(object, "claim_expires_at", dispatch.claim_expires_at);
  object["failure_count"] = dispatch.failure_count;
  put_optional(object, "last_failed_at", dispatch.last_failed_at);
  put_optional(object, "last_failed_attempt", dispatch.last_failed_attempt);
  put_optional(object, "last_error", dispatch.last_error);
  put_optional(object, "failed_at", dispatch.failed_at);
}

std::optional<HeadRef> page_after(Arguments& arguments) {
  std::optional<Arguments> after = arguments.optional_object("after");
  if (!after) return std::nullopt;
  HeadRef ref = head_ref(*after);
  after->nothing_else();
  return ref;
}

// Of one lane there is one cursor, so its head does not matter.
auto cursor_order(const HeadRef& ref) {
  return std::tuple(ref.consumer, lane_order(ref.lane), ref.lane ? 0 : ref.index);
}

bool full(const Json& list, std::int64_t limit) {
  return static_cast<std::int64_t>(list.size()) >= limit;
}

}  // namespace

Json Rules::event_json(const Session& session, const Event& event) const {
  Json result = {{"session", session.name},
                 {"index", event.index},
                 {"id", event.id},
                 {"type", event.type},
                 {"created_at", event.created_at}};
  put_text(result, "payload", event.payload);
  if (event.cause) {
    Json cause = ref_json(event.cause->head);
    cause["attempt"] = event.cause->attempt;
    put_optional(cause, "batch_size", event.cause->batch_size);
    result["cause"] = cause;
  }
  return result;
}

Json Rules::events_json(const Session& session, const std::vector<Event>& events) const {
  Json result = Json::array();
  for (const Event& event : events) result.push_back(event_json(session, event));
  return result;
}

Json Rules::cursor_json(const Cursor& cursor) const {
  Json result = {{"position", cursor.position}};
  put_optional(result, "head", cursor.head);
  put_dispatch(result, cursor);
  return result;
}

Json Rules::head_json(const Session& session, const Cursor& cursor) const {
  Json result = event_json(session, *find_event(session, *cursor.head));
  put_dispatch(result, cursor);
  if (session.clear_index > 0) result["clear_index"] = session.clear_index;
  return result;
}

Json Rules::read(Arguments& arguments) {
  const Session& session = look(arguments.name("session"));
  const std::int64_t after = arguments.optional_integer("after", 0).value_or(0);
  const std::int64_t limit = arguments.limit("limit", 1'000);
  const auto types = arguments.optional_names("types", kMaxListed);
  const std::int64_t through = arguments.optional_integer("through", 0).value_or(kMaxCount);
  arguments.nothing_else();
  Json result = Json::array();
  for (const Event& event : session.events) {
    if (full(result, limit)) break;
    if (!visible(session, event) || event.index <= after || event.index > through) continue;
    if (types && std::find(types->begin(), types->end(), event.type) == types->end()) continue;
    result.push_back(event_json(session, event));
  }
  return result;
}

Json Rules::head(Arguments& arguments) {
  const Session& session = look(arguments.name("session"));
  arguments.nothing_else();
  return {{"last_index", session.last_index}, {"clear_index", session.clear_index}};
}

Json Rules::cursors(Arguments& arguments) {
  const Session& session = look(arguments.name("session"));
  const std::optional<HeadRef> after = page_after(arguments);
  const std::int64_t limit = arguments.limit("limit", 1'000);
  arguments.nothing_else();
  std::vector<const Cursor*> listed;
  for (const Cursor& cursor : session.cursors) {
    if (!exists(session, cursor) || (cursor.kind == Kind::kEvent && !cursor.head)) continue;
    if (after && cursor_order(ref_of_head(cursor)) <= cursor_order(*after)) continue;
    listed.push_back(&cursor);
  }
  std::sort(listed.begin(), listed.end(), [](const Cursor* a, const Cursor* b) {
    return cursor_order(ref_of_head(*a)) < cursor_order(ref_of_head(*b));
  });
  Json result = Json::array();
  for (const Cursor* cursor : listed) {
    if (full(result, limit)) break;
    result.push_back(cursor_json(*cursor));
  }
  return result;
}

Json Rules::dead_letters(Arguments& arguments) {
  const Session& session = look(arguments.name("session"));
  const std::optional<HeadRef> after = page_after(arguments);
  const std::int64_t limit = arguments.limit("limit", 1'000);
  arguments.nothing_else();
  std::vector<const Cursor*> listed;
  for (const Cursor& cursor : session.cursors) {
    if (!exists(session, cursor) || !cursor.dispatch.failed_at) continue;
    if (after && head_order(ref_of_head(cursor)) <= head_order(*after)) continue;
    listed.push_back(&cursor);
  }
  std::sort(listed.begin(), listed.end(), [](const Cursor* a, const Cursor* b) {
    return head_order(ref_of_head(*a)) < head_order(ref_of_head(*b));
  });
  Json result = Json::array();
  for (const Cursor* cursor : listed) {
    if (full(result, limit)) break;
    result.push_back(head_json(session, *cursor));
  }
  return result;
}

Json Rules::sessions(Arguments& arguments) {
  const auto after = arguments.optional_name("after");
  const std::int64_t limit = arguments.limit("limit", 1'000);
  arguments.nothing_else();
  Json result = Json::array();
  for (const auto& [name, session] : sessions_) {
    if (full(result, limit)) break;
    if ((after && name <= *after) || session.last_index <= session.noted_marker) continue;
    result.push_back({{"session", name},
                      {"last_index", session.last_index},
                      {"clear_index", session.clear_index}});
  }
  return result;
}

}  // namespace pawl::model
