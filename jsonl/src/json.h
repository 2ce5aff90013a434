// Just enough JSON to find the texts of values on a line: nlohmann/json validates, and this
// gives the spans, since a payload is stored as it stands on the line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::jsonl {

// Null, or why the line can't be read: not JSON, a byte order mark, nested too deep.
const char* line_fault(std::string_view line);

// All below assume valid JSON. A text begins and ends with its value, without white space.
std::string_view trimmed(std::string_view text);

enum class Kind { kNull, kBoolean, kNumber, kString, kArray, kObject };
Kind kind_of(std::string_view value);

struct Member {
  std::string name;  // as it reads, escapes resolved
  std::string_view value;
};
std::vector<Member> members(std::string_view object);  // in order, repetitions included
std::vector<std::string_view> elements(std::string_view array);

std::string text_of(std::string_view string);  // what a JSON string says

// A JSON string that says `text`; bytes that are not UTF-8 become U+FFFD.
std::string quoted(std::string_view text);

}  // namespace pawl::jsonl
