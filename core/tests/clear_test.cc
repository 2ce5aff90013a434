// clear: rows that are stored -> whether it is cleared, with index and clear index, and what is
// written.
#include "tests/support/table.h"

namespace pawl::core::testing {
namespace {

using Table = std::vector<Row<Clear>>;

Clear clear(std::optional<std::int64_t> if_last_index = {}, std::optional<Cause> cause = {}) {
  return Clear({"s", std::move(cause), if_last_index});
}

TEST(Clear, AppendsAMarker) {
  const char* const cleared =
      "cleared 6 6 | row last=6 clear=6 era=1 upkeep=1 | new era | append 6:id-1 pawl.clear null "
      "at=100";
  check(Table{
      {"clear.5: the marker", given(5), clear(), cleared},
      {"clear.5: no row of a cursor is touched",
       given(5)
           .with(on_lane("c", "k").at(3).held("w", 150))
           .with(on_event("c", 4))
           .with(on_log("c").at(2).held("w", 150)),
       clear(), cleared},
      {"clear.5: nor of pins and snapshots",
       given(5)
           .with(on_lane("c", "k").at(3))
           .with_snapshot("r", 2)
           .with({0, {"c", "k", 0}, 3, "r", 2}),
       clear(), cleared},
      {"clear.5: again", given(5, 3), clear(),
       "cleared 6 6 | row last=6 clear=6 era=2 | new era | append 6:id-1 pawl.clear null at=100"},
      {"clear.4: nothing to clear", given(5, 5), clear(), "cleared 5 5"},
      {"clear.4: an unknown session", World(), clear(), "cleared 0 0"},
  });
}

TEST(Clear, IfTheLastIndexIsStillTheSame) {
  check(Table{
      {"clear.1: a replay", given(5, 5), clear(4), "cleared 5 5"},
      {"clear.1: a replay, with events since", given(7, 5), clear(4), "cleared 7 5"},
      {"clear.1: before the cause is looked at", given(7, 5), clear(4, Cause{"c", "k", 3, 1}),
       "cleared 7 5"},
      {"clear.3: another", given(5), clear(4), "not cleared 5 0"},
      {"clear.3: a later one", given(5), clear(6), "not cleared 5 0"},
      {"clear.3: cleared since, at another index", given(7, 5), clear(3), "not cleared 7 5"},
      {"clear.3: the marker itself", given(5, 5), clear(5), "cleared 5 5"},
      {"clear.3: the last index", given(5), clear(5),
       "cleared 6 6 | row last=6 clear=6 era=1 upkeep=1 | new era | append 6:id-1 pawl.clear null "
       "at=100"},
      {"clear.3: 0 of an unknown session", World(), clear(0), "cleared 0 0"},
      {"clear.3: the largest number", given(5), clear(INT64_MAX), "not cleared 5 0"},
  });
}

TEST(Clear, FromTheCurrentAttemptAlone) {
  const World world = given(5).with(on_lane("c", "k").at(3).tried(2).held("w", 90));
  check(Table{
      {"clear.2: the current attempt", world, clear({}, Cause{"c", "k", 3, 2}),
       "cleared 6 6 | row last=6 clear=6 era=1 upkeep=1 | new era | append 6:id-1 pawl.clear null "
       "at=100"},
      {"clear.2: an earlier one", world, clear({}, Cause{"c", "k", 3, 1}),
       "throws superseded_attempt"},
      {"clear.2: before clear.3", world, clear(4, Cause{"c", "k", 3, 1}),
       "throws superseded_attempt"},
      {"clear.2: before clear.4", given(5, 5), clear({}, Cause{"c", "k", 3, 1}),
       "throws superseded_attempt"},
      {"clear.3: after clear.2", world, clear(4, Cause{"c", "k", 3, 2}), "not cleared 5 0"},
  });
}

TEST(Clear, AGeneratedIdThatIsTakenIsGeneratedAnew) {
  World world = given(5);
  world.rows().events[1].id = "id-1";
  const std::shared_ptr<IdSource> source = sequential_id_source();
  IdPool pool(*source);
  const auto decide_once = [&] {
    driver::Query query;
    query.sessions.resize(1);
    query.sessions[0].session = "s";
    plan_clear(query.sessions[0], {"s", {}, {}}, pool);
    driver::Facts facts = world.find(query);
    pool.rewind();
    Workspace space(std::move(facts.sessions[0]), query.sessions[0].cursors, facts.now);
    decide_clear(space, {"s", {}, {}}, pool);
    return space.take().append.at(0).id;
  };
  EXPECT_EQ(decide_once(), "id-1") << "not looked up before the backend has said that one is taken";
  EXPECT_EQ(decide_once(), "id-2");
}

}  // namespace
}  // namespace pawl::core::testing
