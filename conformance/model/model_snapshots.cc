// Contract section 7: snapshots of reducers, and pins.
#include <algorithm>

#include "model/rules.h"

namespace pawl::model {
namespace {

constexpr std::ptrdiff_t kMaxPins = 256;

// The newest snapshot of a reducer has the greatest index of all that are kept.
std::optional<std::int64_t> newest_index(const Session& session, const std::string& reducer) {
  std::optional<std::int64_t> newest;
  for (const Snapshot& snapshot : session.snapshots) {
    if (snapshot.reducer == reducer && snapshot.index >= newest.value_or(0)) {
      newest = snapshot.index;
    }
  }
  return newest;
}

bool is_pinned(const Session& session, const std::string& reducer, std::int64_t index) {
  return std::any_of(session.pins.begin(), session.pins.end(), [&](const Pin& pin) {
    return pin.reducer == reducer && pin.snapshot == index;
  });
}

void drop_history_without_pin(Session& session) {
  std::erase_if(session.snapshots, [&](const Snapshot& snapshot) {
    return snapshot.index != newest_index(session, snapshot.reducer) &&
           !is_pinned(session, snapshot.reducer, snapshot.index);
  });
}

}  // namespace

Json Rules::put_snapshots(Arguments& arguments) {
  const std::string name = arguments.name("session");
  const std::string reducer = arguments.name("reducer");
  std::vector<std::pair<Snapshot, std::vector<HeadRef>>> writes;
  for (Arguments& item : arguments.objects("writes", kMaxListed)) {
    const std::int64_t index = item.integer("index", 1);
    Text state = item.text("state", options_.max_payload_bytes);
    std::vector<HeadRef> pins;
    for (Arguments& pin : item.optional_objects("pins", kMaxListed)) {
      pins.push_back(head_ref(pin));
      pin.nothing_else();
    }
    item.nothing_else();
    writes.emplace_back(Snapshot{reducer, index, state, now_}, pins);
  }
  arguments.nothing_else();
  Session& session = change(name);
  for (std::size_t i = 0; i < writes.size(); ++i) {  // 2
    if (writes[i].first.index > session.last_index) {
      refuse("writes[" + std::to_string(i) + "].index is above the last index");
    }
  }
  std::stable_sort(writes.begin(), writes.end(), [](const auto& a, const auto& b) {  // 1
    return a.first.index < b.first.index;
  });
  for (const auto& [snapshot, pins] : writes) put_snapshot(session, reducer, snapshot, pins);
  return Json::object();
}

void Rules::put_snapshot(Session& session, const std::string& reducer, const Snapshot& snapshot,
                         const std::vector<HeadRef>& pins) {
  if (snapshot.index < session.clear_index) return;                                       // 3
  for (const HeadRef& head : pins) record_pin(session, {head, reducer, snapshot.index});  // 4
  const std::optional<std::int64_t> newest = newest_index(session, reducer);
  const bool kept =
      !newest || snapshot.index >= *newest || is_pinned(session, reducer, snapshot.index);
  if (kept) {  // 5, 6
    std::erase_if(session.snapshots, [&](const Snapshot& old) {
      return old.reducer == reducer && old.index == snapshot.index;
    });
    session.snapshots.push_back(snapshot);
  }
  drop_history_without_pin(session);
}

void Rules::record_pin(Session& session, const Pin& pin) {
  const Cursor* cursor = find_cursor(session, pin.head);
  if (!cursor || cursor->head != pin.head.index || !has_live_head(session, *cursor)) return;
  std::ptrdiff_t pins_of_head = 0;
  for (const Pin& other : session.pins) {
    if (other.head != pin.head) continue;
    if (other.reducer == pin.reducer && other.snapshot == pin.snapshot) return;
    ++pins_of_head;
  }
  if (pins_of_head >= kMaxPins) refuse("writes: a head bears more than 256 pins");
  session.pins.push_back(pin);
}

void Rules::release_pins(Session& session, const HeadRef& head) {
  std::erase_if(session.pins, [&](const Pin& pin) { return pin.head == head; });
  drop_history_without_pin(session);
}

Json Rules::load_snapshot(Arguments& arguments) {
  const Session& session = look(arguments.name("session"));
  const std::string reducer = arguments.name("reducer");
  const std::int64_t through =
      arguments.optional_integer("through", 0).value_or(session.last_index);
  const std::int64_t limit = arguments.limit("limit", 1'000);
  arguments.nothing_else();
  const Snapshot* loaded = nullptr;
  for (const Snapshot& snapshot : session.snapshots) {
    const bool fits = snapshot.reducer == reducer && snapshot.index <= through &&
                      snapshot.index >= session.clear_index;
    if (fits && (!loaded || snapshot.index > loaded->index)) loaded = &snapshot;
  }
  const std::int64_t above = std::max(session.clear_index, loaded ? loaded->index : 0);
  Json events = Json::array();
  for (const Event& event : session.events) {
    if (static_cast<std::int64_t>(events.size()) >= limit) break;
    if (event.index > above && event.index <= through) {
      events.push_back(event_json(session, event));
    }
  }
  Json result = {
      {"clear_index", session.clear_index}, {"last_index", session.last_index}, {"events", events}};
  const std::optional<std::int64_t> newest = newest_index(session, reducer);
  if (newest && *newest >= session.clear_index) result["newest_index"] = *newest;
  if (loaded) {
    Json snapshot = {{"index", loaded->index}, {"updated_at", loaded->updated_at}};
    put_text(snapshot, "state", loaded->state);
    result["snapshot"] = snapshot;
  }
  return result;
}

}  // namespace pawl::model
