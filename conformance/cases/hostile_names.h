// Names made to trip quoting, escaping, key codecs, paths, locales and cuts.
#pragma once

#include <string>
#include <vector>

namespace pawl::conformance {

std::vector<std::string> hostile_names();  // legal ones, sorted by bytes
std::vector<std::string> illegal_names();

}  // namespace pawl::conformance
