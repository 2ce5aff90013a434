// pawl/memory.h: stores in this process's memory, for tests and for trying things out.
//
// Nothing outlives the process (durability "none"); everything else is as the contract says.
// There are no engine options. Without a clock in the options, this machine's is read.
#pragma once

#include <memory>
#include <string_view>

#include "pawl/backend.h"
#include "pawl/open.h"
#include "pawl/store.h"

namespace pawl::memory {

// A new empty store, as `memory:` opens it.
Store open(const OpenOptions& options = {});

// The store of that name, as `memory:NAME` opens it: all handles of the process share it, and it
// goes when the last of them is closed. An empty name is a new store.
Store open(std::string_view name, const OpenOptions& options = {});

// The backend alone: for tests that put something between it and the Store.
std::unique_ptr<Backend> open_backend(std::string_view name, const OpenOptions& options = {});

}  // namespace pawl::memory
