// Rows that were loaded, as they are when the operation has written.
#include "learning.h"

#include <algorithm>

namespace pawl::postgres {
namespace {

// What is done to more sessions at once is done in batches, which are not worth following: each of
// them would be made out of what was loaded. Nor is what is done to more cursors.
constexpr std::size_t kMostSessions = 16;
constexpr std::size_t kMostCursors = 256;
// Who claims many heads at once claims all there are, or as many the next time.
constexpr std::int64_t kFew = 16;
constexpr std::int64_t kAhead = 32;

}  // namespace

std::int64_t Learning::look_ahead() const {
  if (!known_.remembers() || query_.sessions.size() != 1) return 0;
  const std::optional<driver::Window>& window = query_.sessions.front().window;
  const bool is_others = before_ && !before_->trusted;
  return window && window->free <= kFew && !is_others ? kAhead : 0;
}

KnownSession Learning::session_of(const driver::SessionFacts& facts, std::int64_t revision,
                                  const std::vector<driver::CursorQuery>& queries) {
  KnownSession session(facts.session, facts.row, revision);
  if (queries.size() > kMostCursors) return session;
  if (before_ && before_->name() == facts.session) {
    const bool is_same = before_->revision() == revision;
    if (is_same) session = *std::move(before_);
    session.trusted = is_same;
    before_.reset();
  }
  for (std::size_t i = 0; i < queries.size(); ++i) session.note(queries[i], facts.cursors[i]);
  return session;
}

void Learning::note(const driver::Facts& facts, const Loader& loader) {
  if (!known_.remembers() || facts.sessions.size() > kMostSessions) return;
  const std::int64_t ahead = look_ahead();
  for (std::size_t i = 0; i < facts.sessions.size(); ++i) {
    const driver::SessionFacts& found = facts.sessions[i];
    const driver::SessionQuery* named = i < query_.sessions.size() ? &query_.sessions[i] : nullptr;
    sessions_.push_back(session_of(found, loader.revision_of(found.session),
                                   named != nullptr ? named->cursors : query_.pick->cursors));
    if (named == nullptr || !named->window || query_.pick) continue;
    driver::Window window = *named->window;
    window.free += ahead;
    sessions_.back().note(window, found.window, facts.now);
  }
}

void Learning::send_look_ups(Connection& connection, const driver::Effects& effects) {
  if (sessions_.empty()) return;
  for (const driver::SessionEffects& written : effects.sessions) {
    const auto known = std::find_if(
        sessions_.begin(), sessions_.end(),
        [&](const KnownSession& session) { return session.name() == written.session; });
    look_ups_.add(written, known == sessions_.end() ? nullptr : &*known);
  }
  look_ups_.send(connection);
}

void Learning::keep(const driver::Effects& effects, std::int64_t revision) {
  look_ups_.take();
  for (KnownSession& session : sessions_) {
    for (const driver::SessionEffects& written : effects.sessions) {
      if (written.session == session.name() && !written.empty()) session.apply(written, revision);
    }
    look_ups_.note_in(session);
    known_.put(std::move(session));
  }
}

}  // namespace pawl::postgres
