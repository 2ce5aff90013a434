// Every rule of the contract is named by a case or a vector, and every name is a rule's.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "cases/case.h"
#include "cases/fixture.h"

namespace pawl::conformance {
namespace {

// Rules that no case on a store can show, and what shows them.
const std::map<std::string, std::string> kElsewhere{
    {"cursors.3", "a cost: the engines' tests of their query plans, and bench/"},
    {"ready.4", "a cost: the engines' tests of their query plans, and bench/"},
};

std::set<std::string> rules_of_the_contract() {
  std::ifstream file(PAWL_SOURCE_DIR "/core/CONTRACT.md");
  std::stringstream text;
  text << file.rdbuf();
  const std::string contract = text.str();
  const std::regex id(R"(\*\*([a-z_]+\.[0-9]+)\*\*)");
  std::set<std::string> rules;
  for (std::sregex_iterator i(contract.begin(), contract.end(), id), end; i != end; ++i) {
    rules.insert((*i)[1]);
  }
  return rules;
}

std::set<std::string> rules_of_the_cases() {
  std::set<std::string> rules;
  for (const Case& c : all_cases()) {
    for (const std::string& rule : words(c.rules)) rules.insert(rule);
  }
  return rules;
}

TEST(Rules, EachIsNamedByACase) {
  const std::set<std::string> named = rules_of_the_cases();
  const std::set<std::string> all = rules_of_the_contract();
  EXPECT_GT(all.size(), 150u);
  for (const std::string& rule : all) {
    const bool elsewhere = kElsewhere.count(rule) > 0;
    EXPECT_NE(named.count(rule) > 0, elsewhere)
        << rule << (elsewhere ? " has a case, so it needs no excuse" : " has no case");
  }
}

TEST(Rules, EachNameIsARulesOfTheContract) {
  const std::set<std::string> all = rules_of_the_contract();
  for (const Case& c : all_cases()) {
    for (const std::string& rule : words(c.rules)) {
      EXPECT_EQ(all.count(rule), 1u) << c.name << " names " << rule;
    }
  }
}

}  // namespace
}  // namespace pawl::conformance
