// store_upkeep.cc: snapshots, presence, clearing and deleting.
#include <algorithm>
#include <set>

#include "decide/clear.h"
#include "decide/presence.h"
#include "decide/snapshot.h"
#include "store_impl.h"

namespace pawl {

using core::Check;
using core::Field;
using core::IdPool;

namespace core {
namespace {

// An operation on one session whose answer needs nothing read back.
template <class Answer, class Plan, class Decide>
Answer change_session(Store::Impl& impl, const std::string& session, const Plan& plan,
                      const Decide& decide) {
  IdPool ids(*impl.options.ids);
  return run_session<Answer>(
             *impl.backend, session, ids, [&](driver::SessionQuery& query) { plan(query, ids); },
             [&](Workspace& space, driver::ReadBack&) { return decide(space, ids); })
      .answer;
}

// One step of upkeep: what it answers, and how many rows went, of whatever kind.
struct Step {
  DeletedResult result;
  std::int64_t rows = 0;
};

template <class Plan, class Decide>
Step take_step(Store::Impl& impl, const std::string& session, const Plan& plan,
               const Decide& decide) {
  return change_session<Step>(impl, session, plan, [&](Workspace& space, IdPool& ids) {
    Step step{decide(space, ids)};
    const driver::SessionEffects& effects = space.effects();
    step.rows = std::ssize(effects.erase) + std::ssize(effects.drop) +
                std::ssize(effects.drop_work) + std::ssize(effects.drop_snapshots) +
                std::ssize(effects.drop_pins);
    return step;
  });
}

Step delete_session(Store::Impl& impl, const DeleteSessionRequest& request) {
  return take_step(
      impl, request.session,
      [&](driver::SessionQuery& query, const IdPool& ids) {
        plan_delete_session(query, request, ids);
      },
      [&](Workspace& space, IdPool& ids) { return decide_delete_session(space, request, ids); });
}

Step reclaim(Store::Impl& impl, const ReclaimRequest& request) {
  return take_step(
      impl, request.session,
      [&](driver::SessionQuery& query, const IdPool&) { plan_reclaim(query, request); },
      [&](Workspace& space, IdPool&) { return decide_reclaim(space, request); });
}

Step prune(Store::Impl& impl, const PruneRequest& request) {
  return take_step(
      impl, request.session,
      [&](driver::SessionQuery& query, const IdPool&) { plan_prune(query, request); },
      [&](Workspace& space, IdPool&) { return decide_prune(space, request); });
}

// Deletes at most `limit` expired rows of a namespace.
Step sweep_presence(Backend& backend, const std::string& name_space, std::int64_t limit) {
  driver::Query query;
  query.presence.emplace();
  query.presence->name_space = name_space;
  query.presence->expired = limit + 1;
  DeletedResult result;
  backend.transact(query, [&](driver::Facts&& facts) {
    driver::Effects effects;
    std::vector<driver::PresenceRow>& expired = facts.presence.expired;
    result.done = std::ssize(expired) <= limit;
    result.deleted = std::min<std::int64_t>(limit, std::ssize(expired));
    for (std::int64_t i = 0; i < result.deleted; ++i) {
      effects.presence.drop.push_back({name_space, std::move(expired[i])});
    }
    return effects;
  });
  return {result, result.deleted};
}

}  // namespace
}  // namespace core

void Store::put_snapshots(std::string_view session, std::string_view reducer,
                          const std::vector<SnapshotWrite>& writes) {
  Check check = impl_->check();
  check.name(session, {"session"});
  check.name(reducer, {"reducer"});
  Check::list(writes.size(), kMaxListEntries, {"writes"});
  core::PutSnapshotsRequest request{std::string(session), std::string(reducer), {}, writes.data()};
  std::size_t pins = 0;
  for (std::size_t i = 0; i < writes.size(); ++i) {
    const SnapshotWrite& write = writes[i];
    const Field field = Field{"writes"}[i];
    Check::at_least(write.index, 1, field.at("index"));
    check.json(write.state, field.at("state"));
    Check::list(pins += write.pins.size(), kMaxListEntries, field.at("pins"));
    const Field pin_list = field.at("pins");
    for (std::size_t j = 0; j < write.pins.size(); ++j) {
      const HeadRef& pin = write.pins[j];
      check.head_ref(pin.consumer, pin.lane, pin.index, pin_list[j]);
    }
    request.writes.push_back(&write);
  }
  std::stable_sort(
      request.writes.begin(), request.writes.end(),
      [](const SnapshotWrite* a, const SnapshotWrite* b) { return a->index < b->index; });
  core::change_session<bool>(
      *impl_, request.session,
      [&](driver::SessionQuery& query, const IdPool&) { core::plan_put_snapshots(query, request); },
      [&](core::Workspace& space, IdPool&) {
        core::decide_put_snapshots(space, request);
        return true;
      });
}

void Store::set_presence(std::string_view name_space, std::string_view participant,
                         const std::vector<PresenceField>& fields, const PresenceOptions& options) {
  Check check = impl_->check();
  check.name(name_space, {"namespace"});
  check.name(participant, {"participant"});
  Check::list(fields.size(), kMaxListEntries, {"fields"});
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const Field field = Field{"fields"}[i];
    check.name(fields[i].field, field.at("field"));
    if (fields[i].value) check.json(*fields[i].value, field.at("value"));
    if (!seen.insert(fields[i].field).second) {
      core::refuse_argument(field.at("field").text(), "stands twice in the list");
    }
  }
  const core::SetPresenceRequest request{std::string(name_space),
                                         std::string(participant),
                                         &fields,
                                         Check::time(options.at, {"at"}),
                                         Check::duration(options.ttl, {"ttl_ms"}),
                                         options.seen};
  impl_->backend->transact(core::plan_set_presence(request), [&](driver::Facts&& facts) {
    return core::decide_set_presence(request, std::move(facts));
  });
}

