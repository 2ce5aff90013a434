// See hostile_names.h.
#include "cases/hostile_names.h"

#include <algorithm>
#include <iterator>

namespace pawl::conformance {
namespace {

constexpr const char* kHostile[] = {
    "'",
    "\"",
    "`",
    "x'; DROP TABLE event; --",
    "x\"); DELETE FROM session; --",
    "$1",
    "?1",
    "%s%n%",
    "%00",
    "%2e%2e",
    "_",
    "\\",
    "\\0",
    "a\\",
    "/",
    "../x",
    "a/b",
    "a:b",
    "a#b?c=d&e",
    "a",
    "A",
    "ab",
    "a ",
    " a",
    " ",
    "a\tb",
    "a\nb",
    "a\r\nb",
    "\x01",
    "\x02",
    "a\x01",
    "a\x1E",
    "a\037b",
    "\x7F",
    "\xC2\x80",
    "\xC2\xA0",
    "\xC3\xA4",   // a with diaeresis, composed
    "a\xCC\x88",  // and decomposed
    "\xC3\x84",   // upper case
    "stra\303\237e",
    "strasse",
    "\xEF\xBB\xBF",     // a byte order mark
    "\342\200\256abc",  // right to left
    "\xE2\x80\x8B",     // zero width
    "\xEF\xBF\xBD",
    "\xEF\xBF\xBF",  // U+FFFF
    "\xF0\x9F\x98\x80",
    "\xF4\x8F\xBF\xBF",  // U+10FFFF, the last of all
    "null",
    "NULL",
    "0",
    "00",
    "-1",
    "1e1",
    "true",
    "[]",
    "{\"a\":1}",
    "<script>alert(1)</script>",
    "pawl.",
    "pawl",
};

}  // namespace

std::vector<std::string> hostile_names() {
  std::vector<std::string> names(std::begin(kHostile), std::end(kHostile));
  const std::string prefix(63, 'n');
  for (const char* end : {"", "a", "b"}) names.push_back(prefix + end);
  for (const std::size_t size : {255, 256, 511, 512}) names.emplace_back(size, 'x');
  names.push_back(std::string(511, 'x') + "y");
  std::string wide;
  while (wide.size() < 510) wide += "\xE2\x82\xAC";
  names.push_back(wide + "xy");
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> illegal_names() {
  return {"",
          std::string(513, 'x'),
          std::string(100'000, 'x'),
          std::string(1, '\0'),
          std::string("a\0b", 3),
          std::string("a\0", 2),
          "\xFF",
          "a\x80",
          "\xC3",
          "\xC0\x80",
          "\xE0\x80\xAF",
          "\xE2\x82",
          "\xED\xA0\x80",
          "\xED\xBF\xBF",
          "\xF0\x80\x80\x80",
          "\xF4\x90\x80\x80",
          "\xF8\x88\x80\x80\x80",
          std::string(511, 'x') + "\xC3"};
}

}  // namespace pawl::conformance
