// The vectors, and random histories beside the model, as cases.
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>

#include "cases/case.h"
#include "cases/fixture.h"
#include "cases/vector_files.h"
#include "harness/scratch.h"
#include "model/history.h"
#include "model/vectors.h"
#include "pawl/jsonl.h"

namespace pawl::conformance {
namespace {

// A store on a place of its own, behind JSON Lines.
struct Party {
  explicit Party(const Harness& harness, const std::map<std::string, std::string>& options = {})
      : scratch(harness.scratch), fixture(harness, scratch.folder()) {
    for (const auto& [name, value] : options) fixture.options().set(name, value);
    lines.emplace(fixture.store(), fixture.clock());
  }

  Scratch scratch;
  Fixture fixture;
  std::optional<JsonLines> lines;
};

model::LineParty open_party(const Harness& harness,
                            const std::map<std::string, std::string>& options) {
  return [party = std::make_shared<Party>(harness, options)](std::string_view line) {
    return party->lines->answer(line);
  };
}

void run_vector_file(Fixture& f, const VectorFile& vectors) {
  Scratch scratch(f.harness().scratch);
  const std::string path = scratch.folder() + "/" + vectors.name;
  std::ofstream(path, std::ios::binary) << vectors.text;
  const model::VectorRun run = model::run_vectors(
      path, [&](const auto& options) { return open_party(f.harness(), options); });
  for (const model::VectorFailure& failure : run.failures) {
    ADD_FAILURE_AT(vectors.name, failure.line) << failure.scenario << "\n" << failure.message;
  }
  EXPECT_GT(run.lines, 0);
}

// The rules that the file's scenarios and lines name.
std::string rules_of(const VectorFile& vectors) {
  std::set<std::string> rules;
  std::istringstream text{std::string(vectors.text)};
  for (std::string line; std::getline(text, line);) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object() || !json.contains("rules")) continue;
    for (const auto& rule : json["rules"]) rules.insert(rule.get<std::string>());
  }
  std::string list;
  for (const std::string& rule : rules) list += (list.empty() ? "" : " ") + rule;
  return list;
}

// "claim_limits.jsonl" -> "ClaimLimits".
std::string case_name(std::string_view file) {
  std::string name;
  bool upper = true;
  for (const char c : file.substr(0, file.find('.'))) {
    if (c != '_') name += upper ? static_cast<char>(std::toupper(c)) : c;
    upper = c == '_';
  }
  return name;
}

void run_histories(Fixture& f, std::uint64_t seed, int histories) {
  for (int n = 0; n < histories; ++n) {
    model::HistoryOptions options;
    options.seed = model::history_seed(seed, static_cast<std::uint64_t>(n));
    options.length = 60;
    options.full_every = 10;
    const auto failure = model::run_history(
        options, [] { return model::model_party(); },
        [&] { return model::from_lines(open_party(f.harness(), {})); });
    if (failure) {
      std::ostringstream report;
      model::print(report, *failure);
      FAIL() << report.str();
    }
  }
}

}  // namespace

std::vector<Case> vector_cases() {
  std::vector<Case> cases;
  for (const VectorFile& vectors : vector_files()) {
    cases.push_back({"Vectors." + case_name(vectors.name), rules_of(vectors),
                     [&vectors](Fixture& f) { run_vector_file(f, vectors); }});
  }
  return cases;
}

std::vector<Case> history_cases() {
  constexpr std::uint64_t kSeed = 20'260'101;
  std::vector<Case> cases;
  for (std::uint64_t part = 1; part <= 8; ++part) {
    cases.push_back({"Histories.AnswerAsTheModelDoes" + std::to_string(part), "atomicity.3",
                     [part](Fixture& f) { run_histories(f, kSeed + part, 10); }});
  }
  return cases;
}

}  // namespace pawl::conformance
