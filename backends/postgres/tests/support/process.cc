// Users, folders, programs.
#include "tests/support/process.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <stdexcept>

namespace pawl::postgres::testing {

namespace fs = std::filesystem;

std::optional<fs::path> find_program(const std::string& name) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (const auto& version : fs::directory_iterator("/usr/lib/postgresql", error)) {
    folders.push_back(version.path() / "bin");
  }
  std::sort(folders.rbegin(), folders.rend());
  const char* path = std::getenv("PATH");
  std::string rest = std::string(path == nullptr ? "" : path) + ":/usr/sbin";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    folders.emplace_back(rest.substr(0, end));
    rest.erase(0, end + 1);
  }
  for (const fs::path& folder : folders) {
    if (fs::exists(folder / name, error)) return folder / name;
  }
  return std::nullopt;
}

const passwd* server_user() {
  if (geteuid() != 0) return getpwuid(geteuid());
  const passwd* user = getpwnam("postgres");
  return user != nullptr ? user : getpwnam("nobody");
}

std::string make_folder_for_server(const std::string& name) {
  std::string folder = (fs::temp_directory_path() / name).string();
  if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("mkdtemp " + folder);
  const passwd* user = server_user();
  if (geteuid() == 0 && chown(folder.c_str(), user->pw_uid, user->pw_gid) != 0) {
    throw std::runtime_error("chown " + folder);
  }
  return folder;
}

void become_server_user() {
  if (geteuid() != 0) return;
  const passwd* user = server_user();
  if (setgroups(0, nullptr) != 0 || setgid(user->pw_gid) != 0 || setuid(user->pw_uid) != 0) {
    _exit(1);
  }
}

void exec_program(const fs::path& program, const std::vector<std::string>& arguments,
                  const std::string& log) {
  prctl(PR_SET_PDEATHSIG, SIGQUIT);
  const int output = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(input, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  std::string name = program.string();
  std::vector<char*> argv{name.data()};
  std::vector<std::string> copies = arguments;
  for (std::string& argument : copies) argv.push_back(argument.data());
  argv.push_back(nullptr);
  execv(name.c_str(), argv.data());
  _exit(127);
}

bool run_program(const std::string& name, const std::vector<std::string>& arguments,
                 const std::string& log) {
  const auto program = find_program(name);
  if (!program) return false;
  const pid_t pid = fork();
  if (pid == 0) {
    become_server_user();
    exec_program(*program, arguments, log);
  }
  int status = 0;
  return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace pawl::postgres::testing
