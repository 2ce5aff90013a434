// assertions.cc: whether the linked RocksDB was built with NDEBUG. Only a build without it
// defines SyncPoint, so a weak reference to one of its functions tells.
#include "pawl/rocksdb.h"

// rocksdb::SyncPoint::GetInstance().
extern "C" void* pawl_rocksdb_sync_point() __asm__("_ZN7rocksdb9SyncPoint11GetInstanceEv")
    __attribute__((weak));

namespace pawl::rocksdb {

bool engine_has_assertions() { return &pawl_rocksdb_sync_point != nullptr; }

}  // namespace pawl::rocksdb
