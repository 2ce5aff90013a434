// raw_sqlite.h: the same rows by SQLite's own API, without any of Pawl's rules.
//
// The tables and indexes are those of backends/sqlite/src/schema.h, all of them, and so
// are the durability and the connection's settings. What a turn writes is what Pawl writes
// in the steady state: the event with its three indexes, the event cursor with its key
// and `cursor_due`, the first key with its two indexes, the session's row, the work record
// with its two. What it leaves out: looking up ids, types and served consumers, checking
// arguments, deciding. It knows its rows beforehand.
#pragma once

#include <memory>

#include "loop.h"

namespace pawl::bench {

enum class RawLocking {
  kMutex,        // each turn's transactions by its own thread, under a mutex
  kGroupCommit,  // a writer thread commits whatever transactions wait, in one
};

std::unique_ptr<Loop> make_raw_sqlite_loop(RawLocking locking, const Settings& settings);

// For people who read the figures.
const char* raw_sqlite_carries();

}  // namespace pawl::bench
