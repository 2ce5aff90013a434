// `pawl_soak model`: random histories on a store and on the model side by side.
#include <chrono>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <stdexcept>

#include "build_info.h"
#include "model/history.h"
#include "model/store_party.h"
#include "soak.h"

namespace pawl::soak {
namespace {

using Json = nlohmann::json;
using SteadyClock = std::chrono::steady_clock;

constexpr const char* kUsage = R"(pawl_soak model [--store URI] [--count N] [--seed S] [--out FILE]
  --store URI          memory: (the default), or sqlite:FOLDER: each history gets a file there,
                       or among the temporary files when FOLDER is left out
  --option NAME=VALUE  an option of the store, as often as needed (durability is relaxed unless
                       it is given)
  --count N            stops after the history in which N operations are reached (10000)
  --seed S             the same seed, the same histories (a new one)
  --history S          runs one history only: a failure names its seed
  --out FILE           writes the result there as JSON, too
Prints progress, and at the end the result as JSON. On a difference it prints the history's
seed and a shrunk list of operations as JSON Lines, and exits with 1.
)";

struct Settings {
  model::StorePlace store{"memory:", {{"durability", "relaxed"}}};
  std::int64_t count = 10'000;
  std::uint64_t seed = std::random_device{}();
  std::optional<std::uint64_t> history;
  std::string out;
};

std::optional<Settings> parse(const std::vector<std::string>& arguments) {
  Settings settings;
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    const std::string& name = arguments[i];
    if (name == "--help" || i + 1 == arguments.size()) return std::nullopt;
    const std::string& value = arguments[i + 1];
    if (name == "--store") {
      settings.store.uri = value;
    } else if (name == "--option") {
      const std::size_t equals = value.find('=');
      if (equals == std::string::npos) return std::nullopt;
      settings.store.options[value.substr(0, equals)] = value.substr(equals + 1);
    } else if (name == "--count") {
      settings.count = std::stoll(value);
    } else if (name == "--seed") {
      settings.seed = std::stoull(value);
    } else if (name == "--history") {
      settings.history = std::stoull(value);
    } else if (name == "--out") {
      settings.out = value;
    } else {
      return std::nullopt;
    }
  }
  return settings;
}

class Run {
 public:
  explicit Run(const Settings& settings)
      : settings_(settings), store_(model::store_party(settings.store)) {}

  int run() {
    std::cout << "seed " << settings_.seed << " on " << settings_.store.uri << std::endl;
    if (settings_.history) {
      run_history(*settings_.history);
    } else {
      for (std::uint64_t n = 0; counts_.operations < settings_.count && !failure_; ++n) {
        run_history(model::history_seed(settings_.seed, n));
        tell_progress();
      }
    }
    if (failure_) model::print(std::cout, *failure_);
    const std::string text = result().dump(2);
    std::cout << text << std::endl;
    if (!settings_.out.empty()) {
      std::ofstream file(settings_.out);
      if (!(file << text << "\n")) throw std::runtime_error("cannot write " + settings_.out);
    }
    return failure_ ? 1 : 0;
  }

 private:
  void run_history(std::uint64_t seed) {
    failure_ =
        model::run_history(model::shaped_history(seed), model::model_party, store_, &counts_);
  }

  double seconds() const {
    return std::chrono::duration<double>(SteadyClock::now() - started_).count();
  }

  void tell_progress() {
    if (SteadyClock::now() < next_word_) return;
    next_word_ = SteadyClock::now() + std::chrono::seconds(10);
    std::cout << counts_.operations << " operations in " << counts_.histories << " histories, "
              << static_cast<std::int64_t>(seconds()) << " s" << std::endl;
  }

  Json result() const {
    Json result = {{"soak", "model"},
                   {"commit", std::string(build_info::commit())},
                   {"store", settings_.store.uri.substr(0, settings_.store.uri.find(':') + 1)},
                   {"options", settings_.store.options},
                   {"seed", settings_.seed},
                   {"count", settings_.count},
                   {"histories", counts_.histories},
                   {"operations", counts_.operations},
                   {"answers", counts_.by_answer},
                   {"seconds", static_cast<std::int64_t>(seconds())},
                   {"result", failure_ ? "difference" : "no difference"}};
    if (failure_) {
      result["difference"] = {{"history", failure_->seed},
                              {"operations", failure_->shrunk},
                              {"asked", failure_->difference.asked},
                              {"expected", failure_->difference.expected},
                              {"actual", failure_->difference.actual}};
    }
    return result;
  }

  const Settings& settings_;
  model::PartyFactory store_;
  model::HistoryCounts counts_;
  std::optional<model::HistoryFailure> failure_;
  SteadyClock::time_point started_ = SteadyClock::now();
  SteadyClock::time_point next_word_ = started_ + std::chrono::seconds(10);
};

}  // namespace

int model(const std::vector<std::string>& arguments) {
  const std::optional<Settings> settings = parse(arguments);
  if (!settings) {
    std::cout << kUsage;
    return arguments == std::vector<std::string>{"--help"} ? 0 : 2;
  }
  return Run(*settings).run();
}

}  // namespace pawl::soak
