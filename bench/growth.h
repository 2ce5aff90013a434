// growth.h: what an operation costs when something else has grown: the events of a session,
// its finished work, lanes, dead letters, superseded rows, heads that wait, and sessions.
#pragma once

#include <string>

namespace pawl::bench {

// Registers SCHEME/growth/DIMENSION/OPERATION with sizes 100, 10,000 and `largest`. A store is
// filled once for each dimension and size, when it is first needed; every operation leaves it
// as large as it was.
void add_growth(const std::string& scheme, long largest);

}  // namespace pawl::bench
