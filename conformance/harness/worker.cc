// Starting this program again as a worker, and being one.
#include "harness/worker.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <system_error>

#include "cases/fixture.h"
#include "harness/jobs.h"
#include "pawl/conformance.h"

extern char** environ;

namespace pawl::conformance {
namespace {

constexpr char kMark[] = "--pawl-worker";  // what follows: the job, the URI, arguments

std::vector<std::string> g_arguments;  // of main; empty if run_worker was not called

[[noreturn]] void throw_errno(int code, const char* what) {
  throw std::system_error(code, std::generic_category(), what);
}

pid_t spawn(std::vector<std::string> args, int output) {
  std::vector<char*> argv;
  for (std::string& arg : args) argv.push_back(arg.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  pid_t pid = -1;
  const int error = posix_spawn(&pid, "/proc/self/exe", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw_errno(error, "posix_spawn");
  return pid;
}

}  // namespace

Worker::Worker(const Fixture& f, const std::string& job, const std::vector<std::string>& args) {
  if (g_arguments.empty()) throw std::logic_error("main has not called run_worker");
  std::vector<std::string> all = g_arguments;
  all.insert(all.end(), {kMark, job, f.uri()});
  all.insert(all.end(), args.begin(), args.end());
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw_errno(errno, "pipe2");
  output_ = ends[0];
  try {
    pid_ = spawn(all, ends[1]);
  } catch (...) {
    close(ends[0]);
    close(ends[1]);
    throw;
  }
  close(ends[1]);
}

Worker::~Worker() {
  if (!status_) kill();
  close(output_);
}

std::optional<std::string> Worker::line() {
  for (;;) {
    const size_t end = buffer_.find('\n');
    if (end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    char bytes[4096];
    const ssize_t n = read(output_, bytes, sizeof bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return std::nullopt;
    buffer_.append(bytes, static_cast<size_t>(n));
  }
}

std::vector<std::string> Worker::lines() {
  std::vector<std::string> all;
  while (const std::optional<std::string> next = line()) all.push_back(*next);
  return all;
}

void Worker::signal(int number) {
  if (!status_) ::kill(pid_, number);
}

void Worker::kill() {
  signal(SIGKILL);
  wait();
}

bool Worker::stopped() {
  int status = 0;
  return !status_ && waitpid(pid_, &status, WNOHANG | WUNTRACED) == pid_ && WIFSTOPPED(status);
}

int Worker::wait() {
  if (!status_) {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0) {
      if (errno != EINTR) throw_errno(errno, "waitpid");
    }
    status_ = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  }
  return *status_;
}

int run_worker(int argc, char** argv, const Harness& harness) {
  g_arguments.assign(argv, argv + argc);
  for (int i = 1; i + 2 < argc; ++i) {
    if (std::strcmp(argv[i], kMark) != 0) continue;
    try {
      OpenOptions options = harness.options;
      options.durability = Durability::kRelaxed;
      Store store = harness.open ? harness.open(argv[i + 2], options) : open(argv[i + 2], options);
      return run_job(argv[i + 1], store, {argv + i + 3, argv + argc});
    } catch (const std::exception& error) {
      std::cerr << "worker " << argv[i + 1] << ": " << error.what() << std::endl;
      return 1;
    }
  }
  return -1;
}

}  // namespace pawl::conformance
