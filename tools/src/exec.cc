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

OpenOptions read_options(const std::vector<std::string>& texts) {
  OpenOptions options;
  for (const std::string& text : texts) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw UsageError{"--option " + text + ": it has the form NAME=VALUE"};
    }
    options.set(text.substr(0, equals), text.substr(equals + 1));
  }
  return options;
}

void check_written(const std::ostream& out) {
  if (!out) throw std::runtime_error("standard output can't be written");
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
  OpenOptions options = read_options(arguments.options);
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
    check_written(out);
  }
  store.close();
}

void stats(const std::string& uri, const std::vector<std::string>& options, std::ostream& out) {
  const Stats stats = pawl::open(uri, read_options(options)).stats();
  for (const auto& [name, number] : stats.numbers) out << name << ' ' << number << '\n';
  for (const std::string& warning : stats.warnings) out << "warning: " << warning << '\n';
  out << std::flush;
  check_written(out);
}

}  // namespace pawl::tools
