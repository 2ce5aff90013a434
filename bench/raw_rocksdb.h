// raw_rocksdb.h: the same rows by RocksDB's own API, without any of Pawl's rules.
//
// Keys are those of backends/rocksdb/src/keys.h, values as long as Pawl's, and the options those
// of options.h. A transaction is one batch under a mutex of its session. What a turn writes is what
// Pawl writes in the steady state. What it leaves out: reading the session and its cursors, looking
// up ids and served consumers, checking arguments, deciding. It knows its rows beforehand, but for
// the head to be claimed, which it seeks.
#pragma once

#include <memory>

#include "loop.h"

namespace pawl::bench {

std::unique_ptr<Loop> make_raw_rocksdb_loop(const Settings& settings);

// For people who read the figures.
const char* raw_rocksdb_carries();

}  // namespace pawl::bench
