// pawl_soak: runs one of the long random tests.
#include "soak.h"

#include <exception>
#include <iostream>
#include <string>
#include <vector>

namespace {

struct Soak {
  const char* name;
  const char* summary;
  int (*run)(const std::vector<std::string>&);
};

constexpr Soak kSoaks[] = {
    {"model", "random histories on a store and on the model, compared after each operation",
     pawl::soak::model},
    {"open", "processes that open a new file all at once", pawl::soak::open},
    {"kill", "a working process is killed; what the store acknowledged must be there, once",
     pawl::soak::kill},
    {"power", "the same with storage that loses power", pawl::soak::power},
    {"damage", "a bit of a closed store is flipped; it is intact, or said to be corrupt",
     pawl::soak::damage},
#ifdef PAWL_SOAK_POSTGRES
    {"servers", "like kill, with a PostgreSQL server that is restarted, killed and failed over",
     pawl::soak::servers},
    {"suite", "the whole conformance suite on PostgreSQL, also by a pooler and with NOTIFY",
     pawl::soak::suite},
#endif
};

int list(std::ostream& out, int code) {
  out << "pawl_soak NAME [ARGS]; NAME --help tells the arguments\n";
  for (const Soak& soak : kSoaks) out << "  " << soak.name << ": " << soak.summary << "\n";
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.empty() || arguments[0] == "--help") return list(std::cout, 0);
  for (const Soak& soak : kSoaks) {
    if (arguments[0] != soak.name) continue;
    try {
      return soak.run({arguments.begin() + 1, arguments.end()});
    } catch (const std::exception& error) {
      std::cerr << "pawl_soak " << soak.name << ": " << error.what() << "\n";
      return 2;
    }
  }
  return list(std::cerr, 2);
}
