// The harness of the suite, by way of the recycler.
#include "tests/suite.h"

#include <pawl/conformance.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include "tests/support/pooler.h"
#include "tests/support/recycler.h"
#include "tests/support/server.h"

namespace pawl::postgres::testing {
namespace {

bool is_set(const char* variable, const std::string& value = "") {
  const char* found = std::getenv(variable);
  return found != nullptr && (value.empty() || found == value);
}

}  // namespace

int run_suite(int argc, char** argv) {
  std::unique_ptr<Pooler> pooler;
  if (is_set("PAWL_TEST_POSTGRES_POOLER", "start")) {
    if (const auto reason = why_no_pooler()) {
      std::cout << "not run: " << *reason << std::endl;
      return 0;
    }
    pooler = std::make_unique<Pooler>(private_server(), 20);
    use_instead(pooler->uri());
    setenv("PAWL_TEST_POSTGRES_POOLER", "1", 1);
  }
  if (const auto reason = why_not()) {
    std::cout << "not run: " << *reason << std::endl;
    return 0;
  }
  Recycler recycler(shared_uri());
  conformance::Harness harness;
  harness.name = "postgres";
  // The place is the name of a schema.
  harness.place = [&](const std::string& folder) {
    return recycler.take_schema(std::filesystem::path(folder).filename().string());
  };
  harness.open = [&](const std::string& schema, const OpenOptions& options) {
    return recycler.open(schema, options);
  };
  harness.remove = [&](const std::string& schema) { recycler.give_back(schema); };
  harness.processes = true;
  // One more connection for each store would cost more than the cases: notifier_test.cc has it.
  const bool notify = is_set("PAWL_TEST_POSTGRES_NOTIFY");
  harness.options.engine["notify"] = notify ? "on" : "off";
  harness.options.wake_poll = Duration(notify ? 10'000 : 20);
  if (is_set("PAWL_TEST_POSTGRES_POOLER")) harness.options.engine["prepare"] = "off";
  return conformance::run(argc, argv, harness);
}

}  // namespace pawl::postgres::testing
