// pawl/postgres.h, and the schemes "postgres:" and "postgresql:".
#include "pawl/postgres.h"

#include "pawl/driver/bounded_times.h"
#include "pawl/registry.h"
#include "postgres_backend.h"

namespace pawl::postgres {

std::unique_ptr<Backend> open_backend(std::string_view uri, const OpenOptions& options) {
  const std::string whole = (uri.starts_with("//") ? "postgres:" : "") + std::string(uri);
  return std::make_unique<PostgresBackend>(whole, driver::with_bounded_times(options),
                                           fresh_connections());
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
