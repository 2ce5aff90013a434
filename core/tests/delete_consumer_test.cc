// delete_consumer: rows that are stored -> how many rows are deleted, and what is written.
#include "tests/support/table.h"

namespace pawl::core::testing {
namespace {

using Table = std::vector<Row<DeleteConsumer>>;

World world() {
  return given(5)
      .with(on_lane("c", "k").at(3).held("w", 150))
      .with(queued("c", "k", 3))
      .with(queued("c", "k", 5))
      .with(completed("c", "k", 1, 30, 1))
      .with(on_event("c", 2).dead(90))
      .with(completed("c", {}, 4, 40, 1))
      .with(on_lane("d", "k").at(3))
      .with(queued("d", "k", 3));
}

TEST(DeleteConsumer, DeletesItsRows) {
  check(Table{
      {"delete_consumer.3: an unknown session", World(), DeleteConsumer("c", 10), "deleted 0 done"},
      {"delete_consumer.3: an unknown consumer", world(), DeleteConsumer("e", 10),
       "deleted 0 done"},
      {"delete_consumer.1: cursors, entries and records", world(), DeleteConsumer("c", 10),
       "deleted 6 done | drop c/k | drop c@2 | unqueue c/k#1 finished=30 completed=1/1[] | "
       "unqueue c/k#3 | unqueue c/k#5 | unqueue c#4 finished=40 completed=4/1[] | put c@0 pos=5"},
      {"delete_consumer.1: exactly all", world(), DeleteConsumer("c", 6),
       "deleted 6 done | drop c/k | drop c@2 | unqueue c/k#1 finished=30 completed=1/1[] | "
       "unqueue c/k#3 | unqueue c/k#5 | unqueue c#4 finished=40 completed=4/1[] | put c@0 pos=5"},
      {"delete_consumer.1: a batch", world(), DeleteConsumer("c", 3),
       "deleted 3 | drop c/k | drop c@2 | unqueue c/k#1 finished=30 completed=1/1[] | "
       "put c@0 pos=5"},
      {"delete_consumer.1: one", world(), DeleteConsumer("c", 1),
       "deleted 1 | drop c/k | put c@0 pos=5"},
      {"append.11: no lane, no floor", given(5).with(on_event("c", 2)), DeleteConsumer("c", 9),
       "deleted 1 done | drop c@2"},
      {"append.11: the floor itself is not deleted", given(5).with(floor_at("c", 3)),
       DeleteConsumer("c", 9), "deleted 0 done"},
      {"delete_consumer.1: what lies at or below the clear index is not counted",
       given(5, 4)
           .with(on_lane("c", "k").at(5))
           .with(on_lane("c", "old").at(3).in_era(0))
           .with(queued("c", "old", 3))
           .with(queued("c", "k", 5)),
       DeleteConsumer("c", 10),
       "deleted 2 done | drop c/k era=1 | unqueue c/k#5 | unqueue c/old#3 | put c@0 era=1 pos=5"},
  });
}

TEST(DeleteConsumer, LeavesItsLogsIdleAtTheEnd) {
  const Cur log =
      on_log("c").takes({{"u"}}).at(3).tried(2).held("w", 150).failed(1, 70, 1).completed(2, 1);
  const World pinned = given(5)
                           .with(on_log("c").at(3).held("w", 150))
                           .with_snapshot("r", 2)
                           .with_snapshot("r", 4)
                           .with({0, {"c", "log", 0}, 3, "r", 2});
  check(Table{
      {"delete_consumer.2: idle and fresh, types kept", given(5).with(log), DeleteConsumer("c", 10),
       "deleted 0 done | put c/log pos=5 types=[u]"},
      {"delete_consumer.2: at every call", World(world()).with(log), DeleteConsumer("c", 1),
       "deleted 1 | drop c/k | put c/log pos=5 types=[u] | put c@0 pos=5"},
      {"delete_consumer.2: nothing is written again", given(5).with(on_log("c").pos(5)),
       DeleteConsumer("c", 10), "deleted 0 done"},
      {"delete_consumer.2: an idle one moves up too", given(5).with(on_log("c").pos(2)),
       DeleteConsumer("c", 10), "deleted 0 done | put c/log pos=5 types=*"},
      {"delete_consumer.2: one that was cleared", given(5, 3).with(on_log("c").at(2).in_era(0)),
       DeleteConsumer("c", 10), "deleted 0 done | put c/log era=1 pos=5 types=*"},
      {"delete_consumer.2: one that is at the marker, and so at the end",
       given(3, 3).with(on_log("c").at(2).in_era(0)), DeleteConsumer("c", 10), "deleted 0 done"},
      {"delete_consumer.2: the pins of its head go", pinned, DeleteConsumer("c", 10),
       "deleted 0 done | drop r@2 updated=20 | unpin c/log#3->r@2 | put c/log pos=5 types=*"},
  });
}

TEST(DeleteConsumer, DeletesPins) {
  const World pinned = given(5)
                           .with(on_event("c", 3))
                           .with(on_lane("c", "k").at(3))
                           .with_snapshot("r", 2)
                           .with_snapshot("r", 4)
                           .with({0, {"c", {}, 3}, 3, "r", 2})
                           .with({0, {"c", "k", 0}, 3, "r", 2});
  check(Table{
      {"delete_consumer.1: with their pins, which do not count", pinned, DeleteConsumer("c", 10),
       "deleted 2 done | drop c/k | drop c@3 | drop r@2 updated=20 | unpin c/k#3->r@2 | "
       "unpin c#3->r@2 | put c@0 pos=5"},
      {"delete_consumer.1: of those that go in this call", pinned, DeleteConsumer("c", 1),
       "deleted 1 | drop c/k | unpin c/k#3->r@2 | put c@0 pos=5 | put r@2 updated=20 pins=1"},
  });
}

}  // namespace
}  // namespace pawl::core::testing
