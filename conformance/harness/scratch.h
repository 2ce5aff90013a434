// A folder for one case, removed with all it holds.
#pragma once

#include <string>

namespace pawl::conformance {

class Scratch {
 public:
  // Makes a folder in `root`, which is made too if need be; by default in the system's folder
  // for temporary files.
  explicit Scratch(const std::string& root = "");
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
};

}  // namespace pawl::conformance
