// pawl/rocksdb.h, and the scheme "rocksdb:".
#include "backend.h"
#include "pawl/registry.h"
#include "pawl/rocksdb.h"

namespace pawl::rocksdb {

std::unique_ptr<Backend> open_backend(std::string_view path, const OpenOptions& options) {
  return std::make_unique<RocksBackend>(std::string(path), options);
}

Store open(std::string_view path, const OpenOptions& options) {
  return Store(open_backend(path, options),
               StoreOptions{.max_payload_bytes = options.max_payload_bytes,
                            .max_call_bytes = options.max_call_bytes,
                            .ids = options.ids});
}

}  // namespace pawl::rocksdb

PAWL_REGISTER_BACKEND(rocksdb, "rocksdb", pawl::rocksdb::open_backend, pawl::rocksdb::engine);
