// See verbs.h.
#include "tests/support/verbs.h"

#include "pawl/clock.h"
#include "tests/support/show.h"

namespace pawl::core::testing {
namespace {

std::string number(std::int64_t value) { return std::to_string(value); }

std::string show_events(const std::vector<driver::EventRow>& events) {
  std::string out;
  for (const driver::EventRow& event : events) {
    out += (out.empty() ? "" : " ") + number(event.index) + ":" + event.id;
  }
  return "[" + out + "]";
}

std::string show_refs(const std::vector<HeadRef>& refs) { return show_all<HeadRef>(refs, show); }

// Heads by name and attempt: c/k#3:1.
std::string show_taken(const std::vector<TakenHead>& taken, bool dead_lettered) {
  std::string out;
  for (const TakenHead& head : taken) {
    if (head.dead_lettered != dead_lettered) continue;
    const driver::CursorRow& row = head.row;
    out += (out.empty() ? "" : " ") + show(HeadRef{row.key.consumer, row.key.lane, row.head}) +
           ":" + number(row.attempt_count);
  }
  return "[" + out + "]";
}

std::string show_claims(const std::vector<TakenHead>& taken) {
  std::string out = show_taken(taken, false);
  if (const std::string dead = show_taken(taken, true); dead != "[]") out += " dead " + dead;
  return out;
}

std::string show_claim(const ClaimAnswer& answer) {
  if (!answer.taken.empty()) {
    return "claimed " + show_claims(answer.taken) + " last " + number(answer.last_index);
  }
  return answer.retry_at > 0 ? "busy " + number(answer.retry_at) : "settled";
}

std::string show_finish(const FinishAnswer& answer, SettleAction action) {
  const std::string count =
      action == SettleAction::kFail ? " " + number(answer.failure_count) : std::string();
  switch (answer.outcome) {
    case FinishOutcome::kCompleted:
      return "completed " + show_events(answer.events);
    case FinishOutcome::kFailed:
      return "failed" + count;
    case FinishOutcome::kDeadLettered:
      return "dead_lettered" + count;
    case FinishOutcome::kReleased:
      return "released";
    case FinishOutcome::kSuperseded:
      return "superseded" + count;
  }
  return "?";
}

std::string show_deleted(const DeletedResult& result) {
  return "deleted " + number(result.deleted) + (result.done ? " done" : "");
}

// Ids id-7, id-8, ..., the same for each decision that is made of an operation.
class Ids final : public IdSource {
 public:
  explicit Ids(std::int64_t first) : next_(first) {}
  std::string next() override { return "id-" + std::to_string(next_++); }
  IdPool& pool() { return pool_; }

