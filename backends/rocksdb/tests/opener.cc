// Opens the folder it is given and says how that went: for tests that need another process. A
// second argument has it append an event with that id, and end with the store open.
#include <iostream>
#include <optional>

#include "pawl/rocksdb.h"

namespace {

// Made before RocksDB's own objects, so it goes after them.
std::optional<pawl::Store> g_kept;

}  // namespace

int main(int argc, char** argv) {
  try {
    g_kept.emplace(pawl::rocksdb::open(argc > 1 ? argv[1] : ""));
    if (argc > 2) {
      g_kept->append("s", {{.id = argv[2], .type = "t"}});
    } else {
      g_kept.reset();
    }
    std::cout << "opened\n";
  } catch (const pawl::Error& error) {
    std::cout << pawl::to_string(error.code()) << ": " << error.what() << "\n";
  }
  return 0;
}
