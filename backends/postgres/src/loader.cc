// The order of the load, and what belongs to no session.
#include "loader.h"

#include "columns.h"
#include "rows.h"

namespace pawl::postgres {
namespace {

// How many first keys are looked at to pick some sessions: others may hold the first ones.
std::int64_t looked_at(std::int64_t sessions) { return 4 * sessions + 64; }

// Facts of the query's shape, of a session that is not stored.
driver::SessionFacts nothing_of(const driver::SessionQuery& session) {
  driver::SessionFacts facts;
  facts.session = session.session;
  facts.windowed = session.window.has_value();
  facts.cursors.resize(session.cursors.size());
  facts.work.resize(session.work.size());
  facts.ids.resize(session.ids.size());
  facts.snapshots.resize(session.snapshots.size());
  for (std::size_t s = 0; s < session.snapshots.size(); ++s) {
    facts.snapshots[s].at.resize(session.snapshots[s].indexes.size());
  }
  facts.pins.resize(session.pins.size());
  return facts;
}

}  // namespace

driver::SessionFacts& Loader::facts_of(const std::string& session) {
  return facts_.sessions[places_.at(session)];
}

void Loader::send_sessions(bool lock, bool may_read_clock) {
  facts_.sessions.resize(query_.sessions.size());
  named_ = query_.sessions.size();
  Columns names;
  for (std::size_t i = 0; i < named_; ++i) {
    const driver::SessionQuery& session = query_.sessions[i];
    facts_.sessions[i] = nothing_of(session);
    places_.emplace(session.session, i);
    names.add(session.session);
  }
  // A namespace has no row that could be locked.
  if (lock && query_.presence) {
    connection_.send(Sql::kLockPresence, Params().text(query_.presence->name_space));
  }
  if (names.empty()) return;
  const auto read = [this](const Row& row, int first) {
    const std::string name = row.text(first);
    driver::SessionRow& session = facts_of(name).row;
    session = read_session(row, first + 1);
    stored_.emplace(name, session.era);
    revisions_.emplace(name, row.number(first + 1 + kSessionColumns));
  };
  const Params params = names.params();
  has_time_ = lock && may_read_clock;
  if (has_time_) {
    connection_.send(Sql::kLockSessionsAndClock, params, [this, read](const Row& row) {
      facts_.now = row.count(0);
      if (!row.is_null(1)) read(row, 1);
    });
  } else {
    connection_.send(lock ? Sql::kLockSessions : Sql::kFindSessions, params,
                     [read](const Row& row) { read(row, 0); });
  }
}

void Loader::send_clock(const std::optional<std::int64_t>& now) {
  if (has_time_) return;
  connection_.send(Sql::kClock, Params().maybe_number(now),
                   [this](const Row& row) { facts_.now = row.count(0); });
}

void Loader::send_facts() {
  if (query_.pick) send_pick();
  send_cursors();
  send_work();
  send_ids();
  send_dead();
  send_snapshots();
  send_has_pins();
  send_windows();
  for (std::size_t at = 0; at < query_.sessions.size(); ++at) {
    const driver::SessionQuery& session = query_.sessions[at];
    if (session.events) send_events(at);
    send_lists(at);
    if (session.finished) send_finished(at);
    if (session.of_consumer) send_of_consumer(at);
    if (session.superseded) send_superseded(at);
  }
  if (query_.ready) send_ready();
  if (query_.presence) send_presence();
  if (query_.list) {
    connection_.send(
        Sql::kListSessions,
        Params().text(query_.list->after.value_or("")).number(query_.list->limit),
        [this](const Row& row) { facts_.list.emplace_back(row.text(0), read_session(row, 1)); });
  }
  if (query_.upkeep) send_upkeep();
}

std::int64_t Loader::revision_of(const std::string& session) const {
  const auto found = revisions_.find(session);
  return found == revisions_.end() ? 0 : found->second;
}

// A session that was not there to be locked may have come into being before its rows were looked
// for. Nobody holds it, so none of them can be used.
driver::Facts Loader::take() {
  for (std::size_t i = 0; i < named_; ++i) {
    const driver::SessionQuery& session = query_.sessions[i];
    if (!stored_.contains(session.session)) facts_.sessions[i] = nothing_of(session);
  }
  return std::move(facts_);
}

void Loader::send_pick() {
  const driver::Pick& pick = *query_.pick;
  connection_.send(
      Sql::kPick,
      Params().maybe_texts(pick.consumers).number(pick.sessions).number(looked_at(pick.sessions)));
  connection_.send(Sql::kPickedSessions, {}, [this, &pick](const Row& row) {
    const std::string name = row.text(0);
    const auto [place, is_new] = places_.emplace(name, facts_.sessions.size());
    if (is_new) {
      driver::SessionFacts& facts = facts_.sessions.emplace_back();
      facts.session = name;
      facts.row = read_session(row, 1);
      facts.cursors.resize(pick.cursors.size());
      stored_.emplace(name, facts.row.era);
      revisions_.emplace(name, row.number(1 + kSessionColumns));
    }
    facts_.sessions[place->second].windowed = true;
  });
}

void Loader::send_ready() {
  connection_.send(Sql::kReady,
                   Params().maybe_texts(query_.ready->consumers).number(query_.ready->limit),
                   [this](const Row& row) {
                     facts_.ready.push_back({row.text(0), row.text(1), row.count(2), row.count(3)});
                   });
}

void Loader::send_presence() {
  const driver::PresenceQuery& query = *query_.presence;
  facts_.presence.fields.resize(query.fields.size());
  if (!query.fields.empty()) {
    Columns keys;
    for (const auto& [participant, field] : query.fields) keys.add(participant, field);
    Params params;
    params.text(query.name_space).join(keys.params(), false);
    connection_.send(Sql::kPresenceFields, params, [this](const Row& row) {
      facts_.presence.fields.at(static_cast<std::size_t>(row.count(0) - 1)) = read_presence(row, 1);
    });
  }
  if (query.all) {
    connection_.send(
        Sql::kPresenceAll, Params().text(query.name_space).number(query.max_bytes),
        [this](const Row& row) { facts_.presence.rows.push_back(read_presence(row, 0)); });
  }
  if (query.expired > 0) {
    connection_.send(
        Sql::kPresenceExpired, Params().text(query.name_space).number(query.expired),
        [this](const Row& row) { facts_.presence.expired.push_back(read_presence(row, 0)); });
  }
}

void Loader::send_upkeep() {
  const driver::UpkeepQuery& query = *query_.upkeep;
  connection_.send(Sql::kUpkeepSessions, Params().number(query.limit), [this](const Row& row) {
    facts_.upkeep.superseded.emplace_back(row.text(0), read_session(row, 1));
  });
  if (query.finished_before > 0) {
    connection_.send(Sql::kFinishedSessions,
                     Params().number(query.finished_before).number(query.limit),
                     [this](const Row& row) { facts_.upkeep.finished.push_back(row.text(0)); });
  }
  connection_.send(Sql::kPresenceOldest, Params().number(query.limit), [this](const Row& row) {
    facts_.upkeep.expired.emplace_back(row.text(7), read_presence(row, 0));
  });
}

}  // namespace pawl::postgres
