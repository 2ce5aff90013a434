// pawl/rocksdb.h: opens a store in a folder, for the threads of one process.
//
// The folder belongs to RocksDB; it is created readable by its owner alone (0700), and its parent
// must exist. A second process that opens it gets kNotConfigured. Stores of one process on one
// folder share it, and must be opened with the same options of the engine. A child of fork finds
// the store closed, and opens none of its parent's folders.
//
// Durability: with kFull every operation is in the synced write-ahead log before it returns;
// writers that wait share one sync. With kRelaxed the log is written, but not synced: a loss of
// power takes the latest operations, of all sessions together, and nothing before them.
//
// Options of the engine (OpenOptions::engine):
//   block_cache_mib    cache of decompressed blocks, indexes and filters, 1 to 1048576
//                      (default 64)
//   write_buffer_mib   memory for what is not in table files yet, in two halves: while one is
//                      written out, the other is filled; then writers wait; 1 to 65536 (default 64)
//   wal_mib            the size of a write-ahead log at which a new one is begun, 1 to 1048576
//                      (default 256). There are two at most, and a full half of the memory begins
//                      a new one, too
//   remember_kib       how much of the sessions that it worked on last the process keeps in memory,
//                      so that the next operation on one does not read it again, 0 to 1048576
//                      (default 16384)
//   compression        of table files: lz4, snappy, zstd, zlib or none (default lz4; where the
//                      linked RocksDB lacks it, snappy or none)
// Memory does not grow with the number of sessions: it is bounded by block_cache_mib +
// write_buffer_mib + remember_kib, by 8 MiB of sessions that are ready, by some MiB for 512 open
// files and for what is remembered of 4,096 ranges, and by what calls under way hold.
//
// When the disk is full, operations that write throw kUnavailable, or kInDoubt where the log may
// hold them; reads go on. RocksDB tries again by itself, and within seconds of free space the store
// works on. After other failures of the disk it takes no writes until it is opened anew. Closing it
// while it takes none leaves no note of where its log ends, so that opening it does not notice if
// that end goes missing; the next closing leaves one.
//
// A store may be static: those that are open when the process ends by exit() or from main are
// closed then, and what uses them later finds them closed.
//
// Numbers of Store::stats:
//   keys_estimated, file_bytes             in table files
//   memory_tables_bytes, block_cache_bytes, table_readers_bytes  memory in use
//   compaction_pending_bytes               to be rewritten before files are in order
//   compactions_pending (0 or 1), compactions_running
//                                          until they are done, reads seek in more files
//   background_errors                      failed attempts to write files
//   views                                  reads under way
//   commits                                of this process, since the store was opened
#pragma once

#include <memory>
#include <string_view>

#include "pawl/open.h"
#include "pawl/store.h"

namespace pawl::rocksdb {

// `path` is a path as it stands: nothing in it is decoded. A missing or empty folder is
// initialised.
//
// Throws kNotConfigured when there is no permission, when another process holds the folder, or
// when what is there is not a Pawl store or of a layout that this version does not know; kCorrupt
// when files are damaged or missing; kInvalidArgument for a wrong option; kUnavailable for a full
// disk. What is stored stays as it is then.
Store open(std::string_view path, const OpenOptions& options = {});

// The same, without the Store around it. For tools and tests.
std::unique_ptr<Backend> open_backend(std::string_view path, const OpenOptions& options = {});

// Whether the linked RocksDB was built with its assertions, which make reads and unsynced
// writes 1.1 to 1.5 times slower.
bool engine_has_assertions();

}  // namespace pawl::rocksdb
