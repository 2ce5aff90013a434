// Look-ups by key: all sessions' keys of one kind go into one statement.
#include "loader.h"
#include "rows.h"

namespace pawl::postgres {
namespace {

using driver::kNever;

// The columns of CURSOR_KEYS.
class CursorKeys {
 public:
  void add(const std::string* session, const driver::CursorQuery& query) {
    if (session != nullptr) {
      sessions_.text(*session);
    } else {
      sessions_.null();
    }
    consumers_.text(query.key.consumer);
    slots_.number(slot_column(query.key));
    lanes_.text(lane_column(query.key.lane));
    next_.number(!query.next ? 0 : query.next->if_idle ? 2 : 1);
    const bool has_log = query.next && query.next->log;
    log_lanes_.maybe_text(has_log ? std::optional(query.next->log->lane) : std::nullopt);
    log_types_.maybe_list(has_log ? query.next->log->types : std::nullopt);
    pins_.flag(query.pins);
  }

  bool empty() const { return sessions_.empty(); }

  Params take() {
    return std::move(Params()
                         .array(sessions_)
                         .array(consumers_)
                         .array(slots_)
                         .array(lanes_)
                         .array(next_)
                         .array(log_lanes_)
                         .array(log_types_)
                         .array(pins_));
  }

 private:
  Array sessions_ = Array::of_texts();
  Array consumers_ = Array::of_texts();
  Array slots_ = Array::of_numbers();
  Array lanes_ = Array::of_texts();
  Array next_ = Array::of_numbers();
  Array log_lanes_ = Array::of_texts();
  Array log_types_ = Array::of_texts();
  Array pins_ = Array::of_flags();
};

void read_next(const Row& row, int first, driver::FoundCursor& found) {
  if (!row.is_null(first)) found.next = driver::NextWork{row.count(first), row.count(first + 1)};
  found.floor = row.count_or(first + 2, 0);
}

// A row of FOUND_COLUMNS; a further one of the same cursor brings a further pin.
void read_found(const Row& row, int first, driver::FoundCursor& found) {
  if (!found.row) {
    found.row = read_maybe_cursor(row, first);
    read_next(row, first + kCursorColumns, found);
  }
  add_pin(row, first + kCursorColumns + 3, found);
}

// The number of a key of which ordinality gives the place, counted from 1.
std::size_t place_of(const Row& row, int column) {
  return static_cast<std::size_t>(row.count(column) - 1);
}

}  // namespace

void add_pin(const Row& row, int first, driver::FoundCursor& found) {
  if (!found.row) return;
  if (auto pin = read_pin_fact(row, first, *found.row)) found.pins.push_back(*std::move(pin));
}

void add_with_pins(const Row& row, int first, std::vector<driver::FoundCursor>& found) {
  driver::CursorRow cursor = read_cursor(row, first);
  const bool is_last = !found.empty() && !found.back().pins.empty() &&
                       found.back().row->era == cursor.era && found.back().row->key == cursor.key;
  if (!is_last) found.emplace_back().row = std::move(cursor);
  add_pin(row, first + kCursorColumns, found.back());
}

void Loader::send_cursors() {
  CursorKeys keys;
  // Places, since the facts may still move: picked sessions are appended to them.
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (std::size_t i = 0; i < query_.sessions.size(); ++i) {
    const driver::SessionQuery& session = query_.sessions[i];
    for (std::size_t c = 0; c < session.cursors.size(); ++c) {
      keys.add(&session.session, session.cursors[c]);
      places.emplace_back(i, c);
    }
  }
  if (!keys.empty()) {
    connection_.send(Sql::kCursors, keys.take(),
                     [this, places = std::move(places)](const Row& row) {
                       const auto [session, cursor] = places.at(place_of(row, 0));
                       read_found(row, 1, facts_.sessions[session].cursors[cursor]);
                     });
  }
  if (!query_.pick || query_.pick->cursors.empty()) return;
  CursorKeys of_picked;
  for (const driver::CursorQuery& cursor : query_.pick->cursors) of_picked.add(nullptr, cursor);
  connection_.send(Sql::kPickedCursors, of_picked.take(), [this](const Row& row) {
    const std::size_t session = places_.at(row.text(0));
    if (session < named_) return;  // it keeps its own
    read_found(row, 2, facts_.sessions[session].cursors.at(place_of(row, 1)));
  });
}

void Loader::send_work() {
  Array sessions = Array::of_texts();
  Array consumers = Array::of_texts();
  Array kinds = Array::of_numbers();
  Array lanes = Array::of_texts();
  Array indexes = Array::of_numbers();
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (std::size_t i = 0; i < query_.sessions.size(); ++i) {
    const driver::SessionQuery& session = query_.sessions[i];
    for (std::size_t w = 0; w < session.work.size(); ++w) {
      const driver::WorkKey& key = session.work[w];
      sessions.text(session.session);
      consumers.text(key.consumer);
      kinds.number(kind_column(key.lane));
      lanes.text(lane_column(key.lane));
      indexes.number(key.index);
      places.emplace_back(i, w);
    }
  }
  if (places.empty()) return;
  connection_.send(
      Sql::kWork,
      Params().array(sessions).array(consumers).array(kinds).array(lanes).array(indexes),
      [this, places = std::move(places)](const Row& row) {
        const auto [session, work] = places.at(place_of(row, 0));
        facts_.sessions[session].work[work] = read_work(row, 1);
      });
}

void Loader::send_ids() {
  Array sessions = Array::of_texts();
  Array ids = Array::of_texts();
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (std::size_t i = 0; i < query_.sessions.size(); ++i) {
    const driver::SessionQuery& session = query_.sessions[i];
    for (std::size_t e = 0; e < session.ids.size(); ++e) {
      sessions.text(session.session);
      ids.text(session.ids[e]);
      places.emplace_back(i, e);
    }
  }
  if (places.empty()) return;
  connection_.send(Sql::kIds, Params().array(sessions).array(ids),
                   [this, places = std::move(places)](const Row& row) {
                     const auto [session, event] = places.at(place_of(row, 0));
                     facts_.sessions[session].ids[event] = read_event(row, 1);
                   });
}

void Loader::send_dead() {
  Array sessions = Array::of_texts();
  Array consumers = Array::of_texts();
  Array heads = Array::of_numbers();
  Array lanes = Array::of_texts();
  Array log_lanes = Array::of_texts();
  Array log_types = Array::of_texts();
  for (const driver::SessionQuery& session : query_.sessions) {
    if (!session.dead) continue;
    const driver::DeadQuery& dead = *session.dead;
    sessions.text(session.session);
    consumers.text(dead.consumer);
    heads.number(dead.index);
    lanes.maybe_text(dead.lane);
    log_lanes.maybe_text(dead.log ? std::optional(dead.log->lane) : std::nullopt);
    log_types.maybe_list(dead.log ? dead.log->types : std::nullopt);
  }
  if (sessions.empty()) return;
  connection_.send(
      Sql::kDead,
      Params().array(sessions).array(consumers).array(heads).array(lanes).array(log_lanes).array(
          log_types),
      [this](const Row& row) {
        driver::FoundCursor found;
        found.row = read_cursor(row, 1);
        read_next(row, 1 + kCursorColumns, found);
        facts_of(row.text(0)).dead = std::move(found);
      });
}

void Loader::send_snapshots() {
  Array sessions = Array::of_texts();
  Array reducers = Array::of_texts();
  Array lows = Array::of_numbers();
  Array highs = Array::of_numbers();
  Array states = Array::of_flags();
  std::vector<std::function<void(driver::Facts&, driver::SnapshotRow &&)>> takers;
  const auto add = [&](const std::string& session, const std::string& reducer, std::int64_t low,
                       std::int64_t high, bool state) {
    sessions.text(session);
    reducers.text(reducer);
    lows.number(low);
    highs.number(high);
    states.flag(state);
  };
  for (std::size_t i = 0; i < query_.sessions.size(); ++i) {
    const driver::SessionQuery& session = query_.sessions[i];
    for (std::size_t s = 0; s < session.snapshots.size(); ++s) {
      const driver::SnapshotQuery& query = session.snapshots[s];
      for (std::size_t at = 0; at < query.indexes.size(); ++at) {
        add(session.session, query.reducer, query.indexes[at], query.indexes[at], false);
        takers.emplace_back([i, s, at](driver::Facts& facts, driver::SnapshotRow&& row) {
          facts.sessions[i].snapshots[s].at[at] = std::move(row);
        });
      }
      if (query.newest) {
        add(session.session, query.reducer, 0, kNever, false);
        takers.emplace_back([i, s](driver::Facts& facts, driver::SnapshotRow&& row) {
          facts.sessions[i].snapshots[s].newest = std::move(row);
        });
      }
      if (query.through) {
        add(session.session, query.reducer, 0, *query.through, true);
        takers.emplace_back([i, s](driver::Facts& facts, driver::SnapshotRow&& row) {
          facts.sessions[i].snapshots[s].through = std::move(row);
        });
      }
    }
  }
  if (takers.empty()) return;
  connection_.send(Sql::kSnapshots,
                   Params().array(sessions).array(reducers).array(lows).array(highs).array(states),
                   [this, takers = std::move(takers)](const Row& row) {
                     const bool with_state = !row.is_null(6);
                     takers.at(place_of(row, 0))(facts_, read_snapshot(row, 1, with_state));
                   });
}

void Loader::send_has_pins() {
  Array sessions = Array::of_texts();
  Array consumers = Array::of_texts();
  Array slots = Array::of_numbers();
  Array lanes = Array::of_texts();
  Array heads = Array::of_numbers();
  Array reducers = Array::of_texts();
  Array snapshots = Array::of_numbers();
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (std::size_t i = 0; i < query_.sessions.size(); ++i) {
    const driver::SessionQuery& session = query_.sessions[i];
    for (std::size_t p = 0; p < session.pins.size(); ++p) {
      const driver::PinRow& pin = session.pins[p];
      sessions.text(session.session);
      consumers.text(pin.cursor.consumer);
      slots.number(slot_column(pin.cursor));
      lanes.text(lane_column(pin.cursor.lane));
      heads.number(pin.head);
      reducers.text(pin.reducer);
      snapshots.number(pin.snapshot);
      places.emplace_back(i, p);
    }
  }
  if (places.empty()) return;
  connection_.send(Sql::kHasPins,
                   Params()
                       .array(sessions)
                       .array(consumers)
                       .array(slots)
                       .array(lanes)
                       .array(heads)
                       .array(reducers)
                       .array(snapshots),
                   [this, places = std::move(places)](const Row& row) {
                     const auto [session, pin] = places.at(place_of(row, 0));
                     facts_.sessions[session].pins[pin] = true;
                   });
}

void Loader::send_windows() {
  Array sessions = Array::of_texts();
  Array consumers = Array::of_texts();
  Array through = Array::of_numbers();
  Array free = Array::of_numbers();
  Array due = Array::of_numbers();
  Array later = Array::of_numbers();
  Array pins = Array::of_flags();
  const Handler add = [this](const Row& row) {
    add_with_pins(row, 1, facts_of(row.text(0)).window);
  };
  for (const driver::SessionQuery& session : query_.sessions) {
    if (!session.window) continue;
    const driver::Window& window = *session.window;
    sessions.text(session.session);
    consumers.maybe_list(window.consumers);
    through.number(window.through);
    free.number(window.free + ahead_);
    due.number(window.due);
    later.number(window.later);
    pins.flag(window.pins);
  }
  if (!sessions.empty()) {
    connection_.send(Sql::kWindows,
                     Params()
                         .array(sessions)
                         .array(consumers)
                         .array(through)
                         .array(free)
                         .array(due)
                         .array(later)
                         .array(pins),
                     add);
  }
  if (!query_.pick) return;
  const driver::Window& window = query_.pick->window;
  Params params;
  params.maybe_texts(window.consumers)
      .number(window.through)
      .number(window.free)
      .number(window.due)
      .number(window.later)
      .flag(window.pins);
  connection_.send(Sql::kPickedWindows, params, add);
}

}  // namespace pawl::postgres
