// delete_session: rows that are stored -> how many events are deleted, and what is written.
#include "tests/support/table.h"

namespace pawl::core::testing {
namespace {

using Table = std::vector<Row<DeleteSession>>;

// A deletion that has begun: the marker 4 is noted, events 1 to `gone` are deleted.
World deleting(std::int64_t last, std::int64_t gone) {
  World world = given(last, 4);
  driver::SessionRow& row = world.rows().row;
  row.deleted_index = 4;
  row.deleted_era = 1;
  row.deleting = true;
  row.first_index = gone + 1;
  world.rows().events.erase(world.rows().events.begin(), world.rows().events.begin() + gone);
  return world;
}

// One that is done, with the events above the marker.
World deleted(std::int64_t last) {
  World world = deleting(last, 4);
  world.rows().row.deleting = false;
  world.rows().row.upkeep = false;
  return world;
}

TEST(DeleteSession, Begins) {
  const World world = given(2).targeted(1, {{"c", "k"}});
  check(Table{
      {"delete_session.5: an unknown session", World(), DeleteSession(10), "deleted 0 done"},
      {"delete_session.1: in one call, the marker is counted, but not stored", world,
       DeleteSession(10),
       "deleted 3 done | row last=3 clear=3 era=1 first=4 deleted=3 deleted_era=1 | new era | "
       "erase 1:e1 t | erase 2:e2 t | unqueue c/k#1"},
      {"delete_session.1: exactly in one call", world, DeleteSession(3),
       "deleted 3 done | row last=3 clear=3 era=1 first=4 deleted=3 deleted_era=1 | new era | "
       "erase 1:e1 t | erase 2:e2 t | unqueue c/k#1"},
      {"delete_session.1: the marker is left for the next call", world, DeleteSession(2),
       "deleted 2 | row last=3 clear=3 era=1 first=3 deleted=3 deleted_era=1 upkeep=1 deleting=1 | "
       "new era | erase 1:e1 t | erase 2:e2 t | unqueue c/k#1 | "
       "append 3:id-1 pawl.clear null at=100"},
      {"delete_session.1: the first batch", world, DeleteSession(1),
       "deleted 1 | row last=3 clear=3 era=1 first=2 deleted=3 deleted_era=1 upkeep=1 deleting=1 | "
       "new era | erase 1:e1 t | unqueue c/k#1 | append 3:id-1 pawl.clear null at=100"},
      {"delete_session.1: not cleared again", given(3, 3), DeleteSession(10),
       "deleted 3 done | row era=2 first=4 deleted=3 deleted_era=2 upkeep=0 | new era | "
       "erase 1:e1 t | erase 2:e2 t | erase 3:m3 pawl.clear"},
      {"delete_session.1: the same in batches", given(3, 3), DeleteSession(2),
       "deleted 2 | row era=2 first=3 deleted=3 deleted_era=2 deleting=1 | new era | "
       "erase 1:e1 t | erase 2:e2 t"},
      {"maintain.1: what only goes on does not begin", given(2), DeleteSession(10, true),
       "deleted 0 done"},
  });
}

TEST(DeleteSession, DeletesRowsOfEveryKind) {
  World world = given(2, 1)
                    .with(on_log("c").at(2).held("w", 150))
                    .with(on_log("old").pos(0).in_era(0))
                    .with(on_lane("c", "k").at(2).pinned(1))
                    .with(on_event("c", 2))
                    .with_snapshot("r", 2, 1);
  world.rows().pins.push_back({1, {"c", "k", 0}, 2, "r", 2});
  const char* const row =
      "row last=3 clear=3 era=2 first=4 deleted=3 deleted_era=2 upkeep=1 deleting=1 | new era | ";
  const std::string some =
      std::string("deleted 3 | ") + row +
      "erase 1:m1 pawl.clear | erase 2:e2 t | drop old/log | drop c/k era=1 | drop c/log era=1";
  check(Table{
      {"delete_session.2: log cursors too, in batches", world, DeleteSession(3), some.c_str()},
      {"delete_session.4: all", world, DeleteSession(6),
       "deleted 3 done | row last=3 clear=3 era=2 first=4 deleted=3 deleted_era=2 | new era | "
       "erase 1:m1 pawl.clear | erase 2:e2 t | drop old/log | drop c/k era=1 | drop c/log era=1 | "
       "drop c@2 era=1 | drop r@2 era=1 updated=20 pins=1 | unpin c/k#2->r@2 era=1"},
  });
}

TEST(DeleteSession, GoesOn) {
  World cleared_since = deleting(9, 2);
  cleared_since.rows().row.clear_index = 7;
  cleared_since.rows().row.era = 2;
  check(Table{
      {"delete_session.2: up to the marker, itself included", deleting(4, 2), DeleteSession(10),
       "deleted 2 done | row first=5 upkeep=0 deleting=0 | erase 3:e3 t | erase 4:m4 pawl.clear"},
      {"delete_session.2: a batch", deleting(4, 2), DeleteSession(1),
       "deleted 1 | row first=4 | erase 3:e3 t"},
      {"delete_session.2: the marker last", deleting(4, 3), DeleteSession(1),
       "deleted 1 done | row first=5 upkeep=0 deleting=0 | erase 4:m4 pawl.clear"},
      {"delete_session.2: what was appended meanwhile stays",
       deleting(9, 2).with(on_lane("c", "k").at(9)), DeleteSession(10),
       "deleted 2 done | row first=5 upkeep=0 deleting=0 | erase 3:e3 t | erase 4:m4 pawl.clear"},
      {"delete_session.2: cleared again meanwhile: that is for reclaim",
       World(cleared_since).with(on_log("c").at(6).in_era(1)), DeleteSession(10),
       "deleted 2 done | row first=5 deleting=0 | erase 3:e3 t | erase 4:m4 pawl.clear"},
      {"delete_session.2: rows of the old life alone",
       deleting(5, 4).with(on_log("c").at(3).in_era(0)).with(on_log("d").at(5)), DeleteSession(10),
       "deleted 0 done | row upkeep=0 deleting=0 | drop c/log"},
      {"delete_session.5: done, no newer event", deleted(4), DeleteSession(10), "deleted 0 done"},
      {"delete_session.5: done, with newer events: a new deletion", deleted(5), DeleteSession(10),
       "deleted 2 done | row last=6 clear=6 era=2 first=7 deleted=6 deleted_era=2 | new era | "
       "erase 5:e5 t"},
  });
}

// A worker of the old life never matches a head of the new one, while it goes and afterwards.
TEST(DeleteSession, TheOldLifeIsGoneAtOnce) {
  const World old = deleting(4, 1)
                        .with(on_log("c").at(3).held("w", 150).in_era(0))
                        .with(on_lane("c", "k").at(3).held("w", 150).in_era(0))
                        .with(on_event("c", 2).held("w", 150).in_era(0));
  check(std::vector<Row<Settle>>{
      {"delete_session.1: a log's claim", old, complete({"c", "log", 3, 1}), "superseded"},
      {"delete_session.1: a lane's", old, complete({"c", "k", 3, 1}), "superseded"},
      {"delete_session.1: an event's", old, fail({"c", {}, 2, 1}, 1), "superseded 0"},
      {"delete_session.1: once it is done", deleted(4), complete({"c", "k", 3, 1}), "superseded"},
      {"delete_session.3: no event at the next index", deleted(4), complete({"c", "k", 5, 1}),
       "throws unknown_event"},
      {"delete_session.3: there is nothing to claim", old, claim_ready({claiming(), 100}),
       "nothing"},
  });
  check(std::vector<Row<Append>>{
      {"delete_session.4: a cause", old, Append({caused("x", {"c", "k", 3, 1})}),
       "throws superseded_attempt"},
      {"delete_session.4: an origin", old, Append({event("x")}, {}, 3), "throws session_cleared"},
      {"delete_session.4: indexes go on", deleted(4), Append({event("x")}),
       "[5:x] | row last=5 | append 5:x t 1 at=100"},
      {"delete_session.3: ids are free", old, Append({event("e2"), event("m4")}),
       "[5:e2 6:m4] | row last=6 | erase 2:e2 t | erase 4:m4 pawl.clear | append 5:e2 t 1 at=100 | "
       "append 6:m4 t 1 at=100"},
  });
  check(std::vector<Row<Clear>>{
      {"clear.4: a deleted session has nothing to clear", deleted(4), Clear(), "cleared 4 4"},
      {"delete_session.2: a new life may be cleared meanwhile", deleting(5, 2), Clear(),
       "cleared 6 6 | row last=6 clear=6 era=2 | new era | append 6:id-1 pawl.clear null at=100"},
  });
}

}  // namespace
}  // namespace pawl::core::testing
