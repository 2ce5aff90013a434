// Effects -> rows, and the read-back, on the write transaction that the connection is in.
#pragma once

#include <vector>

#include "pawl/driver/effects.h"
#include "rows.h"

namespace pawl::sqlite {

// `sessions` are those that the load met. Throws IdTaken or AnswerTooLarge (backend.h) after
// rows have been written: the caller must roll back.
driver::Readings apply(Scope& scope, std::vector<Session>& sessions,
                       const driver::Effects& effects);

}  // namespace pawl::sqlite
