// Appends an event to a file, and finds it again after reopening. argv[1]: the file.
#include <pawl/open.h>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  pawl::open(argv[1]).append("s", {{.id = "a", .type = "t"}});
  return pawl::open(argv[1]).head("s").last_index == 1 ? 0 : 1;
}
