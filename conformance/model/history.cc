// Running, replaying and reporting histories.
#include "model/history.h"

#include <nlohmann/json.hpp>
#include <ostream>

#include "model/generator.h"

namespace pawl::model {
namespace {

using Json = nlohmann::json;

// Operations whose name was spoiled are one kind.
std::string kind_of(const Json& op, const Json& answer) {
  const std::string verb = op.is_object() && op.contains("op") && op["op"].is_string()
                               ? op["op"].get<std::string>()
                               : "";
  std::string kind = Generator::makes(verb) ? verb : "no operation";
  if (answer.contains("error")) return kind + " " + answer["error"]["code"].get<std::string>();
  const Json& ok = answer["ok"];
  if (ok.is_object() && ok.contains("outcome")) {
    return kind + " " + ok["outcome"].get<std::string>();
  }
  return kind + " ok";
}

}  // namespace

// SplitMix64: neighbouring numbers give seeds that have nothing in common.
std::uint64_t history_seed(std::uint64_t seed, std::uint64_t n) {
  std::uint64_t z = seed + (n + 1) * 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

HistoryOptions shaped_history(std::uint64_t seed) {
  Random random(~seed);
  HistoryOptions options;
  options.seed = seed;
  const std::int64_t longest = random.chance(90) ? 200 : 500;
  options.length = static_cast<int>(random.between(50, longest));
  return options;
}

std::optional<HistoryFailure> replay(const History& history, const PartyFactory& expected,
                                     const PartyFactory& actual, int full_every) {
  Driver driver(expected(), actual(), full_every);
  std::optional<Difference> difference;
  for (const Json& op : history) {
    difference = driver.step(op);
    if (difference) break;
  }
  if (!difference) difference = driver.finish();
  if (!difference) return std::nullopt;
  return HistoryFailure{0, driver.sent(), *difference};
}

std::optional<HistoryFailure> run_history(const HistoryOptions& options,
                                          const PartyFactory& expected, const PartyFactory& actual,
                                          HistoryCounts* counts) {
  Generator generator(options.seed);
  Driver driver(expected(), actual(), options.full_every);
  History history;
  std::optional<Difference> difference;
  for (int i = 0; i < options.length && !difference; ++i) {
    history.push_back(generator.next());
    difference = driver.step(history.back());
    generator.observe(history.back(), driver.answer());
    if (counts) {
      ++counts->operations;
      ++counts->by_answer[kind_of(history.back(), driver.answer())];
    }
  }
  if (!difference) difference = driver.finish();
  if (counts) ++counts->histories;
  if (!difference) return std::nullopt;
  HistoryFailure failure{options.seed, driver.sent(), *difference};
  const auto differs = [&](const History& candidate) {
    return replay(candidate, expected, actual).has_value();
  };
  if (options.shrink && differs(history)) {
    failure = *replay(shrink(history, differs), expected, actual);
    failure.seed = options.seed;
  }
  return failure;
}

void print(std::ostream& out, const HistoryFailure& failure) {
  out << "seed " << failure.seed << ", " << failure.shrunk.size() << " operations:\n";
  for (const Json& op : failure.shrunk) out << op.dump() << "\n";
  out << "asked:    " << failure.difference.asked.dump() << "\n";
  out << "expected: " << failure.difference.expected.dump() << "\n";
  out << "actual:   " << failure.difference.actual.dump() << "\n";
}

}  // namespace pawl::model
