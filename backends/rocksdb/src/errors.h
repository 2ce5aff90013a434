// One table from RocksDB's status to the contract's codes.
#pragma once

#include <rocksdb/status.h>

#include "pawl/error.h"

namespace pawl::rocksdb {

ErrorCode code_of(const ::rocksdb::Status& status);

// Throws unless `status` is ok. `doing` begins the message; the path is added by open only.
void check(const ::rocksdb::Status& status, const char* doing);

}  // namespace pawl::rocksdb
