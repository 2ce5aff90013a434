// Pages and batches of one session: listings, finished work, what a consumer has, what is
// superseded.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "loader.h"

namespace pawl::sqlite {
namespace {

const std::optional<std::string> kBeforeAllLanes = "";  // no lane's name is empty

struct NamedConsumer {
  std::string name;
  std::int64_t id;

  bool operator<(const NamedConsumer& other) const { return name < other.name; }
};

// The session's consumers by name. Each costs two seeks, however many cursors it has.
std::vector<NamedConsumer> consumers_of(Scope& scope, const Session& session) {
  std::vector<std::int64_t> ids;
  for (std::int64_t last = 0;;) {
    Statement statement =
        scope.connection.use(Sql::kNextConsumer, session.id, session.row.era, last);
    if (!statement.next()) break;
    ids.push_back(last = statement.number(0));
  }
  for (std::int64_t last = 0;;) {
    Statement statement = scope.connection.use(Sql::kNextLogConsumer, session.id, last);
    if (!statement.next()) break;
    ids.push_back(last = statement.number(0));
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  std::vector<NamedConsumer> consumers;
  for (const std::int64_t id : ids) consumers.push_back({scope.names.text(id), id});
  std::sort(consumers.begin(), consumers.end());
  return consumers;
}

// Log cursors that no clear has rewritten yet. Those of a deleted life are gone.
std::vector<driver::CursorRow> older_logs(Scope& scope, const Session& session,
                                          std::int64_t consumer,
                                          const std::optional<std::string>& after_lane) {
  std::vector<driver::CursorRow> logs;
  Statement statement =
      scope.connection.use(Sql::kLogsOfConsumer, session.id, consumer, Lane{after_lane});
  while (statement.next()) {
    driver::CursorRow row = read_cursor(scope, statement);
    if (row.era < session.row.era && !session.row.is_deleted(row.era)) {
      logs.push_back(std::move(row));
    }
  }
  return logs;
}

// Appends the consumer's cursors after (lane, slot) in the order of lanes, up to `limit` in all.
void list_consumer(Scope& scope, const Session& session, std::int64_t consumer,
                   const std::optional<std::string>& lane, std::int64_t slot, std::size_t limit,
                   std::vector<driver::CursorRow>& rows) {
  const auto logs = older_logs(scope, session, consumer, lane);
  auto log = logs.begin();
  Statement statement = scope.connection.use(Sql::kCursorsOfConsumer, session.id, session.row.era,
                                             consumer, Lane{lane}, slot);
  while (rows.size() < limit && statement.next()) {
    driver::CursorRow row = read_cursor(scope, statement);
    while (rows.size() < limit && log != logs.end() &&
           (!row.key.lane || *log->key.lane < *row.key.lane)) {
      rows.push_back(*log++);
    }
    if (rows.size() < limit) rows.push_back(std::move(row));
  }
  while (rows.size() < limit && log != logs.end()) rows.push_back(*log++);
}

bool comes_after(const driver::CursorRow& row, const HeadRef& place) {
  const auto key = [](std::int64_t head, const std::string& consumer,
                      const std::optional<std::string>& lane) {
    return std::tuple(head, std::string_view(consumer), !lane.has_value(),
                      lane ? std::string_view(*lane) : std::string_view());
  };
  return key(row.head, row.key.consumer, row.key.lane) >
         key(place.index, place.consumer, place.lane);
}

// Appends the dead letters of one head in the contract's order.
void take_group(std::vector<driver::CursorRow>& group, const driver::HeadPage& page,
                std::vector<driver::CursorRow>& rows) {
  std::sort(group.begin(), group.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
  for (driver::CursorRow& row : group) {
    if (static_cast<std::int64_t>(rows.size()) == page.limit) break;
    if (page.after && !comes_after(row, *page.after)) continue;
    rows.push_back(std::move(row));
  }
  group.clear();
}

}  // namespace

std::vector<driver::CursorRow> list_cursors(Scope& scope, const Session& session,
                                            const driver::HeadPage& page) {
  std::vector<driver::CursorRow> rows;
  const auto limit = static_cast<std::size_t>(page.limit);
  for (const NamedConsumer& consumer : consumers_of(scope, session)) {
    if (rows.size() >= limit) break;
    if (page.after && consumer.name < page.after->consumer) continue;
    if (page.after && consumer.name == page.after->consumer) {
      const auto& after = *page.after;
      list_consumer(scope, session, consumer.id, after.lane, after.lane ? 0 : after.index, limit,
                    rows);
    } else {
      list_consumer(scope, session, consumer.id, kBeforeAllLanes, 0, limit, rows);
    }
  }
  return rows;
}

std::vector<driver::CursorRow> list_dead(Scope& scope, const Session& session,
                                         const driver::HeadPage& page) {
  std::vector<driver::CursorRow> rows;
  std::vector<driver::CursorRow> group;
  const std::int64_t from = page.after ? page.after->index : 0;
  Statement statement = scope.connection.use(Sql::kDeadFrom, session.id, session.row.era, from);
  while (statement.next()) {
    driver::CursorRow row = read_cursor(scope, statement);
    if (!group.empty() && group.front().head != row.head) {
      take_group(group, page, rows);
      if (static_cast<std::int64_t>(rows.size()) >= page.limit) return rows;
    }
    group.push_back(std::move(row));
  }
  take_group(group, page, rows);
  return rows;
}

driver::FinishedFacts finished_work(Scope& scope, const Session& session,
                                    const driver::FinishedQuery& query) {
  driver::FinishedFacts facts;
  {
    Statement statement = scope.connection.use(Sql::kFinishedWork, session.id, query.limit + 1);
    while (statement.next()) {
      driver::WorkRow row = read_work(scope, statement);
      const bool wanted = row.finished_at < query.before &&
                          static_cast<std::int64_t>(facts.rows.size()) < query.limit;
      if (!wanted) {
        facts.next_finished_at = row.finished_at;
        break;
      }
      facts.rows.push_back(std::move(row));
    }
  }
  std::map<driver::CursorKey, std::int64_t> lanes;  // and how many of each
  for (const driver::WorkRow& row : facts.rows) {
    if (row.lane) ++lanes[{row.consumer, row.lane, 0}];
  }
  for (const auto& [key, finished] : lanes) {
    driver::FinishedLane lane{
        .lane = key, .row = cursor_by_key(scope, session, key), .entries = {}};
    if (lane.row && lane.row->era != session.row.era) lane.row.reset();
    const auto consumer = scope.names.find(key.consumer);
    Statement statement =
        scope.connection.use(Sql::kLaneEntries, session.id, consumer.value_or(0), Lane{key.lane},
                             session.row.clear_index, finished + 1);
    while (statement.next()) lane.entries.push_back(statement.count(0));
    facts.lanes.push_back(std::move(lane));
  }
  return facts;
}

driver::OfConsumerFacts of_consumer(Scope& scope, const Session& session,
                                    const driver::OfConsumerQuery& query) {
  driver::OfConsumerFacts facts;
  const auto consumer = scope.names.find(query.consumer);
  if (!consumer) return facts;
  {
    Statement statement =
        scope.connection.use(Sql::kLogsOfConsumer, session.id, *consumer, Lane{kBeforeAllLanes});
    while (statement.next()) {
      driver::FoundCursor found{.row = read_cursor(scope, statement), .next = {}, .pins = {}};
      found.pins = pins_of_head(scope, session, *found.row);
      facts.logs.push_back(std::move(found));
    }
  }
  const auto most = static_cast<std::size_t>(query.limit) + 1;
  {
    Statement statement = scope.connection.use(Sql::kCursorsOfConsumer, session.id, session.row.era,
                                               *consumer, Lane{kBeforeAllLanes}, std::int64_t{0});
    while (facts.cursors.size() < most && statement.next()) {
      driver::FoundCursor found{.row = read_cursor(scope, statement), .next = {}, .pins = {}};
      if (found.row->kind == CursorKind::kLog) continue;
      found.pins = pins_of_head(scope, session, *found.row);
      facts.cursors.push_back(std::move(found));
    }
  }
  Statement statement = scope.connection.use(Sql::kWorkOfConsumer, session.id, *consumer,
                                             static_cast<std::int64_t>(most));
  while (statement.next()) facts.work.push_back(read_work(scope, statement));
  return facts;
}

namespace {

// Those that are still stored. An event cursor is of its event's era.
std::vector<driver::CursorRow> event_cursors_of(Scope& scope, const Session& session,
                                                const std::vector<driver::EventRow>& events) {
  std::vector<driver::CursorRow> cursors;
  for (const driver::EventRow& event : events) {
    for (const driver::TargetRow& target : event.targets) {
      const auto consumer = scope.names.find(target.consumer);
      if (target.lane || !consumer) continue;
      Statement statement = scope.connection.use(Sql::kCursorByKey, session.id, event.era,
                                                 *consumer, Lane{std::nullopt}, event.index);
      if (statement.next()) cursors.push_back(read_cursor(scope, statement));
    }
  }
  return cursors;
}

}  // namespace

driver::SupersededFacts superseded(Scope& scope, const Session& session,
                                   const driver::SupersededQuery& query) {
  const driver::SessionRow& row = session.row;
  std::int64_t through = row.clear_index - 1;
  std::int64_t before_era = row.era;
  if (query.whole_life) {
    through = row.deleting ? row.deleted_index : driver::kNever;
    before_era = row.deleting ? row.deleted_era : driver::kNever;
  }
  driver::SupersededFacts facts;
  {
    Statement statement = scope.connection.use(Sql::kSupersededEvents, session.id, row.first_index,
                                               through, query.limit);
    while (statement.next()) facts.events.push_back(read_event_key(scope, statement));
  }
  facts.event_cursors = event_cursors_of(scope, session, facts.events);
  std::int64_t left = query.limit;
  if (std::ssize(facts.events) >= left) return facts;
  {
    std::set<driver::CursorKey> listed;
    for (const driver::CursorRow& cursor : facts.event_cursors) listed.insert(cursor.key);
    Statement statement = scope.connection.use(Sql::kSupersededCursors, session.id, before_era);
    while (left > 0 && statement.next()) {
      driver::CursorRow cursor = read_cursor(scope, statement);
      if (listed.contains(cursor.key)) continue;
      facts.cursors.push_back(std::move(cursor));
      --left;
    }
  }
  const auto each = [&](Sql id, auto read, auto& rows) {
    if (left <= 0) return;
    Statement statement = scope.connection.use(id, session.id, before_era, left);
    while (statement.next()) {
      rows.push_back(read(statement));
      --left;
    }
  };
  each(
      Sql::kSupersededSnapshots, [](Statement& s) { return read_snapshot(s, false); },
      facts.snapshots);
  each(
      Sql::kSupersededPins, [&](Statement& s) { return read_pin(scope, s); }, facts.pins);
  return facts;
}

}  // namespace pawl::sqlite
