// store.cc: appending, claiming and finishing; the shared parts of store_impl.h.
#include "pawl/store.h"

#include <algorithm>
#include <set>

#include "decide/finish.h"
#include "decide/settle.h"
#include "store_impl.h"
#include "utf8.h"

namespace pawl {
namespace core {

Event to_event(std::string_view session, driver::EventRow&& row) {
  return {std::string(session),   row.index,
          std::move(row.id),      std::move(row.type),
          std::move(row.payload), to_time(row.created_at),
          std::move(row.cause)};
}

std::vector<Event> to_events(std::string_view session, std::vector<driver::EventRow>&& rows) {
  std::vector<Event> events;
  events.reserve(rows.size());
  for (driver::EventRow& row : rows) events.push_back(to_event(session, std::move(row)));
  return events;
}

namespace {

void set_dispatch(Dispatch& dispatch, driver::CursorRow& row) {
  dispatch.attempt_count = row.attempt_count;
  dispatch.first_claimed_at = to_optional_time(row.first_claimed_at);
  dispatch.last_claimed_at = to_optional_time(row.last_claimed_at);
  dispatch.claim_holder = std::move(row.claim_holder);
  if (row.due != driver::kNever) dispatch.claim_expires_at = to_optional_time(row.due);
  dispatch.failure_count = row.failure_count;
  dispatch.last_failed_at = to_optional_time(row.last_failed_at);
  if (row.last_failed_attempt > 0) dispatch.last_failed_attempt = row.last_failed_attempt;
  dispatch.last_error = std::move(row.last_error);
  dispatch.failed_at = to_optional_time(row.failed_at);
}

}  // namespace

Cursor to_cursor(driver::CursorRow&& row) {
  Cursor cursor;
  set_dispatch(cursor, row);
  cursor.consumer = std::move(row.key.consumer);
  cursor.kind = row.kind;
  cursor.lane = std::move(row.key.lane);
  cursor.position = row.position;
  if (row.head > 0) cursor.head = row.head;
  return cursor;
}

Head to_head(std::string_view session, std::int64_t clear_index, driver::CursorRow&& row,
             driver::EventRow&& event) {
  Head head;
  set_dispatch(head, row);
  head.event = to_event(session, std::move(event));
  head.consumer = std::move(row.key.consumer);
  head.kind = row.kind;
  head.lane = std::move(row.key.lane);
  head.clear_index = clear_index;
  return head;
}

namespace {

Lease to_lease(const std::string& holder, const std::optional<Duration>& ttl,
               const std::optional<Time>& expires_at, Check& check, const Field* parent) {
  check.name(holder, Field{"holder", parent});
  Check::lease(ttl, expires_at, parent);
  Lease lease{holder, {}, 0};
  if (ttl) lease.ttl_ms = ttl->count();
  if (expires_at) lease.expires_at = to_ms(*expires_at);
  return lease;
}

ClaimRequest to_request(std::string_view session, const ClaimOptions& options, Check& check) {
  check.name(session, {"session"});
  check.served(options.consumers, {"consumers"});
  Check::list(options.exclude.size(), kMaxListEntries, {"exclude"});
  Check::limit(options.limit, {"limit"});
  ClaimRequest request;
  request.session = session;
  request.lease = to_lease(options.holder, options.ttl, options.expires_at, check, nullptr);
  request.served = served_set(options.consumers);
  for (std::size_t i = 0; i < options.exclude.size(); ++i) {
    const HeadRef& ref = options.exclude[i];
    check.head_ref(ref.consumer, ref.lane, ref.index, Field{"exclude"}[i]);
    request.exclude.push_back(key_of(ref.consumer, ref.lane, ref.index));
  }
  std::sort(request.exclude.begin(), request.exclude.end());
  if (options.through) {
    Check::at_least(*options.through, 0, {"through"});
    request.through = *options.through;
  }
  if (options.max_failures) {
    Check::at_least(*options.max_failures, 1, {"max_failures"});
    request.max_failures = *options.max_failures;
  }
  request.limit = options.limit;
  return request;
}

ClaimReadyRequest to_request(const ClaimReadyOptions& options, const Served& consumers,
                             Check& check, const Field* parent) {
  check.served(consumers, Field{"consumers", parent});
  Check::limit(options.limit, Field{"limit", parent});
  Check::limit(options.sessions_limit, Field{"sessions_limit", parent});
  ClaimReadyRequest request;
  request.each.lease = to_lease(options.holder, options.ttl, options.expires_at, check, parent);
  request.each.served = served_set(consumers);
  if (options.max_failures) {
    Check::at_least(*options.max_failures, 1, Field{"max_failures", parent});
    request.each.max_failures = *options.max_failures;
  }
  request.each.limit = options.limit;
  request.sessions_limit = options.sessions_limit;
  return request;
}

FinishRequest to_request(std::string_view session, const Claim& claim, SettleAction action,
                         Check& check) {
  check.name(session, {"session"});
  check.claim(claim, {""});
  FinishRequest request;
  request.session = session;
  request.claim = claim;
  request.action = action;
  return request;
}

FinishRequest to_complete(std::string_view session, const Claim& claim,
                          const std::vector<NewEvent>& events, Check& check) {
  FinishRequest request = to_request(session, claim, SettleAction::kComplete, check);
  check.follow_ups(events, {"events"});
  request.events = &events;
  return request;
}

FinishRequest to_fail(std::string_view session, const Claim& claim, const FailOptions& options,
                      Check& check) {
  FinishRequest request = to_request(session, claim, SettleAction::kFail, check);
  check.text(options.error, {"error"});
  Check::at_least(options.max_failures, 1, {"max_failures"});
  request.error = mend_utf8(options.error, kMaxErrorBytes);
  request.max_failures = options.max_failures;
  if (options.retry_after) {
    request.delay_ms = Check::duration(*options.retry_after, {"retry_after_ms"});
  }
  return request;
}

FinishRequest to_release(std::string_view session, const Claim& claim,
                         const ReleaseOptions& options, Check& check) {
  FinishRequest request = to_request(session, claim, SettleAction::kRelease, check);
  if (options.delay) request.delay_ms = Check::duration(*options.delay, {"delay_ms"});
  return request;
}

FinishRequest to_request(const SettleItem& item, Check& check) {
  switch (item.action) {
    case SettleAction::kComplete:
      return to_complete(item.session, item.claim, item.events, check);
    case SettleAction::kFail:
      return to_fail(item.session, item.claim, item.fail, check);
    case SettleAction::kRelease:
      return to_release(item.session, item.claim, item.release, check);
  }
  refuse_argument("action", "is none of complete, fail and release");
}

void refuse_repeated_cursors(const std::vector<FinishRequest>& items) {
  std::set<std::pair<std::string_view, driver::CursorKey>> seen;
  for (std::size_t i = 0; items.size() > 1 && i < items.size(); ++i) {
    if (!seen.emplace(items[i].session, items[i].key()).second) {
      refuse_argument(Field{"items"}[i].text() + ":", "the cursor stands twice in the list");
    }
  }
}

// The heads taken, whose events were read back from `next` on.
void split_taken(const std::string& session, ClaimAnswer&& answer,
                 std::vector<driver::EventRow>& events, std::size_t& next, std::vector<Head>& heads,
                 std::vector<Head>& dead_lettered) {
  for (TakenHead& taken : answer.taken) {
    Head head =
        to_head(session, answer.clear_index, std::move(taken.row), std::move(events[next++]));
    (taken.dead_lettered ? dead_lettered : heads).push_back(std::move(head));
  }
}

std::vector<SessionClaims> to_claims(ClaimReadyAnswer&& answer,
                                     std::vector<driver::EventRow>&& events) {
  std::vector<SessionClaims> claims;
  std::size_t next = 0;
  for (SessionTaken& taken : answer.claims) {
    SessionClaims& session = claims.emplace_back();
    session.last_index = taken.answer.last_index;
    split_taken(taken.session, std::move(taken.answer), events, next, session.heads,
                session.dead_lettered);
    session.session = std::move(taken.session);
  }
  return claims;
}

}  // namespace
}  // namespace core

using core::Check;
using core::Field;
using core::IdPool;

Store::Store(std::unique_ptr<Backend> backend, StoreOptions options)
    : impl_(std::make_unique<Impl>(Impl{std::move(backend), std::move(options)})) {
  if (!impl_->options.ids) impl_->options.ids = uuid_v7_source();
}

Store::~Store() {
  if (!impl_ || !impl_->backend) return;
  try {
    impl_->backend->close();
  } catch (const Error&) {
    // A destructor has nobody to tell; call close() to hear of it.
  }
}

Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;

// ---- appending

AppendResult Store::append(std::string_view session, const std::vector<NewEvent>& events,
                           const AppendOptions& options) {
  Check check = impl_->check();
  check.name(session, {"session"});
  check.append_events(events, {"events"});
  check.served(options.consumers, {"consumers"});
  Check::at_least(options.origin_index, 0, {"origin_index"});
  core::AppendBatchRequest request;
  request.items.push_back(
      {std::string(session), &events, core::served_set(options.consumers), options.origin_index});
  IdPool ids(*impl_->options.ids);
  auto outcome = core::run<std::vector<core::AppendAnswer>>(
      *impl_->backend, ids, [&] { return core::plan_append_batch(request, ids); },
      [&](const driver::Query& query, driver::Facts&& facts) {
        return core::decide_append_batch(request, query, std::move(facts), ids);
      });
  return {core::to_events(session, std::move(outcome.answer[0].events)),
          outcome.readings.pending[0]};
}

std::vector<AppendResult> Store::append_batch(const std::vector<AppendItem>& items) {
  Check check = impl_->check();
  Check::list(items.size(), kMaxBatchItems, {"items"});
  core::AppendBatchRequest request;
  request.is_batch = true;
  std::set<std::string_view> sessions;
  std::int64_t count = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const AppendItem& item = items[i];
    core::in_item(true, i, ".", [&] {
      check.name(item.session, {"session"});
      check.append_events(item.events, {"events"});
      check.served(item.consumers, {"consumers"});
      Check::at_least(item.origin_index, 0, {"origin_index"});
      if (!sessions.insert(item.session).second) {
        core::refuse_argument("session", "stands twice in the list");
      }
    });
    count += std::ssize(item.events);
    request.items.push_back(
        {item.session, &item.events, core::served_set(item.consumers), item.origin_index});
  }
  if (count > kMaxListEntries) core::refuse_argument("items", "bear more than 10000 events");
  IdPool ids(*impl_->options.ids);
  auto outcome = core::run<std::vector<core::AppendAnswer>>(
      *impl_->backend, ids, [&] { return core::plan_append_batch(request, ids); },
      [&](const driver::Query& query, driver::Facts&& facts) {
        return core::decide_append_batch(request, query, std::move(facts), ids);
      });
  std::vector<AppendResult> results;
  for (std::size_t i = 0; i < items.size(); ++i) {
    results.push_back({core::to_events(items[i].session, std::move(outcome.answer[i].events)),
                       outcome.readings.pending[i]});
  }
  return results;
}

