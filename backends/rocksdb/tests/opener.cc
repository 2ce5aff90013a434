// Opens the folder it is given and says how that went: for tests that need another process.
#include <iostream>

#include "pawl/rocksdb.h"

int main(int argc, char** argv) {
  try {
    pawl::rocksdb::open(argc > 1 ? argv[1] : "");
    std::cout << "opened\n";
  } catch (const pawl::Error& error) {
    std::cout << pawl::to_string(error.code()) << ": " << error.what() << "\n";
  }
  return 0;
}
