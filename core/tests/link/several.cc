// Links memory and SQLite: the scheme picks. argv[1]: a scratch file.
#include <filesystem>

#include "expect.h"

int main(int argc, char** argv) {
  expect(argc == 2, "a scratch file is given");
  const std::string path = argv[1];
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::filesystem::remove(path);

  expect_schemes({"memory", "sqlite"});
  pawl::Store memory = pawl::open("memory:");
  append_one(memory, "s");
  expect(!std::filesystem::exists(path), "memory leaves no file");
  pawl::Store file = pawl::open("sqlite:" + path);
  append_one(file, "s");
  expect(std::filesystem::exists(path), "SQLite has its file");
  expect_refused("app.db", pawl::ErrorCode::kInvalidArgument, {"memory", "sqlite"});
  expect_refused("postgres://db/app", pawl::ErrorCode::kNotConfigured, {"memory", "sqlite"});
}
