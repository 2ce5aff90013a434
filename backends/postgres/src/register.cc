// pawl/postgres.h, and the schemes "postgres:" and "postgresql:".
#include "pawl/postgres.h"

#include <algorithm>
#include <chrono>

#include "pawl/registry.h"
#include "postgres_backend.h"

namespace pawl::postgres {
namespace {

// Longer times are as long as this: the server's settings and the clock's arithmetic hold no more.
constexpr std::chrono::milliseconds kLongest{2'000'000'000};

}  // namespace

std::unique_ptr<Backend> open_backend(std::string_view uri, const OpenOptions& options) {
  const std::string whole = (uri.starts_with("//") ? "postgres:" : "") + std::string(uri);
  OpenOptions bounded = options;
  bounded.busy_timeout = std::min(options.busy_timeout, kLongest);
  bounded.wake_poll = std::min(options.wake_poll, kLongest);
  return std::make_unique<PostgresBackend>(whole, bounded, fresh_connections());
}

Store open(std::string_view uri, const OpenOptions& options) {
  return Store(open_backend(uri, options),
               StoreOptions{.max_payload_bytes = options.max_payload_bytes,
                            .max_call_bytes = options.max_call_bytes,
                            .ids = options.ids});
}

}  // namespace pawl::postgres

PAWL_REGISTER_BACKEND(postgres, "postgres", pawl::postgres::open_backend, pawl::postgres::engine);
PAWL_REGISTER_SCHEME("postgresql", pawl::postgres::open_backend, pawl::postgres::engine);
