// What first keys tell: which sessions are ready and in which order, and when others will be.
#include <gtest/gtest.h>

#include "pawl/backend.h"

namespace pawl {
namespace {

using Rows = std::vector<driver::ReadyRow>;

std::string ordered(const Rows& rows, std::int64_t limit = 100) {
  std::string text;
  for (const ReadySession& session : order_ready(rows, 100, limit)) {
    text += session.session + ":" + std::to_string(session.ready_at) + " ";
  }
  return text;
}

TEST(OrderReady, ByTheTimeSinceWhenThenByName) {
  struct Case {
    const char* rule;
    Rows rows;
    const char* want;
  };
  const std::vector<Case> cases{
      {"ready.1: none", {}, ""},
      {"ready.2: claimable since", {{"s", "c", 0, 40}}, "s:40 "},
      {"ready.2: a time that has come", {{"s", "c", 90, 0}}, "s:90 "},
      {"ready.2: that comes now", {{"s", "c", 100, 0}}, "s:100 "},
      {"ready.3: a time to come", {{"s", "c", 101, 0}}, ""},
      {"ready.1: by time",
       {{"a", "c", 0, 50}, {"b", "c", 40, 0}, {"d", "c", 0, 60}},
       "b:40 a:50 d:60 "},
      {"ready.1: then by name",
       {{"b", "c", 0, 50}, {"\xC3\xA4", "c", 0, 50}, {"B", "c", 50, 0}},
       "B:50 b:50 \xC3\xA4:50 "},
      {"ready.2: the earliest of the consumers",
       {{"s", "c", 0, 50}, {"s", "d", 30, 0}, {"s", "e", 0, 70}},
       "s:30 "},
      {"ready.2: one of them is to come", {{"s", "c", 101, 0}, {"s", "d", 0, 50}}, "s:50 "},
      {"ready.2: the clock has stepped back: free heads stay ready",
       {{"s", "c", 0, 500}},
       "s:500 "},
  };
  for (const Case& c : cases) EXPECT_EQ(ordered(c.rows), c.want) << c.rule;
}

TEST(OrderReady, TheFirstOfThem) {
  const Rows rows{{"a", "c", 0, 50}, {"b", "c", 40, 0}, {"d", "c", 0, 60}, {"b", "d", 0, 70}};
  EXPECT_EQ(ordered(rows, 1), "b:40 ");
  EXPECT_EQ(ordered(rows, 2), "b:40 a:50 ");
  EXPECT_EQ(ordered(rows, 3), "b:40 a:50 d:60 ");
  EXPECT_EQ(ordered(rows, 4), "b:40 a:50 d:60 ");
}

TEST(NextDue, IsTheEarliestTimeToCome) {
  EXPECT_EQ(next_due({}, 100), std::nullopt);
  EXPECT_EQ(next_due({{"s", "c", 0, 40}, {"s", "d", 100, 0}}, 100), std::nullopt);
  EXPECT_EQ(next_due({{"s", "c", 101, 0}}, 100), 101);
  EXPECT_EQ(next_due({{"s", "c", 300, 0}, {"a", "c", 200, 0}, {"a", "d", 50, 0}}, 100), 200)
      << "ready.3";
}

}  // namespace
}  // namespace pawl
