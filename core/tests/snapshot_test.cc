// put_snapshots: rows that are stored -> what is written.
#include "tests/support/table.h"

namespace pawl::core::testing {
namespace {

using Table = std::vector<Row<PutSnapshots>>;

PutSnapshots put(std::vector<SnapshotWrite> writes) { return {"r", std::move(writes)}; }

const HeadRef kHead{"c", "k", 3};

// Lane k of c stands at 3, claimed; there is nothing of reducer r but what a row adds.
World world() { return given(5).with(on_lane("c", "k").at(3).held("w", 150)); }
World with_newest(std::int64_t index) { return world().with_snapshot("r", index); }
driver::PinRow pin(std::int64_t snapshot) { return {0, {"c", "k", 0}, 3, "r", snapshot}; }

TEST(PutSnapshots, KeepsTheNewest) {
  check(Table{
      {"put_snapshots.5: the first", world(), put({{2, "[2]"}}),
       "ok | put r@2 updated=100 state=[2]"},
      {"put_snapshots.5: a newer one", with_newest(2), put({{4, "4"}}),
       "ok | drop r@2 updated=20 | put r@4 updated=100 state=4"},
      {"put_snapshots.5: of the same index", with_newest(2), put({{2, "4"}}),
       "ok | put r@2 updated=100 state=4"},
      {"put_snapshots.6: an older one that nothing holds", with_newest(4), put({{2, "2"}}), "ok"},
      {"put_snapshots.5: of another reducer", World(world()).with_snapshot("q", 4), put({{2, "2"}}),
       "ok | put r@2 updated=100 state=2"},
      {"put_snapshots.5: of an older era",
       [] {
         World cleared = given(5, 4);
         cleared.rows().snapshots.push_back({"r", 3, 0, 20, 0, "0"});
         return cleared;
       }(),
       put({{4, "4"}}), "ok | put r@4 era=1 updated=100 state=4"},
      {"put_snapshots.1: several, the last is the newest", world(), put({{2, "2"}, {4, "4"}}),
       "ok | put r@4 updated=100 state=4"},
      {"put_snapshots.1: of one index, the last counts", world(), put({{2, "a"}, {2, "b"}}),
       "ok | put r@2 updated=100 state=b"},
      {"put_snapshots.1: below, at and above the newest", with_newest(2),
       put({{1, "1"}, {2, "b"}, {3, "3"}}),
       "ok | drop r@2 updated=20 | put r@3 updated=100 state=3"},
      {"put_snapshots.1: none", world(), put({}), "ok"},
  });
}

TEST(PutSnapshots, ChecksTheIndex) {
  check(Table{
      {"put_snapshots.2: at the last index", world(), put({{5, "5"}}),
       "ok | put r@5 updated=100 state=5"},
      {"put_snapshots.2: above it", world(), put({{2, "2"}, {6, "6"}}),
       "throws invalid_argument writes[1].index"},
      {"put_snapshots.2: before anything is dropped", given(5, 4), put({{1, "1"}, {6, "6"}}),
       "throws invalid_argument writes[1].index"},
      {"put_snapshots.2: an unknown session", World(), put({{1, "1"}}),
       "throws invalid_argument writes[0].index"},
      {"put_snapshots.3: below the clear index", given(5, 4), put({{3, "3"}}), "ok"},
      {"put_snapshots.3: at it", given(5, 4), put({{4, "4"}}),
       "ok | put r@4 era=1 updated=100 state=4"},
      {"put_snapshots.3: its pins too", given(5, 4).with(on_event("c", 5)),
       put({{3, "3", {{"c", {}, 5}}}}), "ok"},
  });
}

TEST(PutSnapshots, PinsHeads) {
  const char* const pinned = "put c/k pos=2 head=3 due=150 tries=1 claimed=50..60 by=w pins=1";
  const std::string newest =
      std::string("ok | ") + pinned + " | put r@2 updated=100 pins=1 state=2 | pin c/k#3->r@2";
  const std::string history =
      std::string("ok | ") + pinned + " | put r@2 updated=100 pins=1 state=2 | pin c/k#3->r@2";
  const std::string dropped = "ok | put r@2 updated=100 state=2";
  const std::string kept = "ok | put r@4 updated=100 state=4";
  const World held = with_newest(2).with(pin(2));
  const auto row = [](const char* rule, const World& given, std::vector<HeadRef> pins,
                      const std::string& want) {
    return Row<PutSnapshots>{rule, given, put({{2, "2", std::move(pins)}}), want.c_str()};
  };
  const World dead = given(5).with(on_lane("c", "k").at(3).dead(90));
  check(Table{
      row("put_snapshots.4: of the newest", world(), {kHead}, newest),
      row("put_snapshots.6: of history", with_newest(4), {kHead}, history),
      row("structures.7: the same twice", world(), {kHead, kHead}, newest),
      row("put_snapshots.4: another head", world(), {{"c", "k", 4}}, dropped),
      row("put_snapshots.4: no cursor", world(), {{"c", {}, 3}}, dropped),
      row("put_snapshots.4: a dead letter", dead, {kHead}, dropped),
      row("put_snapshots.4: an idle cursor", given(5).with(on_lane("c", "k").pos(3)), {kHead},
          dropped),
      {"put_snapshots.4: of an older era", given(5, 4).with(on_lane("c", "k").at(3).in_era(0)),
       put({{4, "4", {kHead}}}), "ok | put r@4 era=1 updated=100 state=4"},
      {"put_snapshots.6: below the newest, with pins that count for nothing", with_newest(4),
       put({{2, "2", {{"c", "k", 4}}}}), "ok"},
      {"put_snapshots.5: what a pin holds stays as history", held, put({{4, "4"}}), kept.c_str()},
      {"put_snapshots.6: history is overwritten, its pins stay", World(held).with_snapshot("r", 4),
       put({{2, "b"}}), "ok | put r@2 updated=100 pins=1 state=b"},
      {"put_snapshots.4: a pin that is stored already", held, put({{2, "b", {kHead}}}),
       "ok | put r@2 updated=100 pins=1 state=b"},
      {"put_snapshots.4: two snapshots for one head", world(),
       put({{2, "2", {kHead}}, {4, "4", {kHead}}}),
       "ok | put c/k pos=2 head=3 due=150 tries=1 claimed=50..60 by=w pins=2 | "
       "put r@2 updated=100 pins=1 state=2 | put r@4 updated=100 pins=1 state=4 | "
       "pin c/k#3->r@2 | pin c/k#3->r@4"},
      {"put_snapshots.4: the same by two writes of one index", world(),
       put({{2, "a", {kHead}}, {2, "b", {kHead}}}),
       "ok | put c/k pos=2 head=3 due=150 tries=1 claimed=50..60 by=w pins=1 | "
       "put r@2 updated=100 pins=1 state=b | pin c/k#3->r@2"},
      {"put_snapshots.4: two heads for one snapshot", world().with(on_log("d").at(3)),
       put({{2, "2", {kHead, {"d", "log", 3}}}}),
       "ok | put c/k pos=2 head=3 due=150 tries=1 claimed=50..60 by=w pins=1 | "
       "put d/log pos=2 head=3 since=1 pins=1 types=* | "
       "put r@2 updated=100 pins=2 state=2 | pin c/k#3->r@2 | pin d/log#3->r@2"},
  });
}

TEST(PutSnapshots, AHeadBearsAtMost256Pins) {
  World full = given(5).with(on_lane("c", "k").at(3).pinned(kMaxPinsPerHead - 1));
  check(Table{
      {"values.10: the last one", full, put({{2, "2", {kHead}}}),
       "ok | put c/k pos=2 head=3 since=1 pins=256 | put r@2 updated=100 pins=1 state=2 | "
       "pin c/k#3->r@2"},
      {"values.10: one more", full, put({{2, "2", {kHead}}, {4, "4", {kHead}}}),
       "throws invalid_argument writes[1].pins"},
  });
}

}  // namespace
}  // namespace pawl::core::testing