WakeLogResult Store::wake_log(std::string_view session, const Consumer& consumer) {
  Check check = impl_->check();
  check.name(session, {"session"});
  check.consumer(consumer, {"consumer"});
  if (!consumer.log) core::refuse_argument("consumer.log", "is missing");
  const core::ServedLog log = core::served_log(consumer);
  IdPool ids(*impl_->options.ids);
  auto outcome = core::run_session<WakeLogResult>(
      *impl_->backend, std::string(session), ids,
      [&](driver::SessionQuery& query) { core::plan_wake_log(query, log); },
      [&](core::Workspace& space, driver::ReadBack&) {
        driver::CursorRow cursor = core::decide_wake_log(space, log);
        return WakeLogResult{core::to_cursor(std::move(cursor)), space.row().last_index};
      });
  return std::move(outcome.answer);
}

// ---- claiming

ClaimResult Store::claim(std::string_view session, const ClaimOptions& options) {
  Check check = impl_->check();
  core::ClaimRequest request = core::to_request(session, options, check);
  IdPool ids(*impl_->options.ids);
  const auto attempt = [&] {
    return core::run_session<core::ClaimAnswer>(
        *impl_->backend, request.session, ids,
        [&](driver::SessionQuery& query) { core::plan_claim(query, request); },
        [&](core::Workspace& space, driver::ReadBack& read) {
          core::ClaimAnswer answer = core::decide_claim(space, request);
          core::read_back_taken(read, request.session, answer.taken);
          read.max_bytes = impl_->options.max_call_bytes;
          return answer;
        });
  };
  auto [answer, readings] = core::until_it_fits(request.limit, attempt);
  ClaimResult result;
  if (answer.taken.empty()) {
    result.outcome = answer.retry_at > 0 ? ClaimOutcome::kBusy : ClaimOutcome::kSettled;
    result.retry_at = core::to_optional_time(answer.retry_at);
    return result;
  }
  result.outcome = ClaimOutcome::kClaimed;
  result.last_index = answer.last_index;
  std::size_t next = 0;
  core::split_taken(request.session, std::move(answer), readings.events, next, result.heads,
                    result.dead_lettered);
  return result;
}

