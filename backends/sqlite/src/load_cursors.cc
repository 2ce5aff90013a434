// Look-ups by key, the window of claimable heads, and what follows a cursor.
#include <algorithm>
#include <utility>

#include "loader.h"
#include "session_cache.h"

namespace pawl::sqlite {
namespace {

// The types by which a log cursor (or one that would be) goes on; null: it is no log.
const driver::Types* types_of(const driver::CursorKey& key,
                              const std::optional<driver::CursorRow>& row,
                              const std::optional<driver::LogTypes>& log) {
  const bool given = log && key.lane == log->lane;
  if (!row) return given ? &log->types : nullptr;
  if (row->kind != CursorKind::kLog) return nullptr;
  return given ? &log->types : &row->types;
}

std::optional<driver::NextWork> next_on_lane(Scope& scope, const Session& session,
                                             const driver::CursorKey& key, std::int64_t place) {
  const auto consumer = scope.names.find(key.consumer);
  if (!consumer || place >= session.row.last_index) return std::nullopt;
  Statement statement =
      scope.connection.use(Sql::kNextWork, session.id, *consumer, Lane{key.lane}, place);
  if (!statement.next()) return std::nullopt;
  return driver::NextWork{statement.count(0), statement.count(1)};
}

std::optional<driver::NextWork> next_of(Scope& scope, const Session& session,
                                        const driver::CursorKey& key,
                                        const std::optional<driver::CursorRow>& row,
                                        std::int64_t floor, const driver::NextQuery& query) {
  const bool present = row && row->era == session.row.era;
  std::int64_t place = std::max(session.row.clear_index, floor);
  if (present && row->head > 0) {
    if (query.if_idle) return std::nullopt;
    place = row->head;
  } else if (present) {
    place = std::max(place, row->position);
  }
  if (const driver::Types* types = types_of(key, row, query.log)) {
    const auto index = next_event(scope, session, *types, place);
    if (!index) return std::nullopt;
    return driver::NextWork{*index, 0};
  }
  if (!row || !key.lane) return std::nullopt;
  return next_on_lane(scope, session, key, place);
}

// Reads one consumer's window in passes over (due, head, lane): a pass ends where a part is
// full, and the next begins with the part after it. Mostly there is one pass.
class WindowReader {
 public:
  WindowReader(Scope& scope, const Session& session, const driver::Window& window,
               std::vector<driver::FoundCursor>& found)
      : scope_(scope), session_(session), window_(window), found_(found) {}

  void read(std::int64_t consumer) {
    free_ = due_ = later_ = 0;
    last_head_ = 0;
    std::int64_t from = window_.free > 0 ? 0 : 1;
    while (from != driver::kNever) {
      if (from == 1 && (window_.due == 0 || nothing_is_due(consumer))) from = scope_.now + 1;
      if (from > scope_.now && (window_.later == 0 || free_ >= window_.free)) return;
      from = pass(consumer, from);
    }
  }

 private:
  // Returns the `due` from which to go on, or kNever.
  std::int64_t pass(std::int64_t consumer, std::int64_t from) {
    Statement statement =
        scope_.connection.use(Sql::kWindow, session_.id, session_.row.era, consumer, from);
    const std::size_t found_before = found_.size();
    bool is_least = from <= 1;  // the next `due` above 0 is the least of all
    while (statement.next()) {
      const std::int64_t head = statement.count(kHeadColumn);
      const std::int64_t due = statement.count(kDueColumn);
      const bool passes = head <= window_.through;
      if (due > 0 && std::exchange(is_least, false)) note_least_due(consumer, due);
      if (due == 0) {
        if (!passes || (free_ >= window_.free && head != last_head_)) {
          note_behind(consumer, statement, found_before);
          return 1;
        }
        last_head_ = head;
        ++free_;
      } else if (due <= scope_.now) {
        if (due_ >= window_.due) return scope_.now + 1;
        if (!passes) continue;
        ++due_;
      } else {
        if (later_ >= window_.later || free_ >= window_.free) return driver::kNever;
        if (!passes) continue;
        ++later_;
      }
      driver::FoundCursor found{.row = read_cursor(scope_, statement), .next = {}, .pins = {}};
      if (window_.pins && found.row->claim_holder) {
        found.pins = pins_of_head(scope_, session_, *found.row);
      }
      found_.push_back(std::move(found));
    }
    if (is_least) note_least_due(consumer, driver::kNever);
    return driver::kNever;
  }

