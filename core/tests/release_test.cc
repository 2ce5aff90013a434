// release: rows that are stored -> the outcome, and what is written.
#include "tests/support/table.h"

namespace pawl::core::testing {
namespace {

using Table = std::vector<Row<Settle>>;

const Claim kLane{"c", "k", 3, 1};
const Claim kEvent{"c", {}, 3, 1};

World with(const Cur& cursor) { return given(5).with(cursor); }
Cur lane() { return on_lane("c", "k").at(3); }

TEST(Release, ChecksTheHeadAndTheAttempt) {
  check(Table{
      {"release.1: at the clear index", given(5, 3), release(kLane), "superseded"},
      {"release.1: no cursor, an event", given(3), release(kLane), "superseded"},
      {"release.1: no cursor, no event", given(2), release(kLane), "throws unknown_event"},
      {"release.1: a finished event cursor", given(2).with(completed("c", {}, 3, 90, 1)),
       release(kEvent), "superseded"},
      {"release.1: another head", with(on_lane("c", "k").at(5).held("w", 150)), release(kLane),
       "superseded"},
      {"release.1: an earlier attempt", with(lane().tried(2).held("w", 150)), release(kLane),
       "superseded"},
      {"release.1: a later attempt", with(lane().held("w", 150)), release({"c", "k", 3, 2}),
       "superseded"},
      {"release.2: a replay", with(lane().tried(1).released(1).due(190)), release(kLane, 7),
       "released"},
      {"release.3: released at an earlier attempt, no holder", with(lane().tried(2).released(1)),
       release({"c", "k", 3, 2}), "superseded"},
      {"release.3: failed", with(lane().tried(1).failed(1, 90, 1)), release(kLane), "superseded"},
      {"release.3: dead", with(lane().dead(90)), release(kLane), "superseded"},
  });
}

TEST(Release, GivesTheClaimBack) {
  const Cur held = lane().failed(1, 40, 1).tried(2).held("w", 150).pinned(1);
  const Claim second{"c", "k", 3, 2};
  constexpr std::int64_t kRest = kMaxTimeMs - kNow;
  check(Table{
      {"release.4: at once", with(held), release(second),
       "released | put c/k pos=2 head=3 since=100 tries=2 claimed=50..60 failures=1 failed=40/1 "
       "error=boom released=2 pins=1"},
      {"release.4: after a delay", with(held), release(second, 40),
       "released | put c/k pos=2 head=3 due=140 tries=2 claimed=50..60 failures=1 "
       "failed=40/1 error=boom released=2 pins=1"},
      {"release.4: 0 counts as given", with(held), release(second, 0),
       "released | put c/k pos=2 head=3 due=100 tries=2 claimed=50..60 failures=1 "
       "failed=40/1 error=boom released=2 pins=1"},
      {"release.4: an expired claim nobody has taken over", with(on_event("c", 3).held("w", 90)),
       release(kEvent),
       "released | put c@3 pos=2 head=3 since=100 tries=1 claimed=50..60 released=1"},
      {"values.6: past the largest time", with(held), release(second, kRest + 1),
       "throws invalid_argument delay_ms"},
      {"values.6: past it, whatever is stored", given(5, 4), release(kLane, kMaxTimeMs),
       "throws invalid_argument delay_ms"},
  });
}

}  // namespace
}  // namespace pawl::core::testing
