// The engine's options, as pawl/rocksdb.h lists them.
#pragma once

#include <rocksdb/options.h>

#include <cstdint>
#include <string>

#include "pawl/open.h"

namespace pawl::rocksdb {

struct EngineOptions {
  std::int64_t block_cache_mib = 64;
  std::int64_t write_buffer_mib = 64;
  std::int64_t wal_mib = 256;
  std::int64_t remember_kib = 16'384;
  std::string compression;  // what is used

  bool operator==(const EngineOptions&) const = default;
};

// Throws kInvalidArgument, naming the option.
EngineOptions read_engine_options(const OpenOptions& options);

// Of what is written between two logs.
std::int64_t memory_bytes(const EngineOptions& options);

::rocksdb::Options rocksdb_options(const EngineOptions& options);

}  // namespace pawl::rocksdb
