// What counts as JSON text, and when two texts are equal.
#include "json_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pawl/types.h"

namespace pawl::core {
namespace {

using namespace std::string_literals;

std::string nested(std::int64_t times, const std::string& open, const std::string& close) {
  std::string text;
  for (std::int64_t i = 0; i < times; ++i) text += open;
  text += "1";
  for (std::int64_t i = 0; i < times; ++i) text += close;
  return text;
}

TEST(JsonText, IsValid) {
  const std::vector<std::string> valid{
      "null",
      "true",
      "0",
      "-0",
      "1.10",
      "1E2",
      "1e-400",
      "123456789012345678901234567890",
      "18446744073709551616",
      "1.7976931348623157e308",
      "\"\"",
      "\"\\u0000\"",
      "\"\\ud83d\\ude00\"",
      "\"\xF0\x9F\x98\x80\"",
      "\"[[[[\"",
      " \t\r\n[ 1 , 2 ] ",
      "{\"a\":1,\"a\":2}",
      "{\"\":{}}",
      "[]",
      "\"\x7F\"",
  };
  for (const std::string& text : valid) EXPECT_EQ(json_fault(text), nullptr) << text;
}

TEST(JsonText, IsNot) {
  struct Case {
    std::string text;
    const char* fault;
  };
  const char* const invalid = "is not valid JSON";
  const char* const nul = "holds the character U+0000";
  const std::vector<Case> cases{
      {"", invalid},
      {" ", invalid},
      {"nul", invalid},
      {"nulll", invalid},
      {"01", invalid},
      {"+1", invalid},
      {"1.", invalid},
      {".5", invalid},
      {"NaN", invalid},
      {"Infinity", invalid},
      {"1e400", invalid},
      {"-1e400", invalid},
      {"[1e400]", invalid},
      {"'a'", invalid},
      {"\"a", invalid},
      {"\"\n\"", invalid},
      {"\"\x1F\"", invalid},
      {"\"\\x\"", invalid},
      {"\"\\ud800\"", invalid},
      {"\"\\udc00\"", invalid},
      {"\"\\ud800\\ud800\"", invalid},
      {"\"\xFF\"", invalid},
      {"\"\xC0\x80\"", invalid},
      {"\"\xED\xA0\x80\"", invalid},
      {"\"\xE2\x82\"", invalid},
      {"[1,]", invalid},
      {"{\"a\":1,}", invalid},
      {"{a:1}", invalid},
      {"[1", invalid},
      {"]", invalid},
      {"]]]]", invalid},
      {"1 2", invalid},
      {"// c\n1", invalid},
      {"\xEF\xBB\xBF"
       "1",
       "begins with a byte order mark"},
      {"\xEF\xBB\xBF", "begins with a byte order mark"},
      {"1\xEF\xBB\xBF", invalid},
      {"1\0"s, nul},
      {"1\0\xFF anything"s, nul},
      {"\"a\0b\""s, nul},
      {"\0"s, nul},
  };
  for (const Case& c : cases) {
    EXPECT_STREQ(json_fault(c.text), c.fault) << ::testing::PrintToString(c.text);
  }
}

TEST(JsonText, NestsNoDeeperThan512) {
  const char* const deep = "is nested deeper than 512";
  EXPECT_EQ(json_fault(nested(kMaxJsonDepth, "[", "]")), nullptr);
  EXPECT_STREQ(json_fault(nested(kMaxJsonDepth + 1, "[", "]")), deep);
  EXPECT_EQ(json_fault(nested(kMaxJsonDepth, "{\"a\":", "}")), nullptr);
  EXPECT_STREQ(json_fault(nested(kMaxJsonDepth + 1, "{\"a\":", "}")), deep);
  EXPECT_EQ(json_fault(nested(kMaxJsonDepth / 2, "[{\"a\":", "}]")), nullptr);
  EXPECT_STREQ(json_fault(nested(kMaxJsonDepth / 2 + 1, "[{\"a\":", "}]")), deep);
  EXPECT_STREQ(json_fault(nested(1'000'000, "[", "]")), deep);
  EXPECT_STREQ(json_fault(std::string(1'000'000, '[')), deep) << "not even valid";
  EXPECT_EQ(json_fault("\"" + std::string(10'000, '[') + "\""), nullptr) << "in a string";
  EXPECT_EQ(json_fault("\"\\\"" + std::string(10'000, '[') + "\""), nullptr) << "escaped quote";
  EXPECT_STREQ(json_fault("[\"\\\\\"," + nested(kMaxJsonDepth, "[", "]") + "]"), deep)
      << "an escaped backslash ends no string";
  std::string wide = "[";
  for (int i = 0; i < 1'000; ++i) wide += "[],";
  EXPECT_EQ(json_fault(wide + "1]"), nullptr) << "many beside each other";
}

TEST(JsonText, IsEqualAsTextOrParsed) {
  struct Case {
    const char* a;
    const char* b;
    bool equal;
  };
  const std::vector<Case> cases{
      {"1", "1", true},
      {"1", " 1 ", true},
      {"1", "1.0", true},
      {"100", "1E2", true},
      {"0", "-0", true},
      {"{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", true},
      {"{\"a\":1,\"a\":2}", "{\"a\":2}", true},
      {"\"\\u00e4\"", "\"\xC3\xA4\"", true},
      {"\"/\"", "\"\\/\"", true},
      {"1", "2", false},
      {"1", "\"1\"", false},
      {"null", "false", false},
      {"[1,2]", "[2,1]", false},
      {"{\"a\":1}", "{\"a\":1,\"b\":null}", false},
      {"\"a\"", "\"A\"", false},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(json_equal(c.a, c.b), c.equal) << c.a << " and " << c.b;
    EXPECT_EQ(json_equal(c.b, c.a), c.equal) << c.b << " and " << c.a;
  }
}

TEST(JsonText, IsNull) {
  for (const char* text : {"null", " null", "\n\t\r null \n"}) EXPECT_TRUE(json_is_null(text));
  for (const char* text : {"0", "\"null\"", "[null]", "{}", "false"}) {
    EXPECT_FALSE(json_is_null(text)) << text;
  }
}

}  // namespace
}  // namespace pawl::core
