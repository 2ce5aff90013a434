// From a query to its facts.
#pragma once

#include "pawl/driver/facts.h"
#include "pawl/driver/query.h"
#include "tables.h"

namespace pawl::memory {

driver::Facts load(const Tables& tables, const driver::Query& query, Int now);

}  // namespace pawl::memory
