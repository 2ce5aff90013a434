// Opens a store and links no backend: must not link.
#include <pawl/open.h>

int main() { pawl::open("app.db").close(); }
