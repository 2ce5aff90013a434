// Contract section 9: clear, and the upkeep that deletes what nobody sees any more.
#include <algorithm>

#include "model/rules.h"

namespace pawl::model {

Json Rules::clear(Arguments& arguments) {
  const std::string name = arguments.name("session");
  std::optional<Cause> cause;
  if (const auto given = arguments.optional_object("cause")) cause = model::cause(*given);
  const auto if_last_index = arguments.optional_integer("if_last_index", 0);
  arguments.nothing_else();

  Session& session = change(name);
  bool cleared = true;
  if (if_last_index && session.clear_index - 1 == *if_last_index) {  // 1
  } else {
    if (cause) check_cause(session, *cause);                      // 2
    if (if_last_index && session.last_index != *if_last_index) {  // 3
      cleared = false;
    } else if (session.last_index != session.clear_index) {  // 4
      append_marker(session);                                // 5
    }
  }
  return {
      {"cleared", cleared}, {"index", session.last_index}, {"clear_index", session.clear_index}};
}

// Step 5.
void Rules::append_marker(Session& session) {
  const Text null = std::make_shared<TextValue>(TextValue{"null", nullptr});
  store_event(session, {std::nullopt, "pawl.clear", null, std::nullopt, {}}, {});
  session.clear_index = session.last_index;
  idle_log_cursors(session, session.clear_index);
}

void Rules::idle_log_cursors(Session& session, std::int64_t position) {
  for (Cursor& cursor : session.cursors) {
    if (cursor.kind != Kind::kLog) continue;
    cursor.position = position;
    cursor.head.reset();
    cursor.dispatch = Dispatch{};
    cursor.completion.reset();
  }
}

Json Rules::reclaim(Arguments& arguments) {
  const std::string name = arguments.name("session");
  const std::int64_t limit = arguments.limit("limit", 256);
  arguments.nothing_else();
  return reclaim_session(change(name), limit);
}

Json Rules::reclaim_session(Session& session, std::int64_t limit) {
  const std::int64_t deleted = delete_events(session, session.clear_index - 1, limit);
  const bool events_left =
      !session.events.empty() && session.events.front().index < session.clear_index;
  const bool done = !events_left && delete_superseded(session, limit);
  return {{"deleted", deleted}, {"done", done}};
}

// The lowest `limit` events, each with its event cursors and lane entries.
std::int64_t Rules::delete_events(Session& session, std::int64_t up_to, std::int64_t limit) {
  std::int64_t deleted = 0;
  while (deleted < limit && !session.events.empty() && session.events.front().index <= up_to) {
    const std::int64_t index = session.events.front().index;
    std::erase_if(session.cursors, [&](const Cursor& cursor) { return cursor.event == index; });
    std::erase_if(session.entries, [&](const LaneEntry& entry) { return entry.index == index; });
    session.events.erase(session.events.begin());
    ++deleted;
  }
  return deleted;
}

// Superseded lane cursors, snapshots, history and pins. True when nothing is left.
bool Rules::delete_superseded(Session& session, std::int64_t limit) {
  std::int64_t found = 0;
  const auto goes = [&](bool superseded) {
    found += superseded;
    return superseded && found <= limit;
  };
  std::erase_if(session.cursors,
                [&](const Cursor& cursor) { return goes(!exists(session, cursor)); });
  std::erase_if(session.snapshots, [&](const Snapshot& snapshot) {
    return goes(snapshot.index < session.clear_index);
  });
  std::erase_if(session.pins,
                [&](const Pin& pin) { return goes(pin.head.index <= session.clear_index); });
  return found <= limit;
}

Json Rules::prune(Arguments& arguments) {
  const std::string name = arguments.name("session");
  const std::int64_t finished_before = arguments.integer("finished_before", 1, kMaxTime);
  const std::int64_t limit = arguments.limit("limit", 1'000);
  arguments.nothing_else();
  return prune_session(change(name), finished_before, limit);
}

Json Rules::prune_session(Session& session, std::int64_t finished_before, std::int64_t limit) {
  const auto is_record = [&](std::int64_t index, std::optional<std::int64_t> finished_at) {
    return index > session.clear_index && finished_at && *finished_at < finished_before;
  };
  std::vector<std::int64_t> times;
  for (const Cursor& cursor : session.cursors) {
    if (is_record(cursor.event, cursor.finished_at)) times.push_back(*cursor.finished_at);
  }
  for (const LaneEntry& entry : session.entries) {
    if (is_record(entry.index, entry.finished_at)) times.push_back(*entry.finished_at);
  }
  std::sort(times.begin(), times.end());
  const bool done = static_cast<std::int64_t>(times.size()) <= limit;
  if (!done) times.resize(static_cast<std::size_t>(limit));
  for (const std::int64_t time : times) {
    bool gone = false;
    const auto is_it = [&](std::int64_t index, std::optional<std::int64_t> finished_at) {
      return !gone && is_record(index, finished_at) && finished_at == time && (gone = true);
    };
    std::erase_if(session.cursors,
                  [&](const Cursor& cursor) { return is_it(cursor.event, cursor.finished_at); });
    std::erase_if(session.entries,
                  [&](const LaneEntry& entry) { return is_it(entry.index, entry.finished_at); });
  }
  std::erase_if(session.cursors, [&](const Cursor& cursor) {
    if (cursor.kind != Kind::kLane || cursor.head || !exists(session, cursor)) return false;
    const bool goes =
        std::none_of(session.entries.begin(), session.entries.end(), [&](const auto& entry) {
          return entry.consumer == cursor.consumer && entry.lane == cursor.lane &&
                 entry.index > session.clear_index;
        });
    if (goes) session.floors[cursor.consumer] = session.last_index;
    return goes;
  });
  return {{"deleted", static_cast<std::int64_t>(times.size())}, {"done", done}};
}

Json Rules::delete_session(Arguments& arguments) {
  const std::string name = arguments.name("session");
  const std::int64_t limit = arguments.limit("limit", 1'000);
  arguments.nothing_else();
  Session& session = change(name);
  if (!session.deleting) {
    if (session.last_index <= session.noted_marker) return {{"deleted", 0}, {"done", true}};  // 5
    begin_deletion(session);
  }
  return delete_old_life(session, limit);
}

// Rule 1; from then on the old life is invisible (rule 3).
void Rules::begin_deletion(Session& session) {
  if (session.last_index != session.clear_index) append_marker(session);
  session.noted_marker = session.clear_index;
  session.deleting = true;
  std::erase_if(session.cursors, [](const Cursor& cursor) { return cursor.kind == Kind::kLog; });
  session.snapshots.clear();  // one at the marker, too, where the session had been cleared before
}

// Rule 2: up to the noted marker, itself included.
Json Rules::delete_old_life(Session& session, std::int64_t limit) {
  const std::int64_t deleted = delete_events(session, session.noted_marker, limit);
  const bool events_left =
      !session.events.empty() && session.events.front().index <= session.noted_marker;
  session.deleting = events_left || !delete_superseded(session, limit);
  return {{"deleted", deleted}, {"done", !session.deleting}};
}

Json Rules::delete_consumer(Arguments& arguments) {
  const std::string name = arguments.name("session");
  const std::string consumer = arguments.name("consumer");
  const std::int64_t limit = arguments.limit("limit", 1'000);
  arguments.nothing_else();
  Session& session = change(name);
  std::int64_t found = 0;
  const auto goes = [&](bool concerned) {
    found += concerned;
    return concerned && found <= limit;
  };
  std::vector<HeadRef> abandoned;
  for (Cursor& cursor : session.cursors) {
    if (cursor.consumer != consumer || cursor.kind != Kind::kLog) continue;
    if (cursor.head) abandoned.push_back(ref_of_head(cursor));
    cursor.position = session.last_index;
    cursor.head.reset();
    cursor.dispatch = Dispatch{};
    cursor.completion.reset();
  }
  std::erase_if(session.cursors, [&](const Cursor& cursor) {
    const bool goes_now =
        goes(cursor.consumer == consumer && cursor.kind != Kind::kLog && exists(session, cursor));
    if (goes_now && cursor.kind == Kind::kLane) session.floors[consumer] = session.last_index;
    if (goes_now && cursor.head) abandoned.push_back(ref_of_head(cursor));
    return goes_now;
  });
  std::erase_if(session.entries, [&](const LaneEntry& entry) {
    return goes(entry.consumer == consumer && entry.index > session.clear_index);
  });
  for (const HeadRef& head : abandoned) release_pins(session, head);
  return {{"deleted", std::min(found, limit)}, {"done", found <= limit}};
}

Json Rules::maintain(Arguments& arguments) {
  const std::int64_t limit = arguments.limit("limit", 1'000);
  const auto finished_before = arguments.optional_integer("finished_before", 1, kMaxTime);
  arguments.nothing_else();
  std::int64_t deleted = 0;
  bool done = true;
  const auto add = [&](const Json& result) {
    deleted += result["deleted"].get<std::int64_t>();
    done = done && result["done"].get<bool>();
  };
  for (auto& [name, session] : sessions_) {
    add(session.deleting ? delete_old_life(session, limit) : reclaim_session(session, limit));
    if (session.deleting) continue;
    add(reclaim_session(session, limit));
    if (finished_before) add(prune_session(session, *finished_before, limit));
  }
  deleted += static_cast<std::int64_t>(
      std::erase_if(presence_, [&](const auto& row) { return row.second.expires_at <= now_; }));
  return {{"deleted", deleted}, {"done", done}};
}

}  // namespace pawl::model
