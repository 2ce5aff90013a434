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
//                     16 to 1000000 (default 2000; a page has 2 KiB)
//   group_limit       operations of waiting threads that share one commit, 1 to 1000 (default 128)
//   cache_kib         page cache of each connection, 64 to 4194304 (default 8192)
//
// How long PATH-wal gets: it is written back, and begun anew, from checkpoint_pages on, unless
// readers still need what it holds. From four times that on a writer waits for them, 100 ms at
// first and 2 s (or half the busy timeout) from 18 times on. So however many readers overlap,
// those that take less than a second each keep it below 24 times checkpoint_pages, 94 MiB by
// default. A program that keeps one view open, which no Pawl does, makes it grow by all that is
// written meanwhile. Writers go on; Store::stats names that process; when it has let go, the log
// is cut to four times checkpoint_pages. With an SQLite that has no WAL-reset bug (3.51.3, or
// 3.44.6 or 3.50.7 of the older lines) a relaxed store writes the log back in a thread of its own.
//
// Store::stats:
//   file_pages, file_bytes     the file's size, with what the log has still to add, and without
//   free_pages                 of the file, to be used again
//   log_pages, log_bytes       pages in the log that are in use, and the size of PATH-wal
//   log_pages_written_back     of log_pages: those that are in the file as well
//   log_held_by                process id of the reader that holds most of the log back (which
//                              may be this process), absent when there is none
//   commits                    of all processes, since PATH-lock was made
//   waiting_writers            of all processes: how many wait for the lock on the file
//   waiting_for_commit         of all processes: how many wait for a commit
// A log of more than twice checkpoint_pages that readers hold back is a warning, with their
// process ids as /proc/locks tells them: it knows readers that are not Pawl's, too, and forgets
// those that have died.
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
