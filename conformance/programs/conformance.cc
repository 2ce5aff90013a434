// pawl_conformance URI [GoogleTest options]: the suite on a linked backend.
//
//   pawl_conformance memory:
//   pawl_conformance sqlite:/mnt/disk/scratch     makes its stores in folders there
#include <pawl/conformance.h>

#include <iostream>
#include <string>

namespace {

using pawl::conformance::Harness;

// What the engine of a scheme is. False for a scheme that has no place of the form that a file
// system knows; such a backend has a test program of its own (pawl/conformance.h).
bool harness_for(const std::string& uri, Harness* harness) {
  const std::string scheme = uri.substr(0, uri.find(':'));
  if (scheme.size() == uri.size()) return false;
  harness->name = scheme;
  harness->scratch = uri.substr(scheme.size() + 1);
  harness->place = [scheme](const std::string& folder) { return scheme + ":" + folder + "/store"; };
  if (scheme == "memory") {
    harness->scratch.clear();
    harness->durable = false;
    return true;
  }
  harness->processes = scheme == "sqlite";
  return scheme == "sqlite" || scheme == "rocksdb";
}

}  // namespace

int main(int argc, char** argv) {
  Harness harness;
  if (argc < 2 || !harness_for(argv[1], &harness)) {
    std::cerr << "usage: pawl_conformance URI [GoogleTest options]\n"
                 "URI: memory:, sqlite:FOLDER, rocksdb:FOLDER (of a backend that is linked); the\n"
                 "stores are made in new folders there and removed again.\n"
                 "On PostgreSQL: PAWL_TEST_POSTGRES=URI ./run test -R postgres\n";
    return 2;
  }
  return pawl::conformance::run(argc, argv, harness);
}
