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

void expect_keys_of_rows(unsigned seed, const std::string& remember_kib) {
  SCOPED_TRACE("seed " + std::to_string(seed) + ", remember_kib " + remember_kib);
  const Scratch scratch;
  OpenOptions options;
  const auto clock = pawl::testing::History::clock();
  options.clock = clock;
  options.durability = Durability::kRelaxed;
  options.engine["remember_kib"] = remember_kib;
  auto backend = std::make_unique<RocksBackend>(scratch.path(), options);
  RocksBackend& looked_at = *backend;
  pawl::testing::History(seed, Store(std::move(backend), {}), clock).run(300, [&] {
    EXPECT_EQ(KeyCheck(looked_at.db()).faults(), "");
    EXPECT_EQ(pawl::testing::first_key_faults(looked_at), "");
  });
}

TEST(KeysOfRows, AreThoseOfTheRowsAfterEveryStep) {
  // With everything remembered, with nothing, and with what is forgotten again and again.
  for (const unsigned seed : {1U, 2U, 3U, 4U}) expect_keys_of_rows(seed, "16384");
  expect_keys_of_rows(5, "0");
  for (const unsigned seed : {6U, 7U}) expect_keys_of_rows(seed, "24");
}

}  // namespace
}  // namespace pawl::rocksdb
