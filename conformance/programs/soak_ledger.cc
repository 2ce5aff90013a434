// What must be there after a crash.
#include <algorithm>

#include "soak_load.h"

namespace pawl::soak {
namespace {

using Place = std::tuple<std::string, std::string, std::int64_t>;

// The part of an id that says what the event is: "k1", "e", "n" or "f".
std::string kind_of(const std::string& id) {
  std::size_t from = 0;
  for (int i = 0; i < 3; ++i) from = id.find('-', from) + 1;
  return id.substr(from, id.find('-', from) - from);
}

std::string text(const Place& place) {
  const auto& [consumer, lane, index] = place;
  return consumer + "/" + lane + "/" + std::to_string(index);
}

// The heads that there must be when these have been completed, and nothing else.
std::set<Place> expected_heads(const std::vector<Event>& events, const std::set<Place>& completed) {
  std::set<Place> heads;
  std::set<std::string> taken;  // lanes that have their head
  const auto add = [&](const std::string& consumer, const std::string& lane, std::int64_t index) {
    const Place place{consumer, lane, index};
    if (completed.contains(place)) return;
    if (lane != "-" && !taken.insert(lane).second) return;
    heads.insert(place);
  };
  for (const Event& event : events) {
    if (event.type != "job") continue;
    const std::string kind = kind_of(event.id);
    add("worker", kind == "e" ? "-" : kind, event.index);
    add("auditor", "log", event.index);
  }
  return heads;
}

}  // namespace

void Ledger::add(const Acknowledgement& acknowledgement) {
  ++acknowledged_;
  Session& session = sessions_[acknowledgement.session];
  const Place place{acknowledgement.consumer, acknowledgement.lane, acknowledgement.index};
  if (acknowledgement.kind == 'e') {
    const auto [at, is_new] = session.ids.emplace(acknowledgement.index, acknowledgement.id);
    if (!is_new) {
      find_double(acknowledgement.session, "index " + std::to_string(acknowledgement.index) +
                                               " was given to " + at->second + " and to " +
                                               acknowledgement.id);
    }
  } else if (acknowledgement.kind == 'c') {
    std::int64_t& attempt = session.claims[place];
    attempt = std::max(attempt, acknowledgement.attempt);
  } else if (!session.completions.insert(place).second) {
    find_double(acknowledgement.session, text(place) + " was completed twice");
  }
}

void Ledger::lose(const std::string& session, const std::string& what) {
  ++lost_;
  find(session + ": lost: " + what);
}

void Ledger::find_double(const std::string& session, const std::string& what) {
  ++doubled_;
  find(session + ": doubled: " + what);
}

void Ledger::check(Store& store, std::int64_t generation, bool all) {
  ready_.clear();
  for (const ReadyEntry& entry : store.ready().sessions) ready_.insert(entry.session);
  for (const SessionInfo& info : store.sessions()) sessions_[info.session];
  std::set<std::string> ids;
  for (const auto& [name, session] : sessions_) check_session(store, name, all, &ids);
  check_pairs(ids, generation);
}

void Ledger::check_session(Store& store, const std::string& name, bool all,
                           std::set<std::string>* ids) {
  Found found;
  found.head = store.head(name);
  while (true) {
    const std::int64_t after = found.events.empty() ? 0 : found.events.back().index;
    const std::vector<Event> page = store.read(name, {.after = after});
    if (page.empty()) break;
    found.events.insert(found.events.end(), page.begin(), page.end());
  }
  PageOptions options;
  while (true) {
    const std::vector<Cursor> page = store.cursors(name, options);
    if (page.empty()) break;
    for (const Cursor& cursor : page) {
      if (!cursor.head) continue;
      found.heads[{cursor.consumer, cursor.lane.value_or("-"), *cursor.head}] = cursor;
    }
    const Cursor& last = page.back();
    options.after = HeadRef{last.consumer, last.lane, last.head.value_or(1)};
  }
  check_events(name, &found);
  check_acknowledged(name, found, all);
  check_heads(name, found);
  check_ready(name, found);
  for (const Event& event : found.events) ids->insert(event.id);
  sessions_[name].length = found.events.size();
  checked_ += static_cast<std::int64_t>(found.events.size());
}

void Ledger::check_events(const std::string& name, Found* found) {
  std::set<std::string> ids;
  std::int64_t expected = std::max<std::int64_t>(found->head.clear_index, 1);
  for (const Event& event : found->events) {
    if (event.index != expected) {
      find(name + ": index " + std::to_string(event.index) + " where " + std::to_string(expected) +
           " should be");
    }
    expected = event.index + 1;
    if (event.type == "pawl.clear") continue;
    if (!ids.insert(event.id).second) find_double(name, "the id " + event.id);
    if (event.payload != payload_of(event.id)) find(name + ": the payload of " + event.id);
    if (event.type != "done") continue;
    const Cause& cause = event.cause.value();
    const Place place{cause.consumer, cause.lane.value_or("-"), cause.index};
    if (!found->completed.insert(place).second) find_double(name, "completion " + text(place));
  }
  if (expected != found->head.last_index + 1) {
    find(name + ": " + std::to_string(expected - 1) + " is the last event, and " +
         std::to_string(found->head.last_index) + " the last index");
  }
}

void Ledger::check_acknowledged(const std::string& name, const Found& found, bool all) {
  Session& session = sessions_[name];
  const std::int64_t clear_index = found.head.clear_index;
  std::map<std::int64_t, std::string> stored;
  for (const Event& event : found.events) stored[event.index] = event.id;
  for (const auto& [index, id] : session.ids) {
    if (index <= clear_index || (!all && index > found.head.last_index)) continue;
    const auto at = stored.find(index);
    if (at == stored.end() || at->second != id) lose(name, std::to_string(index) + " " + id);
  }
  if (all) {
    for (const Place& place : session.completions) {
      if (std::get<2>(place) > clear_index && !found.completed.contains(place)) {
        lose(name, "completion " + text(place));
      }
    }
    for (const auto& [place, attempt] : session.claims) {
      const auto at = found.heads.find(place);
      if (at != found.heads.end() && at->second.attempt_count < attempt) {
        lose(name, "attempt " + std::to_string(attempt) + " at " + text(place));
      }
    }
  }
  // What was lost rightly is forgotten: its indexes will be given again.
  if (!all) session = {};
}

void Ledger::check_heads(const std::string& name, const Found& found) {
  const std::set<Place> expected = expected_heads(found.events, found.completed);
  for (const Place& place : expected) {
    if (!found.heads.contains(place)) lose(name, "the work " + text(place));
  }
  for (const auto& [place, cursor] : found.heads) {
    if (!expected.contains(place)) find_double(name, "the work " + text(place));
  }
}

void Ledger::check_ready(const std::string& name, const Found& found) {
  const bool has_free = std::any_of(found.heads.begin(), found.heads.end(), [](const auto& head) {
    return !head.second.claim_expires_at && !head.second.failed_at;
  });
  if (has_free && !ready_.contains(name)) find(name + ": is not ready, and has a free head");
  if (found.heads.empty() && ready_.contains(name)) find(name + ": is ready, and has no head");
}

void Ledger::check_pairs(const std::set<std::string>& ids, std::int64_t generation) {
  const std::string prefix = std::to_string(generation) + '-';
  for (auto at = ids.lower_bound(prefix); at != ids.end() && at->starts_with(prefix); ++at) {
    std::string other = *at;
    if (other.ends_with("-a")) {
      other.back() = 'b';
    } else if (other.ends_with("-b")) {
      other.back() = 'a';
    } else {
      continue;
    }
    if (!ids.contains(other)) find("half of an operation: " + *at + " without " + other);
  }
}

void Ledger::trim(Store& store, std::size_t longest) {
  for (auto& [name, session] : sessions_) {
    if (session.length <= longest) continue;
    store.clear(name);
    session = {};
  }
}

}  // namespace pawl::soak
