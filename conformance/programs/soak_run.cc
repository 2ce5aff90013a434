// What all soak runs have in common.
#include "soak_run.h"

#include <fstream>
#include <iostream>
#include <stdexcept>

namespace pawl::soak {

using SteadyClock = std::chrono::steady_clock;

bool read_arguments(const std::vector<std::string>& arguments, RunSettings& settings,
                    const MoreArguments& more) {
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    const std::string& name = arguments[i];
    if (name == "--help" || i + 1 == arguments.size()) return false;
    const std::string& value = arguments[i + 1];
    if (name == "--store") {
      settings.store = value;
    } else if (name == "--option") {
      const std::size_t equals = value.find('=');
      if (equals == std::string::npos) return false;
      settings.options[value.substr(0, equals)] = value.substr(equals + 1);
    } else if (name == "--count") {
      settings.count = std::stoll(value);
    } else if (name == "--seed") {
      settings.seed = std::stoull(value);
    } else if (name == "--out") {
      settings.out = value;
    } else if (!more(name, value)) {
      return false;
    }
  }
  return true;
}

int tell_usage(const char* usage, const std::vector<std::string>& arguments) {
  std::cout << usage;
  return arguments == std::vector<std::string>{"--help"} ? 0 : 2;
}

void publish(const nlohmann::json& result, const RunSettings& settings) {
  const std::string text = result.dump(2);
  std::cout << text << std::endl;
  if (settings.out.empty()) return;
  std::ofstream file(settings.out);
  if (!(file << text << "\n")) throw std::runtime_error("cannot write " + settings.out);
}

std::int64_t Pace::seconds() const {
  return std::chrono::duration_cast<std::chrono::seconds>(SteadyClock::now() - started_).count();
}

bool Pace::is_time_for_a_word() {
  if (SteadyClock::now() < next_word_) return false;
  next_word_ = SteadyClock::now() + std::chrono::seconds(10);
  return true;
}

}  // namespace pawl::soak
