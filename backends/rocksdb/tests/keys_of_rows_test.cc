// Derived keys after every step of random histories: one that is missing is a session that is
// never served again, one too many is served for nothing.
#include <gtest/gtest.h>

#include "backend.h"
#include "check_keys.h"
#include "memory/tests/first_keys.h"
#include "memory/tests/history.h"
#include "scratch.h"

namespace pawl::rocksdb {
namespace {

TEST(KeysOfRows, AreThoseOfTheRowsAfterEveryStep) {
  for (const unsigned seed : {1U, 2U, 3U, 4U}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Scratch scratch;
    OpenOptions options;
    const auto clock = pawl::testing::History::clock();
    options.clock = clock;
    options.durability = Durability::kRelaxed;
    auto backend = std::make_unique<RocksBackend>(scratch.path(), options);
    RocksBackend& looked_at = *backend;
    pawl::testing::History(seed, Store(std::move(backend), {}), clock).run(300, [&] {
      EXPECT_EQ(KeyCheck(looked_at.db()).faults(), "");
      EXPECT_EQ(pawl::testing::first_key_faults(looked_at), "");
    });
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace pawl::rocksdb
