// The conformance suite on the SQLite backend.
#include <pawl/conformance.h>

int main(int argc, char** argv) {
  pawl::conformance::Harness harness;
  harness.name = "sqlite";
  harness.place = [](const std::string& folder) { return "sqlite:" + folder + "/store.db"; };
  harness.processes = true;
  return pawl::conformance::run(argc, argv, harness);
}
