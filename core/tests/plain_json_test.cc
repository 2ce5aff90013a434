// Whatever is plain is valid by the parser; and most of what programs write is plain.
#include "plain_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

namespace pawl::core {
namespace {

TEST(PlainJson, IsWhatProgramsWrite) {
  const std::vector<std::string> plain{
      "null",
      "true",
      " false ",
      "0",
      "-0",
      "-12.50",
      "123456789012345678",
      "\"\"",
      "\"a b~\"",
      "[]",
      "[ ]",
      "{}",
      "{ }",
      "[1,[2,{\"a\":3}]]",
      " {\"a\" : [ 1 , 2 ] , \"b\":\"[\"} \n",
      "[" + std::string(1'000, ' ') + "]",
  };
  for (const std::string& text : plain) {
    EXPECT_TRUE(is_plain_json(text)) << text;
    EXPECT_TRUE(nlohmann::json::accept(text)) << text;
  }
}

// Strings are looked at eight bytes at a time.
TEST(PlainJson, KnowsEachByteInEachPlaceOfAString) {
  for (std::size_t size = 0; size <= 20; ++size) {
    for (std::size_t place = 0; place < size; ++place) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string text(size, 'x');
        text[place] = static_cast<char>(byte);
        const bool plain = byte >= ' ' && byte <= '~' && byte != '"' && byte != '\\';
        EXPECT_EQ(is_plain_json('"' + text + '"'), plain) << byte << " at " << place;
      }
    }
  }
}

TEST(PlainJson, IsNotWhatNeedsJudgement) {
  const std::vector<std::string> others{
      "",
      " ",
      "1e5",
      "1E400",
      "1.",
      "01",
      "-",
      "+1",
      ".5",
      "1 2",
      "nul",
      "truex",
      "\"a",
      "\"\\n\"",
      "\"\xC3\xA4\"",
      std::string("\"a\0b\"", 5),
      std::string("1\0", 2),
      "[1,]",
      "[,1]",
      "{\"a\"}",
      "{\"a\":1,}",
      "{a:1}",
      "[1",
      "]",
      "[1}",
      "{\"a\":1]",
      "1234567890123456789",
      "0.1234567890123456789",
      "\357\273\2771",  // a byte order mark
      "\"\x7F\"",
      "\"\x1F\"",
      "[1 2]",
      std::string(34, '[') + std::string(34, ']'),
  };
  for (const std::string& text : others) {
    EXPECT_FALSE(is_plain_json(text)) << ::testing::PrintToString(text);
  }
}

// Texts by cutting and joining pieces of JSON: about half of them are valid.
TEST(PlainJson, IsNeverWhatTheParserRefuses) {
  std::mt19937_64 random(20'261'130);
  const std::vector<std::string> pieces{"{",
                                        "}",
                                        "[",
                                        "]",
                                        ",",
                                        ":",
                                        "\"a\"",
                                        "\"\"",
                                        "1",
                                        "0",
                                        "-",
                                        ".",
                                        "5",
                                        "e",
                                        "true",
                                        "null",
                                        "false",
                                        " ",
                                        "\n",
                                        "\\",
                                        "\"",
                                        "\x01",
                                        "\x80",
                                        "\xC3\xA4",
                                        "99999999999999999999",
                                        "nul",
                                        std::string(1, '\0'),
                                        "{\"a\":",
                                        "[1,2]",
                                        "\"a\":1,"};
  int plain = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::string text;
    for (auto left = random() % 8; left > 0; --left) text += pieces[random() % pieces.size()];
    if (!is_plain_json(text)) continue;
    ++plain;
    ASSERT_TRUE(nlohmann::json::accept(text)) << ::testing::PrintToString(text);
    ASSERT_EQ(text.find('\0'), std::string::npos);
  }
  EXPECT_GT(plain, 1'000);
}

}  // namespace
}  // namespace pawl::core
