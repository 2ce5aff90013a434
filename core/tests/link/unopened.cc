// Links no backend, and opens nothing: links.
#include "expect.h"

int main() {
  expect(pawl::to_string(pawl::ErrorCode::kClosed) == "closed", "the core is there");
  expect_schemes({});
}
