// pawl/sqlite.h: opens a store in one SQLite file, for the threads and processes of one machine.
//
// Beside the file PATH stand PATH-wal and PATH-shm (SQLite's) and PATH-lock (by which the
// processes queue and wake one another). All are created readable by their owner alone.
// Do not delete one of them while a store is open, do not copy PATH without PATH-wal, and keep
// all on a local disk: over a network, locks and shared memory do not hold.
//
// Options of the engine (OpenOptions::engine), all whole numbers:
//   readers           connections that serve reads at the same time, 1 to 64 (default 4)
//   checkpoint_pages  pages of the write-ahead log from which it is written back into the file,
//                     16 to 1000000 (default 1000)
//   group_limit       operations of waiting threads that share one commit, 1 to 1000 (default 128)
//   cache_kib         page cache of each connection, 64 to 4194304 (default 8192)
#pragma once

#include <memory>
#include <string_view>

#include "pawl/open.h"
#include "pawl/store.h"

namespace pawl::sqlite {

// `path` is a path as it stands: nothing in it is decoded, and no name is special. A missing
// file and an empty one are initialised.
//
// Throws kNotConfigured when there is no such folder, no permission, no regular file, a file
// that is not a Pawl store, or one of a layout that this version does not know;
// kInvalidArgument for an unknown option. The file is not touched then.
Store open(std::string_view path, const OpenOptions& options = {});

// The same, without the Store around it. For tools and tests.
std::unique_ptr<Backend> open_backend(std::string_view path, const OpenOptions& options = {});

}  // namespace pawl::sqlite
