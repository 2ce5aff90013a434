// fail: rows that are stored -> the outcome with its count, and what is written.
#include "tests/support/table.h"

namespace pawl::core::testing {
namespace {

using Table = std::vector<Row<Settle>>;

const Claim kLane{"c", "k", 3, 1};
const Claim kEvent{"c", {}, 3, 1};

World with(const Cur& cursor) { return given(5).with(cursor); }
Cur lane() { return on_lane("c", "k").at(3); }

TEST(Fail, ChecksTheHeadAndTheAttempt) {
  check(Table{
      {"fail.1: at the clear index", given(5, 3), fail(kLane, 3), "superseded 0"},
      {"fail.1: below it", given(5, 4), fail(kLane, 3), "superseded 0"},
      {"fail.1: no cursor, an event", given(3), fail(kLane, 3), "superseded 0"},
      {"fail.1: no cursor, no event", given(2), fail(kLane, 3), "throws unknown_event"},
      {"fail.1: a finished event cursor", given(2).with(completed("c", {}, 3, 90, 1)),
       fail(kEvent, 3), "superseded 0"},
      {"fail.1: another head", with(on_lane("c", "k").at(5).held("w", 150).failures(2)),
       fail(kLane, 3), "superseded 0"},
      {"fail.1: idle", with(on_lane("c", "k").pos(3)), fail(kLane, 3), "superseded 0"},
      {"fail.2: an earlier attempt", with(lane().tried(2).held("w", 150).failures(1)),
       fail(kLane, 3), "superseded 1"},
      {"fail.2: a later attempt", with(lane().held("w", 150).failures(1)),
       fail({"c", "k", 3, 2}, 3), "superseded 1"},
      {"fail.2 before fail.3: dead, of an earlier attempt",
       with(lane().tried(2).failed(2, 90, 2).dead(90)), fail(kLane, 3), "superseded 2"},
  });
}

TEST(Fail, RepeatsTheOutcome) {
  check(Table{
      {"fail.3: failed", with(lane().tried(1).failed(1, 90, 1).due(190)), fail(kLane, 3),
       "failed 1"},
      {"fail.3: dead by now", with(lane().tried(1).failed(3, 90, 1).dead(90)), fail(kLane, 3),
       "dead_lettered 3"},
      {"fail.3: redriven since", with(lane().tried(1).failed(0, 90, 1)), fail(kLane, 1),
       "failed 0"},
      {"fail.4: dead by a lapse of this attempt", with(lane().tried(1).failures(2).dead(90)),
       fail(kLane, 3), "dead_lettered 2"},
      {"fail.4: released", with(lane().tried(1).released(1).failures(1)), fail(kLane, 3),
       "superseded 1"},
      {"fail.4: failed at an earlier attempt, no holder", with(lane().tried(2).failed(1, 70, 1)),
       fail({"c", "k", 3, 2}, 3), "superseded 1"},
  });
}

TEST(Fail, CountsAndWaits) {
  const Cur held = lane().held("w", 150);
  constexpr std::int64_t kRest = kMaxTimeMs - kNow;
  check(Table{
      {"fail.5: at once", with(held), fail(kLane, 3),
       "failed 1 | put c/k pos=2 head=3 since=100 tries=1 claimed=50..60 failures=1 failed=100/1 "
       "error=boom"},
      {"fail.5: after a delay", with(held), fail(kLane, 3, 40),
       "failed 1 | put c/k pos=2 head=3 due=140 tries=1 claimed=50..60 failures=1 "
       "failed=100/1 error=boom"},
      {"fail.5: 0 counts as given", with(held), fail(kLane, 3, 0),
       "failed 1 | put c/k pos=2 head=3 due=100 tries=1 claimed=50..60 failures=1 "
       "failed=100/1 error=boom"},
      {"fail.5: once more", with(lane().failed(1, 70, 1).tried(2).held("w", 150)),
       fail({"c", "k", 3, 2}, 3),
       "failed 2 | put c/k pos=2 head=3 since=100 tries=2 claimed=50..60 failures=2 failed=100/2 "
       "error=boom"},
      {"fail.5: an expired claim nobody has taken over", with(lane().held("w", 90)), fail(kLane, 3),
       "failed 1 | put c/k pos=2 head=3 since=100 tries=1 claimed=50..60 failures=1 failed=100/1 "
       "error=boom"},
      {"fail.5: max_failures reached", with(lane().failures(2).held("w", 150)), fail(kLane, 3, 40),
       "dead_lettered 3 | put c/k pos=2 head=3 tries=1 claimed=50..60 failures=3 failed=100/1 "
       "error=boom dead=100"},
      {"fail.5: max_failures passed", with(lane().failures(7).held("w", 150)), fail(kLane, 3),
       "dead_lettered 8 | put c/k pos=2 head=3 tries=1 claimed=50..60 failures=8 failed=100/1 "
       "error=boom dead=100"},
      {"fail.5: at the first failure", with(on_event("c", 3).held("w", 150)), fail(kEvent, 1),
       "dead_lettered 1 | put c@3 pos=2 head=3 tries=1 claimed=50..60 failures=1 failed=100/1 "
       "error=boom dead=100"},
      {"values.6: up to the largest time", with(held), fail(kLane, 3, kRest),
       "failed 1 | put c/k pos=2 head=3 due=9007199254740992 tries=1 claimed=50..60 "
       "failures=1 failed=100/1 error=boom"},
      {"values.6: past it", with(held), fail(kLane, 3, kRest + 1),
       "throws invalid_argument retry_after_ms"},
      {"values.6: past it, of no event", given(2), fail(kLane, 3, kMaxTimeMs),
       "throws invalid_argument retry_after_ms"},
      {"fail.6: what waits behind a dead letter is not touched",
       with(held).with(queued("c", "k", 3)).with(queued("c", "k", 4)), fail(kLane, 1),
       "dead_lettered 1 | put c/k pos=2 head=3 tries=1 claimed=50..60 failures=1 failed=100/1 "
       "error=boom dead=100"},
  });
}

TEST(Fail, ReleasesPinsOfTheDead) {
  const World world = with(lane().held("w", 150))
                          .with_snapshot("r", 2)
                          .with_snapshot("r", 4)
                          .with({0, {"c", "k", 0}, 3, "r", 2});
  check(Table{
      {"fail.5: dead", world, fail(kLane, 1),
       "dead_lettered 1 | drop r@2 updated=20 | unpin c/k#3->r@2 | put c/k pos=2 head=3 tries=1 "
       "claimed=50..60 failures=1 failed=100/1 error=boom dead=100"},
      {"pins.1: not while it lives", world, fail(kLane, 2),
       "failed 1 | put c/k pos=2 head=3 since=100 tries=1 claimed=50..60 failures=1 failed=100/1 "
       "error=boom pins=1"},
  });
}

}  // namespace
}  // namespace pawl::core::testing
