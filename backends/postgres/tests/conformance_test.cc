// The conformance suite on PostgreSQL: each case in a schema of its own. Variables choose another
// way to it: PAWL_TEST_POSTGRES=URI a database of the user's, PAWL_TEST_POSTGRES_POOLER says that
// the URI is that of a pooler in transaction mode ("start": one that the program starts), and
// PAWL_TEST_POSTGRES_NOTIFY that stores listen to one another.
#include <pawl/conformance.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include "tests/support/pooler.h"
#include "tests/support/recycler.h"
#include "tests/support/server.h"

namespace testing = pawl::postgres::testing;

namespace {

bool is_set(const char* variable, const std::string& value = "") {
  const char* found = std::getenv(variable);
  return found != nullptr && (value.empty() || found == value);
}

}  // namespace

int main(int argc, char** argv) {
  std::unique_ptr<testing::Pooler> pooler;
  if (is_set("PAWL_TEST_POSTGRES_POOLER", "start")) {
    if (const auto reason = testing::why_no_pooler()) {
      std::cout << "not run: " << *reason << std::endl;
      return 0;
    }
    pooler = std::make_unique<testing::Pooler>(testing::private_server(), 20);
    testing::use_instead(pooler->uri());
    setenv("PAWL_TEST_POSTGRES_POOLER", "1", 1);
  }
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
  const bool notify = is_set("PAWL_TEST_POSTGRES_NOTIFY");
  harness.options.engine["notify"] = notify ? "on" : "off";
  harness.options.wake_poll = pawl::Duration(notify ? 10'000 : 20);
  if (is_set("PAWL_TEST_POSTGRES_POOLER")) harness.options.engine["prepare"] = "off";
  return pawl::conformance::run(argc, argv, harness);
}
