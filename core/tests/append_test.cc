// append and append_batch: rows that are stored -> the events, and what is written.
#include "tests/support/table.h"

namespace pawl::core::testing {
namespace {

using Table = std::vector<Row<Append>>;

TEST(Append, GivesIndexesTimesAndIds) {
  check(Table{
      {"append.1: no events", given(5), Append({}, {reads("c")}), "[]"},
      {"append.1: no events, an origin that was cleared", given(5, 3), Append({}, {}, 1), "[]"},
      {"append.6: a new session", World(), Append({event("x"), event("y", "u", "[1]")}),
       "[1:x 2:y] | row last=2 | append 1:x t 1 at=100 | append 2:y u [1] at=100"},
      {"append.6: after the last index", given(5).at(777), Append({event("x")}),
       "[6:x] | row last=6 | append 6:x t 1 at=777"},
      {"append.6: ids are generated", given(5), Append({event({}), event("x"), event({})}),
       "[6:id-1 7:x 8:id-2] | row last=8 | append 6:id-1 t 1 at=100 | append 7:x t 1 at=100 | "
       "append 8:id-2 t 1 at=100"},
      {"append.6: a generated id that the batch bears is passed over", given(5),
       Append({event({}), event("id-1")}),
       "[6:id-2 7:id-1] | row last=7 | append 6:id-2 t 1 at=100 | append 7:id-1 t 1 at=100"},
      {"append.6: after a clear", given(5, 5), Append({event("x")}),
       "[6:x] | row last=6 | append 6:x t 1 at=100"},
  });
}

TEST(Append, RepeatsWhatIsStored) {
  const World world = given(3).with(on_log("d").pos(3));
  World cleared = given(5, 3).targeted(2, {{"c", "k"}, {"d", std::nullopt}});
  World deleted = cleared;
  deleted.rows().row.deleted_index = 3;
  check(Table{
      {"append.2: an id twice", world, Append({event("x"), event("x")}),
       "throws partial_duplicate_batch"},
      {"append.2: before a replay is looked for", world, Append({event("e1"), event("e1")}),
       "throws partial_duplicate_batch"},
      {"append.3: a replay", world, Append({event("e2")}), "[2:e2]"},
      {"append.3: in the order of the call", world, Append({event("e3"), event("e1")}),
       "[3:e3 1:e1]"},
      {"append.3: queues and wakes nothing", world,
       Append({event_for("e2", {{"c", "k"}, {"c"}})}, {reads("d", {}, true), reads("e", {}, true)}),
       "[2:e2]"},
      {"append.3: another type", world, Append({event("e2", "u")}), "throws replay_mismatch"},
      {"append.3: another payload", world, Append({event("e2", "t", "2")}),
       "throws replay_mismatch"},
      {"append.3: an equal payload", world, Append({event("e2", "t", " 1.0 ")}), "[2:e2]"},
      {"append.3: the second differs", world, Append({event("e1"), event("e2", "u")}),
       "throws replay_mismatch"},
      {"append.3: some of the ids", world, Append({event("e2"), event("x")}),
       "throws partial_duplicate_batch"},
      {"append.3: an event without an id", world, Append({event("e2"), event({})}),
       "throws partial_duplicate_batch"},
      {"append.3: before step 4", given(5, 3), Append({event("e4")}, {}, 1), "[4:e4]"},
      {"append.3: before step 5", world, Append({caused("e2", {"c", "k", 1, 1})}), "[2:e2]"},
      {"append.3: an id below the clear index is free", cleared, Append({event("e2")}),
       "[6:e2] | row last=6 | erase 2:e2 t | unqueue c/k#2 | unqueue d#2 | append 6:e2 t 1 at=100"},
      {"append.3: that of the marker is not", cleared, Append({event("m3")}),
       "throws replay_mismatch"},
      {"append.3: free beside one that is owned", cleared, Append({event("e2"), event("e4")}),
       "throws partial_duplicate_batch"},
      {"delete_session.3: that of a noted marker is free", deleted, Append({event("m3")}),
       "[6:m3] | row last=6 | erase 3:m3 pawl.clear | append 6:m3 t 1 at=100"},
  });
}

TEST(Append, RefusesWhatComesFromClearedOrSupersededWork) {
  const World world = given(5, 2)
                          .with(on_lane("c", "k").at(3).tried(2))
                          .with(on_lane("c", "dead").at(3).dead(90))
                          .with(on_lane("c", "old").at(2).tried(1).in_era(0))
                          .with(on_event("c", 4).held("w", 90));
  const char* const done = "[6:x] | row last=6 | append 6:x t 1 at=100 cause=c/k#3:2";
  check(Table{
      {"append.4: at the clear index", world, Append({event("x")}, {}, 2),
       "throws session_cleared"},
      {"append.4: below it", world, Append({event("x")}, {}, 1), "throws session_cleared"},
      {"append.4: above it", world, Append({event("x")}, {}, 3),
       "[6:x] | row last=6 | append 6:x t 1 at=100"},
      {"append.4: above the last index", world, Append({event("x")}, {}, 9),
       "[6:x] | row last=6 | append 6:x t 1 at=100"},
      {"append.5: the current attempt, without a holder", world,
       Append({caused("x", {"c", "k", 3, 2})}), done},
      {"append.5: an expired claim", world, Append({caused("x", {"c", {}, 4, 1})}),
       "[6:x] | row last=6 | append 6:x t 1 at=100 cause=c#4:1"},
      {"append.5: the batch size is carried", world, Append({caused("x", {"c", "k", 3, 2, 7})}),
       "[6:x] | row last=6 | append 6:x t 1 at=100 cause=c/k#3:2x7"},
      {"append.5: an earlier attempt", world, Append({caused("x", {"c", "k", 3, 1})}),
       "throws superseded_attempt"},
      {"append.5: a later attempt", world, Append({caused("x", {"c", "k", 3, 3})}),
       "throws superseded_attempt"},
      {"append.5: another head", world, Append({caused("x", {"c", "k", 4, 2})}),
       "throws superseded_attempt"},
      {"append.5: no cursor", world, Append({caused("x", {"c", "none", 3, 1})}),
       "throws superseded_attempt"},
      {"append.5: a dead letter", world, Append({caused("x", {"c", "dead", 3, 1})}),
       "throws superseded_attempt"},
      {"append.5: at the clear index", world, Append({caused("x", {"c", "old", 2, 1})}),
       "throws superseded_attempt"},
      {"append.5: a finished event cursor", given(5).with(completed("c", {}, 4, 90, 1)),
       Append({caused("x", {"c", {}, 4, 1})}), "throws superseded_attempt"},
      {"append.5: the second event's", world, Append({event("x"), caused("y", {"c", "k", 3, 1})}),
       "throws superseded_attempt"},
      {"append.4 before append.5", world, Append({caused("x", {"c", "k", 3, 1})}, {}, 1),
       "throws session_cleared"},
  });
}

TEST(Append, QueuesItsTargets) {
  check(Table{
      {"append.7: an event cursor", given(5), Append({event_for("x", {{"c"}})}),
       "[6:x] | row last=6 | append 6:x t 1 at=100 for=[c] | put c@6 pos=5 head=6 since=100"},
      {"append.7: a new lane", given(5), Append({event_for("x", {{"c", "k"}})}),
       "[6:x] | row last=6 | append 6:x t 1 at=100 for=[c/k] | put c/k head=6 since=100 | "
       "work c/k#6"},
      {"append.7: a new lane after a clear", given(5, 4), Append({event_for("x", {{"c", "k"}})}),
       "[6:x] | row last=6 | append 6:x t 1 at=100 for=[c/k] | "
       "put c/k era=1 pos=4 head=6 since=100 | work c/k#6"},
      {"append.7: a lane of an older era is as none",
       given(5, 4).with(on_lane("c", "k").at(3).held("w", 150).in_era(0)),
       Append({event_for("x", {{"c", "k"}})}),
       "[6:x] | row last=6 | append 6:x t 1 at=100 for=[c/k] | "
       "put c/k era=1 pos=4 head=6 since=100 | work c/k#6"},
      {"append.7: an idle lane keeps its position", given(5).with(on_lane("c", "k").pos(3)),
       Append({event_for("x", {{"c", "k"}})}),
       "[6:x] | row last=6 | append 6:x t 1 at=100 for=[c/k] | "
       "put c/k pos=3 head=6 since=100 | work c/k#6"},
      {"append.7: a lane that has a head keeps it",
       given(5).with(on_lane("c", "k").at(3).held("w", 150)),
       Append({event_for("x", {{"c", "k"}})}),
       "[6:x] | row last=6 | append 6:x t 1 at=100 for=[c/k] | work c/k#6"},
      {"append.7: behind a dead letter too", given(5).with(on_lane("c", "k").at(3).dead(90)),
       Append({event_for("x", {{"c", "k"}})}),
       "[6:x] | row last=6 | append 6:x t 1 at=100 for=[c/k] | work c/k#6"},
      {"append.7: two events on one lane", given(5),
       Append({event_for("x", {{"c", "k"}}), event_for("y", {{"c", "k"}})}),
       "[6:x 7:y] | row last=7 | append 6:x t 1 at=100 for=[c/k] | "
       "append 7:y t 1 at=100 for=[c/k] | put c/k head=6 since=100 | work c/k#6 | work c/k#7"},
      {"append.7: lanes, and an event of its own, of one consumer", given(5),
       Append({event_for("x", {{"c", "a"}, {"c", "b"}, {"c"}})}),
       "[6:x] | row last=6 | append 6:x t 1 at=100 for=[c/a c/b c] | "
       "put c/a head=6 since=100 | put c/b head=6 since=100 | put c@6 pos=5 head=6 since=100 | "
       "work c/a#6 | work c/b#6"},
      {"schedule.1: to come", given(5),
       Append({event_for("x", {{"c", "k", ms(101)}, {"c", {}, ms(101)}})}),
       "[6:x] | row last=6 | append 6:x t 1 at=100 for=[c/k c] | put c/k head=6 due=101 | "
       "put c@6 pos=5 head=6 due=101 | work c/k#6 available=101"},
      {"schedule.1: come already", given(5),
       Append({event_for("x", {{"c", "k", ms(100)}, {"c", {}, ms(1)}})}),
       "[6:x] | row last=6 | append 6:x t 1 at=100 for=[c/k c] | put c/k head=6 since=100 | "
       "put c@6 pos=5 head=6 since=100 | work c/k#6 available=100"},
      {"schedule.1: kept with what is queued", given(5).with(on_lane("c", "k").at(3)),
       Append({event_for("x", {{"c", "k", ms(200)}})}),
       "[6:x] | row last=6 | append 6:x t 1 at=100 for=[c/k] | work c/k#6 available=200"},
      {"vocabulary.5: the lane of a log", given(5).with(on_log("c").pos(5)),
       Append({event("x"), event_for("y", {{"d"}, {"c", "log"}})}),
       "throws invalid_argument events[1].targets[1].lane"},
      {"vocabulary.5: the lane of a cleared log", given(5, 4).with(on_log("c").pos(3).in_era(0)),
       Append({event_for("x", {{"c", "log"}})}),
       "throws invalid_argument events[0].targets[0].lane"},
      {"vocabulary.5: of another consumer", given(5).with(on_log("c").pos(5)),
       Append({event_for("x", {{"d", "log"}})}),
       "[6:x] | row last=6 | append 6:x t 1 at=100 for=[d/log] | put d/log head=6 since=100 | "
       "work d/log#6"},
      {"append.8: a log that opens in the same call", given(5),
       Append({event_for("x", {{"c", "log"}})}, {reads("c")}),
       "throws invalid_argument consumers[0].log.lane"},
  });
}

TEST(Append, WakesServedLogs) {
  World all = given(5).with(on_log("c").pos(5));
  Append by_all({event("x")});
  by_all.serves_all = true;
  check(Table{
      {"append.8: opens at the end", given(5), Append({event("x")}, {reads("c")}),
       "[6:x] | row last=6 | append 6:x t 1 at=100 | put c/log pos=5 head=6 since=100 types=*"},
      {"append.8: opens with backfill", given(5), Append({event("x")}, {reads("c", {}, true)}),
       "[6:x] | row last=6 | append 6:x t 1 at=100 | put c/log head=1 since=100 types=*"},
      {"append.8: opens with backfill after a clear", given(5, 3),
       Append({event("x")}, {reads("c", {}, true)}),
       "[6:x] | row last=6 | append 6:x t 1 at=100 | "
       "put c/log era=1 pos=3 head=4 since=100 types=*"},
      {"append.11: backfill goes no further back than the floor", given(5).with(floor_at("c", 3)),
       Append({event("x")}, {reads("c", {}, true)}),
       "[6:x] | row last=6 | append 6:x t 1 at=100 | put c/log pos=3 head=4 since=100 types=*"},
      {"append.11: a floor that has been cleared", given(5, 4).with(floor_at("c", 3).in_era(0)),
       Append({event("x")}, {reads("c", {}, true)}),
       "[6:x] | row last=6 | append 6:x t 1 at=100 | "
       "put c/log era=1 pos=4 head=5 since=100 types=*"},
      {"append.11: without backfill", given(5).with(floor_at("c", 3)),
       Append({event("x")}, {reads("c")}),
       "[6:x] | row last=6 | append 6:x t 1 at=100 | put c/log pos=5 head=6 since=100 types=*"},
      {"append.11: another consumer's", given(5).with(floor_at("d", 3)),
       Append({event("x")}, {reads("c", {}, true)}),
       "[6:x] | row last=6 | append 6:x t 1 at=100 | put c/log head=1 since=100 types=*"},
      {"append.8: backfill to an event of its types", given(5).typed(2, "u"),
       Append({event("x", "u")}, {reads("c", {{"u"}}, true)}),
       "[6:x] | row last=6 | append 6:x u 1 at=100 | put c/log head=2 since=100 types=[u]"},
      {"append.8: the first of its types in the batch", given(5),
       Append({event("x"), event("y", "u"), event("z", "u")}, {reads("c", {{"u"}})}),
       "[6:x 7:y 8:z] | row last=8 | append 6:x t 1 at=100 | append 7:y u 1 at=100 | "
       "append 8:z u 1 at=100 | put c/log pos=5 head=7 since=100 types=[u]"},
      {"append.8: none of its types in the batch", given(5).with(on_log("d").pos(5)),
       Append({event("x")}, {reads("c", {{"u"}}), reads("d", {{"u"}})}),
       "[6:x] | row last=6 | append 6:x t 1 at=100"},
      {"structures.5: no types take nothing", given(5), Append({event("x")}, {reads("c", {{}})}),
       "[6:x] | row last=6 | append 6:x t 1 at=100"},
      {"append.8: an idle log keeps its position", given(5).with(on_log("c").pos(2)),
       Append({event("x")}, {reads("c", {{"t"}})}),
       "[6:x] | row last=6 | append 6:x t 1 at=100 | put c/log pos=2 head=3 since=100 types=[t]"},
      {"append.8: the types that are given count", given(5).with(on_log("c").takes({{"u"}}).pos(2)),
       Append({event("x")}, {reads("c", {{"t"}})}),
       "[6:x] | row last=6 | append 6:x t 1 at=100 | put c/log pos=2 head=3 since=100 types=[t]"},
      {"append.8: a head is kept, claim and all", given(5).with(on_log("c").at(2).held("w", 150)),
       Append({event("x")}, {reads("c")}), "[6:x] | row last=6 | append 6:x t 1 at=100"},
      {"append.8: its types become the given ones",
       given(5).with(on_log("c").at(2).held("w", 150).completed(1, 2, {"e2"})),
       Append({event("x")}, {reads("c", {{"u", "t", "u"}})}),
       "[6:x] | row last=6 | append 6:x t 1 at=100 | put c/log pos=1 head=2 due=150 tries=1 "
       "claimed=50..60 by=w types=[t u] completed=1/2[e2]"},
      {"append.8: a cleared log begins at the marker",
       given(5, 4).with(on_log("c").at(2).held("w", 150).completed(1, 1).in_era(0)),
       Append({event("x")}, {reads("c")}),
       "[6:x] | row last=6 | append 6:x t 1 at=100 | "
       "put c/log era=1 pos=4 head=5 since=100 types=*"},
      {"append.8: a log of that lane alone", given(5).with(on_log("c", "other").pos(2)),
       Append({event("x")}, {reads("c")}),
       "[6:x] | row last=6 | append 6:x t 1 at=100 | put c/log pos=5 head=6 since=100 types=*"},
      {"append.8: what is not served stays idle", all, Append({event("x")}, {{"c"}, reads("d")}),
       "[6:x] | row last=6 | append 6:x t 1 at=100 | put d/log pos=5 head=6 since=100 types=*"},
      {"structures.2: all are served, no log is woken", all, by_all,
       "[6:x] | row last=6 | append 6:x t 1 at=100"},
      {"vocabulary.5: a lane of that name", given(5).with(on_lane("c", "log").pos(2)),
       Append({event("x")}, {reads("c")}), "throws invalid_argument consumers[0].log.lane"},
      {"vocabulary.5: one of an older era is replaced",
       given(5, 4).with(on_lane("c", "log").at(3).in_era(0)), Append({event("x")}, {reads("c")}),
       "[6:x] | row last=6 | append 6:x t 1 at=100 | "
       "put c/log era=1 pos=5 head=6 since=100 types=*"},
  });
}

TEST(Append, ALogOfADeletedLifeOpensAnew) {
  World world = given(5, 4).with(on_log("c").at(2).held("w", 150).in_era(0));
  world.rows().row.deleted_index = 4;
  world.rows().row.deleted_era = 1;
  check(Table{
      {"delete_session.3: without backfill", world, Append({event("x")}, {reads("c")}),
       "[6:x] | row last=6 | append 6:x t 1 at=100 | "
       "put c/log era=1 pos=5 head=6 since=100 types=*"},
      {"delete_session.3: with backfill", world, Append({event("x")}, {reads("c", {}, true)}),
       "[6:x] | row last=6 | append 6:x t 1 at=100 | "
       "put c/log era=1 pos=4 head=5 since=100 types=*"},
      {"append.11: with backfill, above a floor of the new life",
       World(world).with(floor_at("c", 5)), Append({event("x")}, {reads("c", {}, true)}),
       "[6:x] | row last=6 | append 6:x t 1 at=100 | "
       "put c/log era=1 pos=5 head=6 since=100 types=*"},
      {"delete_session.3: it holds no lane name", world, Append({event_for("x", {{"c", "log"}})}),
       "[6:x] | row last=6 | append 6:x t 1 at=100 for=[c/log] | "
       "put c/log era=1 pos=4 head=6 since=100 | work c/log#6"},
  });
}

Append in(const std::string& session, std::vector<NewEvent> events, std::int64_t origin = 0) {
  Append item(std::move(events), {}, origin);
  item.session = session;
  return item;
}

TEST(AppendBatch, AppendsToEachSessionOrToNone) {
  const World world = given(5, 3).session("a", 1).session("b", 0);
  check(std::vector<Row<AppendBatch>>{
      {"append_batch.1: of several sessions", world,
       AppendBatch({in("s", {event("x")}), in("a", {event("x"), event("y")})}),
       "[6:x] [2:x 3:y] | row last=6 | append 6:x t 1 at=100 | "
       "a: row last=3 | append 2:x t 1 at=100 | append 3:y t 1 at=100"},
      {"append.10: ids in the order of the items", world,
       AppendBatch({in("s", {event({})}), in("a", {event({}), event("y"), event({})})}),
       "[6:id-1] [2:id-2 3:y 4:id-3] | row last=6 | append 6:id-1 t 1 at=100 | "
       "a: row last=4 | append 2:id-2 t 1 at=100 | append 3:y t 1 at=100 | "
       "append 4:id-3 t 1 at=100"},
      {"append_batch.1: a replay beside an append", world,
       AppendBatch({in("a", {event("e1")}), in("s", {event("x")})}),
       "[1:e1] [6:x] | row last=6 | append 6:x t 1 at=100"},
      {"append_batch.1: an item that is refused", world,
       AppendBatch({in("a", {event("x")}), in("s", {event("y")}, 2)}), "throws session_cleared"},
      {"append.1: items without events", world, AppendBatch({in("a", {}), in("b", {})}), "[] []"},
      {"append_batch.1: no items", world, AppendBatch({}), ""},
  });
}

// What the batch is told of item 1 is not kept when item 2 is refused; messages say which it was.
TEST(AppendBatch, NamesTheItemThatIsRefused) {
  const World world = given(5, 3).with(on_log("c").pos(5));
  const AppendBatch batch({in("a", {event("x")}), in("s", {event_for("y", {{"c", "log"}})})});
  EXPECT_EQ(decide(world, batch).answer,
            "throws invalid_argument items[1].events[0].targets[0].lane");
}

TEST(Append, AGeneratedIdThatIsTakenIsGeneratedAnew) {
  World world = given(5, 3);
  world.rows().events[4].id = "id-1";  // owned
  world.rows().events[1].id = "id-2";  // below the clear index
  const std::shared_ptr<IdSource> source = sequential_id_source();
  IdPool pool(*source);
  AppendBatchRequest request;
  const std::vector<NewEvent> events{event({}), event({})};
  request.items.push_back({"s", &events, {}, 0});
  const auto decide_once = [&] {
    const driver::Query query = plan_append_batch(request, pool);
    return decide_append_batch(request, query, world.find(query), pool);
  };
  // Drawn ids are looked up only once the backend has said that one is taken.
  EXPECT_EQ(show(decide_once().effects, world),
            "row last=7 | append 6:id-1 t 1 at=100 | append 7:id-2 t 1 at=100");
  EXPECT_EQ(show(decide_once().effects, world),
            "row last=7 | erase 2:id-2 t | append 6:id-2 t 1 at=100 | append 7:id-3 t 1 at=100");
  EXPECT_EQ(pool.drawn(), (std::vector<std::string>{"id-1", "id-2", "id-3"}));
}

}  // namespace
}  // namespace pawl::core::testing
