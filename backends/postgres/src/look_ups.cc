// A query for what follows claimed heads.
#include "look_ups.h"

namespace pawl::postgres {
namespace {

// What claims more heads of lanes and typed logs at once will settle them at once.
constexpr std::size_t kMost = 16;

bool waits_for_look_up(const driver::CursorRow& row) {
  return row.claim_holder && row.kind != CursorKind::kEvent && row.key.lane && row.types;
}

}  // namespace

void LookUps::add(const driver::SessionEffects& effects, const KnownSession* known) {
  std::vector<driver::CursorQuery> cursors;
  for (const driver::CursorRow& row : effects.put) {
    const KnownCursor* is = known == nullptr ? nullptr : known->heads().find(row.key);
    const bool is_known = is != nullptr && is->knows_next && is->row.head == row.head;
    if (!waits_for_look_up(row) || is_known) continue;
    driver::CursorQuery& cursor = cursors.emplace_back();
    cursor.key = row.key;
    cursor.next.emplace();
  }
  if (cursors.empty()) return;
  driver::SessionQuery& query = query_.sessions.emplace_back();
  query.session = effects.session;
  query.cursors = std::move(cursors);
}

void LookUps::send(Connection& connection) {
  std::size_t count = 0;
  for (const driver::SessionQuery& session : query_.sessions) count += session.cursors.size();
  if (count == 0 || count > kMost) return;
  loader_.emplace(connection, query_);
  loader_->send_sessions(false, false);
  loader_->send_facts();
}

void LookUps::take() {
  if (loader_) found_ = loader_->take();
}

void LookUps::note_in(KnownSession& session) const {
  for (std::size_t i = 0; i < found_.sessions.size(); ++i) {
    if (found_.sessions[i].session != session.name()) continue;
    const std::vector<driver::CursorQuery>& queries = query_.sessions[i].cursors;
    for (std::size_t c = 0; c < queries.size(); ++c) {
      session.note(queries[c], found_.sessions[i].cursors[c]);
    }
  }
}

}  // namespace pawl::postgres
