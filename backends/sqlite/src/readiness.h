// First keys: per (session, consumer) the least (due, head, lane) of its claimable cursors.
#pragma once

#include <cstdint>

#include "rows.h"
#include "session_cache.h"

namespace pawl::sqlite {

// From the cursors of the present era.
FirstKey find_first_key(Scope& scope, const Session& session, std::int64_t consumer);

// Brings its row up to date. Returns whether there is one.
bool put_first_key(Scope& scope, const Session& session, const FirstKey& key);

}  // namespace pawl::sqlite
