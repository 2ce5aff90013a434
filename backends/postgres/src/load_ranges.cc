// Pages and batches of one session: events, listings, finished work, what a consumer has, what is
// superseded.
#include <algorithm>

#include "loader.h"
#include "rows.h"

namespace pawl::postgres {
namespace {

using driver::kNever;

}  // namespace

void Loader::send_events(std::size_t at) {
  const driver::SessionQuery& session = query_.sessions[at];
  const driver::EventRange& range = *session.events;
  const driver::SnapshotQuery* snapshot =
      range.after_snapshot && !session.snapshots.empty() ? &session.snapshots.front() : nullptr;
  Params params;
  params.text(session.session)
      .number(std::min(range.after, kNever - 1))
      .flag(range.after_snapshot)
      .maybe_text(snapshot ? std::optional(snapshot->reducer) : std::nullopt)
      .number(snapshot ? snapshot->through.value_or(0) : 0)
      .number(range.through)
      .number(range.limit)
      .number(range.max_bytes);
  if (range.types) params.array(texts_of(*range.types));
  const bool dense = !range.types;  // from the lowest visible index on there are no gaps
  connection_.send(dense ? Sql::kEvents : Sql::kEventsOfTypes, params,
                   [this, at, dense](const Row& row) {
                     std::vector<driver::EventRow>& events = facts_.sessions[at].events;
                     events.push_back(read_event(row, 0));
                     if (dense && events.size() > 1 &&
                         events.back().index != events[events.size() - 2].index + 1) {
                       throw_corrupt("a missing event");
                     }
                   });
}

void Loader::send_lists(std::size_t at) {
  const driver::SessionQuery& session = query_.sessions[at];
  if (session.list_cursors) {
    const driver::HeadPage& page = *session.list_cursors;
    const HeadRef after = page.after.value_or(HeadRef{});
    connection_.send(
        Sql::kListCursors,
        Params()
            .text(session.session)
            .text(after.consumer)
            .number(after.lane ? 0 : after.index)
            .text(lane_column(after.lane))
            .number(page.limit),
        [this, at](const Row& row) { facts_.sessions[at].list.push_back(read_cursor(row, 0)); });
  }
  if (session.list_dead) {
    const driver::HeadPage& page = *session.list_dead;
    const HeadRef after = page.after.value_or(HeadRef{});
    connection_.send(Sql::kListDead,
                     Params()
                         .text(session.session)
                         .number(after.index)
                         .text(after.consumer)
                         .number(after.lane ? 0 : after.index)
                         .text(lane_column(after.lane))
                         .number(page.limit)
                         .number(page.max_bytes),
                     [this, at](const Row& row) {
                       facts_.sessions[at].list.push_back(read_cursor(row, 0));
                       facts_.sessions[at].list_events.push_back(read_event(row, kCursorColumns));
                     });
  }
}

void Loader::send_finished(std::size_t at) {
  const std::string& session = query_.sessions[at].session;
  const driver::FinishedQuery& query = *query_.sessions[at].finished;
  connection_.send(Sql::kFinishedWork, Params().text(session).number(query.limit + 1),
                   [this, at, &query](const Row& row) {
                     driver::FinishedFacts& facts = facts_.sessions[at].finished;
                     if (facts.next_finished_at > 0) return;
                     driver::WorkRow work = read_work(row, 0);
                     if (work.finished_at < query.before && std::ssize(facts.rows) < query.limit) {
                       facts.rows.push_back(std::move(work));
                     } else {
                       facts.next_finished_at = work.finished_at;
                     }
                   });
  connection_.send(Sql::kFinishedLanes,
                   Params().text(session).number(query.limit).number(query.before),
                   [this, at](const Row& row) {
                     driver::FinishedLane& lane = facts_.sessions[at].finished.lanes.emplace_back();
                     lane.row = read_maybe_cursor(row, 0);
                     lane.lane = {row.text(kCursorColumns), row.text(kCursorColumns + 1), 0};
                     lane.entries = row.numbers(kCursorColumns + 2);
                   });
}

void Loader::send_of_consumer(std::size_t at) {
  const std::string& session = query_.sessions[at].session;
  const driver::OfConsumerQuery& query = *query_.sessions[at].of_consumer;
  connection_.send(
      Sql::kLogsOfConsumer, Params().text(session).text(query.consumer),
      [this, at](const Row& row) { add_with_pins(row, 0, facts_.sessions[at].of_consumer.logs); });
  connection_.send(Sql::kCursorsOfConsumer,
                   Params().text(session).text(query.consumer).number(query.limit + 1),
                   [this, at](const Row& row) {
                     add_with_pins(row, 0, facts_.sessions[at].of_consumer.cursors);
                   });
  connection_.send(Sql::kWorkOfConsumer,
                   Params().text(session).text(query.consumer).number(query.limit + 1),
                   [this, at](const Row& row) {
                     facts_.sessions[at].of_consumer.work.push_back(read_work(row, 0));
                   });
}

void Loader::send_superseded(std::size_t at) {
  const driver::SupersededQuery& query = *query_.sessions[at].superseded;
  Params params;
  params.text(query_.sessions[at].session).flag(query.whole_life).number(query.limit);
  const auto facts = [this, at]() -> driver::SupersededFacts& {
    return facts_.sessions[at].superseded;
  };
  connection_.send(Sql::kSupersededEvents, params,
                   [facts](const Row& row) { facts().events.push_back(read_event_key(row)); });
  connection_.send(Sql::kSupersededEventCursors, params, [facts](const Row& row) {
    facts().event_cursors.push_back(read_cursor(row, 0));
  });
  // Other rows come when the events are at their end, `limit` of them in all.
  const auto wanted = [facts, limit = query.limit] {
    const driver::SupersededFacts& f = facts();
    return std::ssize(f.events) < limit &&
           std::ssize(f.cursors) + std::ssize(f.snapshots) + std::ssize(f.pins) < limit;
  };
  connection_.send(Sql::kSupersededCursors, params, [facts, wanted](const Row& row) {
    if (wanted()) facts().cursors.push_back(read_cursor(row, 0));
  });
  connection_.send(Sql::kSupersededSnapshots, params, [facts, wanted](const Row& row) {
    if (wanted()) facts().snapshots.push_back(read_snapshot(row, 0, false));
  });
  connection_.send(Sql::kSupersededPins, params, [facts, wanted](const Row& row) {
    if (wanted()) facts().pins.push_back(read_pin(row));
  });
}

}  // namespace pawl::postgres
