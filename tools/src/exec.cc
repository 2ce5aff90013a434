// See exec.h.
#include "exec.h"

#include <istream>
#include <memory>
#include <ostream>
#include <stdexcept>

#include "pawl/jsonl.h"
#include "pawl/open.h"

namespace pawl::tools {
namespace {

// What an operation's own text may add to a call of the greatest length.
constexpr std::int64_t kMaxFramingBytes = std::int64_t{1} << 20;

void set_option(OpenOptions& options, const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw UsageError{"--option " + text + ": it has the form NAME=VALUE"};
  }
  options.set(text.substr(0, equals), text.substr(equals + 1));
}

}  // namespace

Line read_line(std::istream& in, std::string& line, std::int64_t max_bytes) {
  constexpr int kEnd = std::istream::traits_type::eof();
  line.clear();
  std::streambuf& buffer = *in.rdbuf();
  int byte = buffer.sbumpc();
  if (byte == kEnd) return Line::kNone;
  bool too_long = false;
  for (; byte != '\n' && byte != kEnd; byte = buffer.sbumpc()) {
    too_long = too_long || static_cast<std::int64_t>(line.size()) == max_bytes;
    if (!too_long) line += static_cast<char>(byte);
  }
  return too_long ? Line::kTooLong : Line::kRead;
}

void exec(const ExecArguments& arguments, std::istream& in, std::ostream& out) {
  OpenOptions options;
  for (const std::string& option : arguments.options) set_option(options, option);
  const auto clock = arguments.manual_clock ? std::make_shared<ManualClock>() : nullptr;
  if (clock) options.clock = clock;
  if (arguments.sequential_ids) options.ids = sequential_id_source();

  Store store = pawl::open(arguments.uri, options);
  JsonLines lines(store, clock);
  const std::int64_t max_bytes = options.max_call_bytes + kMaxFramingBytes;
  std::string line;
  for (;;) {
    const Line read = read_line(in, line, max_bytes);
    if (read == Line::kNone) break;
    if (read == Line::kTooLong) {
      out << R"({"error":{"code":"invalid_argument","message":"the line is longer than )"
          << max_bytes << R"( bytes"}})";
    } else {
      out << lines.answer(line);
    }
    out << '\n' << std::flush;
    if (!out) throw std::runtime_error("standard output can't be written");
  }
  store.close();
}

}  // namespace pawl::tools
