// The conformance suite on PostgreSQL: each case in a schema of its own.
#include <pawl/conformance.h>

#include <filesystem>
#include <iostream>

#include "pawl/postgres.h"
#include "tests/support/server.h"

int main(int argc, char** argv) {
  namespace testing = pawl::postgres::testing;
  if (const auto reason = testing::why_not()) {
    std::cout << "not run: " << *reason << std::endl;
    return 0;
  }
  pawl::conformance::Harness harness;
  harness.name = "postgres";
  // The place is the name of a schema.
  harness.place = [](const std::string& folder) {
    return std::filesystem::path(folder).filename().string();
  };
  harness.open = [uri = testing::shared_uri()](const std::string& schema,
                                               pawl::OpenOptions options) {
    options.engine.emplace("schema", schema);
    return pawl::postgres::open(uri, options);
  };
  harness.remove = testing::drop_schema;
  harness.processes = true;
  return pawl::conformance::run(argc, argv, harness);
}
