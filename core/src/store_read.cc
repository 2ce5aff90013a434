// store_read.cc: the operations that only look.
#include <algorithm>

#include "store_impl.h"

namespace pawl {
namespace {

using core::Check;

driver::SessionFacts look_at(Backend& backend, driver::SessionQuery&& session) {
  driver::Query query;
  query.sessions.push_back(std::move(session));
  return std::move(backend.look(query).sessions[0]);
}

driver::HeadPage to_page(const PageOptions& options, Check& check) {
  if (options.after) {
    const HeadRef& after = *options.after;
    check.head_ref(after.consumer, after.lane, after.index, {"after"});
  }
  Check::limit(options.limit, {"limit"});
  return {options.after, options.limit, driver::kNever};
}

}  // namespace

std::vector<Cursor> Store::cursors(std::string_view session, const PageOptions& options) {
  Check check = impl_->check();
  check.name(session, {"session"});
  driver::SessionQuery query;
  query.session = session;
  query.list_cursors = to_page(options, check);
  driver::SessionFacts facts = look_at(*impl_->backend, std::move(query));
  std::vector<Cursor> cursors;
  std::int64_t bytes = 0;
  for (const driver::CursorRow& row : facts.list) {
    auto now = core::as_of(row, facts.row);
    if (!now) continue;
    bytes += std::ssize(now->key.consumer) + std::ssize(now->last_error.value_or(""));
    if (bytes > impl_->options.max_call_bytes && !cursors.empty()) break;
    cursors.push_back(core::to_cursor(std::move(*now)));
  }
  return cursors;
}

std::vector<Event> Store::read(std::string_view session, const ReadOptions& options) {
  Check check = impl_->check();
  check.name(session, {"session"});
  Check::at_least(options.after, 0, {"after"});
  Check::limit(options.limit, {"limit"});
  check.types(options.types, {"types"});
  if (options.through) Check::at_least(*options.through, 0, {"through"});
  driver::SessionQuery query;
  query.session = session;
  query.events = driver::EventRange{options.after,
                                    options.through.value_or(driver::kNever),
                                    core::type_set(options.types),
                                    options.limit,
                                    impl_->options.max_call_bytes,
                                    false};
  driver::SessionFacts facts = look_at(*impl_->backend, std::move(query));
  return core::to_events(session, std::move(facts.events));
}

SessionHead Store::head(std::string_view session) {
  Check check = impl_->check();
  check.name(session, {"session"});
  driver::SessionQuery query;
  query.session = session;
  const driver::SessionFacts facts = look_at(*impl_->backend, std::move(query));
  return {facts.row.last_index, facts.row.clear_index};
}

std::vector<SessionInfo> Store::sessions(const SessionsOptions& options) {
  Check check = impl_->check();
  check.optional_name(options.after, {"after"});
  Check::limit(options.limit, {"limit"});
  driver::Query query;
  query.list = driver::SessionPage{options.after, options.limit};
  driver::Facts facts = impl_->backend->look(query);
  std::vector<SessionInfo> sessions;
  for (auto& [name, row] : facts.list) {
    sessions.push_back({std::move(name), row.last_index, row.clear_index});
  }
  return sessions;
}

std::vector<Head> Store::dead_letters(std::string_view session, const PageOptions& options) {
  Check check = impl_->check();
  check.name(session, {"session"});
  driver::SessionQuery query;
  query.session = session;
  query.list_dead = to_page(options, check);
  query.list_dead->max_bytes = impl_->options.max_call_bytes;
  driver::SessionFacts facts = look_at(*impl_->backend, std::move(query));
  std::vector<Head> heads;
  for (std::size_t i = 0; i < facts.list.size(); ++i) {
    heads.push_back(core::to_head(session, facts.row.clear_index, std::move(facts.list[i]),
                                  std::move(facts.list_events[i])));
  }
  return heads;
}

LoadSnapshotResult Store::load_snapshot(std::string_view session, std::string_view reducer,
                                        const LoadSnapshotOptions& options) {
  Check check = impl_->check();
  check.name(session, {"session"});
  check.name(reducer, {"reducer"});
  if (options.through) Check::at_least(*options.through, 0, {"through"});
  Check::limit(options.limit, {"limit"});
  const std::int64_t through = options.through.value_or(driver::kNever);
  driver::SessionQuery query;
  query.session = session;
  query.snapshots.push_back({std::string(reducer), {}, true, through});
  query.events = driver::EventRange{
      0, through, std::nullopt, options.limit, impl_->options.max_call_bytes, true};
  driver::SessionFacts facts = look_at(*impl_->backend, std::move(query));
  driver::FoundSnapshots& found = facts.snapshots[0];
  LoadSnapshotResult result;
  result.clear_index = facts.row.clear_index;
  result.last_index = facts.row.last_index;
  if (found.newest) result.newest_index = found.newest->index;
  if (found.through) {
    result.snapshot = Snapshot{found.through->index, std::move(found.through->state).value_or(""),
                               core::to_time(found.through->updated_at)};
  }
  result.events = core::to_events(session, std::move(facts.events));
  return result;
}

std::vector<PresenceEntry> Store::presence(std::string_view name_space) {
  Check check = impl_->check();
  check.name(name_space, {"namespace"});
  driver::Query query;
  query.presence.emplace();
  query.presence->name_space = name_space;
  query.presence->all = true;
  query.presence->max_bytes = impl_->options.max_call_bytes;
  driver::Facts facts = impl_->backend->look(query);
  std::vector<PresenceEntry> entries;
  for (driver::PresenceRow& row : facts.presence.rows) {
    if (row.tombstone) continue;
    entries.push_back({std::move(row.participant), std::move(row.field), std::move(row.value),
                       row.seen, core::to_time(row.at), core::to_time(row.expires_at)});
  }
  return entries;
}

ReadyResult Store::ready(const ReadyOptions& options) {
  Check check = impl_->check();
  check.served(options.consumers, {"consumers"});
  Check::limit(options.limit, {"limit"});
  driver::Query query;
  query.ready = driver::ReadyQuery{core::served_set(options.consumers).names, options.limit};
  const driver::Facts facts = impl_->backend->look(query);
  ReadyResult result;
  for (ReadySession& ready : order_ready(facts.ready, facts.now, options.limit)) {
    result.sessions.push_back({std::move(ready.session), core::to_time(ready.ready_at)});
  }
  if (const auto next = next_due(facts.ready, facts.now)) result.next_at = core::to_time(*next);
  return result;
}

}  // namespace pawl
