// redrive: rows that are stored -> whether a dead letter was found, and what is written.
#include "tests/support/table.h"

namespace pawl::core::testing {
namespace {

using Table = std::vector<Row<Redrive>>;

Redrive redrive(RedriveAction action, Lane lane = {}, const std::vector<Consumer>& served = {},
                std::int64_t index = 3) {
  return Redrive({"s", "c", index, std::move(lane), action, serving(served)});
}
const auto kRetry = RedriveAction::kRetry;
const auto kSkip = RedriveAction::kSkip;

World with(const Cur& cursor) { return given(5).with(cursor); }
Cur lane() { return on_lane("c", "k").at(3); }

TEST(Redrive, FindsTheDeadLetter) {
  const World several = given(5)
                            .with(on_event("c", 3).dead(90))
                            .with(on_lane("c", "z").at(3).dead(90))
                            .with(on_lane("c", "k").at(3).dead(90))
                            .with(on_lane("c", "a").at(3).held("w", 150))
                            .with(on_lane("d", "a").at(3).dead(90));
  const char* const of_k =
      "redriven | put c/k pos=2 head=3 since=100 tries=1 claimed=50..60 failed=90/1 error=boom";
  check(Table{
      {"redrive.1: none", given(5), redrive(kRetry), "not redriven"},
      {"redrive.1: alive", with(lane().held("w", 150)), redrive(kRetry), "not redriven"},
      {"redrive.1: another index", with(lane().dead(90)), redrive(kRetry, {}, {}, 4),
       "not redriven"},
      {"redrive.1: another consumer", with(on_lane("d", "k").at(3).dead(90)), redrive(kRetry),
       "not redriven"},
      {"redrive.1: of an older era", given(5, 4).with(lane().dead(90).in_era(0)), redrive(kRetry),
       "not redriven"},
      {"redrive.1: the first in lane order", several, redrive(kRetry), of_k},
      {"redrive.1: of that lane", several, redrive(kRetry, "z"),
       "redriven | put c/z pos=2 head=3 since=100 tries=1 claimed=50..60 failed=90/1 error=boom"},
      {"redrive.1: of a lane that is alive", several, redrive(kRetry, "a"), "not redriven"},
      {"redrive.1: an event cursor, its lane none", with(on_event("c", 3).dead(90)),
       redrive(kRetry),
       "redriven | put c@3 pos=2 head=3 since=100 tries=1 claimed=50..60 failed=90/1 error=boom"},
      {"redrive.1: a lane is named, the event cursor has none", with(on_event("c", 3).dead(90)),
       redrive(kRetry, "k"), "not redriven"},
  });
}

TEST(Redrive, RetriesOrSkips) {
  const Cur dead = lane().tried(4).failed(3, 80, 4).dead(90).released(2);
  check(Table{
      {"redrive.3: the attempts go on counting", with(dead), redrive(kRetry),
       "redriven | put c/k pos=2 head=3 since=100 tries=4 claimed=50..60 failed=80/4 error=boom "
       "released=2"},
      {"redrive.4: a lane advances", with(dead).with(queued("c", "k", 3)).with(queued("c", "k", 5)),
       redrive(kSkip),
       "redriven | row finished_since=100 | put c/k pos=3 head=5 since=100 | "
       "work c/k#3 finished=100"},
      {"redrive.4: to what is scheduled", with(dead).with(queued("c", "k", 5, 101)), redrive(kSkip),
       "redriven | row finished_since=100 | put c/k pos=3 head=5 due=101 | "
       "work c/k#3 finished=100"},
      {"redrive.4: a lane with nothing behind", with(dead), redrive(kSkip),
       "redriven | row finished_since=100 | put c/k pos=3 | work c/k#3 finished=100"},
      {"redrive.4: an event cursor ends", with(on_event("c", 3).dead(90)), redrive(kSkip),
       "redriven | row finished_since=100 | drop c@3 | work c#3 finished=100"},
      {"redrive.4: a log keeps an earlier completion",
       with(on_log("c").at(3).dead(90).completed(2, 1, {"e3"})), redrive(kSkip),
       "redriven | put c/log pos=3 head=4 since=100 types=* completed=2/1[e3]"},
  });
}

TEST(Redrive, RefreshesTypes) {
  const World log = with(on_log("c").at(3).dead(90)).typed(5, "u");
  check(Table{
      {"redrive.2: before it advances", log, redrive(kSkip, {}, {reads("c", {{"u"}})}),
       "redriven | put c/log pos=3 head=5 since=100 types=[u]"},
      {"redrive.2: of another log", with(lane().dead(90)).with(on_log("d").pos(1)),
       redrive(kRetry, {}, {reads("d", {{"u"}})}),
       "redriven | put c/k pos=2 head=3 since=100 tries=1 claimed=50..60 failed=90/1 error=boom | "
       "put d/log pos=1 types=[u]"},
      {"redrive.1: not if none is found", log, redrive(kSkip, {}, {reads("c", {{"u"}})}, 4),
       "not redriven"},
      {"redrive.2: a log of another lane is not that one",
       with(on_log("c", "other").at(3).dead(90)).typed(5, "u"),
       redrive(kSkip, {}, {reads("c", {{"u"}})}),
       "redriven | put c/other pos=3 head=4 since=100 types=*"},
  });
}

}  // namespace
}  // namespace pawl::core::testing
