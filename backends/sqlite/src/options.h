// The engine's own options (pawl/sqlite.h), read from OpenOptions::engine.
#pragma once

#include <cstdint>

#include "pawl/error.h"
#include "pawl/open.h"

namespace pawl::sqlite {

struct EngineOptions {
  std::int64_t readers = 4;
  std::int64_t checkpoint_pages = 2'000;
  std::int64_t group_limit = 128;
  std::int64_t cache_kib = 8'192;
};

// kInvalidArgument names an unknown option or a value out of range.
EngineOptions read_engine_options(const OpenOptions& options);

}  // namespace pawl::sqlite
