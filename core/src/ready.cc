// ready.cc: what first keys tell: which sessions are ready, and when others will be.
#include <algorithm>
#include <unordered_map>

#include "pawl/backend.h"

namespace pawl {

std::vector<ReadySession> order_ready(const std::vector<driver::ReadyRow>& rows, std::int64_t now,
                                      std::int64_t limit) {
  std::unordered_map<std::string_view, std::int64_t> earliest;
  for (const driver::ReadyRow& row : rows) {
    if (row.due > now) continue;
    const std::int64_t ready_at = row.due == 0 ? row.since : row.due;
    const auto [found, first] = earliest.emplace(row.session, ready_at);
    if (!first) found->second = std::min(found->second, ready_at);
  }
  std::vector<ReadySession> sessions;
  sessions.reserve(earliest.size());
  for (const auto& [session, ready_at] : earliest) {
    sessions.push_back({std::string(session), ready_at});
  }
  std::sort(sessions.begin(), sessions.end(), [](const ReadySession& a, const ReadySession& b) {
    return a.ready_at != b.ready_at ? a.ready_at < b.ready_at : a.session < b.session;
  });
  if (std::ssize(sessions) > limit) sessions.resize(static_cast<std::size_t>(limit));
  return sessions;
}

std::optional<std::int64_t> next_due(const std::vector<driver::ReadyRow>& rows, std::int64_t now) {
  std::optional<std::int64_t> next;
  for (const driver::ReadyRow& row : rows) {
    if (row.due > now && (!next || row.due < *next)) next = row.due;
  }
  return next;
}

}  // namespace pawl
