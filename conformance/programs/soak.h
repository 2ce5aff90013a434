// Long random runs, by name: `pawl_soak NAME [ARGS]`.
#pragma once

#include <string>
#include <vector>

namespace pawl::soak {

// Each gets its arguments without the name, and gives the program's exit code: 0 when nothing was
// found, 1 when something was, 2 when the arguments are wrong.
int model(const std::vector<std::string>& arguments);
int open(const std::vector<std::string>& arguments);
int kill(const std::vector<std::string>& arguments);
int power(const std::vector<std::string>& arguments);
int damage(const std::vector<std::string>& arguments);
// Where the postgres backend is built:
int servers(const std::vector<std::string>& arguments);
int suite(const std::vector<std::string>& arguments);

}  // namespace pawl::soak
