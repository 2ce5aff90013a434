// set_presence: rows that are stored -> what is written.
#include "tests/support/table.h"

namespace pawl::core::testing {
namespace {

using Table = std::vector<Row<SetPresence>>;

// Field f of participant p in namespace n, written `at`.
driver::PresenceRow stored(std::int64_t at, std::int64_t expires_at, const std::string& value = "1",
                           std::string field = "f") {
  return {"p", std::move(field), value, value == "null", std::nullopt, at, expires_at};
}
World with(std::vector<driver::PresenceRow> rows) {
  World world;
  world.presence["n"] = std::move(rows);
  return world;
}
SetPresence set(std::optional<std::string> value, std::int64_t at, std::int64_t ttl_ms = 50) {
  return SetPresence({{"f", std::move(value)}}, at, ttl_ms);
}

TEST(SetPresence, TheLastWriterWins) {
  const char* const written = "ok | put n:p.f=2 at=30 expires=150";
  check(Table{
      {"set_presence.1: nothing stored", World(), set("2", 30), written},
      {"set_presence.1: an older one", with({stored(29, 200)}), set("2", 30), written},
      {"set_presence.1: a tie", with({stored(30, 200)}), set("2", 30), written},
      {"set_presence.1: a strictly newer one wins", with({stored(31, 200)}), set("2", 30), "ok"},
      {"set_presence.1: unless it has expired", with({stored(31, 100)}), set("2", 30), written},
      {"set_presence.1: it is about to", with({stored(31, 101)}), set("2", 30), "ok"},
      {"set_presence.1: `at` may lie ahead", World(), set("2", 999),
       "ok | put n:p.f=2 at=999 expires=150"},
      {"values.6: no time at all", World(), set("2", 30, 0), "ok | put n:p.f=2 at=30 expires=100"},
      {"values.6: up to the largest time", World(), set("2", 30, kMaxTimeMs - kNow),
       "ok | put n:p.f=2 at=30 expires=9007199254740992"},
      {"values.6: past it", World(), set("2", 30, kMaxTimeMs - kNow + 1),
       "throws invalid_argument ttl_ms"},
      {"set_presence.3: seen is kept", World(), SetPresence({{"f", "2"}}, 30, 50, -7),
       "ok | put n:p.f=2 seen=-7 at=30 expires=150"},
      {"set_presence.1: field by field", with({stored(31, 200), stored(29, 200, "1", "g")}),
       SetPresence({{"f", "2"}, {"g", "2"}, {"h", "2"}}, 30, 50),
       "ok | put n:p.g=2 at=30 expires=150 | put n:p.h=2 at=30 expires=150"},
      {"set_presence.1: no fields", World(), SetPresence({}, 30, 50), "ok"},
  });
}

TEST(SetPresence, NullIsATombstone) {
  const char* const gone = "ok | put n:p.f=null gone at=30 expires=150";
  check(Table{
      {"set_presence.2: absent", World(), set({}, 30), gone},
      {"set_presence.2: the text", World(), set("null", 30), gone},
      {"set_presence.2: the text with white space", World(), set(" null\n", 30),
       "ok | put n:p.f= null\n gone at=30 expires=150"},
      {"set_presence.2: a string is none", World(), set("\"null\"", 30),
       "ok | put n:p.f=\"null\" at=30 expires=150"},
      {"set_presence.2: a newer one keeps an older set out", with({stored(31, 200, "null")}),
       set("2", 30), "ok"},
      {"set_presence.2: it loses to a newer value", with({stored(31, 200)}), set({}, 30), "ok"},
      {"set_presence.2: it wins over an older one", with({stored(29, 200)}), set({}, 30), gone},
  });
}

TEST(SetPresence, SweepsWhatHasExpired) {
  World many;
  for (int i = 0; i < 100; ++i) {
    many.presence["n"].push_back(stored(1, 100, "1", "old" + std::to_string(i)));
  }
  check(Table{
      {"reclaim_presence.1: expired rows of the namespace",
       with({stored(1, 100, "1", "a"), stored(1, 101, "1", "b"), stored(1, 7, "1", "c")}),
       set("2", 30), "ok | drop n:p.a | drop n:p.c | put n:p.f=2 at=30 expires=150"},
      {"reclaim_presence.1: not the one that is written", with({stored(99, 100)}), set("2", 30),
       "ok | put n:p.f=2 at=30 expires=150"},
      {"reclaim_presence.1: beside one that wins", with({stored(31, 200), stored(1, 7, "1", "c")}),
       set("2", 30), "ok | drop n:p.c"},
  });
  EXPECT_EQ(decide(many, set("2", 30)).effects.presence.drop.size(), 64u) << "bounded";
}

}  // namespace
}  // namespace pawl::core::testing
