// Query -> Facts: the order of the load, and what belongs to no session.
#include "loader.h"

#include <algorithm>
#include <utility>

#include "pawl/backend.h"
#include "session_cache.h"

namespace pawl::sqlite {
namespace {

void load_dead(Scope& scope, const Session& session, const driver::HeadPage& page,
               driver::SessionFacts& facts) {
  facts.list = list_dead(scope, session, page);
  std::int64_t bytes = 0;
  for (const auto& row : facts.list) {
    driver::EventRow event = event_at(scope, session, row.head);
    bytes += static_cast<std::int64_t>(event.payload.size());
    if (bytes > page.max_bytes && !facts.list_events.empty()) break;
    facts.list_events.push_back(std::move(event));
  }
  facts.list.resize(facts.list_events.size());
}

// Whether the cursor of that work is found at that very head: then the core asks no more.
bool is_head(const driver::WorkKey& key, const driver::SessionQuery& query,
             const driver::SessionFacts& facts) {
  const driver::CursorKey cursor{key.consumer, key.lane, key.lane ? 0 : key.index};
  const auto asked = std::lower_bound(
      query.cursors.begin(), query.cursors.end(), cursor,
      [](const driver::CursorQuery& a, const driver::CursorKey& b) { return a.key < b; });
  if (asked == query.cursors.end() || !(asked->key == cursor)) return false;
  const auto& row = facts.cursors[static_cast<std::size_t>(asked - query.cursors.begin())].row;
  return row && row->era == facts.row.era && row->head == key.index;
}

driver::SessionFacts load_session(Scope& scope, const Session& session,
                                  const driver::SessionQuery& query) {
  driver::SessionFacts facts;
  facts.session = query.session;
  facts.row = session.row;
  facts.windowed = query.window.has_value();
  for (const auto& cursor : query.cursors) {
    facts.cursors.push_back(find_cursor(scope, session, cursor));
  }
  for (const auto& key : query.work) {
    facts.work.push_back(is_head(key, query, facts) ? std::nullopt
                                                    : work_by_key(scope, session, key));
  }
  for (const auto& id : query.ids) facts.ids.push_back(event_by_id(scope, session, id));
  for (const auto& snapshots : query.snapshots) {
    facts.snapshots.push_back(find_snapshots(scope, session, snapshots));
  }
  for (const auto& pin : query.pins) facts.pins.push_back(has_pin(scope, session, pin));
  if (!session.stored()) return facts;

  if (query.window) load_window(scope, session, *query.window, facts.window);
  if (query.dead) facts.dead = find_dead(scope, session, *query.dead);
  if (query.events) {
    const bool found = !facts.snapshots.empty() && facts.snapshots.front().through;
    facts.events = events_in(scope, session, *query.events,
                             found ? facts.snapshots.front().through->index : 0);
  }
  if (query.list_cursors) facts.list = list_cursors(scope, session, *query.list_cursors);
  if (query.list_dead) load_dead(scope, session, *query.list_dead, facts);
  if (query.finished) facts.finished = finished_work(scope, session, *query.finished);
  if (query.of_consumer) facts.of_consumer = of_consumer(scope, session, *query.of_consumer);
  if (query.superseded) facts.superseded = superseded(scope, session, *query.superseded);
  return facts;
}

// Nothing can hold a session while this transaction has the file, so none is passed over.
void load_pick(Scope& scope, const driver::Pick& pick, driver::Facts& facts,
               std::vector<Session>& sessions) {
  const auto rows = ready_rows(scope, {.consumers = pick.consumers, .limit = pick.sessions});
  const auto picked = order_ready(rows, scope.now, pick.sessions);
  const std::size_t named = facts.sessions.size();
  for (const ReadySession& ready : picked) {
    const auto end = facts.sessions.begin() + static_cast<std::ptrdiff_t>(named);
    const auto found =
        std::find_if(facts.sessions.begin(), end,
                     [&](const driver::SessionFacts& f) { return f.session == ready.session; });
    if (found != end) {
      const auto at = static_cast<std::size_t>(found - facts.sessions.begin());
      if (!std::exchange(found->windowed, true)) {
        load_window(scope, sessions[at], pick.window, found->window);
      }
      continue;
    }
    sessions.push_back(find_session(scope, ready.session));
    driver::SessionQuery query;
    query.session = ready.session;
    query.cursors = pick.cursors;
    query.window = pick.window;
    facts.sessions.push_back(load_session(scope, sessions.back(), query));
  }
}

driver::PresenceFacts load_presence(Scope& scope, const driver::PresenceQuery& query) {
  driver::PresenceFacts facts;
  for (const auto& [participant, field] : query.fields) {
    Statement statement =
        scope.connection.use(Sql::kPresenceField, query.name_space, participant, field);
    auto& found = facts.fields.emplace_back();
    if (statement.next()) found = read_presence(statement);
  }
  if (query.all) {
    Statement statement = scope.connection.use(Sql::kPresenceAll, query.name_space, scope.now);
    std::int64_t bytes = 0;
    while (statement.next()) {
      driver::PresenceRow row = read_presence(statement);
      bytes += std::ssize(row.value);
      if (bytes > query.max_bytes && !facts.rows.empty()) break;
      facts.rows.push_back(std::move(row));
    }
  }
  if (query.expired > 0) {
    Statement statement =
        scope.connection.use(Sql::kPresenceExpired, query.name_space, scope.now, query.expired);
    while (statement.next()) facts.expired.push_back(read_presence(statement));
  }
  return facts;
}

void load_list(Scope& scope, const driver::SessionPage& page, driver::Facts& facts) {
  const std::string after = page.after.value_or("");
  Statement statement = scope.connection.use(Sql::kListSessions, after, page.limit);
  while (statement.next()) {
    facts.list.emplace_back(statement.text(0), read_session(statement, 1));
  }
}

driver::UpkeepFacts load_upkeep(Scope& scope, const driver::UpkeepQuery& query) {
  driver::UpkeepFacts facts;
  {
    Statement statement = scope.connection.use(Sql::kUpkeepSessions, query.limit);
    while (statement.next()) {
      facts.superseded.emplace_back(statement.text(0), read_session(statement, 1));
    }
  }
  if (query.finished_before > 0) {
    Statement statement =
        scope.connection.use(Sql::kFinishedSessions, query.finished_before, query.limit);
    while (statement.next()) facts.finished.push_back(statement.text(0));
  }
  Statement statement = scope.connection.use(Sql::kPresenceOldest, scope.now, query.limit);
  while (statement.next()) {
    facts.expired.emplace_back(statement.text(7), read_presence(statement));
  }
  return facts;
}

}  // namespace

Session find_session(Scope& scope, std::string_view name) {
  if (scope.cache != nullptr) {
    if (const Session* known = scope.cache->find(name)) return *known;
  }
  Session session;
  session.name = name;
  Statement statement = scope.connection.use(Sql::kFindSession, name);
  if (!statement.next()) return session;
  session.id = statement.count(0);
  session.row = read_session(statement, 1);
  if (scope.cache != nullptr) scope.cache->note(session);
  return session;
}

driver::Facts load(Scope& scope, Clock& clock, const driver::Query& query,
                   std::vector<Session>& sessions) {
  for (const auto& named : query.sessions) {
    sessions.push_back(find_session(scope, named.session));
  }
  scope.now = clock.now_ms();
  driver::Facts facts;
  facts.now = scope.now;
  for (std::size_t i = 0; i < query.sessions.size(); ++i) {
    facts.sessions.push_back(load_session(scope, sessions[i], query.sessions[i]));
  }
  if (query.pick) load_pick(scope, *query.pick, facts, sessions);
  if (query.ready) facts.ready = ready_rows(scope, *query.ready);
  if (query.presence) facts.presence = load_presence(scope, *query.presence);
  if (query.list) load_list(scope, *query.list, facts);
  if (query.upkeep) facts.upkeep = load_upkeep(scope, *query.upkeep);
  return facts;
}

}  // namespace pawl::sqlite
