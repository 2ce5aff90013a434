// From effects to changed tables, and what an answer reads back of these.
#pragma once

#include "pawl/driver/effects.h"
#include "tables.h"

namespace pawl::memory {

// Throws IdTaken.
void write(Tables& tables, const driver::Effects& effects, Journal& journal);

// Throws AnswerTooLarge.
driver::Readings read_back(const Tables& tables, const driver::ReadBack& read);

}  // namespace pawl::memory
