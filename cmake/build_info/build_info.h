// Which version of Pawl a program was built from.
#pragma once

#include <string_view>

namespace pawl::build_info {

/// As in `1.2.3`.
std::string_view version();

/// The commit's full id, with `+` behind it when files differed from it, or `unknown`.
std::string_view commit();

}  // namespace pawl::build_info