RenewResult Store::renew(std::string_view session, const std::vector<Claim>& claims,
                         const RenewOptions& options) {
  Check check = impl_->check();
  check.name(session, {"session"});
  Check::list(claims.size(), kMaxListEntries, {"claims"});
  core::RenewRequest request;
  request.session = session;
  request.lease = core::to_lease(options.holder, options.ttl, options.expires_at, check, nullptr);
  request.claims = claims;
  std::set<std::pair<driver::CursorKey, std::int64_t>> seen;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const Claim& claim = claims[i];
    check.claim(claim, Field{"claims"}[i]);
    if (!seen.emplace(core::key_of(claim.consumer, claim.lane, claim.index), claim.index).second) {
      core::refuse_argument(Field{"claims"}[i].text(), "stands twice in the list");
    }
  }
  IdPool ids(*impl_->options.ids);
  auto outcome = core::run_session<core::RenewAnswer>(
      *impl_->backend, request.session, ids,
      [&](driver::SessionQuery& query) { core::plan_renew(query, request); },
      [&](core::Workspace& space, driver::ReadBack&) {
        return core::decide_renew(space, request);
      });
  return {std::move(outcome.answer.renewed), std::move(outcome.answer.superseded)};
}

// ---- finishing

namespace core {
namespace {

SettleResult run_settle(Store::Impl& impl, SettleRequest& request) {
  IdPool ids(*impl.options.ids);
  const auto attempt = [&] {
    return run<SettleAnswer>(
        *impl.backend, ids, [&] { return plan_settle(request, ids); },
        [&](const driver::Query& query, driver::Facts&& facts) {
          Decision<SettleAnswer> decision = decide_settle(request, query, std::move(facts));
          decision.effects.read.max_bytes = impl.options.max_call_bytes;
          return decision;
        });
  };
  std::int64_t no_limit = 0;
  auto [answer, readings] =
      until_it_fits(request.claim ? request.claim->each.limit : no_limit, attempt);
  SettleResult result;
  for (std::size_t i = 0; i < answer.results.size(); ++i) {
    FinishAnswer& finish = answer.results[i];
    result.results.push_back({finish.outcome,
                              to_events(request.items[i].session, std::move(finish.events)),
                              finish.failure_count});
  }
  if (request.claim) {
    result.claims = to_claims(std::move(answer.claimed), std::move(readings.events));
    if (readings.next_due) result.next_at = to_time(std::max(*readings.next_due, answer.now));
  }
  return result;
}

FinishResult run_finish(Store::Impl& impl, FinishRequest&& item, ServedSet&& served = {}) {
  SettleRequest request;
  request.items.push_back(std::move(item));
  request.served = std::move(served);
  return std::move(run_settle(impl, request).results[0]);
}

}  // namespace
}  // namespace core

