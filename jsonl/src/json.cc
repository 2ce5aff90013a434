// See json.h. Nothing here recurses, so that no line is too deep for the stack.
#include "json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace pawl::jsonl {
namespace {

// A payload may nest 512 deep, and stands at most 6 deep in an operation.
constexpr std::int64_t kMaxDepth = 600;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::size_t skip_space(std::string_view text, std::size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

// From an opening quote to behind the closing one, or to the end of what is no JSON.
std::size_t skip_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return text.size();
}

std::size_t skip_value(std::string_view text, std::size_t at) {
  std::int64_t depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = skip_string(text, at);
    } else if (c == '[' || c == '{') {
      ++depth;
      ++at;
      continue;
    } else if (c == ']' || c == '}') {
      --depth;
      ++at;
    } else if (depth > 0) {
      ++at;
      continue;
    } else {
      const auto end = text.find_first_of(",]} \t\r\n", at);
      return end == std::string_view::npos ? text.size() : end;
    }
    if (depth == 0) return at;
  }
  return at;
}

std::int64_t depth_of(std::string_view text) {
  std::int64_t depth = 0;
  std::int64_t greatest = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      at = skip_string(text, at) - 1;
    } else if (c == '[' || c == '{') {
      greatest = std::max(greatest, ++depth);
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return greatest;
}

}  // namespace

const char* line_fault(std::string_view line) {
  if (line.starts_with("\xEF\xBB\xBF")) return "begins with a byte order mark";
  // The parser takes it for the line's end.
  if (line.find('\0') != std::string_view::npos) return "holds a byte 0";
  if (depth_of(line) > kMaxDepth) return "is nested too deep";
  if (!nlohmann::json::accept(line.begin(), line.end())) return "is not JSON";
  return nullptr;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

Kind kind_of(std::string_view value) {
  switch (value.front()) {
    case '{':
      return Kind::kObject;
    case '[':
      return Kind::kArray;
    case '"':
      return Kind::kString;
    case 't':
    case 'f':
      return Kind::kBoolean;
    case 'n':
      return Kind::kNull;
    default:
      return Kind::kNumber;
  }
}

std::vector<Member> members(std::string_view object) {
  std::vector<Member> found;
  std::size_t at = skip_space(object, 1);
  while (object[at] != '}') {
    if (object[at] == ',') at = skip_space(object, at + 1);
    const std::size_t name_end = skip_string(object, at);
    Member& member = found.emplace_back();
    member.name = text_of(object.substr(at, name_end - at));
    at = skip_space(object, skip_space(object, name_end) + 1);
    const std::size_t value_end = skip_value(object, at);
    member.value = object.substr(at, value_end - at);
    at = skip_space(object, value_end);
  }
  return found;
}

std::vector<std::string_view> elements(std::string_view array) {
  std::vector<std::string_view> found;
  std::size_t at = skip_space(array, 1);
  while (array[at] != ']') {
    if (array[at] == ',') at = skip_space(array, at + 1);
    const std::size_t end = skip_value(array, at);
    found.push_back(array.substr(at, end - at));
    at = skip_space(array, end);
  }
  return found;
}

std::string text_of(std::string_view string) {
  if (string.find('\\') == std::string_view::npos) {
    return std::string(string.substr(1, string.size() - 2));
  }
  return nlohmann::json::parse(string.begin(), string.end()).get<std::string>();
}

std::string quoted(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace pawl::jsonl
