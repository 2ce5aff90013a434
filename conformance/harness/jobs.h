// What workers do: jobs by name.
#pragma once

#include <string>
#include <vector>

#include "pawl/store.h"

namespace pawl::conformance {

// Returns the exit code. Throws std::logic_error for an unknown job.
int run_job(const std::string& job, Store& store, const std::vector<std::string>& args);

}  // namespace pawl::conformance
