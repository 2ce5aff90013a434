// Registers the suite with GoogleTest, and counts what ran.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <iostream>
#include <memory>

#include "cases/case.h"
#include "cases/fixture.h"
#include "harness/scratch.h"
#include "harness/worker.h"
#include "pawl/conformance.h"

namespace pawl::conformance {
namespace {

// Of all harnesses that were registered.
size_t g_listed = 0;
std::atomic<size_t> g_ran = 0;
std::string g_name;

unsigned lacks(const Harness& harness) {
  return (harness.durable ? 0 : kDurable) | (harness.processes ? 0 : kProcesses);
}

class CaseTest : public testing::Test {
 public:
  CaseTest(const Harness& harness, const Case& c) : harness_(harness), case_(c) {}

  void TestBody() override {
    SCOPED_TRACE("rules " + case_.rules + " (core/CONTRACT.md)");
    Scratch scratch(harness_.scratch);
    {
      Fixture fixture(harness_, scratch.folder());
      case_.run(fixture);
    }
    if (!IsSkipped()) ++g_ran;
  }

 private:
  const Harness& harness_;
  const Case& case_;
};

int environment_number(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atoi(text);
}

// How many of the registered tests GoogleTest gives to this shard: it deals them out in turn.
size_t of_shard(size_t tests, int shard, int shards) {
  const auto n = static_cast<size_t>(shards);
  return tests / n + (static_cast<size_t>(shard) < tests % n ? 1 : 0);
}

}  // namespace

std::vector<CaseInfo> manifest(const Harness& harness) {
  std::vector<CaseInfo> list;
  for (const Case& c : all_cases()) {
    if ((c.needs & lacks(harness)) == 0) list.push_back({c.name, words(c.rules)});
  }
  return list;
}

void register_suite(const Harness& harness) {
  // The tests live as long as the program.
  static std::vector<std::unique_ptr<Harness>> harnesses;
  harnesses.push_back(std::make_unique<Harness>(harness));
  const Harness& kept = *harnesses.back();
  g_name += (g_name.empty() ? "" : ", ") + kept.name;
  for (const Case& c : all_cases()) {
    if ((c.needs & lacks(kept)) != 0) continue;
    const size_t dot = c.name.find('.');
    const std::string suite = kept.name + "/" + c.name.substr(0, dot);
    testing::RegisterTest(suite.c_str(), c.name.substr(dot + 1).c_str(), nullptr, nullptr, __FILE__,
                          __LINE__,
                          [&kept, &c]() -> testing::Test* { return new CaseTest(kept, c); });
    ++g_listed;
  }
}

bool ran_all() {
  if (testing::GTEST_FLAG(list_tests)) return true;
  const size_t ran = g_ran;
  std::cout << "pawl conformance: " << g_name << ": " << ran << " of " << g_listed << " cases ran";
  if (testing::GTEST_FLAG(filter) != "*") {
    std::cout << "; they were chosen by a filter, so this run does not show conformance\n";
    return ran > 0;
  }
  size_t expected = g_listed;
  const int shards = environment_number("GTEST_TOTAL_SHARDS", 1);
  if (shards > 1) {
    const int shard = environment_number("GTEST_SHARD_INDEX", 0);
    const auto tests = testing::UnitTest::GetInstance()->total_test_count();
    // With other tests among them nobody can tell which of ours are the shard's.
    expected = static_cast<size_t>(tests) == g_listed ? of_shard(g_listed, shard, shards) : 0;
    std::cout << " (shard " << shard + 1 << " of " << shards << ", to which " << expected
              << " belong)";
  }
  std::cout << (ran < expected ? "; THAT IS TOO FEW\n" : "\n");
  return ran >= expected;
}

int run(int argc, char** argv, const Harness& harness) {
  if (const int code = run_worker(argc, argv, harness); code >= 0) return code;
  testing::InitGoogleTest(&argc, argv);
  register_suite(harness);
  const int result = RUN_ALL_TESTS();
  return ran_all() ? result : 1;
}

}  // namespace pawl::conformance
