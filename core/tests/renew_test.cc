// renew: rows that are stored -> which claims are renewed, and what is written.
#include "tests/support/table.h"

namespace pawl::core::testing {
namespace {

using Table = std::vector<Row<Renew>>;

Renew renew(std::vector<Claim> claims, std::string holder = "w", std::int64_t ttl_ms = 50) {
  RenewRequest request;
  request.session = "s";
  request.lease = {std::move(holder), ttl_ms, 0};
  request.claims = std::move(claims);
  return Renew(request);
}
Renew renew_until(std::vector<Claim> claims, std::int64_t expires_at) {
  Renew operation = renew(std::move(claims));
  operation.request.lease = {"w", {}, expires_at};
  return operation;
}

const Claim kLane{"c", "k", 3, 1};
const Claim kEvent{"c", {}, 3, 1};

World with(const Cur& cursor) { return given(5).with(cursor); }

TEST(Renew, MovesTheExpiryOfALiveClaim) {
  const World world = with(on_lane("c", "k").at(3).held("w", 101));
  constexpr std::int64_t kRest = kMaxTimeMs - kNow;
  check(Table{
      {"renew.1: a live claim", world, renew({kLane}),
       "renewed [c/k#3] superseded [] | put c/k pos=2 head=3 due=150 tries=1 claimed=50..60 by=w"},
      {"renew.1: to an earlier time", world, renew_until({kLane}, 1),
       "renewed [c/k#3] superseded [] | put c/k pos=2 head=3 due=1 tries=1 claimed=50..60 by=w"},
      {"renew.1: to the same time", world, renew_until({kLane}, 101),
       "renewed [c/k#3] superseded []"},
      {"values.6: up to the largest time", world, renew({kLane}, "w", kRest),
       "renewed [c/k#3] superseded [] | put c/k pos=2 head=3 due=9007199254740992 tries=1 "
       "claimed=50..60 by=w"},
      {"values.6: past it", world, renew({kLane}, "w", kRest + 1),
       "throws invalid_argument ttl_ms"},
      {"values.6: past it, whatever is stored", World(), renew({}, "w", kMaxTimeMs),
       "throws invalid_argument ttl_ms"},
      {"renew.1: no claims", world, renew({}), "renewed [] superseded []"},
      {"renew.1: failures and pins stay",
       with(on_event("c", 3).tried(4).failed(2, 70, 3).held("w", 101).pinned(1)),
       renew({{"c", {}, 3, 4}}),
       "renewed [c#3] superseded [] | put c@3 pos=2 head=3 due=150 tries=4 claimed=50..60 by=w "
       "failures=2 failed=70/3 error=boom pins=1"},
  });
}

TEST(Renew, TellsWhatIsSuperseded) {
  const char* const superseded_lane = "renewed [] superseded [c/k#3]";
  const char* const superseded_event = "renewed [] superseded [c#3]";
  const char* const neither = "renewed [] superseded []";
  check(Table{
      {"renew.1: at the clear index", given(5, 3), renew({kLane}), superseded_lane},
      {"renew.1: below it", given(5, 4), renew({kEvent}), superseded_event},
      {"renew.1: at it, in an unknown consumer", given(5, 3), renew({{"x", "y", 1, 1}}),
       "renewed [] superseded [x/y#1]"},
      {"renew.1: no such lane", given(5), renew({kLane}), neither},
      {"renew.1: no such event cursor", given(5), renew({kEvent}), neither},
      {"renew.1: a finished event cursor", given(5).with(completed("c", {}, 3, 90, 1)),
       renew({kEvent}), superseded_event},
      {"prune.3: the record of a lane's head is not looked for",
       given(5).with(completed("c", "k", 3, 90, 1)), renew({kLane}), neither},
      {"renew.1: the cursor is still before it", with(on_lane("c", "k").at(2).held("w", 150)),
       renew({kLane}), neither},
      {"renew.1: an idle cursor before it", with(on_log("c").pos(2)), renew({{"c", "log", 3, 1}}),
       neither},
      {"renew.1: an idle cursor at it", with(on_log("c").pos(3)), renew({{"c", "log", 3, 1}}),
       "renewed [] superseded [c/log#3]"},
      {"renew.1: passed over by types", with(on_log("c").at(4).pos(1)), renew({{"c", "log", 3, 1}}),
       "renewed [] superseded [c/log#3]"},
      {"renew.1: another head", with(on_lane("c", "k").at(5).held("w", 150)), renew({kLane}),
       superseded_lane},
      {"renew.1: claimed again", with(on_lane("c", "k").at(3).tried(2).held("w", 150)),
       renew({kLane}), superseded_lane},
      {"renew.1: an attempt to come", with(on_lane("c", "k").at(3).held("w", 150)),
       renew({{"c", "k", 3, 2}}), neither},
      {"renew.1: dead", with(on_lane("c", "k").at(3).dead(90)), renew({kLane}), neither},
      {"renew.1: dead by lapse, which counts as an attempt",
       with(on_lane("c", "k").at(3).tried(2).dead(90)), renew({kLane}), superseded_lane},
      {"renew.1: another holder", with(on_lane("c", "k").at(3).held("v", 150)), renew({kLane}),
       neither},
      {"renew.1: no holder", with(on_lane("c", "k").at(3).tried(1).due(150)), renew({kLane}),
       neither},
      {"renew.1: expired just now", with(on_lane("c", "k").at(3).held("w", 100)), renew({kLane}),
       neither},
      {"renew.1: of an older era", given(5, 2).with(on_event("c", 3).held("w", 150).in_era(0)),
       renew({kEvent}), neither},
  });
}

TEST(Renew, ListsInOrder) {
  const auto held = [](Cur cursor) { return cursor.held("w", 150); };
  const World world = given(9, 2)
                          .with(held(on_event("d", 4)))
                          .with(held(on_event("c", 4)))
                          .with(held(on_lane("c", "z").at(4)))
                          .with(held(on_lane("c", "a").at(9)))
                          .with(held(on_log("a").at(5)));
  EXPECT_EQ(decide(world, renew({{"a", "log", 5, 1},
                                 {"c", "a", 9, 1},
                                 {"d", {}, 4, 1},
                                 {"c", {}, 4, 1},
                                 {"c", "z", 4, 1},
                                 {"z", {}, 2, 1},
                                 {"a", {}, 2, 1},
                                 {"b", {}, 1, 1},
                                 {"a", "k", 2, 1}}))
                .answer,
            "renewed [c/z#4 c#4 d#4 a/log#5 c/a#9] superseded [b#1 a/k#2 a#2 z#2]")
      << "renew.2";
}

}  // namespace
}  // namespace pawl::core::testing
