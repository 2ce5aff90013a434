// The reader and runner of vector files.
#include "model/vectors.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace pawl::model {
namespace {

using Json = nlohmann::json;

// Empty when the answer is as the vector says.
std::string complaint(const Json& vector, const std::string& answer, Texts texts) {
  const Json parsed = Json::parse(answer, nullptr, false);
  if (parsed.is_discarded()) return "no JSON";
  if (vector.contains("text")) {
    const std::string text = vector["text"];
    const bool same = texts == Texts::kExact ? answer == text : parsed == Json::parse(text);
    if (!same) return "another text than " + text;
  }
  if (!vector.contains("out")) return "";
  const Json& out = vector["out"];
  if (!out.contains("error")) return parsed == out ? "" : "not " + out.dump();
  if (!parsed.contains("error")) return "no error " + out["error"].dump();
  const Json& error = parsed["error"];
  if (error["code"] != out["error"]["code"]) return "not the code " + out["error"].dump();
  const std::string named = vector.value("names", "");
  if (error["message"].get<std::string>().find(named) == std::string::npos) {
    return "a message without \"" + named + "\"";
  }
  return "";
}

std::map<std::string, std::string> options_of(const Json& scenario) {
  std::map<std::string, std::string> options;
  if (!scenario.contains("options")) return options;
  for (const auto& [name, value] : scenario["options"].items()) options[name] = value;
  return options;
}

}  // namespace

VectorRun run_vectors(const std::string& file, const LinePartyFactory& open, Texts texts) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file);
  VectorRun run;
  LineParty party;
  std::string scenario;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    const Json vector = Json::parse(line, nullptr, false);
    if (!vector.is_object()) {
      throw std::runtime_error(file + ":" + std::to_string(number) + ": not a JSON object");
    }
    if (vector.contains("scenario")) {
      scenario = vector["scenario"];
      party = open(options_of(vector));
      ++run.scenarios;
      continue;
    }
    if (!party || vector.contains("in") == vector.contains("line") ||
        !(vector.contains("out") || vector.contains("text"))) {
      throw std::runtime_error(file + ":" + std::to_string(number) + ": not a vector");
    }
    const std::string input =
        vector.contains("in") ? vector["in"].dump() : vector["line"].get<std::string>();
    const std::string answer = party(input);
    ++run.lines;
    const std::string wrong = complaint(vector, answer, texts);
    if (!wrong.empty()) {
      run.failures.push_back(
          {file, number, scenario, input + "\n  answered " + answer + "\n  which is " + wrong});
    }
  }
  return run;
}

std::vector<std::string> vector_files(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".jsonl") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace pawl::model
