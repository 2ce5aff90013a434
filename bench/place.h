// place.h: where the stores of a run lie. Those of a file system are in a scratch folder; those of
// PostgreSQL in a schema of the folder's name, in the database that PAWL_BENCH_POSTGRES=URI names.
#pragma once

#include <string>
#include <vector>

#include "pawl/open.h"

namespace pawl::bench {

// The schemes whose stores have a place here, each engine under one.
std::vector<std::string> benched_schemes();

std::string make_folder();
// With the schema of its name.
void remove_folder(const std::string& folder);

Store open_store(const std::string& scheme, const std::string& folder, OpenOptions options);
// Does or awaits what the engine does by itself a while after a store was filled.
void catch_up(const std::string& scheme, Store& store);

// Of PostgreSQL; empty: there is none.
std::string postgres_uri();
std::string schema_of(const std::string& folder);

}  // namespace pawl::bench
