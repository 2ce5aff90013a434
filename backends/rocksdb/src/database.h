// Opening the folder: options, layout, permissions.
#pragma once

#include <rocksdb/db.h>

#include <memory>
#include <string>

#include "pawl/open.h"

namespace pawl::rocksdb {

inline constexpr std::int64_t kLayout = 1;

struct Database {
  std::unique_ptr<::rocksdb::DB> db;
  std::string compression;  // what is used, for Info
};

// See open_backend in pawl/rocksdb.h.
Database open_database(const std::string& path, const OpenOptions& options);

}  // namespace pawl::rocksdb