DeletedResult Store::reclaim_presence(std::string_view name_space, std::int64_t limit) {
  Check check = impl_->check();
  check.name(name_space, {"namespace"});
  Check::limit(limit, {"limit"});
  return core::sweep_presence(*impl_->backend, std::string(name_space), limit).result;
}

ClearResult Store::clear(std::string_view session, const ClearOptions& options) {
  Check check = impl_->check();
  check.name(session, {"session"});
  if (options.cause) check.cause(*options.cause, {"cause"});
  if (options.if_last_index) Check::at_least(*options.if_last_index, 0, {"if_last_index"});
  const core::ClearRequest request{std::string(session), options.cause, options.if_last_index};
  return core::change_session<ClearResult>(
      *impl_, request.session,
      [&](driver::SessionQuery& query, const IdPool& ids) {
        core::plan_clear(query, request, ids);
      },
      [&](core::Workspace& space, IdPool& ids) { return core::decide_clear(space, request, ids); });
}

DeletedResult Store::reclaim(std::string_view session, std::int64_t limit) {
  Check check = impl_->check();
  check.name(session, {"session"});
  Check::limit(limit, {"limit"});
  return core::reclaim(*impl_, {std::string(session), limit}).result;
}

DeletedResult Store::prune(std::string_view session, Time finished_before, std::int64_t limit) {
  Check check = impl_->check();
  check.name(session, {"session"});
  Check::limit(limit, {"limit"});
  const std::int64_t before = Check::time(finished_before, {"finished_before"});
  return core::prune(*impl_, {std::string(session), before, limit}).result;
}

DeletedResult Store::delete_session(std::string_view session, std::int64_t limit) {
  Check check = impl_->check();
  check.name(session, {"session"});
  Check::limit(limit, {"limit"});
  return core::delete_session(*impl_, {std::string(session), limit, false}).result;
}

DeletedResult Store::delete_consumer(std::string_view session, std::string_view consumer,
                                     std::int64_t limit) {
  Check check = impl_->check();
  check.name(session, {"session"});
  check.name(consumer, {"consumer"});
  Check::limit(limit, {"limit"});
  const core::DeleteConsumerRequest request{std::string(session), std::string(consumer), limit};
  return core::change_session<DeletedResult>(
      *impl_, request.session,
      [&](driver::SessionQuery& query, const IdPool&) {
        core::plan_delete_consumer(query, request);
      },
      [&](core::Workspace& space, IdPool&) {
        return core::decide_delete_consumer(space, request);
      });
}

namespace {

// The share of a limit that is left, and what has been done with the rest.
struct Budget {
  std::int64_t left;
  DeletedResult total{0, true};

  // Whether there is something left for one more step.
  bool allows() {
    if (left <= 0) total.done = false;
    return left > 0;
  }
  void spend(const core::Step& step) {
    total.deleted += step.result.deleted;
    left -= std::max<std::int64_t>(step.rows, 1);
    if (!step.result.done) total.done = false;
  }
};

}  // namespace

DeletedResult Store::maintain(const MaintainOptions& options) {
  Check::limit(options.limit, {"limit"});
  driver::Query query;
  query.upkeep = driver::UpkeepQuery{options.limit + 1, 0};
  if (options.finished_before) {
    query.upkeep->finished_before = Check::time(*options.finished_before, {"finished_before"});
  }
  const driver::UpkeepFacts found = impl_->backend->look(query).upkeep;
  Budget budget{options.limit};
  for (const auto& [session, row] : found.superseded) {
    if (!budget.allows()) return budget.total;
    budget.spend(row.deleting ? core::delete_session(*impl_, {session, budget.left, true})
                              : core::reclaim(*impl_, {session, budget.left}));
    // What was deleted may lie below a later clear.
    if (row.deleting && row.clear_index > row.deleted_index) budget.total.done = false;
  }
  for (const std::string& session : found.finished) {
    if (!budget.allows()) return budget.total;
    budget.spend(core::prune(*impl_, {session, query.upkeep->finished_before, budget.left}));
  }
  std::set<std::string> swept;
  for (const auto& [name_space, row] : found.expired) {
    if (!swept.insert(name_space).second) continue;
    if (!budget.allows()) return budget.total;
    budget.spend(core::sweep_presence(*impl_->backend, name_space, budget.left));
  }
  if (std::ssize(found.superseded) > options.limit || std::ssize(found.finished) > options.limit ||
      std::ssize(found.expired) > options.limit) {
    budget.total.done = false;
  }
  return budget.total;
}

}  // namespace pawl
