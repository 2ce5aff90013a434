// UTF-8 by the table of RFC 3629, section 4: what is a character, and how other bytes are mended.
#include "utf8.h"

#include <gtest/gtest.h>

#include <vector>

namespace pawl::core {
namespace {

using namespace std::string_literals;

TEST(Utf8, KnowsCharacters) {
  struct Case {
    const char* what;
    std::string text;
    std::size_t length;  // of its first character; 0: it begins with none
  };
  const std::vector<Case> cases{
      {"nothing", "", 0},
      {"U+0000", "\0"s, 1},
      {"U+007F", "\x7F", 1},
      {"U+0080", "\xC2\x80", 2},
      {"U+07FF", "\xDF\xBF", 2},
      {"U+0800", "\xE0\xA0\x80", 3},
      {"U+D7FF", "\xED\x9F\xBF", 3},
      {"U+E000", "\xEE\x80\x80", 3},
      {"U+FFFD", "\xEF\xBF\xBD", 3},
      {"U+FFFF", "\xEF\xBF\xBF", 3},
      {"U+10000", "\xF0\x90\x80\x80", 4},
      {"U+10FFFF", "\xF4\x8F\xBF\xBF", 4},
      {"followed by anything", "a\xFF", 1},
      {"a lone tail", "\x80", 0},
      {"a lone tail", "\xBF", 0},
      {"overlong U+0000", "\xC0\x80", 0},
      {"overlong U+007F", "\xC1\xBF", 0},
      {"overlong U+07FF", "\xE0\x9F\xBF", 0},
      {"overlong U+FFFF", "\xF0\x8F\xBF\xBF", 0},
      {"the first surrogate", "\xED\xA0\x80", 0},
      {"the last surrogate", "\xED\xBF\xBF", 0},
      {"U+110000", "\xF4\x90\x80\x80", 0},
      {"a head of five bytes", "\xF8\x88\x80\x80\x80", 0},
      {"FE", "\xFE", 0},
      {"FF", "\xFF", 0},
      {"cut after one of two", "\xC2", 0},
      {"cut after two of three", "\xE2\x82", 0},
      {"cut after three of four", "\xF0\x9F\x92", 0},
      {"a tail that is none, second of two", "\xC2\x41", 0},
      {"a tail that is none, third of three", "\xE2\x82\x41", 0},
      {"a tail that is none, fourth of four", "\xF0\x9F\x92\x41", 0},
      {"a tail that is none: above BF", "\xC2\xC0", 0},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(utf8_length(c.text), c.length) << c.what;
    EXPECT_TRUE(is_utf8(c.text) || c.length != c.text.size()) << c.what;
    if (c.length == 0 && !c.text.empty()) {
      EXPECT_FALSE(is_utf8(c.text)) << c.what;
      EXPECT_FALSE(is_utf8("a" + c.text)) << c.what;
      EXPECT_FALSE(is_utf8(c.text + "a")) << c.what;
    }
  }
  EXPECT_TRUE(is_utf8("a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x92\xA9z"));
}

const std::string kFffd = "\xEF\xBF\xBD";

TEST(Utf8, MendsEachByteThatIsNone) {
  struct Case {
    std::string text;
    std::string mended;
  };
  const std::vector<Case> cases{
      {"", ""},
      {"boom", "boom"},
      {"\xC3\xA4\xF0\x9F\x92\xA9", "\xC3\xA4\xF0\x9F\x92\xA9"},
      {"a\0b"s, "a" + kFffd + "b"},
      {"\xFF", kFffd},
      {"a\xFFz", "a" + kFffd + "z"},
      {"\xC0\x80", kFffd + kFffd},
      {"\xED\xA0\x80", kFffd + kFffd + kFffd},
      {"\xE2\x82", kFffd + kFffd},
      {"\xE2\x82z", kFffd + kFffd + "z"},
      {"\xEF\xBF\xBD", kFffd},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(mend_utf8(c.text, 1'000), c.mended) << ::testing::PrintToString(c.text);
    EXPECT_TRUE(is_utf8(mend_utf8(c.text, 1'000)));
  }
}

TEST(Utf8, CutsAtACharactersEdge) {
  struct Case {
    std::string text;
    std::size_t most;
    std::string mended;
  };
  const std::vector<Case> cases{
      {"abc", 3, "abc"},         {"abcd", 3, "abc"},      {"ab\xC3\xA4", 4, "ab\xC3\xA4"},
      {"ab\xC3\xA4", 3, "ab"},   {"\xE2\x82\xAC", 2, ""}, {"\xF0\x9F\x92\xA9", 3, ""},
      {"a\xFF", 4, "a" + kFffd}, {"a\xFF", 3, "a"},       {"abc", 0, ""},
      {"ab\xC3\xA4z", 3, "ab"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(mend_utf8(c.text, c.most), c.mended)
        << ::testing::PrintToString(c.text) << " to " << c.most;
  }
  const std::string long_text(20'000, 'x');
  EXPECT_EQ(mend_utf8(long_text, 16 * 1024).size(), 16u * 1024u);
}

}  // namespace
}  // namespace pawl::core
