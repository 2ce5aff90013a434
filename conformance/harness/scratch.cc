// Folders for cases.
#include "harness/scratch.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace pawl::conformance {

Scratch::Scratch(const std::string& root) {
  namespace fs = std::filesystem;
  const fs::path parent = root.empty() ? fs::temp_directory_path() : fs::absolute(root);
  fs::create_directories(parent);
  folder_ = (parent / "pawl-conformance-XXXXXX").string();
  if (mkdtemp(folder_.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), folder_);
  }
}

Scratch::~Scratch() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

}  // namespace pawl::conformance
