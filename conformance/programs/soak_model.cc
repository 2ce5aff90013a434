// `pawl_soak model`: random histories on a store and on the model side by side.
#include <cstdint>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "build_info.h"
#include "model/history.h"
#include "model/store_party.h"
#include "soak.h"
#include "soak_run.h"

namespace pawl::soak {
namespace {

using Json = nlohmann::json;

constexpr const char* kUsage = R"(pawl_soak model [--store URI] [--count N] [--seed S] [--out FILE]
  --store URI          memory: (the default), or sqlite:FOLDER: each history gets a file there,
                       or among the temporary files when FOLDER is left out; or a URI of
                       PostgreSQL: each history gets a schema there, which stays
  --option NAME=VALUE  an option of the store, as often as needed (durability is relaxed unless
                       it is given)
  --count N            stops after the history in which N operations are reached (10000)
  --seed S             the same seed, the same histories (a new one)
  --history S          runs one history only: a failure names its seed
  --out FILE           writes the result there as JSON, too
Prints progress, and at the end the result as JSON. On a difference it prints the history's
seed and a shrunk list of operations as JSON Lines, and exits with 1.
)";

struct Settings : RunSettings {
  std::optional<std::uint64_t> history;
};

std::optional<Settings> parse(const std::vector<std::string>& arguments) {
  Settings settings{
      {.store = "memory:", .options = {{"durability", "relaxed"}}, .count = 10'000, .out = {}}, {}};
  const auto more = [&](const std::string& name, const std::string& value) {
    if (name == "--history") settings.history = std::stoull(value);
    return name == "--history";
  };
  if (!read_arguments(arguments, settings, more)) return std::nullopt;
  return settings;
}

class Run {
 public:
  explicit Run(const Settings& settings)
      : settings_(settings), store_(model::store_party({settings.store, settings.options})) {}

  int run() {
    std::cout << "seed " << settings_.seed << " on " << scheme() << std::endl;
    if (settings_.history) {
      run_history(*settings_.history);
    } else {
      for (std::uint64_t n = 0; counts_.operations < settings_.count && !failure_; ++n) {
        run_history(model::history_seed(settings_.seed, n));
        tell_progress();
      }
    }
    if (failure_) model::print(std::cout, *failure_);
    publish(result(), settings_);
    return failure_ ? 1 : 0;
  }

 private:
  void run_history(std::uint64_t seed) {
    failure_ =
        model::run_history(model::shaped_history(seed), model::model_party, store_, &counts_);
  }

  // A URI may hold a password.
  std::string scheme() const { return settings_.store.substr(0, settings_.store.find(':') + 1); }

  void tell_progress() {
    if (!pace_.is_time_for_a_word()) return;
    std::cout << counts_.operations << " operations in " << counts_.histories << " histories, "
              << pace_.seconds() << " s" << std::endl;
  }

  Json result() const {
    Json result = {{"soak", "model"},
                   {"commit", std::string(build_info::commit())},
                   {"store", scheme()},
                   {"options", settings_.options},
                   {"seed", settings_.seed},
                   {"count", settings_.count},
                   {"histories", counts_.histories},
                   {"operations", counts_.operations},
                   {"answers", counts_.by_answer},
                   {"seconds", pace_.seconds()},
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
  Pace pace_;
};

}  // namespace

int model(const std::vector<std::string>& arguments) {
  const std::optional<Settings> settings = parse(arguments);
  if (!settings) return tell_usage(kUsage, arguments);
  return Run(*settings).run();
}

}  // namespace pawl::soak
