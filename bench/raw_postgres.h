// raw_postgres.h: the same rows by libpq, without any of Pawl's rules.
//
// The tables and indexes are those of backends/postgres/src/schema.cc, made by opening a store, and
// so is the durability. A turn's transactions are one round trip each: prepared statements with
// plain parameters, sent in one pipeline, in the transaction that a pipeline is by itself. What a
// turn writes is what Pawl writes in the steady state: the event with its three indexes, the event
// cursor with its key and `cursor_due`, the first key with its two, the session's row, the work
// record with its two. What it leaves out: locking and guarding, looking up ids, types and served
// consumers, checking arguments, deciding. It knows its rows beforehand.
#pragma once

#include <memory>
#include <string>

#include "loop.h"

namespace pawl::bench {

std::unique_ptr<Loop> make_raw_postgres_loop(const Settings& settings);

void drop_postgres_schema(const std::string& schema);
// Vacuums and analyzes the tables that the connection may vacuum, and makes a checkpoint.
void vacuum_postgres();

// For people who read the figures.
const char* raw_postgres_carries();

}  // namespace pawl::bench
