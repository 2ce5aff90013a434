// From facts and effects to what is known.
#include "learning.h"

#include <algorithm>

namespace pawl::postgres {
namespace {

// An operation on more sessions than this is a batch, and so is what will follow it.
constexpr std::size_t kMostSessions = 32;
// And one on more cursors.
constexpr std::size_t kMostCursors = 256;
// What claims more heads of lanes and typed logs at once will settle them at once.
constexpr std::size_t kMostLookUps = 16;

bool waits_for_look_up(const driver::CursorRow& row) {
  return row.claim_holder && row.kind != CursorKind::kEvent && (row.key.lane && row.types);
}

}  // namespace

KnownSession Learning::session_of(const driver::SessionFacts& facts,
                                  const std::vector<driver::CursorQuery>& queries) {
  KnownSession session(facts.session, facts.row);
  if (queries.size() > kMostCursors) return session;
  if (before_ && before_->name() == facts.session) {
    bool agrees = before_->row() == facts.row;
    for (std::size_t i = 0; agrees && i < queries.size(); ++i) {
      agrees = before_->agrees(queries[i], facts.cursors[i]);
    }
    if (agrees) session = *std::move(before_);
    session.trusted = agrees;
    before_.reset();
  }
  for (std::size_t i = 0; i < queries.size(); ++i) session.note(queries[i], facts.cursors[i]);
  return session;
}

void Learning::note(const driver::Facts& facts) {
  if (!known_.remembers() || facts.sessions.size() > kMostSessions) return;
  for (std::size_t i = 0; i < facts.sessions.size(); ++i) {
    const bool named = i < query_.sessions.size();
    sessions_.push_back(
        session_of(facts.sessions[i], named ? query_.sessions[i].cursors : query_.pick->cursors));
  }
}

void Learning::send_look_ups(Connection& connection, const driver::Effects& effects) {
  if (sessions_.empty()) return;
  for (const driver::SessionEffects& session : effects.sessions) {
    std::vector<driver::CursorQuery> cursors;
    for (const driver::CursorRow& row : session.put) {
      if (!waits_for_look_up(row)) continue;
      driver::CursorQuery& cursor = cursors.emplace_back();
      cursor.key = row.key;
      cursor.next.emplace();
    }
    if (cursors.empty()) continue;
    driver::SessionQuery& query = look_ups_.sessions.emplace_back();
    query.session = session.session;
    query.cursors = std::move(cursors);
  }
  std::size_t count = 0;
  for (const driver::SessionQuery& session : look_ups_.sessions) count += session.cursors.size();
  if (count > kMostLookUps) look_ups_.sessions.clear();
  if (look_ups_.sessions.empty()) return;
  loader_.emplace(connection, look_ups_);
  loader_->send_sessions(false, false);
  loader_->send_facts();
}

void Learning::keep(const driver::Effects& effects) {
  driver::Facts found;
  if (loader_) found = loader_->take();
  for (KnownSession& session : sessions_) {
    for (const driver::SessionEffects& written : effects.sessions) {
      if (written.session == session.name()) session.apply(written);
    }
    for (std::size_t i = 0; i < found.sessions.size(); ++i) {
      if (found.sessions[i].session != session.name()) continue;
      const std::vector<driver::CursorQuery>& queries = look_ups_.sessions[i].cursors;
      for (std::size_t c = 0; c < queries.size(); ++c) {
        session.note(queries[c], found.sessions[i].cursors[c]);
      }
    }
    known_.put(std::move(session));
  }
}

}  // namespace pawl::postgres
