// json_text.cc: JSON text by nlohmann's parser, with a guard on nesting before it.
#include "json_text.h"

#include <nlohmann/json.hpp>

#include "pawl/types.h"
#include "plain_json.h"

namespace pawl::core {
namespace {

// The greatest nesting of arrays and objects in `text`, valid or not. Counted before
// parsing, since copying and destroying a deep value recurses (60,000 levels overflow the
// stack with nlohmann 3.11).
std::int64_t depth_of(std::string_view text) {
  std::int64_t depth = 0;
  std::int64_t greatest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      greatest = std::max(greatest, ++depth);
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return greatest;
}

}  // namespace

const char* json_fault(std::string_view text) {
  if (is_plain_json(text)) return nullptr;
  if (text.starts_with("\xEF\xBB\xBF")) return "begins with a byte order mark";
  // The parser takes it for the end of the text, and would let anything follow.
  if (text.find('\0') != std::string_view::npos) return "holds the character U+0000";
  if (depth_of(text) > kMaxJsonDepth) return "is nested deeper than 512";
  if (!nlohmann::json::accept(text.begin(), text.end())) return "is not valid JSON";
  return nullptr;
}

bool json_equal(std::string_view a, std::string_view b) {
  return a == b || nlohmann::json::parse(a) == nlohmann::json::parse(b);
}

bool json_is_null(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text.substr(first, 4) == "null";
}

}  // namespace pawl::core
