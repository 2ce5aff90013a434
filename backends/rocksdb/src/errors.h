// One table from RocksDB's status to the contract's codes.
#pragma once

#include <rocksdb/status.h>

#include <string>
#include <string_view>

#include "pawl/error.h"

namespace pawl::rocksdb {

enum class Phase { kOpening, kRunning, kCommitting };

ErrorCode error_code(const ::rocksdb::Status& status, Phase phase);

// As RocksDB spells it: "IOError(NoSpace)".
std::string status_name(const ::rocksdb::Status& status);

[[noreturn]] void throw_status(const ::rocksdb::Status& status, Phase phase,
                               std::string_view doing);

inline void check(const ::rocksdb::Status& status, Phase phase, std::string_view doing) {
  if (!status.ok()) throw_status(status, phase, doing);
}

// The folder's lock cannot be had.
bool is_lock_of_this_process(const ::rocksdb::Status& status);
bool is_lock_of_another_process(const ::rocksdb::Status& status);

}  // namespace pawl::rocksdb