 private:
  std::int64_t next_;
  IdPool pool_{*this};
};

AppendBatchRequest to_request(const std::vector<const Append*>& items, bool is_batch) {
  AppendBatchRequest request;
  request.is_batch = is_batch;
  for (const Append* item : items) {
    ServedSet served;
    if (!item->serves_all) served = serving(item->served);
    request.items.push_back({item->session, &item->events, served, item->origin_index});
  }
  return request;
}

driver::Effects decide_append(const AppendBatchRequest& request, const driver::Query& query,
                              driver::Facts&& facts, IdPool& ids, std::string& answer) {
  auto decision = decide_append_batch(request, query, std::move(facts), ids);
  std::vector<std::string> texts;
  for (const AppendAnswer& item : decision.answer) texts.push_back(show_events(item.events));
  answer = joined(texts, " ");
  return std::move(decision.effects);
}

}  // namespace

Decided decide(const World& world, const Operation& operation) {
  Decided decided;
  try {
    const driver::Query query = operation.plan();
    decided.effects = operation.decide(query, world.find(query), decided.answer);
  } catch (const Error& error) {
    decided.answer = "throws " + std::string(to_string(error.code()));
    if (error.code() == ErrorCode::kInvalidArgument) {
      const std::string what = error.what();
      decided.answer += " " + what.substr(0, what.find(' '));
    }
  }
  decided.written = show(decided.effects, world);
  return decided;
}

std::string show(const driver::Effects& effects, const World& world) {
  std::vector<std::string> parts;
  for (const driver::SessionEffects& session : effects.sessions) {
    const auto found = world.sessions.find(session.session);
    const std::string text =
        show(session, found == world.sessions.end() ? driver::SessionRow() : found->second.row);
    if (text.empty()) continue;
    parts.push_back((session.session == "s" ? "" : session.session + ": ") + text);
  }
  for (const auto& row : effects.presence.drop) {
    parts.push_back("drop " + row.name_space + ":" + row.row.participant + "." + row.row.field);
  }
  for (const auto& row : effects.presence.put) {
    parts.push_back("put " + row.name_space + ":" + show(row.row));
  }
  return joined(parts, " | ");
}

ServedSet serving(const std::vector<Consumer>& consumers) {
  return served_set(std::span<const Consumer>(consumers));
}

ClaimRequest claiming(std::int64_t limit) {
  ClaimRequest request;
  request.session = "s";
  request.lease = {"w", 50, 0};
  request.limit = limit;
  return request;
}

ClaimRequest claiming(const std::vector<Consumer>& served, std::int64_t limit) {
  ClaimRequest request = claiming(limit);
  request.served = serving(served);
  return request;
}

// ---- append

driver::Query Append::plan() const {
  return plan_append_batch(to_request({this}, false), Ids(first_id).pool());
}

driver::Effects Append::decide(const driver::Query& query, driver::Facts&& facts,
                               std::string& answer) const {
  Ids ids(first_id);
  return decide_append(to_request({this}, false), query, std::move(facts), ids.pool(), answer);
}

driver::Query AppendBatch::plan() const {
  std::vector<const Append*> all;
  for (const Append& item : items) all.push_back(&item);
  return plan_append_batch(to_request(all, true), Ids(first_id).pool());
}

driver::Effects AppendBatch::decide(const driver::Query& query, driver::Facts&& facts,
                                    std::string& answer) const {
  std::vector<const Append*> all;
  for (const Append& item : items) all.push_back(&item);
  Ids ids(first_id);
  return decide_append(to_request(all, true), query, std::move(facts), ids.pool(), answer);
}

// ---- on one session

driver::Query OnSession::plan() const {
  driver::Query query;
  query.sessions.resize(1);
  query.sessions[0].session = session;
  plan(query.sessions[0]);
  merge_cursors(query.sessions[0]);
  return query;
}

driver::Effects OnSession::decide(const driver::Query& query, driver::Facts&& facts,
                                  std::string& answer) const {
  Workspace space(std::move(facts.sessions[0]), query.sessions[0].cursors, facts.now);
  answer = decide(space);
  driver::Effects effects;
  effects.sessions.push_back(space.take());
  return effects;
}

void WakeLog::plan(driver::SessionQuery& query) const {
  plan_wake_log(query, served_log(consumer));
}

std::string WakeLog::decide(Workspace& space) const {
  return show(decide_wake_log(space, served_log(consumer)));
}

void ClaimHeads::plan(driver::SessionQuery& query) const { plan_claim(query, request); }
std::string ClaimHeads::decide(Workspace& space) const {
  return show_claim(decide_claim(space, request));
}

void Renew::plan(driver::SessionQuery& query) const { plan_renew(query, request); }
std::string Renew::decide(Workspace& space) const {
  const RenewAnswer answer = decide_renew(space, request);
  return "renewed " + show_refs(answer.renewed) + " superseded " + show_refs(answer.superseded);
}

// ---- settle

SettleRequest Settle::request() const {
  SettleRequest request;
  request.is_settle = is_settle;
  request.served = serving(served);
  request.claim = claim;
  for (const Item& item : items) {
    FinishRequest& finish = request.items.emplace_back();
    finish.session = item.session;
    finish.claim = item.claim;
    finish.action = item.action;
    finish.events = &item.events;
    finish.error = "boom";
    finish.max_failures = item.max_failures;
    finish.delay_ms = item.delay_ms;
  }
  return request;
}

driver::Query Settle::plan() const { return plan_settle(request(), Ids(first_id).pool()); }

driver::Effects Settle::decide(const driver::Query& query, driver::Facts&& facts,
                               std::string& answer) const {
  auto decision = decide_settle(request(), query, std::move(facts));
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < items.size(); ++i) {
    texts.push_back(show_finish(decision.answer.results[i], items[i].action));
  }
  if (claim) {
    for (const SessionTaken& taken : decision.answer.claimed.claims) {
      texts.push_back(taken.session + " " + show_claims(taken.answer.taken));
    }
    if (decision.answer.claimed.claims.empty()) texts.emplace_back("nothing");
  }
  answer = joined(texts, ", ");
  return std::move(decision.effects);
}