FinishResult Store::complete(std::string_view session, const Claim& claim,
                             const std::vector<NewEvent>& events, const CompleteOptions& options) {
  Check check = impl_->check();
  core::FinishRequest request = core::to_complete(session, claim, events, check);
  check.served(options.consumers, {"consumers"});
  return core::run_finish(*impl_, std::move(request), core::served_set(options.consumers));
}

FinishResult Store::fail(std::string_view session, const Claim& claim, const FailOptions& options) {
  Check check = impl_->check();
  return core::run_finish(*impl_, core::to_fail(session, claim, options, check));
}

FinishResult Store::release(std::string_view session, const Claim& claim,
                            const ReleaseOptions& options) {
  Check check = impl_->check();
  return core::run_finish(*impl_, core::to_release(session, claim, options, check));
}

SettleResult Store::settle(const std::vector<SettleItem>& items, const SettleOptions& options) {
  Check check = impl_->check();
  Check::list(items.size(), kMaxBatchItems, {"items"});
  check.served(options.consumers, {"consumers"});
  core::SettleRequest request;
  request.is_settle = true;
  request.served = core::served_set(options.consumers);
  std::int64_t count = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    request.items.push_back(
        core::in_item(true, i, ": ", [&] { return core::to_request(items[i], check); }));
    count += std::ssize(items[i].events);
  }
  if (count > kMaxListEntries) core::refuse_argument("items", "bear more than 10000 events");
  core::refuse_repeated_cursors(request.items);
  if (options.claim) {
    const Field parent{"claim"};
    const Served& consumers =
        options.claim->consumers ? options.claim->consumers : options.consumers;
    request.claim = core::to_request(*options.claim, consumers, check, &parent);
  }
  return core::run_settle(*impl_, request);
}

