// First keys: per (session, consumer) the least (due, head, lane) of its claimable cursors.
#pragma once

#include <cstdint>

#include "rows.h"

namespace pawl::sqlite {

// Recomputes the first key of one consumer from the cursors of the present era, after all
// writes of the operation. Returns whether there is one.
bool refresh_first_key(Scope& scope, const Session& session, std::int64_t consumer);

}  // namespace pawl::sqlite
