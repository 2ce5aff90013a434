// prune: rows that are stored -> how many records are deleted, and what is written.
#include "tests/support/table.h"

namespace pawl::core::testing {
namespace {

using Table = std::vector<Row<Prune>>;

TEST(Prune, DeletesOldRecords) {
  const World world = given(9)
                          .with(completed("c", {}, 1, 30, 1))
                          .with(skipped("c", {}, 2, 10))
                          .with(completed("d", {}, 3, 20, 1))
                          .with(on_event("d", 4));
  check(Table{
      {"prune.1: none", given(9), Prune(100, 10), "deleted 0 done"},
      {"prune.1: an unknown session", World(), Prune(100, 10), "deleted 0 done"},
      {"prune.1: strictly before", world, Prune(10, 10), "deleted 0 done"},
      {"prune.1: just after", world, Prune(11, 10),
       "deleted 1 done | row finished_since=20 | unqueue c#2 finished=10"},
      {"prune.1: finished first, deleted first", world, Prune(100, 2),
       "deleted 2 | row finished_since=30 | unqueue c#2 finished=10 | "
       "unqueue d#3 finished=20 completed=3/1[]"},
      {"prune.2: exactly all", world, Prune(100, 3),
       "deleted 3 done | row finished_since=0 | unqueue c#2 finished=10 | "
       "unqueue d#3 finished=20 completed=3/1[] | unqueue c#1 finished=30 completed=1/1[]"},
      {"prune.2: done, as the next is younger", world, Prune(30, 2),
       "deleted 2 done | row finished_since=30 | unqueue c#2 finished=10 | "
       "unqueue d#3 finished=20 completed=3/1[]"},
      {"prune.2: what lies below the clear index does not count",
       given(9, 5).with(completed("c", {}, 1, 10, 1)).with(completed("c", {}, 6, 10, 1)),
       Prune(100, 10),
       "deleted 1 done | row finished_since=0 | unqueue c#1 finished=10 completed=1/1[] | "
       "unqueue c#6 finished=10 completed=6/1[]"},
      {"prune.1: superseded records use up the limit",
       given(9, 5).with(completed("c", {}, 1, 10, 1)).with(completed("c", {}, 6, 20, 1)),
       Prune(100, 1),
       "deleted 0 | row finished_since=20 | unqueue c#1 finished=10 completed=1/1[]"},
      {"note: the oldest time is brought up to date",
       [] {
         World late = given(9).with(completed("c", {}, 1, 30, 1));
         late.rows().row.finished_since = 10;
         return late;
       }(),
       Prune(20, 10), "deleted 0 done | row finished_since=30"},
  });
}

TEST(Prune, AnIdleLaneGoesWithItsLastEntry) {
  const auto lane = [](const Cur& cursor) {
    return given(9)
        .with(cursor)
        .with(completed("c", "k", 1, 10, 1))
        .with(completed("c", "k", 2, 20, 1));
  };
  const char* const gone =
      "deleted 2 done | row finished_since=0 | drop c/k | unqueue c/k#1 finished=10 "
      "completed=1/1[] "
      "| unqueue c/k#2 finished=20 completed=2/1[] | put c@0 pos=9";
  const char* const stays =
      "deleted 2 done | row finished_since=0 | unqueue c/k#1 finished=10 completed=1/1[] "
      "| unqueue c/k#2 finished=20 completed=2/1[]";
  check(Table{
      {"prune.2: idle", lane(on_lane("c", "k").pos(2)), Prune(100, 10), gone},
      {"prune.2: an entry is left", lane(on_lane("c", "k").pos(2)), Prune(20, 10),
       "deleted 1 done | row finished_since=20 | unqueue c/k#1 finished=10 completed=1/1[]"},
      {"prune.2: it has a head", lane(on_lane("c", "k").at(3)).with(queued("c", "k", 3)),
       Prune(100, 10), stays},
      {"prune.2: a log of that name", lane(on_log("c", "k").pos(2)), Prune(100, 10), stays},
      {"prune.2: superseded entries hold no lane",
       given(9, 5)
           .with(on_lane("c", "k").pos(6))
           .with(completed("c", "k", 2, 90, 1))
           .with(completed("c", "k", 6, 10, 1)),
       Prune(50, 10),
       "deleted 1 done | row finished_since=90 | drop c/k era=1 | "
       "unqueue c/k#6 finished=10 completed=6/1[] | put c@0 era=1 pos=9"},
      {"prune.2: a lane of an older era is no cursor",
       given(9, 5).with(on_lane("c", "k").pos(2).in_era(0)).with(completed("c", "k", 2, 10, 1)),
       Prune(50, 10),
       "deleted 0 done | row finished_since=0 | unqueue c/k#2 finished=10 completed=2/1[]"},
  });
}

}  // namespace
}  // namespace pawl::core::testing
