// The commands of `pawl` that open a store: `exec`, the JSON Lines interface between two streams,
// and `stats`.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace pawl::tools {

struct ExecArguments {
  std::string uri;
  bool manual_clock = false;
  bool sequential_ids = false;
  std::vector<std::string> options;  // NAME=VALUE
};

// What the command line gets wrong; the program ends with 2.
struct UsageError {
  std::string message;
};

// Answers each line of `in` with a line on `out`, flushed, until `in` ends. Throws UsageError,
// and pawl::Error when the store can't be opened.
void exec(const ExecArguments& arguments, std::istream& in, std::ostream& out);

// Tells how the store is doing (Store::stats): "NAME NUMBER" lines, and lines "warning: ...".
void stats(const std::string& uri, const std::vector<std::string>& options, std::ostream& out);

enum class Line { kNone, kRead, kTooLong };
// Reads to the next line feed, or to the end of what does not end with one. A line that is too
// long is passed over.
Line read_line(std::istream& in, std::string& line, std::int64_t max_bytes);

}  // namespace pawl::tools
