// The spans of values on a line.
#include "json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

namespace pawl::jsonl {
namespace {

std::vector<std::pair<std::string, std::string>> pairs(std::string_view object) {
  std::vector<std::pair<std::string, std::string>> found;
  for (const Member& member : members(object)) found.emplace_back(member.name, member.value);
  return found;
}

using Pairs = std::vector<std::pair<std::string, std::string>>;
using Views = std::vector<std::string_view>;

TEST(Members, AreTheTextsThatStandThere) {
  EXPECT_EQ(pairs(R"({})"), Pairs{});
  EXPECT_EQ(pairs(R"({ })"), Pairs{});
  EXPECT_EQ(pairs(R"({"a":1,"b":-1.50e+2,"c":true,"d":null})"),
            (Pairs{{"a", "1"}, {"b", "-1.50e+2"}, {"c", "true"}, {"d", "null"}}));
  EXPECT_EQ(pairs("{ \"a\" :\t{ \"x\" : [ 1 , 2 ] } ,\n\"b\"\r: [ ] }"),
            (Pairs{{"a", "{ \"x\" : [ 1 , 2 ] }"}, {"b", "[ ]"}}));
}

TEST(Members, AreNotMisledByStrings) {
  EXPECT_EQ(pairs(R"({"a":"}],\"{[","b\"}":["]","\\"],"c":"\\"})"),
            (Pairs{{"a", R"("}],\"{[")"}, {"b\"}", R"(["]","\\"])"}, {"c", R"("\\")"}}));
}

TEST(Members, ComeInOrderAndWithRepetitions) {
  EXPECT_EQ(pairs(R"({"b":1,"a":2,"b":3})"), (Pairs{{"b", "1"}, {"a", "2"}, {"b", "3"}}));
}

TEST(Members, HaveTheirNamesDecoded) {
  EXPECT_EQ(pairs(R"({"\u0061\n\"":1})"), (Pairs{{"a\n\"", "1"}}));
}

TEST(Elements, AreTheTextsThatStandThere) {
  EXPECT_EQ(elements("[]"), Views{});
  EXPECT_EQ(elements("[ 1 , \"]\" , {\"a\":[2]} ,[ ]]"),
            (Views{"1", "\"]\"", "{\"a\":[2]}", "[ ]"}));
}

TEST(Texts, AreDecoded) {
  EXPECT_EQ(text_of(R"("")"), "");
  EXPECT_EQ(text_of(R"("caf\u00e9 \ud83d\ude00 \/\\\"\b")"), "café 😀 /\\\"\b");
  EXPECT_EQ(text_of(R"("a\u0000b")"), std::string("a\0b", 3));
}

TEST(Texts, AreQuotedSafely) {
  EXPECT_EQ(quoted("a\"\\\n\x01é"), "\"a\\\"\\\\\\n\\u0001é\"");
  EXPECT_EQ(quoted("a\xFF"), "\"a\xEF\xBF\xBD\"");
}

TEST(LineFaults, AreFoundBeforeALineIsRead) {
  EXPECT_EQ(line_fault("{}"), nullptr);
  EXPECT_EQ(line_fault(" [1] \r"), nullptr);
  for (const char* line : {"", " ", "{", "{}{}", "{'a':1}", "{\"a\":1,}", "{\"a\":1e999}",
                           "\"\\ud800\"", "\"\xFF\"", "nul", "\xEF\xBB\xBF{}"}) {
    EXPECT_NE(line_fault(line), nullptr) << line;
  }
}

TEST(LineFaults, IncludeABytePastWhichTheParserDoesNotLook) {
  EXPECT_STREQ(line_fault(std::string_view("{}\0x", 4)), "holds a byte 0");
}

TEST(LineFaults, IncludeNestingThatWouldEndangerAStack) {
  const auto nested = [](int depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(line_fault(nested(600)), nullptr);
  EXPECT_STREQ(line_fault(nested(601)), "is nested too deep");
  EXPECT_STREQ(line_fault(std::string(5'000'000, '[')), "is nested too deep");
  EXPECT_EQ(line_fault("\"" + std::string(5'000, '[') + "\""), nullptr);
}

// Random documents, spelled with random white space: each span parses to what nlohmann finds.
std::string random_document(std::mt19937& random, int depth) {
  const auto pick = [&random](unsigned n) { return static_cast<unsigned>(random()) % n; };
  const auto space = [&] { return std::string(pick(3), " \t\n"[pick(3)]); };
  const unsigned kind = pick(depth > 4 ? 4 : 6);
  const std::string strings[] = {"\"\"", "\"{[,]}:\"", "\"\\\"\\\\\"", "\"\\u0041\""};
  if (kind < 2) return strings[pick(4)];
  if (kind == 2) return std::to_string(static_cast<int>(pick(2'000)) - 1'000) + ".5e1";
  if (kind == 3) return pick(2) == 0 ? "true" : "null";
  std::string text(1, kind == 4 ? '[' : '{');
  for (unsigned i = 0, n = pick(4); i < n; ++i) {
    if (i > 0) text += ",";
    text += space();
    if (kind == 5) text += "\"k" + std::to_string(i) + "\\\"\"" + space() + ":" + space();
    text += random_document(random, depth + 1) + space();
  }
  return text + space() + (kind == 4 ? ']' : '}');
}

void expect_spans(std::string_view text) {
  const nlohmann::json whole = nlohmann::json::parse(text);
  if (whole.is_object()) {
    const std::vector<Member> found = members(text);
    ASSERT_EQ(found.size(), whole.size()) << text;
    for (const Member& member : found) {
      ASSERT_EQ(nlohmann::json::parse(member.value), whole.at(member.name)) << text;
      expect_spans(member.value);
    }
  } else if (whole.is_array()) {
    const std::vector<std::string_view> found = elements(text);
    ASSERT_EQ(found.size(), whole.size()) << text;
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_EQ(nlohmann::json::parse(found[i]), whole[i]) << text;
      expect_spans(found[i]);
    }
  }
}

TEST(Members, AgreeWithTheParserOnRandomDocuments) {
  constexpr unsigned kSeed = 11;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  for (int i = 0; i < 500; ++i) expect_spans(random_document(random, 0));
}

}  // namespace
}  // namespace pawl::jsonl
