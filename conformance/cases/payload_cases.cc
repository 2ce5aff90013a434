// JSON texts: kept byte for byte, or refused.
#include <gtest/gtest.h>

#include <random>

#include "cases/case.h"
#include "cases/fixture.h"

namespace pawl::conformance {
namespace {

std::string nested(int depth) {
  return std::string(static_cast<size_t>(depth), '[') +
         std::string(static_cast<size_t>(depth), ']');
}

// What a careless store rewrites.
std::vector<std::string> faithful_texts() {
  return {"null",
          "true",
          "0",
          "-0",
          "-0.0",
          "1.10",
          "1E2",
          "1e+2",
          "1e-400",
          "1e131",
          "9007199254740993",
          "9223372036854775807",
          "9223372036854775808",
          "18446744073709551615",
          "18446744073709551616",
          "3889108265204450030",
          "123456789012345678901234567890",
          "0.1000000000000000055511151231257827",
          R"("")",
          R"("\u0000")",
          R"({"\u0000":"\u0000"})",
          R"({"a":"\\u0000"})",
          R"("\ud83d\ude00 \u00e4 \/ \b\f\n\r\t\" \\")",
          "\"\xC3\xA4 \xF0\x9F\x98\x80 \xEF\xBF\xBF \x7F\"",
          R"({"b":1,"a":2})",
          R"({"a":1,"a":2,"a":1})",
          R"({"":{"":[]}})",
          " \t\r\n[ 1 , 2 ] \n",
          "{\n  \"a\": 1\n}\n",
          R"("'; DROP TABLE t;-- %s $1 \\ ?")",
          R"("<script>alert(1)</script>")",
          nested(512),
          "[" + std::string(3'000, ' ') + "]",
          "\"" + std::string(100'000, 'x') + "\""};
}

std::vector<std::string> refused_texts() {
  return {"",
          " ",
          "nul",
          "NULL",
          "nan",
          "[1,]",
          "{a:1}",
          "{'a':1}",
          "[1] 2",
          "01",
          "+1",
          "1.",
          ".5",
          "0x10",
          "1e400",
          "-1e400",
          "\"\n\"",
          "\"\\x\"",
          R"("\ud800")",
          R"("\udc00\ud800")",
          R"(["\ud83d"])",
          "\"\xFF\"",
          "\"\xC0\x80\"",
          "\"\xED\xA0\x80\"",
          "\"\xE2\x82\"",
          std::string("\"a\0b\"", 5),
          std::string("1\0", 2),
          "\357\273\2771",  // a byte order mark
          "// c\n1",
          nested(513),
          nested(100'000),
          std::string(200'000, '['),
          "[" + nested(512) + ",1]"};
}

std::string random_json(std::mt19937& random, int depth) {
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const std::string space(static_cast<size_t>(pick(3)), " \t\n"[pick(3)]);
  switch (depth > 3 ? pick(4) : pick(6)) {
    case 0:
      return space + std::to_string(random()) + (pick(2) == 0 ? "" : ".50e1");
    case 1:
      return "\"\\u00" + std::string(1, "0123456789abcdefABCDEF"[pick(22)]) + "0 \xC3\xA4\"";
    case 2:
      return space + "null" + space;
    case 3:
      return "\"" + std::string(static_cast<size_t>(pick(40)), 'x') + "\"";
    case 4:
      return "[" + random_json(random, depth + 1) + space + "," + random_json(random, depth + 1) +
             "]";
    default:
      return "{\"k\":" + space + random_json(random, depth + 1) +
             ",\"k\" :" + random_json(random, depth + 1) + "}";
  }
}

constexpr CaseRow kCases[] = {
    {"Payload.OfAnEventComesBackByteForByte", "values.4",
     [](Fixture& f) {
       std::vector<NewEvent> events;
       for (const std::string& text : faithful_texts()) {
         events.push_back({.type = "t", .payload = text, .targets = {{.consumer = "c"}}});
       }
       const AppendResult appended = f->append("s", events);
       const std::vector<Event> read = f->read("s");
       const ClaimResult claim = f->claim("s", {.holder = "w", .ttl = Duration(9)});
       ASSERT_EQ(read.size(), events.size());
       ASSERT_EQ(claim.heads.size(), events.size());
       for (size_t i = 0; i < events.size(); ++i) {
         EXPECT_EQ(appended.events[i].payload, events[i].payload);
         EXPECT_EQ(read[i].payload, events[i].payload);
         EXPECT_EQ(claim.heads[i].event.payload, events[i].payload);
       }
       f.reopen();
       EXPECT_EQ(f->read("s"), read);
     }},

    {"Payload.OfAFollowUpComesBackByteForByte", "values.4 complete.7",
     [](Fixture& f) {
       f.add("a>c");
       f.claim();
       std::vector<NewEvent> events;
       for (const std::string& text : faithful_texts()) {
         events.push_back(
             {.id = "x" + std::to_string(events.size()), .type = "t", .payload = text});
       }
       const FinishResult first = f->complete("s", parse_claim("c#1@1"), events);
       const FinishResult again = f->complete("s", parse_claim("c#1@1"), events);
       EXPECT_EQ(first.events, again.events);
       ASSERT_EQ(first.events.size(), events.size());
       for (size_t i = 0; i < events.size(); ++i) {
         EXPECT_EQ(first.events[i].payload, events[i].payload);
       }
     }},

    {"Payload.OfASnapshotComesBackByteForByte", "values.4 load_snapshot.1",
     [](Fixture& f) {
       f.add("a>c b");
       for (const std::string& text : faithful_texts()) {
         f->put_snapshots("s", "r", {{1, text, {{"c", {}, 1}}}, {2, text}});
         EXPECT_EQ(f->load_snapshot("s", "r").snapshot.value().state, text);
         EXPECT_EQ(f->load_snapshot("s", "r", {.through = 1}).snapshot.value().state, text);
       }
     }},

    {"Payload.OfPresenceComesBackByteForByte", "values.4 presence.1",
     [](Fixture& f) {
       for (const std::string& text : faithful_texts()) {
         if (text == "null") continue;
         f->set_presence("n", "p", {{"f", text}}, {.at = ms(1), .ttl = Duration(9)});
         EXPECT_EQ(f->presence("n").at(0).value, text);
       }
     }},

    {"Payload.RandomTextsComeBackByteForByte", "values.4",
     [](Fixture& f) {
       std::mt19937 random(20'260'101);
       std::vector<NewEvent> events;
       for (int i = 0; i < 500; ++i) {
         events.push_back({.type = "t", .payload = random_json(random, 0)});
       }
       f->append("s", events);
       const std::vector<Event> read = f->read("s");
       ASSERT_EQ(read.size(), events.size());
       for (size_t i = 0; i < read.size(); ++i) EXPECT_EQ(read[i].payload, events[i].payload);
     }},

    {"Payload.ThatIsNoJsonIsInvalid", "values.5 errors.2",
     [](Fixture& f) {
       f.add("a>c");
       f.claim();
       for (const std::string& text : refused_texts()) {
         const NewEvent event{.id = "x", .type = "t", .payload = text};
         EXPECT_EQ(f.refused(
                       [&] {
                         f->append("s", {{.type = "t"}, event});
                       },
                       "events[1].payload"),
                   "invalid_argument")
             << text.substr(0, 40);
         EXPECT_EQ(f.refused([&] { f->complete("s", parse_claim("c#1@1"), {event}).superseded(); },
                             "events[0].payload"),
                   "invalid_argument")
             << text.substr(0, 40);
       }
     }},

    {"Payload.OfASnapshotThatIsNoJsonIsInvalid", "values.5",
     [](Fixture& f) {
       f.add("a");
       for (const std::string& text : refused_texts()) {
         EXPECT_EQ(f.refused(
                       [&] {
                         f->put_snapshots("s", "r", {{1, "1"}, {1, text}});
                       },
                       "state"),
                   "invalid_argument")
             << text.substr(0, 40);
       }
       EXPECT_EQ(f.load("r"), "none events a#1 (clear 0 last 1)");
     }},

    {"Payload.OfPresenceThatIsNoJsonIsInvalid", "values.5",
     [](Fixture& f) {
       for (const std::string& text : refused_texts()) {
         EXPECT_EQ(f.refused(
                       [&] {
                         f->set_presence("n", "p", {{"e", "1"}, {"f", text}},
                                         {.at = ms(1), .ttl = Duration(9)});
                       },
                       "value"),
                   "invalid_argument")
             << text.substr(0, 40);
       }
       EXPECT_EQ(f.presence("n"), "");
     }},

    {"Payload.UpToAnOptionOfTheStore", "values.5 open.2",
     [](Fixture& f) {
       f.options().max_payload_bytes = 100;
       const std::string fits = "\"" + std::string(98, 'x') + "\"";
       const std::string more = "\"" + std::string(99, 'x') + "\"";
       f->append("s", {{.id = "a", .type = "t", .payload = fits}});
       f->put_snapshots("s", "r", {{1, fits}});
       f->set_presence("n", "p", {{"f", fits}}, {.at = ms(1), .ttl = Duration(9)});
       EXPECT_EQ(f.refused([&] { f->append("s", {{.type = "t", .payload = more}}); },
                           "events[0].payload"),
                 "invalid_argument");
       EXPECT_EQ(f.refused(
                     [&] {
                       f->put_snapshots("s", "r", {{1, more}});
                     },
                     "state"),
                 "invalid_argument");
       EXPECT_EQ(f.refused(
                     [&] {
                       f->set_presence("n", "p", {{"f", more}}, {.at = ms(1), .ttl = Duration(9)});
                     },
                     "value"),
                 "invalid_argument");
       EXPECT_EQ(f.read(), "a#1");
     }},

    {"Payload.OfMegabytes", "values.5",
     [](Fixture& f) {
       const std::string text = "\"" + std::string(8 << 20, 'x') + "\"";
       f->append("s", {{.id = "a", .type = "t", .payload = text, .targets = {{.consumer = "c"}}}});
       EXPECT_EQ(f->read("s").at(0).payload, text);
       EXPECT_EQ(f->claim("s", {.holder = "w", .ttl = Duration(9)}).heads.at(0).event.payload,
                 text);
     }},
};

}  // namespace

std::span<const CaseRow> payload_cases() { return kCases; }

}  // namespace pawl::conformance