ClaimReadyResult Store::claim_ready(const ClaimReadyOptions& options) {
  Check check = impl_->check();
  core::SettleRequest request;
  request.claim = core::to_request(options, options.consumers, check, nullptr);
  SettleResult result = core::run_settle(*impl_, request);
  return {std::move(*result.claims), result.next_at};
}

RedriveResult Store::redrive(std::string_view session, std::string_view consumer,
                             std::int64_t index, RedriveAction action,
                             const RedriveOptions& options) {
  Check check = impl_->check();
  check.name(session, {"session"});
  check.name(consumer, {"consumer"});
  Check::at_least(index, 1, {"index"});
  check.optional_name(options.lane, {"lane"});
  check.served(options.consumers, {"consumers"});
  const core::RedriveRequest request{std::string(session),
                                     std::string(consumer),
                                     index,
                                     options.lane,
                                     action,
                                     core::served_set(options.consumers)};
  IdPool ids(*impl_->options.ids);
  auto outcome = core::run_session<bool>(
      *impl_->backend, request.session, ids,
      [&](driver::SessionQuery& query) { core::plan_redrive(query, request); },
      [&](core::Workspace& space, driver::ReadBack& read) {
        read.pending.push_back({request.session, request.served.names});
        return core::decide_redrive(space, request);
      });
  return {outcome.answer, outcome.readings.pending[0]};
}

void Store::close() { impl_->backend->close(); }
Info Store::info() const { return impl_->backend->info(); }
Stats Store::stats() { return impl_->backend->stats(); }
Backend& Store::backend() { return *impl_->backend; }

}  // namespace pawl
