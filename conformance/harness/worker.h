// Other processes for cases: this program, started again to do one of a few jobs.
//
// A worker opens the case's place by itself, with real time. It gets the job's name and
// arguments, writes lines to its standard output, which the case reads, and may be killed.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace pawl::conformance {

class Fixture;

class Worker {
 public:
  // Starts it on the fixture's place. Throws std::runtime_error if that fails.
  Worker(const Fixture& f, const std::string& job, const std::vector<std::string>& args = {});
  ~Worker();  // kills it if it still runs
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // The next line it writes; none at its end.
  std::optional<std::string> line();
  // All lines up to its end.
  std::vector<std::string> lines();
  void signal(int number);
  void kill();
  bool stopped();  // by a signal, just now
  // Waits for its end: the exit code, or minus the signal's number.
  int wait();

 private:
  pid_t pid_ = -1;
  int output_ = -1;
  std::string buffer_;
  std::optional<int> status_;
};

}  // namespace pawl::conformance
