// `pawl_soak suite`: the whole conformance suite on PostgreSQL, by each way to it.
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>

#include "build_info.h"
#include "harness/scratch.h"
#include "postgres/tests/suite.h"
#include "postgres/tests/support/server.h"
#include "soak.h"
#include "soak_run.h"

extern char** environ;

namespace pawl::soak {
namespace {

using Json = nlohmann::json;

constexpr const char* kUsage = R"(pawl_soak suite [--way NAME] [--count N] [--out FILE]
  --way NAME   direct: stores poll (NOTIFY off); notify: they listen to one another; pooler: by
               PgBouncer in transaction mode. All three, one after the other, unless it is given
  --count N    how often (1)
  --out FILE   writes the result there as JSON, too
Starts a PostgreSQL server, whose databases sort by ICU's rules, and for each way a process that
runs every case of the conformance suite on it. Prints the result as JSON, and exits with 1 if a
case failed or did not run.
)";

constexpr std::array kWays{"direct", "notify", "pooler"};
// What the process that runs the suite is told: a file for its counts, or a worker's arguments.
constexpr const char* kChild = "--child";

struct Settings : RunSettings {
  std::vector<std::string> ways{kWays.begin(), kWays.end()};
  bool chosen = false;
};

std::optional<Settings> parse(const std::vector<std::string>& arguments) {
  Settings settings{{.store = "", .options = {}, .count = 1, .out = {}}};
  const auto more = [&](const std::string& name, const std::string& value) {
    if (name != "--way" || std::find(kWays.begin(), kWays.end(), value) == kWays.end()) {
      return false;
    }
    if (!std::exchange(settings.chosen, true)) settings.ways.clear();
    settings.ways.push_back(value);
    return true;
  };
  if (!read_arguments(arguments, settings, more)) return std::nullopt;
  if (!settings.store.empty() || !settings.options.empty()) return std::nullopt;
  return settings;
}

// In the process of one way: `arguments` are kChild, the file, and what GoogleTest or a worker
// gets.
int run_child(const std::vector<std::string>& arguments) {
  std::vector<std::string> all{"pawl_soak", "suite"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& argument : all) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const int code = postgres::testing::run_suite(static_cast<int>(all.size()), argv.data());
  if (testing::UnitTest::GetInstance()->test_to_run_count() > 0) {
    const testing::UnitTest& ran = *testing::UnitTest::GetInstance();
    std::ofstream(arguments.at(1))
        << ran.successful_test_count() << " " << ran.failed_test_count() << "\n";
  }
  return code;
}

class SuiteRun {
 public:
  explicit SuiteRun(const Settings& settings)
      : settings_(settings), counts_(scratch_.folder() + "/counts") {}

  int run() {
    for (std::int64_t i = 0; i < settings_.count; ++i) {
      for (const std::string& way : settings_.ways) run_way(way);
    }
    const bool found = std::any_of(runs_.begin(), runs_.end(),
                                   [](const Json& one) { return one["result"] != "passed"; });
    publish({{"soak", "suite"},
             {"commit", std::string(build_info::commit())},
             {"runs", runs_},
             {"seconds", pace_.seconds()},
             {"result", found ? "failures" : "nothing found"}},
            settings_);
    return found ? 1 : 0;
  }

 private:
  void run_way(const std::string& way) {
    std::cout << way << ":" << std::endl;
    std::filesystem::remove(counts_);
    const Pace pace;
    const int status = wait_for(start(way));
    std::int64_t passed = 0;
    std::int64_t failed = 0;
    std::ifstream(counts_) >> passed >> failed;
    runs_.push_back({{"way", way},
                     {"passed", passed},
                     {"failed", failed},
                     {"seconds", pace.seconds()},
                     {"result", status == 0 && passed > 0 ? "passed" : "failed"}});
  }

  pid_t start(const std::string& way) const {
    unsetenv("PAWL_TEST_POSTGRES_NOTIFY");
    unsetenv("PAWL_TEST_POSTGRES_POOLER");
    if (way == "notify") setenv("PAWL_TEST_POSTGRES_NOTIFY", "on", 1);
    if (way == "pooler") setenv("PAWL_TEST_POSTGRES_POOLER", "start", 1);
    std::vector<std::string> arguments{"pawl_soak", "suite", kChild, counts_, "--gtest_brief=1"};
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    pid_t pid = -1;
    if (posix_spawn(&pid, "/proc/self/exe", nullptr, nullptr, argv.data(), environ) != 0) {
      throw std::runtime_error("cannot start a process");
    }
    return pid;
  }

  static int wait_for(pid_t pid) {
    int status = 0;
    if (waitpid(pid, &status, 0) != pid) throw std::runtime_error("waitpid");
    return status;
  }

  const Settings& settings_;
  const conformance::Scratch scratch_{""};
  const std::string counts_;
  Json runs_ = Json::array();
  Pace pace_;
};

}  // namespace

int suite(const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments[0] == kChild) return run_child(arguments);
  const std::optional<Settings> settings = parse(arguments);
  if (!settings) return tell_usage(kUsage, arguments);
  if (const auto reason = postgres::testing::why_not()) {
    std::cout << "not run: " << *reason << std::endl;
    return 0;
  }
  return SuiteRun(*settings).run();
}

}  // namespace pawl::soak
