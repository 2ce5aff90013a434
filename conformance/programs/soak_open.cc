// `pawl_soak open`: processes that open a new file all at once, round by round.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <stdexcept>

#include "build_info.h"
#include "harness/scratch.h"
#include "pawl/open.h"
#include "soak.h"
#include "soak_run.h"

namespace pawl::soak {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using SteadyClock = std::chrono::steady_clock;

constexpr const char* kUsage = R"(pawl_soak open [--store URI] [--count N] [--seed S] [--out FILE]
  --store URI      sqlite:FOLDER: each round gets a new file there; among the temporary files when
                   FOLDER is left out (the default)
  --count N        rounds (1000)
  --processes N    that open the file of a round, and append one event each (8)
  --seed S         of the moments, within 2 ms, at which they begin (a new one)
  --out FILE       writes the result there as JSON, too
Prints progress, and at the end the result as JSON. Exits with 1 if a process failed or an event
is missing.
)";

constexpr std::size_t kMostFailures = 10;

struct Settings : RunSettings {
  std::int64_t processes = 8;
};

std::optional<Settings> parse(const std::vector<std::string>& arguments) {
  Settings settings{{.store = "sqlite:", .options = {}, .count = 1'000, .out = {}}, 8};
  const auto more = [&](const std::string& name, const std::string& value) {
    if (name == "--processes") settings.processes = std::stoll(value);
    return name == "--processes";
  };
  if (!read_arguments(arguments, settings, more)) return std::nullopt;
  if (!settings.store.starts_with("sqlite:") || !settings.options.empty()) return std::nullopt;
  return settings;
}

// Waits until nobody holds the other end of `barrier` any more, and `moment` longer; then opens
// the store and appends. What goes wrong is written to `failures`.
[[noreturn]] void open_and_append(const std::string& uri, int barrier, int failures,
                                  std::chrono::microseconds moment) {
  char byte = 0;
  while (read(barrier, &byte, 1) > 0) {
  }
  const auto begin = SteadyClock::now() + moment;
  while (SteadyClock::now() < begin) {
  }
  try {
    pawl::open(uri).append("s", {{.type = "opened"}});
    _exit(0);
  } catch (const std::exception& error) {
    const std::string line = std::string(error.what()) + "\n";
    if (write(failures, line.data(), line.size()) < 0) _exit(2);
    _exit(1);
  }
}

std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("cannot make a pipe");
  return ends;
}

class Run {
 public:
  explicit Run(const Settings& settings)
      : settings_(settings),
        random_(settings.seed),
        folder_(settings.store.substr(std::string("sqlite:").size())) {}

  int run() {
    std::cout << "seed " << settings_.seed << " in " << folder_.folder() << std::endl;
    for (rounds_ = 0; rounds_ < settings_.count && failures_.size() < kMostFailures; ++rounds_) {
      run_round();
      tell_progress();
    }
    publish(result(), settings_);
    return failures_.empty() ? 0 : 1;
  }

 private:
  void run_round() {
    const fs::path file = fs::path(folder_.folder()) / ("round" + std::to_string(rounds_));
    const std::string uri = "sqlite:" + file.string();
    const auto barrier = make_pipe();
    const auto failures = make_pipe();
    std::vector<pid_t> children;
    for (std::int64_t i = 0; i < settings_.processes; ++i) {
      const std::chrono::microseconds moment(random_() % 2'000);
      const pid_t child = fork();
      if (child < 0) throw std::runtime_error("cannot start a process");
      if (child == 0) {
        close(barrier[1]);
        open_and_append(uri, barrier[0], failures[1], moment);
      }
      children.push_back(child);
    }
    const auto begun = SteadyClock::now();
    close(barrier[1]);
    for (const pid_t child : children) wait_for(child);
    slowest_ = std::max(slowest_, SteadyClock::now() - begun);
    close(barrier[0]);
    close(failures[1]);
    note_lines(failures[0]);
    close(failures[0]);
    const std::int64_t last = pawl::open(uri).head("s").last_index;
    if (last != settings_.processes) fail("the last index is " + std::to_string(last));
    for (const char* suffix : {"", "-wal", "-shm", "-lock"}) fs::remove(file.string() + suffix);
  }

  void wait_for(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) fail("a process ended by signal " + std::to_string(WTERMSIG(status)));
    opened_ += WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 1 : 0;
  }

  void note_lines(int descriptor) {
    std::string text;
    std::array<char, 4096> buffer{};
    ssize_t size = 0;
    while ((size = read(descriptor, buffer.data(), buffer.size())) > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(size));
    }
    for (std::size_t end = 0; (end = text.find('\n')) != std::string::npos;) {
      fail(text.substr(0, end));
      text.erase(0, end + 1);
    }
  }

  void fail(const std::string& text) {
    failures_.push_back("round " + std::to_string(rounds_) + ": " + text);
  }

  void tell_progress() {
    if (!pace_.is_time_for_a_word()) return;
    std::cout << rounds_ + 1 << " rounds, " << pace_.seconds() << " s" << std::endl;
  }

  Json result() const {
    return {{"soak", "open"},
            {"commit", std::string(build_info::commit())},
            {"store", "sqlite:"},
            {"seed", settings_.seed},
            {"count", settings_.count},
            {"processes", settings_.processes},
            {"rounds", rounds_},
            {"opened", opened_},
            {"slowest_round_ms",
             std::chrono::duration_cast<std::chrono::milliseconds>(slowest_).count()},
            {"seconds", pace_.seconds()},
            {"failures", failures_},
            {"result", failures_.empty() ? "all opened" : "failures"}};
  }

  const Settings& settings_;
  std::mt19937_64 random_;
  const conformance::Scratch folder_;
  std::int64_t rounds_ = 0;
  std::int64_t opened_ = 0;
  SteadyClock::duration slowest_{};
  std::vector<std::string> failures_;
  Pace pace_;
};

}  // namespace

int open(const std::vector<std::string>& arguments) {
  const std::optional<Settings> settings = parse(arguments);
  if (!settings) return tell_usage(kUsage, arguments);
  return Run(*settings).run();
}

}  // namespace pawl::soak
