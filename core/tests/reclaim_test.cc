// reclaim: rows that are stored -> how many events are deleted, and what is written.
#include "tests/support/table.h"

namespace pawl::core::testing {
namespace {

using Table = std::vector<Row<Reclaim>>;

TEST(Reclaim, DeletesEventsLowestFirst) {
  const World world = given(5, 4).targeted(1, {{"c", "k"}, {"d", std::nullopt}}).typed(2, "u");
  World begun = world;
  begun.rows().events.erase(begun.rows().events.begin());
  begun.rows().row.first_index = 2;
  check(Table{
      {"reclaim.1: nothing was ever cleared", given(5), Reclaim(10), "deleted 0 done"},
      {"reclaim.1: an unknown session", World(), Reclaim(10), "deleted 0 done"},
      {"reclaim.1: the marker is the first event", given(5, 1), Reclaim(10), "deleted 0 done"},
      {"reclaim.1: one, with its entries", world, Reclaim(1),
       "deleted 1 | row first=2 | erase 1:e1 t | unqueue c/k#1 | unqueue d#1"},
      {"reclaim.1: one, with its event cursor", World(world).with(on_event("d", 1).in_era(0)),
       Reclaim(1),
       "deleted 1 | row first=2 | erase 1:e1 t | drop d@1 | unqueue c/k#1 | unqueue d#1"},
      {"reclaim.2: event cursors go with their events, and do not use up the limit",
       World(world).targeted(3, {{"d", std::nullopt}}).with(on_event("d", 3).in_era(0)), Reclaim(3),
       "deleted 3 done | row first=4 upkeep=0 | erase 1:e1 t | erase 2:e2 u | erase 3:e3 t | "
       "drop d@3 | unqueue c/k#1 | unqueue d#1 | unqueue d#3"},
      {"reclaim.1: the next", begun, Reclaim(1), "deleted 1 | row first=3 | erase 2:e2 u"},
      {"reclaim.2: all but one", world, Reclaim(2),
       "deleted 2 | row first=3 | erase 1:e1 t | erase 2:e2 u | unqueue c/k#1 | unqueue d#1"},
      {"reclaim.2: exactly all", world, Reclaim(3),
       "deleted 3 done | row first=4 upkeep=0 | erase 1:e1 t | erase 2:e2 u | erase 3:e3 t | "
       "unqueue c/k#1 | unqueue d#1"},
      {"reclaim.2: with room to spare", begun, Reclaim(10),
       "deleted 2 done | row first=4 upkeep=0 | erase 2:e2 u | erase 3:e3 t"},
      {"reclaim.3: the marker stays, and what is above it", given(9, 2), Reclaim(10),
       "deleted 1 done | row first=2 upkeep=0 | erase 1:e1 t"},
  });
}

// Events are gone; superseded rows of every kind are left.
World leftovers() {
  World world = given(5, 4)
                    .with(on_lane("c", "k").at(3).held("w", 150).in_era(0))
                    .with(on_event("c", 2).in_era(0))
                    .with(on_lane("c", "live").at(5));
  world.rows().row.first_index = 4;
  world.rows().events.erase(world.rows().events.begin(), world.rows().events.begin() + 3);
  world.rows().snapshots.push_back({"r", 2, 0, 20, 1, "0"});
  world.with_snapshot("r", 4);
  world.rows().pins.push_back({0, {"c", "k", 0}, 3, "r", 2});
  return world;
}

TEST(Reclaim, ThenDeletesTheOtherRows) {
  World logs = given(5, 4)
                   .with(on_log("c").at(3).held("w", 150).completed(2, 1).takes({{"u"}}).in_era(0))
                   .with(on_log("d").at(5));
  logs.rows().row.first_index = 4;
  logs.rows().events.erase(logs.rows().events.begin(), logs.rows().events.begin() + 3);
  World marked = given(5, 5);
  marked.rows().row.first_index = 5;
  marked.rows().events.erase(marked.rows().events.begin(), marked.rows().events.begin() + 4);
  check(Table{
      {"reclaim.1: one row", leftovers(), Reclaim(1), "deleted 0 | drop c/k"},
      {"reclaim.1: some", leftovers(), Reclaim(3),
       "deleted 0 | drop c/k | drop c@2 | drop r@2 updated=20 pins=1"},
      {"reclaim.2: exactly all", leftovers(), Reclaim(4),
       "deleted 0 done | row upkeep=0 | drop c/k | drop c@2 | drop r@2 updated=20 pins=1 | "
       "unpin c/k#3->r@2"},
      {"reclaim.3: log cursors stay, at the marker", logs, Reclaim(1),
       "deleted 0 done | row upkeep=0 | put c/log era=1 pos=4 types=[u]"},
      {"reclaim.2: a repeat when all is done",
       [] {
         World done = given(5, 4);
         done.rows().row.upkeep = false;
         return done;
       }(),
       Reclaim(10), "deleted 0 done"},
      {"reclaim.2: nothing found", marked, Reclaim(1), "deleted 0 done | row upkeep=0"},
  });
}

TEST(Reclaim, BesideADeletionLeavesTheMarker) {
  World deleting = given(4, 4).with(on_log("c").at(3).in_era(0));
  deleting.rows().row.deleting = true;
  deleting.rows().row.deleted_index = 4;
  deleting.rows().row.deleted_era = 1;
  World in_the_new_life = given(6, 5).with(on_log("c").at(4).in_era(0));
  in_the_new_life.rows().row.deleting = true;
  in_the_new_life.rows().row.deleted_index = 3;
  check(Table{
      {"delete_session.6: what lies below the clear index", deleting, Reclaim(10),
       "deleted 3 done | row first=4 | erase 1:e1 t | erase 2:e2 t | erase 3:e3 t | drop c/log"},
      {"delete_session.6: the log of a new life that was cleared", in_the_new_life, Reclaim(10),
       "deleted 4 done | row first=5 | erase 1:e1 t | erase 2:e2 t | erase 3:e3 t | erase 4:e4 t | "
       "put c/log era=1 pos=5 types=*"},
  });
}

}  // namespace
}  // namespace pawl::core::testing
