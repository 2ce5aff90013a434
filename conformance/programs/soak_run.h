// What all soak runs have in common: their arguments, their pace, their result.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

namespace pawl::soak {

struct RunSettings {
  std::string store;
  std::map<std::string, std::string> options;  // of the store
  std::int64_t count = 0;
  std::uint64_t seed = std::random_device{}();
  std::string out;  // a file that gets the result; empty: none
};

// Reads `--NAME VALUE` pairs: --store, --option, --count, --seed and --out into `settings`, others
// by `more`, which tells whether it knows the name. False when they are wrong, or ask for help.
using MoreArguments = std::function<bool(const std::string& name, const std::string& value)>;
bool read_arguments(const std::vector<std::string>& arguments, RunSettings& settings,
                    const MoreArguments& more);

// Prints how a run is called. The program's exit code.
int tell_usage(const char* usage, const std::vector<std::string>& arguments);

// Prints the result and writes it where the settings say.
void publish(const nlohmann::json& result, const RunSettings& settings);

// Since when a run goes on, and when it is time for the next word of it.
class Pace {
 public:
  std::int64_t seconds() const;
  bool is_time_for_a_word();

 private:
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point next_word_ = started_ + std::chrono::seconds(10);
};

}  // namespace pawl::soak