Settle complete(Claim claim, std::vector<NewEvent> events, std::vector<Consumer> served) {
  Settle settle;
  settle.is_settle = false;
  settle.items.push_back({std::move(claim), SettleAction::kComplete, std::move(events)});
  settle.served = std::move(served);
  return settle;
}

Settle fail(Claim claim, std::int64_t max_failures, std::optional<std::int64_t> retry_after) {
  Settle settle;
  settle.is_settle = false;
  settle.items.push_back({std::move(claim), SettleAction::kFail, {}, max_failures, retry_after});
  return settle;
}

Settle release(Claim claim, std::optional<std::int64_t> delay) {
  Settle settle;
  settle.is_settle = false;
  settle.items.push_back({std::move(claim), SettleAction::kRelease, {}, 0, delay});
  return settle;
}

Settle claim_ready(ClaimReadyRequest request) {
  Settle settle;
  settle.is_settle = false;
  settle.claim = std::move(request);
  return settle;
}

// ---- the rest

void Redrive::plan(driver::SessionQuery& query) const { plan_redrive(query, request); }
std::string Redrive::decide(Workspace& space) const {
  return decide_redrive(space, request) ? "redriven" : "not redriven";
}

PutSnapshotsRequest PutSnapshots::request() const {
  PutSnapshotsRequest request{session, reducer, {}, writes.data()};
  for (const SnapshotWrite& write : writes) request.writes.push_back(&write);
  return request;
}

void PutSnapshots::plan(driver::SessionQuery& query) const { plan_put_snapshots(query, request()); }

std::string PutSnapshots::decide(Workspace& space) const {
  decide_put_snapshots(space, request());
  return "ok";
}

void Clear::plan(driver::SessionQuery& query) const {
  plan_clear(query, request, Ids(first_id).pool());
}

std::string Clear::decide(Workspace& space) const {
  Ids ids(first_id);
  const ClearResult result = decide_clear(space, request, ids.pool());
  return std::string(result.cleared ? "cleared" : "not cleared") + " " + number(result.index) +
         " " + number(result.clear_index);
}

void Reclaim::plan(driver::SessionQuery& query) const { plan_reclaim(query, {session, limit}); }
std::string Reclaim::decide(Workspace& space) const {
  return show_deleted(decide_reclaim(space, {session, limit}));
}

void DeleteSession::plan(driver::SessionQuery& query) const {
  plan_delete_session(query, {session, limit, only_go_on}, Ids(first_id).pool());
}
std::string DeleteSession::decide(Workspace& space) const {
  Ids ids(first_id);
  return show_deleted(decide_delete_session(space, {session, limit, only_go_on}, ids.pool()));
}

void Prune::plan(driver::SessionQuery& query) const {
  plan_prune(query, {session, finished_before, limit});
}
std::string Prune::decide(Workspace& space) const {
  return show_deleted(decide_prune(space, {session, finished_before, limit}));
}

void DeleteConsumer::plan(driver::SessionQuery& query) const {
  plan_delete_consumer(query, {session, consumer, limit});
}
std::string DeleteConsumer::decide(Workspace& space) const {
  return show_deleted(decide_delete_consumer(space, {session, consumer, limit}));
}

SetPresence::SetPresence(std::vector<PresenceField> given, std::int64_t at, std::int64_t ttl_ms,
                         std::optional<std::int64_t> seen)
    : request{"n", "p", nullptr, at, ttl_ms, seen}, fields(std::move(given)) {}

driver::Query SetPresence::plan() const {
  SetPresenceRequest asked = request;
  asked.fields = &fields;
  return plan_set_presence(asked);
}

driver::Effects SetPresence::decide(const driver::Query&, driver::Facts&& facts,
                                    std::string& answer) const {
  SetPresenceRequest asked = request;
  asked.fields = &fields;
  answer = "ok";
  return decide_set_presence(asked, std::move(facts));
}

}  // namespace pawl::core::testing
