// complete: rows that are stored -> the outcome, and what is written.
#include "tests/support/table.h"

namespace pawl::core::testing {
namespace {

using Table = std::vector<Row<Settle>>;

const Claim kLane{"c", "k", 3, 1};
const Claim kLog{"c", "log", 3, 1};
const Claim kEvent{"c", {}, 3, 1};

// Five events. Lane k of c has its head 3 claimed by w, and 5 queued behind it.
World on_the_lane(const Cur& cursor) {
  return given(5).with(cursor).with(queued("c", "k", 3)).with(queued("c", "k", 5));
}
World on_the_lane() { return on_the_lane(on_lane("c", "k").at(3).held("w", 150)); }
World on_the_log() { return given(5).with(on_log("c").at(3).held("w", 150)); }
World on_the_event() { return given(5).with(on_event("c", 3).held("w", 150)); }

TEST(Complete, WhetherTheHeadIsThere) {
  World deleted = given(5, 2).with(on_log("c").at(1).held("w", 150).in_era(0));
  deleted.rows().row.deleted_index = 2;
  deleted.rows().row.deleted_era = 1;
  check(Table{
      {"complete.1: at the clear index", given(5, 3), complete(kLane), "superseded"},
      {"complete.1: below the clear index", given(5, 4), complete(kLane), "superseded"},
      {"complete.1: just above it", given(5, 2).with(on_lane("c", "k").at(3).held("w", 150)),
       complete(kLane),
       "completed [] | row finished_since=100 | put c/k era=1 pos=3 | "
       "work c/k#3 finished=100 completed=3/1[]"},
      {"complete.2: no cursor, an event", given(3), complete(kLane), "superseded"},
      {"complete.2: no cursor, no event", given(2), complete(kLane), "throws unknown_event"},
      {"complete.2: no event cursor, no event", given(2), complete(kEvent), "throws unknown_event"},
      {"complete.2: the session is unknown", World(), complete(kLane), "throws unknown_event"},
      {"complete.2: the cursor of an older era",
       given(5, 2).with(on_lane("c", "k").at(3).held("w", 150).in_era(0)), complete(kLane),
       "superseded"},
      {"complete.2: an event cursor's record is the cursor",
       given(2).with(completed("c", {}, 3, 90, 2)), complete(kEvent), "superseded"},
      {"complete.2: the log of a deleted life", deleted, complete({"c", "log", 6, 1}),
       "throws unknown_event"},
      {"complete.2: a cursor exists, the event does not", on_the_lane(), complete({"c", "k", 6, 1}),
       "superseded"},
      {"complete.1: before ids are compared", given(5, 3),
       complete(kLane, {event("x"), event("x")}), "superseded"},
  });
}

TEST(Complete, RefreshesTypesBeforeItIsSuperseded) {
  const std::vector<Consumer> narrow{reads("c", {{"u"}})};
  check(Table{
      {"complete.3: refreshed, though superseded from there on", on_the_log(),
       complete({"c", "log", 3, 2}, {}, narrow),
       "superseded | put c/log pos=2 head=3 due=150 tries=1 claimed=50..60 by=w types=[u]"},
      {"complete.3: not refreshed at the clear index", given(5, 3).with(on_log("c").pos(3)),
       complete(kLog, {}, narrow), "superseded"},
      {"complete.3: not refreshed without a cursor", given(5).with(on_log("c").pos(3)),
       complete(kLane, {}, narrow), "superseded"},
      {"complete.3: an id twice", on_the_lane(), complete(kLane, {event("x"), event("x")}),
       "throws partial_duplicate_batch"},
      {"complete.3: an id twice, of a later attempt", on_the_lane(),
       complete({"c", "k", 3, 9}, {event("x"), event("x")}), "throws partial_duplicate_batch"},
      {"structures.4: the new types hold from the next advance", on_the_log().typed(5, "u"),
       complete(kLog, {}, narrow),
       "completed [] | put c/log pos=3 head=5 since=100 types=[u] completed=3/1[]"},
      {"structures.4: a refresh of another log wakes nothing",
       on_the_lane().with(on_log("d").pos(1)), complete(kLane, {}, {reads("d", {{"t"}})}),
       "completed [] | row finished_since=100 | put c/k pos=3 head=5 since=100 | "
       "put d/log pos=1 types=[t] | work c/k#3 finished=100 completed=3/1[]"},
  });
}

TEST(Complete, AfterwardsRepeatsTheRecordedCompletion) {
  const Cause cause{"c", "k", 3, 1};
  const World lane = given(5)
                         .with(on_lane("c", "k").at(5).pos(3))
                         .with(completed("c", "k", 3, 90, 1, {"e4", "e5"}))
                         .event_of(4, cause)
                         .event_of(5, cause);
  const World log =
      given(5).with(on_log("c").pos(4).completed(3, 1, {"e4"})).event_of(4, {"c", "log", 3, 1});
  const World done =
      given(5).with(completed("c", {}, 3, 90, 1, {"e4"})).event_of(4, {"c", {}, 3, 1});
  check(Table{
      {"complete.4: a lane", lane, complete(kLane, {event("e4"), event("e5")}),
       "completed [4:e4 5:e5]"},
      {"complete.4: a log", log, complete(kLog, {event("e4")}), "completed [4:e4]"},
      {"complete.4: an event cursor", done, complete(kEvent, {event("e4")}), "completed [4:e4]"},
      {"complete.4: ids in another order", lane, complete(kLane, {event("e5"), event("e4")}),
       "throws partial_duplicate_batch"},
      {"complete.4: fewer ids", lane, complete(kLane, {event("e4")}),
       "throws partial_duplicate_batch"},
      {"complete.4: no ids", lane, complete(kLane), "throws partial_duplicate_batch"},
      {"complete.4: another attempt", lane, complete({"c", "k", 3, 2}, {event("e4"), event("e5")}),
       "superseded"},
      {"complete.4: another type", lane, complete(kLane, {event("e4", "u"), event("e5")}),
       "throws replay_mismatch"},
      {"complete.4: another payload", lane, complete(kLane, {event("e4"), event("e5", "t", "2")}),
       "throws replay_mismatch"},
      {"complete.4: an equal payload", lane,
       complete(kLane, {event("e4", "t", "1.0"), event("e5")}), "completed [4:e4 5:e5]"},
      {"complete.4: the events are of another cause", World(lane).event_of(5, {"c", "k", 3, 2}),
       complete(kLane, {event("e4"), event("e5")}), "superseded"},
      {"complete.4: an id is not stored",
       given(5).with(on_lane("c", "k").pos(3)).with(completed("c", "k", 3, 90, 1, {"x"})),
       complete(kLane, {event("x")}), "superseded"},
      {"complete.4: skipped",
       given(5).with(on_lane("c", "k").pos(3)).with(skipped("c", "k", 3, 90)), complete(kLane),
       "superseded"},
      {"prune.3: pruned", given(5).with(on_lane("c", "k").pos(3)), complete(kLane), "superseded"},
      {"complete.4: a log keeps the latest alone",
       given(5).with(on_log("c").pos(4).completed(4, 1)), complete(kLog), "superseded"},
      {"complete.4: the head has yet to come", given(5).with(on_lane("c", "k").at(2)),
       complete(kLane), "superseded"},
      {"clear.5: a cleared log has forgotten it",
       given(5, 4).with(on_log("c").pos(3).completed(3, 1).in_era(0)), complete({"c", "log", 5, 1}),
       "superseded"},
  });
}

TEST(Complete, AsksForTheCurrentClaim) {
  check(Table{
      {"complete.5: an earlier attempt",
       on_the_lane(on_lane("c", "k").at(3).tried(2).held("w", 150)), complete(kLane), "superseded"},
      {"complete.5: a later attempt", on_the_lane(), complete({"c", "k", 3, 2}), "superseded"},
      {"complete.5: no holder", on_the_lane(on_lane("c", "k").at(3).tried(1)), complete(kLane),
       "superseded"},
      {"complete.5: a dead letter", on_the_lane(on_lane("c", "k").at(3).dead(90)), complete(kLane),
       "superseded"},
      {"complete.5: an expired claim", on_the_lane(on_lane("c", "k").at(3).held("w", 100)),
       complete(kLane),
       "completed [] | row finished_since=100 | put c/k pos=3 head=5 since=100 | "
       "work c/k#3 finished=100 completed=3/1[]"},
      {"complete.6: an id is owned", on_the_lane(), complete(kLane, {event("x"), event("e1")}),
       "throws partial_duplicate_batch"},
      {"complete.5 before complete.6", on_the_lane(), complete({"c", "k", 3, 2}, {event("e1")}),
       "superseded"},
      {"complete.6: an id below the clear index is free",
       given(5, 2)
           .with(on_lane("c", "k").at(3).held("w", 150))
           .targeted(1, {{"c", "k"}, {"d", std::nullopt}}),
       complete(kLane, {event("e1")}),
       "completed [6:e1] | row last=6 finished_since=100 | erase 1:e1 t | unqueue c/k#1 | "
       "unqueue d#1 | append 6:e1 t 1 at=100 cause=c/k#3:1 | put c/k era=1 pos=3 | "
       "work c/k#3 finished=100 completed=3/1[e1]"},
      {"complete.6: that of the marker is owned",
       given(5, 2).with(on_lane("c", "k").at(3).held("w", 150)), complete(kLane, {event("m2")}),
       "throws partial_duplicate_batch"},
  });
}

TEST(Complete, Advances) {
  check(Table{
      {"advance.2: a lane to what is queued behind", on_the_lane(), complete(kLane),
       "completed [] | row finished_since=100 | put c/k pos=3 head=5 since=100 | "
       "work c/k#3 finished=100 completed=3/1[]"},
      {"advance.2: a lane with nothing behind",
       given(5).with(on_lane("c", "k").at(3).held("w", 150)).with(queued("c", "k", 3)),
       complete(kLane),
       "completed [] | row finished_since=100 | put c/k pos=3 | "
       "work c/k#3 finished=100 completed=3/1[]"},
      {"advance.2: an event cursor ends", on_the_event(), complete(kEvent),
       "completed [] | row finished_since=100 | drop c@3 | work c#3 finished=100 completed=3/1[]"},
      {"advance.2: a log to the next event", on_the_log(), complete(kLog),
       "completed [] | put c/log pos=3 head=4 since=100 types=* completed=3/1[]"},
      {"advance.2: a log of types passes over the others",
       given(5).with(on_log("c").takes({{"u"}}).at(3).held("w", 150)).typed(5, "u"), complete(kLog),
       "completed [] | put c/log pos=3 head=5 since=100 types=[u] completed=3/1[]"},
      {"advance.2: a log at the end", given(3).with(on_log("c").at(3).held("w", 150)),
       complete(kLog), "completed [] | put c/log pos=3 types=* completed=3/1[]"},
      {"advance.3: a fresh state",
       on_the_lane(on_lane("c", "k").at(3).failed(2, 40, 4).released(2).tried(5).held("w", 150)),
       complete({"c", "k", 3, 5}),
       "completed [] | row finished_since=100 | put c/k pos=3 head=5 since=100 | "
       "work c/k#3 finished=100 completed=3/5[]"},
      {"schedule.1: the next head's time is to come",
       given(5)
           .with(on_lane("c", "k").at(3).held("w", 150))
           .with(queued("c", "k", 3))
           .with(queued("c", "k", 5, 101)),
       complete(kLane),
       "completed [] | row finished_since=100 | put c/k pos=3 head=5 due=101 | "
       "work c/k#3 finished=100 completed=3/1[]"},
      {"schedule.1: the next head's time has come",
       given(5)
           .with(on_lane("c", "k").at(3).held("w", 150))
           .with(queued("c", "k", 3))
           .with(queued("c", "k", 5, 100)),
       complete(kLane),
       "completed [] | row finished_since=100 | put c/k pos=3 head=5 since=100 | "
       "work c/k#3 finished=100 completed=3/1[]"},
      {"note: an older record stays the oldest", on_the_event().with(completed("d", {}, 1, 70, 1)),
       complete(kEvent), "completed [] | drop c@3 | work c#3 finished=100 completed=3/1[]"},
      {"note: the clock has stepped back", on_the_event().with(completed("d", {}, 1, 200, 1)),
       complete(kEvent),
       "completed [] | row finished_since=100 | drop c@3 | work c#3 finished=100 completed=3/1[]"},
  });
}

TEST(Complete, AppendsFollowUpsBeforeItAdvances) {
  check(Table{
      {"complete.7: with this head and attempt as the cause", on_the_event(),
       complete(kEvent, {event("x", "u", "[2]")}),
       "completed [6:x] | row last=6 finished_since=100 | drop c@3 | "
       "append 6:x u [2] at=100 cause=c#3:1 | work c#3 finished=100 completed=3/1[x]"},
      {"complete.7: wakes a served log", on_the_event(),
       complete(kEvent, {event("x")}, {reads("d")}),
       "completed [6:x] | row last=6 finished_since=100 | drop c@3 | "
       "append 6:x t 1 at=100 cause=c#3:1 | put d/log pos=5 head=6 since=100 types=* | "
       "work c#3 finished=100 completed=3/1[x]"},
      {"advance.4: one on the same lane becomes its head",
       given(5).with(on_lane("c", "k").at(3).held("w", 150)).with(queued("c", "k", 3)),
       complete(kLane, {event_for("x", {{"c", "k"}})}),
       "completed [6:x] | row last=6 finished_since=100 | "
       "append 6:x t 1 at=100 cause=c/k#3:1 for=[c/k] | put c/k pos=3 head=6 since=100 | "
       "work c/k#6 | work c/k#3 finished=100 completed=3/1[x]"},
      {"advance.4: what is queued already goes first", on_the_lane(),
       complete(kLane, {event_for("x", {{"c", "k"}})}),
       "completed [6:x] | row last=6 finished_since=100 | "
       "append 6:x t 1 at=100 cause=c/k#3:1 for=[c/k] | put c/k pos=3 head=5 since=100 | "
       "work c/k#6 | work c/k#3 finished=100 completed=3/1[x]"},
      {"advance.4: the first of two", given(5).with(on_lane("c", "k").at(3).held("w", 150)),
       complete(kLane, {event_for("x", {{"c", "k", ms(300)}}), event_for("y", {{"c", "k"}})}),
       "completed [6:x 7:y] | row last=7 finished_since=100 | "
       "append 6:x t 1 at=100 cause=c/k#3:1 for=[c/k] | "
       "append 7:y t 1 at=100 cause=c/k#3:1 for=[c/k] | put c/k pos=3 head=6 due=300 | "
       "work c/k#6 available=300 | work c/k#7 | work c/k#3 finished=100 completed=3/1[x y]"},
      {"advance.4: one of the log's types becomes its head",
       given(3).with(on_log("c").takes({{"u"}}).at(3).held("w", 150)),
       complete(kLog, {event("x"), event("y", "u")}),
       "completed [4:x 5:y] | row last=5 | append 4:x t 1 at=100 cause=c/log#3:1 | "
       "append 5:y u 1 at=100 cause=c/log#3:1 | "
       "put c/log pos=3 head=5 since=100 types=[u] completed=3/1[x y]"},
      {"advance.4: by the types that are given",
       given(3).with(on_log("c").takes({{"u"}}).at(3).held("w", 150)),
       complete(kLog, {event("x"), event("y", "u")}, {reads("c", {{"t"}})}),
       "completed [4:x 5:y] | row last=5 | append 4:x t 1 at=100 cause=c/log#3:1 | "
       "append 5:y u 1 at=100 cause=c/log#3:1 | "
       "put c/log pos=3 head=4 since=100 types=[t] completed=3/1[x y]"},
      {"vocabulary.5: a follow-up for the lane of a log", on_the_log(),
       complete(kLog, {event_for("x", {{"c", "log"}})}),
       "throws invalid_argument events[0].targets[0].lane"},
  });
}

TEST(Complete, ReleasesPins) {
  const auto pinned = [](const Cur& cursor, driver::CursorKey key) {
    return given(5).with(cursor).with_snapshot("r", 2).with_snapshot("r", 4).with(
        {0, std::move(key), 3, "r", 2});
  };
  const Cur lane = on_lane("c", "k").at(3).held("w", 150);
  const driver::CursorKey key{"c", "k", 0};
  World shared = pinned(lane, key).with(on_event("d", 3)).with({0, {"d", {}, 3}, 3, "r", 2});
  check(Table{
      {"advance.1: history that nothing holds goes", pinned(lane, key), complete(kLane),
       "completed [] | row finished_since=100 | drop r@2 updated=20 | unpin c/k#3->r@2 | "
       "put c/k pos=3 | work c/k#3 finished=100 completed=3/1[]"},
      {"advance.1: history that another holds stays", shared, complete(kLane),
       "completed [] | row finished_since=100 | unpin c/k#3->r@2 | put c/k pos=3 | "
       "work c/k#3 finished=100 completed=3/1[] | put r@2 updated=20 pins=1"},
      {"advance.1: the newest stays",
       given(5).with(lane).with_snapshot("r", 2).with({0, key, 3, "r", 2}), complete(kLane),
       "completed [] | row finished_since=100 | unpin c/k#3->r@2 | put c/k pos=3 | "
       "work c/k#3 finished=100 completed=3/1[] | put r@2 updated=20"},
      {"advance.1: of a log, of several reducers",
       given(5)
           .with(on_log("c").at(3).held("w", 150))
           .with_snapshot("q", 1)
           .with_snapshot("q", 3)
           .with_snapshot("r", 3)
           .with({0, {"c", "log", 0}, 3, "q", 1})
           .with({0, {"c", "log", 0}, 3, "r", 3}),
       complete(kLog),
       "completed [] | drop q@1 updated=20 | unpin c/log#3->q@1 | unpin c/log#3->r@3 | "
       "put c/log pos=3 head=4 since=100 types=* completed=3/1[] | put r@3 updated=20"},
      {"advance.1: not of a superseded completion", pinned(lane, key), complete({"c", "k", 3, 2}),
       "superseded"},
  });
}

}  // namespace
}  // namespace pawl::core::testing
