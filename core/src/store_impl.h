// store_impl.h: what the parts of Store share: running a decision on the backend, and
// turning rows into answers.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check.h"
#include "decide/append.h"
#include "decide/claim.h"
#include "decide/decision.h"
#include "decide/workspace.h"
#include "pawl/backend.h"
#include "pawl/store.h"

namespace pawl {

struct Store::Impl {
  std::unique_ptr<Backend> backend;
  StoreOptions options;

  core::Check check() const { return core::Check(options); }
};

namespace core {

inline std::int64_t to_ms(Time time) { return time.time_since_epoch().count(); }
inline Time to_time(std::int64_t ms) { return Time(Duration(ms)); }
inline std::optional<Time> to_optional_time(std::int64_t ms) {
  return ms == 0 ? std::nullopt : std::optional(to_time(ms));
}

Event to_event(std::string_view session, driver::EventRow&& row);
std::vector<Event> to_events(std::string_view session, std::vector<driver::EventRow>&& rows);
Cursor to_cursor(driver::CursorRow&& row);
Head to_head(std::string_view session, std::int64_t clear_index, driver::CursorRow&& row,
             driver::EventRow&& event);

template <class Answer>
struct Outcome {
  Answer answer;
  driver::Readings readings;
};

// Plans, and decides on what the backend loads, until that is committed. `plan` is
// () -> Query, `decide` is (const Query&, Facts&&) -> Decision<Answer>. A generated id that
// turns out to be taken is looked up in the next round, since plans ask for the ids drawn.
template <class Answer, class Plan, class Decide>
Outcome<Answer> run(Backend& backend, const IdPool& ids, const Plan& plan, const Decide& decide) {
  while (true) {
    const driver::Query query = plan();
    const std::size_t looked_up = ids.drawn().size();
    Outcome<Answer> outcome;
    try {
      outcome.readings = backend.transact(query, [&](driver::Facts&& facts) {
        Decision<Answer> decision = decide(query, std::move(facts));
        outcome.answer = std::move(decision.answer);
        return std::move(decision.effects);
      });
      return outcome;
    } catch (const IdTaken&) {
      if (ids.drawn().size() == looked_up) {
        refuse(ErrorCode::kCorrupt, "an event id is stored but cannot be found");
      }
    }
  }
}

// The same for an operation on one session: `plan` is (SessionQuery&), `decide` is
// (Workspace&, ReadBack&) -> Answer.
template <class Answer, class Plan, class Decide>
Outcome<Answer> run_session(Backend& backend, const std::string& session, IdPool& ids,
                            const Plan& plan, const Decide& decide) {
  return run<Answer>(
      backend, ids,
      [&] {
        driver::Query query;
        query.sessions.resize(1);
        query.sessions[0].session = session;
        plan(query.sessions[0]);
        merge_cursors(query.sessions[0]);
        return query;
      },
      [&](const driver::Query& query, driver::Facts&& facts) {
        ids.rewind();
        Workspace space(std::move(facts.sessions[0]), query.sessions[0].cursors, facts.now);
        Decision<Answer> decision;
        decision.answer = decide(space, decision.effects.read);
        decision.effects.sessions.push_back(space.take());
        return decision;
      });
}

// Runs `attempt` again with a lower limit while its answer is longer than one may be.
template <class Attempt>
auto until_it_fits(std::int64_t& limit, const Attempt& attempt) {
  while (true) {
    try {
      return attempt();
    } catch (const AnswerTooLarge& too_large) {
      limit = too_large.fits;
    }
  }
}

}  // namespace core
}  // namespace pawl
