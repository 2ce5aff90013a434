// Stores broken on purpose, each in one way, to show that the suite sees it.
//
// A mutant is a backend around a sound one that tampers with the facts a decision is made on, or
// with the effects it has. Which of the two is told by what is broken, not by who would have
// broken it: to the suite a wrong decision and a wrong store look the same.
#pragma once

#include <span>
#include <string>

#include "pawl/backend.h"
#include "pawl/open.h"
#include "pawl/store.h"

namespace pawl::conformance {

struct Mutation {
  const char* name;       // as a word
  const char* caught_by;  // the case that fails
  void (*facts)(driver::Facts& facts) = nullptr;
  // `facts` are those that the decision was made on.
  void (*effects)(const driver::Facts& facts, driver::Effects& effects) = nullptr;
};

std::span<const Mutation> mutations();

// Opens "memory:NAME" with the mutation; none: as it is.
Store open_mutant(const Mutation* mutation, const std::string& uri, const OpenOptions& options);

}  // namespace pawl::conformance
