// The conformance suite on the memory backend.
#include <pawl/conformance.h>

int main(int argc, char** argv) {
  pawl::conformance::Harness harness;
  harness.name = "memory";
  harness.place = [](const std::string& folder) { return "memory:" + folder; };
  harness.durable = false;
  harness.processes = false;
  return pawl::conformance::run(argc, argv, harness);
}
