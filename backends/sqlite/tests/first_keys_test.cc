// First keys after every step of random histories: a key that is missing is a session that is
// never served again.
#include <gtest/gtest.h>

#include "check_first_keys.h"
#include "memory/tests/history.h"
#include "pawl/sqlite.h"
#include "scratch.h"

namespace pawl::sqlite {
namespace {

TEST(FirstKeys, AreThoseOfTheCursorsAfterEveryStep) {
  for (const unsigned seed : {1U, 2U, 3U, 4U, 5U, 6U}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Scratch scratch;
    OpenOptions options;
    const auto clock = pawl::testing::History::clock();
    options.clock = clock;
    options.durability = Durability::kRelaxed;
    pawl::testing::History(seed, sqlite::open(scratch.path(), options), clock).run(200, [&] {
      check_first_keys(scratch.path());
    });
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace pawl::sqlite
