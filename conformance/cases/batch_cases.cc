// append_batch: appends to many sessions, all or none.
#include <gtest/gtest.h>

#include "cases/case.h"
#include "cases/fixture.h"

namespace pawl::conformance {
namespace {

AppendItem item(const char* session, const char* events, const ServedList& served = "*",
                Int origin_index = 0) {
  return {session, parse_events(events), served.get(), origin_index};
}

// "a#1 pending; b#1 settled".
std::string batch(Fixture& f, const std::vector<AppendItem>& items) {
  std::string text;
  for (const AppendResult& result : f->append_batch(items)) {
    if (!result.events.empty()) text += show(result.events) + " ";
    text += result.has_pending ? "pending; " : "settled; ";
  }
  return text;
}

constexpr CaseRow kCases[] = {
    {"AppendBatch.AnswersInTheOrderOfTheItems", "append_batch.1",
     [](Fixture& f) {
       f.add("a");
       f.at(4);
       EXPECT_EQ(batch(f, {item("v", "x y>c"), item("s", "b"), item("u", "c>d/k")}),
                 "x#1 y#2 pending; b#2 settled; c#1 pending; ");
       EXPECT_EQ(f.sessions(), "s 2/0 u 1/0 v 2/0");
       EXPECT_EQ(show_full(f->read("v").at(1)), "2 y t null at=4");
       EXPECT_EQ(f.on("u").claim(), "claimed d/k#1@1");
     }},

    {"AppendBatch.EachItemHasItsOwnConsumersAndOrigin", "append_batch.1",
     [](Fixture& f) {
       f.add("a");
       f.clear();
       const ServedList logs("l+!");
       const ServedList none("");
       EXPECT_EQ(batch(f, {item("s", "b", logs, 3), item("u", "b>c", none, 1)}),
                 "b#3 pending; b#1 settled; ");
       EXPECT_EQ(f.cursors(), "l/log log pos=2 head=3");
       EXPECT_EQ(f.on("u").cursors(), "c event pos=0 head=1");
     }},

    {"AppendBatch.IsAllOrNothing", "append_batch.1 atomicity.1",
     [](Fixture& f) {
       f.add("a=1 b");
       f.on("v").add("a");
       f.on("v").clear();
       for (const auto& [bad, code] : {std::pair{item("s", "a=2"), "replay_mismatch"},
                                       {item("s", "a=1 z"), "partial_duplicate_batch"},
                                       {item("s", "z z"), "partial_duplicate_batch"},
                                       {item("s", "z<c#1@1"), "superseded_attempt"},
                                       {item("v", "z", "*", 1), "session_cleared"},
                                       {item("s", "z:pawl.z"), "invalid_argument"}}) {
         const std::vector<AppendItem> items{item("u", "x>c"), bad, item("w", "-")};
         EXPECT_EQ(f.refused([&] { batch(f, items); }), code);
       }
       EXPECT_EQ(f.add("-"), "id-2#3 settled");  // no id was drawn but the marker's
     }},

    {"AppendBatch.ASessionTwiceIsInvalid", "append_batch.2 structures.7",
     [](Fixture& f) {
       EXPECT_EQ(f.refused(
                     [&] {
                       batch(f, {item("s", "a"), item("u", "a"), item("s", "b")});
                     },
                     "items[2].session"),
                 "invalid_argument");
     }},

    {"AppendBatch.GeneratesIdsInTheOrderOfTheItems", "append.10",
     [](Fixture& f) {
       f.on("u").add("id-2");
       EXPECT_EQ(batch(f, {item("v", "- -"), item("u", "-"), item("s", "-")}),
                 "id-1#1 id-2#2 settled; id-3#2 settled; id-4#1 settled; ");
     }},

    {"AppendBatch.ReplaysSomeAndAppendsOthers", "append_batch.1 append.3",
     [](Fixture& f) {
       f.add("a>c");
       f.claim();
       f.complete("c#1@1");
       EXPECT_EQ(batch(f, {item("s", "a>c"), item("u", "a>c"), item("v", "")}),
                 "a#1 settled; a#1 pending; settled; ");
       EXPECT_EQ(f.sessions(), "s 1/0 u 1/0");
     }},

    {"AppendBatch.OfNothing", "append_batch.1", [](Fixture& f) { EXPECT_EQ(batch(f, {}), ""); }},

    {"AppendBatch.CausesAreOfTheirSessions", "append_batch.1 append.5",
     [](Fixture& f) {
       f.add("a>c");
       f.on("u").add("a>c");
       f.claim();
       EXPECT_EQ(f.refused([&] {
         batch(f, {item("s", "b<c#1@1"), item("u", "b<c#1@1")});
       }),
                 "superseded_attempt");
       f.on("u").claim();
       EXPECT_EQ(batch(f, {item("s", "b<c#1@1"), item("u", "b<c#1@1")}),
                 "b#2 pending; b#2 pending; ");
     }},
};

}  // namespace

std::span<const CaseRow> batch_cases() { return kCases; }

}  // namespace pawl::conformance
