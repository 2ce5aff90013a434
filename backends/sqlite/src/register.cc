// pawl/sqlite.h, and the scheme "sqlite:".
#include <algorithm>
#include <chrono>

#include "pawl/registry.h"
#include "pawl/sqlite.h"
#include "sqlite_backend.h"

namespace pawl::sqlite {

std::unique_ptr<Backend> open_backend(std::string_view path, const OpenOptions& options) {
  // What is longer would pass the end of the clock's range, at which nobody would arrive.
  constexpr std::chrono::milliseconds kLongest{2'000'000'000};
  OpenOptions bounded = options;
  bounded.busy_timeout = std::min(options.busy_timeout, kLongest);
  bounded.wake_poll = std::min(options.wake_poll, kLongest);
  return std::make_unique<SqliteBackend>(find_place(path), bounded);
}

Store open(std::string_view path, const OpenOptions& options) {
  return Store(open_backend(path, options),
               StoreOptions{.max_payload_bytes = options.max_payload_bytes,
                            .max_call_bytes = options.max_call_bytes,
                            .ids = options.ids});
}

}  // namespace pawl::sqlite

PAWL_REGISTER_BACKEND(sqlite, "sqlite", pawl::sqlite::open_backend, pawl::sqlite::engine);
