// pawl/rocksdb.h: opens a store in a folder, for the threads of one process.
//
// The folder belongs to RocksDB; it is created readable by its owner alone (0700). A second
// process that opens it gets kNotConfigured. Opening the same folder twice in one process
// does, too.
//
// Durability: with kFull every operation is in the synced write-ahead log before it returns;
// writers that wait share one sync. With kRelaxed the log is written, but not synced.
//
// Options of the engine (OpenOptions::engine):
//   block_cache_mib    cache of decompressed blocks, indexes and filters, 1 to 1048576
//                      (default 64)
//   write_buffer_mib   memory for what is not yet in table files, for all of it together,
//                      1 to 65536 (default 64)
//   wal_mib            size of the write-ahead log from which memory is written out to files,
//                      1 to 1048576 (default 256)
//   compression        lz4, snappy, zstd, zlib or none (default lz4; where the linked RocksDB
//                      lacks it, none)
// Memory does not grow with the number of sessions: it is bounded by block_cache_mib +
// write_buffer_mib, and what calls under way hold.
#pragma once

#include <memory>
#include <string_view>

#include "pawl/open.h"
#include "pawl/store.h"

namespace pawl::rocksdb {

// `path` is a path as it stands: nothing in it is decoded. A missing or empty folder is
// initialised; its parent must exist.
//
// Throws kNotConfigured when there is no permission, when another process holds the folder,
// when what is there is not a Pawl store or of a layout that this version does not know;
// kCorrupt when RocksDB finds its files damaged; kInvalidArgument for a wrong option. The
// folder is not touched then.
Store open(std::string_view path, const OpenOptions& options = {});

// The same, without the Store around it. For tools and tests.
std::unique_ptr<Backend> open_backend(std::string_view path, const OpenOptions& options = {});

// Whether the linked RocksDB was built with its assertions, which make reads and unsynced
// writes 1.1 to 1.5 times slower.
bool engine_has_assertions();

}  // namespace pawl::rocksdb
