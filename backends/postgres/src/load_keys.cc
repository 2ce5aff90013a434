// Look-ups by key: all sessions' keys of one kind go into one statement.
#include "columns.h"
#include "loader.h"
#include "rows.h"

namespace pawl::postgres {
namespace {

using driver::kNever;

// A row of CURSOR_KEYS. Without a session it is for all picked ones.
void add_key(Columns& keys, const std::optional<std::string>& session,
             const driver::CursorQuery& query) {
  const std::int64_t next = !query.next ? 0 : query.next->if_idle ? 2 : 1;
  const std::optional<driver::LogTypes> log = query.next ? query.next->log : std::nullopt;
  keys.add(session, query.key.consumer, slot_column(query.key), lane_column(query.key.lane), next,
           log ? std::optional(log->lane) : std::nullopt, log ? log->types : std::nullopt,
           query.pins);
}

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
  Columns keys;
  // Places, since the facts may still move: picked sessions are appended to them.
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (std::size_t i = 0; i < query_.sessions.size(); ++i) {
    const driver::SessionQuery& session = query_.sessions[i];
    for (std::size_t c = 0; c < session.cursors.size(); ++c) {
      add_key(keys, session.session, session.cursors[c]);
      places.emplace_back(i, c);
    }
  }
  if (!keys.empty()) {
    connection_.send(Sql::kCursors, keys.params(),
                     [this, places = std::move(places)](const Row& row) {
                       const auto [session, cursor] = places.at(place_of(row, 0));
                       read_found(row, 1, facts_.sessions[session].cursors[cursor]);
                     });
  }
  if (!query_.pick || query_.pick->cursors.empty()) return;
  Columns of_picked;
  for (const driver::CursorQuery& cursor : query_.pick->cursors) {
    add_key(of_picked, std::nullopt, cursor);
  }
  connection_.send(Sql::kPickedCursors, of_picked.params(), [this](const Row& row) {
    const std::size_t session = places_.at(row.text(0));
    if (session < named_) return;  // it keeps its own
    read_found(row, 2, facts_.sessions[session].cursors.at(place_of(row, 1)));
  });
}

void Loader::send_work() {
  Columns keys;
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (std::size_t i = 0; i < query_.sessions.size(); ++i) {
    const driver::SessionQuery& session = query_.sessions[i];
    for (std::size_t w = 0; w < session.work.size(); ++w) {
      const driver::WorkKey& key = session.work[w];
      keys.add(session.session, key.consumer, kind_column(key.lane), lane_column(key.lane),
               key.index);
      places.emplace_back(i, w);
    }
  }
  if (keys.empty()) return;
  connection_.send(Sql::kWork, keys.params(), [this, places = std::move(places)](const Row& row) {
    const auto [session, work] = places.at(place_of(row, 0));
    facts_.sessions[session].work[work] = read_work(row, 1);
  });
}

void Loader::send_ids() {
  Columns keys;
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (std::size_t i = 0; i < query_.sessions.size(); ++i) {
    const driver::SessionQuery& session = query_.sessions[i];
    for (std::size_t e = 0; e < session.ids.size(); ++e) {
      keys.add(session.session, session.ids[e]);
      places.emplace_back(i, e);
    }
  }
  if (keys.empty()) return;
  connection_.send(Sql::kIds, keys.params(), [this, places = std::move(places)](const Row& row) {
    const auto [session, event] = places.at(place_of(row, 0));
    facts_.sessions[session].ids[event] = read_event(row, 1);
  });
}

void Loader::send_dead() {
  Columns keys;
  for (const driver::SessionQuery& session : query_.sessions) {
    if (!session.dead) continue;
    const driver::DeadQuery& dead = *session.dead;
    keys.add(session.session, dead.consumer, dead.index, dead.lane,
             dead.log ? std::optional(dead.log->lane) : std::nullopt,
             dead.log ? dead.log->types : std::nullopt);
  }
  if (keys.empty()) return;
  connection_.send(Sql::kDead, keys.params(), [this](const Row& row) {
    driver::FoundCursor found;
    found.row = read_cursor(row, 1);
    read_next(row, 1 + kCursorColumns, found);
    facts_of(row.text(0)).dead = std::move(found);
  });
}

void Loader::send_snapshots() {
  Columns keys;
  std::vector<std::function<void(driver::Facts&, driver::SnapshotRow &&)>> takers;
  const auto add = [&](const std::string& session, const std::string& reducer, std::int64_t low,
                       std::int64_t high,
                       bool state) { keys.add(session, reducer, low, high, state); };
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
  if (keys.empty()) return;
  connection_.send(Sql::kSnapshots, keys.params(),
                   [this, takers = std::move(takers)](const Row& row) {
                     const bool with_state = !row.is_null(6);
                     takers.at(place_of(row, 0))(facts_, read_snapshot(row, 1, with_state));
                   });
}

void Loader::send_has_pins() {
  Columns keys;
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (std::size_t i = 0; i < query_.sessions.size(); ++i) {
    const driver::SessionQuery& session = query_.sessions[i];
    for (std::size_t p = 0; p < session.pins.size(); ++p) {
      const driver::PinRow& pin = session.pins[p];
      keys.add(session.session, pin.cursor.consumer, slot_column(pin.cursor),
               lane_column(pin.cursor.lane), pin.head, pin.reducer, pin.snapshot);
      places.emplace_back(i, p);
    }
  }
  if (keys.empty()) return;
  connection_.send(Sql::kHasPins, keys.params(),
                   [this, places = std::move(places)](const Row& row) {
                     const auto [session, pin] = places.at(place_of(row, 0));
                     facts_.sessions[session].pins[pin] = true;
                   });
}

void Loader::send_windows() {
  Columns keys;
  const Handler add = [this](const Row& row) {
    add_with_pins(row, 1, facts_of(row.text(0)).window);
  };
  for (const driver::SessionQuery& session : query_.sessions) {
    if (!session.window) continue;
    const driver::Window& window = *session.window;
    keys.add(session.session, window.consumers, window.through, window.free + ahead_, window.due,
             window.later, window.pins);
  }
  if (!keys.empty()) connection_.send(Sql::kWindows, keys.params(), add);
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
