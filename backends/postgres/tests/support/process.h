// Programs that refuse to run as root, started by tests that may be root.
#pragma once

#include <pwd.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace pawl::postgres::testing {

// In the newest of Debian's PostgreSQL, in PATH or in /usr/sbin.
std::optional<std::filesystem::path> find_program(const std::string& name);

// Whom servers run as; null if there is nobody.
const passwd* server_user();

// A folder among the temporary files that belongs to that user. `name` ends with XXXXXX.
std::string make_folder_for_server(const std::string& name);

// In a child process: goes on as that user.
void become_server_user();

// In a child process: becomes the program, which ends with its parent.
[[noreturn]] void exec_program(const std::filesystem::path& program,
                               const std::vector<std::string>& arguments, const std::string& log);

// Runs a program to its end as that user. Whether it succeeded.
bool run_program(const std::string& name, const std::vector<std::string>& arguments,
                 const std::string& log);

}  // namespace pawl::postgres::testing
