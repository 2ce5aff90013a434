// wake_log where it does what an append does: rows that are stored -> the cursor, and what is
// written. (The cursor of a session without events is answered by Store: store/store_test.cc.)
#include "tests/support/table.h"

namespace pawl::core::testing {
namespace {

using Table = std::vector<Row<WakeLog>>;

// The answer is the cursor, and a cursor that is written is the one that is answered.
std::string both(const std::string& cursor) { return cursor + " | put " + cursor; }

TEST(WakeLog, BringsACursorUpToDate) {
  const std::string at_end = both("c/log pos=5 types=*");
  const std::string first = both("c/log head=1 since=100 types=*");
  const std::string of_type = both("c/log head=4 since=100 types=[u]");
  const std::string next = both("c/log pos=2 head=3 since=100 types=*");
  const std::string narrowed = both("c/log pos=2 types=[u]");
  const std::string held = both("c/log pos=1 head=2 due=150 tries=1 claimed=50..60 by=w types=[u]");
  const std::string cleared = both("c/log era=1 pos=3 head=4 since=100 types=*");
  check(Table{
      {"wake_log.3: opens at the last index", given(5), WakeLog(reads("c")), at_end.c_str()},
      {"wake_log.3: opens with backfill", given(5), WakeLog(reads("c", {}, true)), first.c_str()},
      {"wake_log.3: backfill to its types", given(5).typed(4, "u"),
       WakeLog(reads("c", {{"u"}}, true)), of_type.c_str()},
      {"wake_log.3: an idle one that is behind", given(5).with(on_log("c").pos(2)),
       WakeLog(reads("c")), next.c_str()},
      {"wake_log.3: an idle one that is not", given(5).with(on_log("c").pos(5)),
       WakeLog(reads("c")), "c/log pos=5 types=*"},
      {"wake_log.3: none of its types above it", given(5).with(on_log("c").pos(2)),
       WakeLog(reads("c", {{"u"}})), narrowed.c_str()},
      {"wake_log.3: a head is kept, the types are recorded",
       given(5).with(on_log("c").at(2).held("w", 150)), WakeLog(reads("c", {{"u"}})), held.c_str()},
      {"wake_log.3: after a clear", given(5, 3).with(on_log("c").at(2).in_era(0)),
       WakeLog(reads("c")), cleared.c_str()},
      {"wake_log.3: a cleared one at the marker is written by the next change",
       given(3, 3).with(on_log("c").at(2).in_era(0)), WakeLog(reads("c")),
       "c/log era=1 pos=3 types=*"},
      {"vocabulary.5: a lane of that name", given(5).with(on_lane("c", "log").pos(2)),
       WakeLog(reads("c")), "throws invalid_argument consumer.log.lane"},
  });
}

}  // namespace
}  // namespace pawl::core::testing
