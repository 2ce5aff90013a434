// `pawl_soak kill`: kills a process that works on a store, again and again.
#include <fcntl.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <thread>

#include "soak.h"
#include "soak_crash.h"

extern char** environ;

namespace pawl::soak {
namespace {

using std::chrono::milliseconds;

constexpr const char* kUsage = R"(pawl_soak kill [--store URI] [--count N] [--seed S] [--out FILE]
  --store URI          sqlite:FOLDER or rocksdb:FOLDER: the store is made in a new folder there,
                       or among the temporary files when FOLDER is left out (sqlite:); any other
                       URI is an empty store that is used as it is
  --option NAME=VALUE  an option of the store, as often as needed
  --count N            how many kills (100)
  --seed S             of the load and of the moments (a new one); the threads' turns are the
                       system's
  --threads N          of the process that is killed (4)
  --out FILE           writes the result there as JSON, too
Starts a process that works on the store and notes what was acknowledged, kills it at some
moment, opens the store and checks that all of it is there, once. Prints the result as JSON, and
exits with 1 if something was found.
)";

// A child whose parent has gone, or has forgotten it, ends by itself.
constexpr std::chrono::seconds kLongestLife{60};

// The child process: works until it is killed.
int work(const CrashSettings& settings) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int file = ::open(settings.acknowledgements.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) throw std::runtime_error("cannot open " + settings.acknowledgements);
  Store store = pawl::open(settings.store, settings.open_options());
  Load load(store, settings.seed, *settings.generation, [file](const Acknowledgement& made) {
    const std::string line = made.line();
    // One write a line: a kill leaves whole ones.
    if (write(file, line.data(), line.size()) != static_cast<ssize_t>(line.size())) _exit(3);
  });
  std::stop_source stop;
  std::jthread timer([&stop](const std::stop_token& done) {
    const auto end = std::chrono::steady_clock::now() + kLongestLife;
    while (!done.stop_requested() && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(milliseconds(100));
    }
    stop.request_stop();
  });
  load.run(settings.threads, stop.get_token());
  for (const Error& error : load.errors()) {
    std::cerr << to_string(error.code()) << ": " << error.what() << "\n";
  }
  return 4;
}

class Killer {
 public:
  explicit Killer(const CrashSettings& settings)
      : settings_(settings),
        place_(settings.store),
        run_("kill", settings_, place_),
        random_(settings.seed) {}

  int run() {
    std::cout << "seed " << settings_.seed << " on " << place_.scheme() << std::endl;
    std::int64_t kills = 0;
    for (std::int64_t i = 1; i <= settings_.count && !run_.has_failed(); ++i) {
      std::ofstream(place_.acknowledgements()).close();
      // Sometimes somebody else has the store open, so that it need not be recovered.
      std::optional<Store> neighbour;
      if (shares_ && random_.chance(25)) neighbour.emplace(open_store());
      const pid_t child = start(i);
      wait_for_moment();
      ::kill(child, SIGKILL);
      int status = 0;
      waitpid(child, &status, 0);
      if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
        ++kills;
      } else {
        run_.ledger().find("the process ended by itself");
      }
      take_acknowledgements();
      run_.check(i, true);
      run_.tell_progress(i);
    }
    return run_.finish({{"kills", kills}});
  }

 private:
  Store open_store() const { return pawl::open(place_.uri(), settings_.open_options()); }

  pid_t start(std::int64_t generation) const {
    std::vector<std::string> arguments = {"pawl_soak",
                                          "kill",
                                          "--store",
                                          place_.uri(),
                                          "--seed",
                                          std::to_string(settings_.seed),
                                          "--threads",
                                          std::to_string(settings_.threads),
                                          "--generation",
                                          std::to_string(generation),
                                          "--acknowledgements",
                                          place_.acknowledgements()};
    for (const auto& [name, value] : settings_.options) {
      arguments.insert(arguments.end(), {"--option", name + "=" + value});
    }
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    pid_t child = 0;
    if (posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, pointers.data(), environ) != 0) {
      throw std::runtime_error("cannot start a process");
    }
    return child;
  }

  // Mostly while it works, now and then while it opens the store.
  void wait_for_moment() {
    const bool while_opening = random_.chance(15);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!while_opening && std::filesystem::file_size(place_.acknowledgements()) == 0 &&
           std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(milliseconds(1));
    }
    std::this_thread::sleep_for(
        std::chrono::microseconds(random_.below(while_opening ? 15'000 : 80'000)));
  }

  void take_acknowledgements() {
    std::ifstream file(place_.acknowledgements());
    std::string line;
    while (std::getline(file, line)) {
      if (file.eof()) break;  // the last line has no end
      const auto acknowledgement = Acknowledgement::parse(line);
      if (!acknowledgement) throw std::runtime_error("not an acknowledgement: " + line);
      run_.ledger().add(*acknowledgement);
    }
  }

  const CrashSettings& settings_;
  const CrashPlace place_;
  CrashRun run_;
  model::Random random_;
  const bool shares_ = place_.scheme() != "rocksdb";
};

}  // namespace

int kill(const std::vector<std::string>& arguments) {
  const std::optional<CrashSettings> settings = parse_crash(arguments);
  if (!settings) return tell_usage(kUsage, arguments);
  if (settings->generation) return work(*settings);
  return Killer(*settings).run();
}

}  // namespace pawl::soak
