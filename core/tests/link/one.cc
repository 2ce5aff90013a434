// Links one backend, memory: it is the default.
#include "expect.h"

int main() {
  expect_schemes({"memory"});
  pawl::Store by_path = pawl::open("shared");
  pawl::Store by_scheme = pawl::open("memory:shared");
  append_one(by_path, "s");
  expect(by_scheme.head("s").last_index == 1, "a plain path is a place of the linked backend");
  expect_refused("sqlite:app.db", pawl::ErrorCode::kNotConfigured, {"memory"});
}
