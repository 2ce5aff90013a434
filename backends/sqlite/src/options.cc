// The engine's own options.
#include "options.h"

#include <charconv>

namespace pawl::sqlite {
namespace {

struct Range {
  const char* name;
  std::int64_t EngineOptions::*member;
  std::int64_t least;
  std::int64_t most;
};

constexpr Range kRanges[] = {
    {"readers", &EngineOptions::readers, 1, 64},
    {"checkpoint_pages", &EngineOptions::checkpoint_pages, 16, 1'000'000},
    {"group_limit", &EngineOptions::group_limit, 1, 1'000},
    {"cache_kib", &EngineOptions::cache_kib, 64, 4'194'304},
};

const Range& range_of(const std::string& name) {
  for (const Range& range : kRanges) {
    if (name == range.name) return range;
  }
  std::string message = "sqlite: unknown option " + name + "; known are";
  for (const Range& range : kRanges) message += std::string(" ") + range.name;
  throw Error(ErrorCode::kInvalidArgument, message);
}

}  // namespace

EngineOptions read_engine_options(const OpenOptions& options) {
  EngineOptions engine;
  for (const auto& [name, text] : options.engine) {
    const Range& range = range_of(name);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < range.least ||
        value > range.most) {
      throw Error(ErrorCode::kInvalidArgument,
                  "sqlite: option " + name + " is a whole number from " +
                      std::to_string(range.least) + " to " + std::to_string(range.most));
    }
    engine.*range.member = value;
  }
  return engine;
}

}  // namespace pawl::sqlite
