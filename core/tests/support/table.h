// A table of decisions: what is stored, what is asked -> what is answered and written.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/verbs.h"

namespace pawl::core::testing {

template <class Op>
struct Row {
  const char* rule;  // the rule's id, and which side of it the row is on
  World world;
  Op operation;
  const char* want;
};

template <class Op>
void check(const std::vector<Row<Op>>& rows) {
  for (const Row<Op>& row : rows) {
    SCOPED_TRACE(row.rule);
    const Decided decided = decide(row.world, row.operation);
    EXPECT_EQ(decided.text(), row.want);
    World after = row.world;
    after.apply(decided.effects);
  }
}

}  // namespace pawl::core::testing
