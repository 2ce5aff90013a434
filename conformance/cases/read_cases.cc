// read, head, cursors and sessions: what is listed, in which order, in pages.
#include <gtest/gtest.h>

#include "cases/case.h"
#include "cases/fixture.h"

namespace pawl::conformance {
namespace {

// All pages of cursors, one word a cursor: "c/k#1".
std::string cursor_pages(Fixture& f, Int limit) {
  std::string text;
  std::optional<HeadRef> after;
  for (;;) {
    const std::vector<Cursor> page = f->cursors("s", {after, limit});
    if (page.empty()) return text;
    EXPECT_LE(static_cast<Int>(page.size()), limit);
    for (const Cursor& c : page)
      text += show(HeadRef{c.consumer, c.lane, c.head.value_or(0)}) + " ";
    // One that is idle has a lane, which tells its place by itself.
    after = HeadRef{page.back().consumer, page.back().lane, page.back().head.value_or(1)};
  }
}

constexpr CaseRow kCases[] = {
    {"Read.InIndexOrderByPages", "read.1",
     [](Fixture& f) {
       f.add("a b c d e");
       EXPECT_EQ(f.read(), "a#1 b#2 c#3 d#4 e#5");
       EXPECT_EQ(f.read({.limit = 2}), "a#1 b#2");
       EXPECT_EQ(f.read({.after = 2, .limit = 2}), "c#3 d#4");
       EXPECT_EQ(f.read({.after = 4, .limit = 2}), "e#5");
       EXPECT_EQ(f.read({.after = 5}), "");
       EXPECT_EQ(f.read({.after = 99}), "");
       EXPECT_EQ(f.on("u").read(), "");
     }},

    {"Read.ThroughAnIndex", "read.1",
     [](Fixture& f) {
       f.add("a b c");
       EXPECT_EQ(f.read({.through = 2}), "a#1 b#2");
       EXPECT_EQ(f.read({.after = 1, .through = 2}), "b#2");
       EXPECT_EQ(f.read({.through = 0}), "");
       EXPECT_EQ(f.read({.through = 99}), "a#1 b#2 c#3");
       EXPECT_EQ(f.read({.after = 2, .through = 1}), "");
     }},

    {"Read.OfTypes", "read.1 structures.5",
     [](Fixture& f) {
       f.add("a:x b:y c:x d:z e:y");
       EXPECT_EQ(f.read({.types = {{"x"}}}), "a#1 c#3");
       EXPECT_EQ(f.read({.types = {{"y", "x", "y"}}}), "a#1 b#2 c#3 e#5");
       EXPECT_EQ(f.read({.after = 1, .limit = 2, .types = {{"x", "y"}}}), "b#2 c#3");
       EXPECT_EQ(f.read({.types = {{"y"}}, .through = 4}), "b#2");
       EXPECT_EQ(f.read({.types = {std::vector<std::string>{}}}), "");
       EXPECT_EQ(f.read({.types = {{"none"}}}), "");
     }},

    {"Read.FromTheClearMarkerOn", "read.1 clear.6",
     [](Fixture& f) {
       f.add("a b");
       f.clear();
       f.add("c");
       EXPECT_EQ(f.read(), "pawl.clear#3 c#4");
       EXPECT_EQ(f.read({.after = 1}), "pawl.clear#3 c#4");
       EXPECT_EQ(f.read({.after = 3}), "c#4");
       EXPECT_EQ(f.read({.through = 2}), "");
       EXPECT_EQ(f.read({.through = 3}), "pawl.clear#3");
       EXPECT_EQ(f.read({.types = {{"t"}}}), "c#4");
       EXPECT_EQ(f.read({.types = {{"pawl.clear"}}}), "pawl.clear#3");
       EXPECT_EQ(show_full(f->read("s").at(0)), "3 id-1 pawl.clear null at=1");
     }},

    {"Read.OnlyTheLatestMarker", "read.1 clear.6",
     [](Fixture& f) {
       f.add("a");
       f.clear();
       f.add("b");
       f.clear();
       EXPECT_EQ(f.read(), "pawl.clear#4");
       EXPECT_EQ(f.read({.types = {{"pawl.clear", "t"}}}), "pawl.clear#4");
     }},

    {"Read.AnAnswerThatIsTooLongIsCut", "values.12",
     [](Fixture& f) {
       f.options().max_call_bytes = 4'000;
       const std::string payload = "\"" + std::string(1'500, 'x') + "\"";
       for (const char* id : {"a", "b", "c", "d"}) {
         f->append("s", {{.id = id, .type = "t", .payload = payload}});
       }
       std::string all;
       Int after = 0;
       int pages = 0;
       for (;;) {
         const std::vector<Event> page = f->read("s", {.after = after});
         if (page.empty()) break;
         for (const Event& event : page) all += event.id;
         after = page.back().index;
         ++pages;
       }
       EXPECT_EQ(all, "abcd");
       EXPECT_GT(pages, 1);
     }},

    {"Head.OfAnUnknownSessionIsZero", "head.1",
     [](Fixture& f) {
       EXPECT_EQ(f.head(), "last 0 clear 0");
       EXPECT_EQ(f.sessions(), "");
     }},

    {"Head.TellsLastAndClearIndex", "head.1",
     [](Fixture& f) {
       f.add("a b");
       EXPECT_EQ(f.head(), "last 2 clear 0");
       f.clear();
       EXPECT_EQ(f.head(), "last 3 clear 3");
       f.add("c");
       EXPECT_EQ(f.head(), "last 4 clear 3");
     }},

    {"Cursors.AreOfThreeKinds", "cursors.1 structures.1",
     [](Fixture& f) {
       f.add("a>c,c/k", "l+!");
       const std::vector<Cursor> cursors = f->cursors("s");
       ASSERT_EQ(cursors.size(), 3u);
       EXPECT_EQ(show(cursors[0]), "c/k lane pos=0 head=1");
       EXPECT_EQ(show(cursors[1]), "c event pos=0 head=1");
       EXPECT_EQ(show(cursors[2]), "l/log log pos=0 head=1");
       EXPECT_EQ(cursors[1].lane, std::nullopt);
       EXPECT_EQ(cursors[1].attempt_count, 0);
       EXPECT_EQ(f.on("u").cursors(), "");
     }},

    {"Cursors.FinishedEventCursorsAreNotListed", "cursors.1",
     [](Fixture& f) {
       f.add("a>c,c/k b>c", "l+!");
       f.claim();
       for (const char* claim : {"c#1@1", "c/k#1@1", "l/log#1@1"}) {
         EXPECT_EQ(f.complete(claim), "completed");
       }
       EXPECT_EQ(f.cursors(),
                 "c/k lane pos=1\n"
                 "c event pos=1 head=2 attempts=1 first=1 last=1 by=w until=101\n"
                 "l/log log pos=1 head=2");
     }},

    {"Cursors.AfterAClearOnlyLogsAreLeft", "cursors.1 clear.5 clear.6",
     [](Fixture& f) {
       f.add("a>c,c/k,d/k b>c/k", "l+!");
       f.claim();
       f.complete("d/k#1@1");
       f.clear();
       EXPECT_EQ(f.cursors(), "l/log log pos=3");
       f.add("e>c,c/k");
       EXPECT_EQ(f.cursors(),
                 "c/k lane pos=3 head=4\n"
                 "c event pos=3 head=4\n"
                 "l/log log pos=3");
     }},

    {"Cursors.OrderedByConsumerLaneAndHead", "cursors.2 values.3",
     [](Fixture& f) {
       f.add("a>d,c/z,c,c/b,cc b>c,a/k");
       const std::string order = "a/k#2 c/b#1 c/z#1 c#1 c#2 cc#1 d#1 ";
       for (Int limit : {1, 2, 3, 7, 100}) EXPECT_EQ(cursor_pages(f, limit), order) << limit;
     }},

    {"Cursors.APageMayEndAtAnIdleOne", "cursors.2",
     [](Fixture& f) {
       f.add("a>c/b,c/k,c/m,c", "l+! m+!");
       f.claim();
       for (const char* claim : {"c/b#1@1", "c/k#1@1", "l/log#1@1"}) f.complete(claim);
       for (Int limit : {1, 2, 3}) {
         EXPECT_EQ(cursor_pages(f, limit), "c/b#0 c/k#0 c/m#1 c#1 l/log#0 m/log#1 ") << limit;
       }
     }},

    {"Cursors.AfterAPlaceThatIsGone", "cursors.2",
     [](Fixture& f) {
       f.add("a>c/b,c/k,c b>c");
       EXPECT_EQ(f->cursors("s", {HeadRef{"c", "a", 5}}).size(), 4u);
       EXPECT_EQ(f->cursors("s", {HeadRef{"c", "b", 5}}).size(), 3u);
       EXPECT_EQ(f->cursors("s", {HeadRef{"c", {}, 1}}).size(), 1u);
       EXPECT_EQ(f->cursors("s", {HeadRef{"c", {}, 2}}).size(), 0u);
       EXPECT_EQ(f->cursors("s", {HeadRef{"b", {}, 9}}).size(), 4u);
     }},

    {"Sessions.OrderedByBytesInPages", "sessions.1 values.3",
     [](Fixture& f) {
       // What a locale would mix up: case, accents, punctuation, prefixes.
       const std::vector<std::string> names{"A",   "B",        "a",           "a ",  "a-b",
                                            "a.b", "a_z",      "ab",          "ab_", "b",
                                            "z",   "\xC3\xA4", "\xE2\x82\xAC"};
       for (const std::string& name : std::vector(names.rbegin(), names.rend()))
         f.on(name).add("e");
       for (Int limit : {1, 2, 7, 100}) {
         std::vector<std::string> listed;
         for (;;) {
           SessionsOptions options{.limit = limit};
           if (!listed.empty()) options.after = listed.back();
           const std::vector<SessionInfo> page = f->sessions(options);
           if (page.empty()) break;
           for (const SessionInfo& info : page) listed.push_back(info.session);
         }
         EXPECT_EQ(listed, names) << limit;
       }
     }},

    {"Sessions.TellTheirIndexes", "sessions.1",
     [](Fixture& f) {
       f.add("a b");
       f.on("u").add("a");
       f.on("u").clear();
       EXPECT_EQ(f.sessions(), "s 2/0 u 2/2");
       EXPECT_EQ(f.sessions({.after = "s"}), "u 2/2");
       EXPECT_EQ(f.sessions({.after = "t"}), "u 2/2");
       EXPECT_EQ(f.sessions({.after = "u"}), "");
       EXPECT_EQ(f.sessions({.limit = 1}), "s 2/0");
     }},

    {"Sessions.OfReadsAreNotListed", "sessions.1",
     [](Fixture& f) {
       f.claim();
       f.clear();
       f.reclaim();
       f.delete_session();
       f.wake("l+");
       f.put("r", "");
       f.delete_consumer("c");
       EXPECT_EQ(f.sessions(), "");
     }},
};

}  // namespace

std::span<const CaseRow> read_cases() { return kCases; }

}  // namespace pawl::conformance
