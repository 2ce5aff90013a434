// The conformance suite on the RocksDB backend: one process, many threads.
#include <pawl/conformance.h>

int main(int argc, char** argv) {
  pawl::conformance::Harness harness;
  harness.name = "rocksdb";
  harness.place = [](const std::string& folder) { return "rocksdb:" + folder + "/store"; };
  harness.processes = false;
  return pawl::conformance::run(argc, argv, harness);
}