  bool nothing_is_due(std::int64_t consumer) const {
    return scope_.cache != nullptr && scope_.cache->least_due(session_, consumer) > scope_.now;
  }

  void note_least_due(std::int64_t consumer, std::int64_t due) {
    if (scope_.cache != nullptr) scope_.cache->note_least_due(session_, consumer, due);
  }

  void note_behind(std::int64_t consumer, const Statement& met, std::size_t found_before) {
    if (scope_.cache == nullptr) return;
    Behind behind{session_.id, consumer, met.count(kHandleColumn), met.count(kSinceColumn), {}};
    for (std::size_t i = found_before; i < found_.size(); ++i) {
      behind.before.push_back(found_[i].row->handle);
    }
    std::ranges::sort(behind.before);
    scope_.behind.push_back(std::move(behind));
  }

  Scope& scope_;
  const Session& session_;
  const driver::Window& window_;
  std::vector<driver::FoundCursor>& found_;
  std::int64_t free_ = 0;
  std::int64_t due_ = 0;
  std::int64_t later_ = 0;
  std::int64_t last_head_ = 0;
};

std::int64_t floor_of(Scope& scope, const Session& session, const std::string& consumer) {
  const auto row = cursor_by_key(scope, session, driver::floor_key(consumer));
  return row ? row->position : 0;
}

std::vector<std::int64_t> consumers_with_work(Scope& scope, const Session& session) {
  std::vector<std::int64_t> consumers;
  Statement statement = scope.connection.use(Sql::kReadyConsumersOfSession, session.id);
  while (statement.next()) consumers.push_back(statement.number(0));
  return consumers;
}

}  // namespace

std::optional<driver::CursorRow> cursor_by_key(Scope& scope, const Session& session,
                                               const driver::CursorKey& key) {
  if (!session.stored()) return std::nullopt;
  const auto consumer = scope.names.find(key.consumer);
  if (!consumer) return std::nullopt;
  {
    Statement statement = scope.connection.use(Sql::kCursorByKey, session.id, session.row.era,
                                               *consumer, Lane{key.lane}, key.index);
    if (statement.next()) return read_cursor(scope, statement);
  }
  if (!key.lane) return std::nullopt;
  Statement statement =
      scope.connection.use(Sql::kLogCursor, session.id, *consumer, Lane{key.lane});
  if (!statement.next()) return std::nullopt;
  return read_cursor(scope, statement);
}

driver::FoundCursor find_cursor(Scope& scope, const Session& session,
                                const driver::CursorQuery& query) {
  driver::FoundCursor found;
  if (!session.stored()) return found;
  found.row = cursor_by_key(scope, session, query.key);
  if (query.next) {
    const bool is_gone = !found.row || session.row.is_deleted(found.row->era);
    if (is_gone && query.next->log) found.floor = floor_of(scope, session, query.key.consumer);
    found.next = next_of(scope, session, query.key, found.row, found.floor, *query.next);
  }
  if (query.pins && found.row) found.pins = pins_of_head(scope, session, *found.row);
  return found;
}

std::optional<driver::WorkRow> work_by_key(Scope& scope, const Session& session,
                                           const driver::WorkKey& key) {
  if (!session.stored()) return std::nullopt;
  const auto consumer = scope.names.find(key.consumer);
  if (!consumer) return std::nullopt;
  Statement statement =
      scope.connection.use(Sql::kWorkByKey, session.id, *consumer, Lane{key.lane}, key.index);
  if (!statement.next()) return std::nullopt;
  return read_work(scope, statement);
}

std::vector<driver::PinFact> pins_of_head(Scope& scope, const Session& session,
                                          const driver::CursorRow& row) {
  std::vector<driver::PinFact> facts;
  if (row.pins == 0 || row.era != session.row.era) return facts;
  const auto consumer = scope.names.find(row.key.consumer);
  if (!consumer) return facts;
  Statement statement = scope.connection.use(Sql::kPinsOfHead, session.id, row.era, *consumer,
                                             Lane{row.key.lane}, row.key.index, row.head);
  while (statement.next()) {
    driver::PinFact fact;
    fact.pin = {row.era, row.key, row.head, statement.text(0), statement.count(1)};
    Statement snapshot = scope.connection.use(Sql::kSnapshotAt, session.id, row.era,
                                              fact.pin.reducer, fact.pin.snapshot);
    if (snapshot.next()) fact.snapshot = read_snapshot(snapshot, false);
    Statement newest =
        scope.connection.use(Sql::kNewestSnapshot, session.id, session.row.era, fact.pin.reducer);
    if (newest.next()) fact.newest_index = read_snapshot(newest, false).index;
    facts.push_back(std::move(fact));
  }
  return facts;
}

bool has_pin(Scope& scope, const Session& session, const driver::PinRow& pin) {
  const auto consumer = scope.names.find(pin.cursor.consumer);
  if (!session.stored() || !consumer) return false;
  return scope.connection
      .use(Sql::kHasPin, session.id, session.row.era, *consumer, Lane{pin.cursor.lane},
           pin.cursor.index, pin.head, pin.reducer, pin.snapshot)
      .next();
}

driver::FoundSnapshots find_snapshots(Scope& scope, const Session& session,
                                      const driver::SnapshotQuery& query) {
  driver::FoundSnapshots found;
  found.at.resize(query.indexes.size());
  if (!session.stored()) return found;
  const std::int64_t era = session.row.era;
  for (std::size_t i = 0; i < query.indexes.size(); ++i) {
    Statement statement =
        scope.connection.use(Sql::kSnapshotAt, session.id, era, query.reducer, query.indexes[i]);
    if (statement.next()) found.at[i] = read_snapshot(statement, false);
  }
  if (query.newest) {
    Statement statement =
        scope.connection.use(Sql::kNewestSnapshot, session.id, era, query.reducer);
    if (statement.next()) found.newest = read_snapshot(statement, false);
  }
  if (query.through) {
    Statement statement =
        scope.connection.use(Sql::kSnapshotThrough, session.id, era, query.reducer, *query.through);
    if (statement.next()) found.through = read_snapshot(statement, true);
  }
  return found;
}

std::optional<driver::FoundCursor> find_dead(Scope& scope, const Session& session,
                                             const driver::DeadQuery& query) {
  const auto consumer = scope.names.find(query.consumer);
  if (!consumer) return std::nullopt;
  driver::FoundCursor found;
  {
    const std::int64_t era = session.row.era;
    Statement statement =
        query.lane ? scope.connection.use(Sql::kDeadAtLane, session.id, era, query.index, *consumer,
                                          Lane{query.lane})
                   : scope.connection.use(Sql::kDeadAt, session.id, era, query.index, *consumer);
    if (!statement.next()) return std::nullopt;
    found.row = read_cursor(scope, statement);
  }
  found.next = next_of(scope, session, found.row->key, found.row, 0, {false, query.log});
  return found;
}

void load_window(Scope& scope, const Session& session, const driver::Window& window,
                 std::vector<driver::FoundCursor>& found) {
  WindowReader reader(scope, session, window, found);
  if (!window.consumers) {
    for (const std::int64_t consumer : consumers_with_work(scope, session)) reader.read(consumer);
    return;
  }
  for (const std::string& name : *window.consumers) {
    if (const auto consumer = scope.names.find(name)) reader.read(*consumer);
  }
}

}  // namespace pawl::sqlite
