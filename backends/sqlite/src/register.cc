// pawl/sqlite.h, and the scheme "sqlite:".
#include "pawl/driver/bounded_times.h"
#include "pawl/registry.h"
#include "pawl/sqlite.h"
#include "sqlite_backend.h"

namespace pawl::sqlite {

std::unique_ptr<Backend> open_backend(std::string_view path, const OpenOptions& options) {
  return std::make_unique<SqliteBackend>(find_place(path), driver::with_bounded_times(options));
}

Store open(std::string_view path, const OpenOptions& options) {
  return Store(open_backend(path, options),
               StoreOptions{.max_payload_bytes = options.max_payload_bytes,
                            .max_call_bytes = options.max_call_bytes,
                            .ids = options.ids});
}

}  // namespace pawl::sqlite

PAWL_REGISTER_BACKEND(sqlite, "sqlite", pawl::sqlite::open_backend, pawl::sqlite::engine);
