// The conformance suite on PostgreSQL: each case in a schema of its own.
#include <pawl/conformance.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "tests/support/recycler.h"
#include "tests/support/server.h"

int main(int argc, char** argv) {
  namespace testing = pawl::postgres::testing;
  if (const auto reason = testing::why_not()) {
    std::cout << "not run: " << *reason << std::endl;
    return 0;
  }
  testing::Recycler recycler(testing::shared_uri());
  pawl::conformance::Harness harness;
  harness.name = "postgres";
  // The place is the name of a schema.
  harness.place = [&](const std::string& folder) {
    return recycler.take_schema(std::filesystem::path(folder).filename().string());
  };
  harness.open = [&](const std::string& schema, const pawl::OpenOptions& options) {
    return recycler.open(schema, options);
  };
  harness.remove = [&](const std::string& schema) { recycler.give_back(schema); };
  harness.processes = true;
  // One more connection for each store would cost more than the cases: notifier_test.cc has it.
  harness.options.engine["notify"] = "off";
  harness.options.wake_poll = pawl::Duration(20);
  // PAWL_TEST_POSTGRES leads to a pooler in transaction mode.
  if (std::getenv("PAWL_TEST_POSTGRES_POOLER") != nullptr) {
    harness.options.engine["prepare"] = "off";
  }
  return pawl::conformance::run(argc, argv, harness);
}
