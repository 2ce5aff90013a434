// Each mutant is caught by the case it names, which passes on the store it was made of.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "cases/case.h"
#include "cases/fixture.h"
#include "harness/scratch.h"
#include "mutants/mutants.h"

namespace pawl::conformance {
namespace {

const Case& find_case(const std::string& name) {
  for (const Case& c : all_cases()) {
    if (c.name == name) return c;
  }
  throw std::logic_error("no case " + name);
}

// How many assertions of the case fail on the memory backend with the mutation.
int failures(const Case& c, const Mutation* mutation) {
  Harness harness;
  harness.name = "mutant";
  harness.place = [](const std::string& folder) { return "memory:" + folder; };
  harness.open = [mutation](const std::string& uri, const OpenOptions& options) {
    return open_mutant(mutation, uri, options);
  };
  harness.durable = false;
  Scratch scratch;
  testing::TestPartResultArray results;
  {
    testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, &results);
    Fixture fixture(harness, scratch.folder());
    try {
      c.run(fixture);
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  }
  int failed = 0;
  for (int i = 0; i < results.size(); ++i) failed += results.GetTestPartResult(i).failed() ? 1 : 0;
  return failed;
}

class Mutants : public testing::TestWithParam<Mutation> {};

TEST_P(Mutants, AreCaughtByTheNamedCase) {
  const Case& c = find_case(GetParam().caught_by);
  EXPECT_EQ(failures(c, nullptr), 0) << c.name << " fails on a sound store";
  EXPECT_GT(failures(c, &GetParam()), 0) << c.name << " does not see " << GetParam().name;
}

INSTANTIATE_TEST_SUITE_P(All, Mutants, testing::ValuesIn(mutations().begin(), mutations().end()),
                         [](const auto& mutant) { return std::string(mutant.param.name); });

TEST(MutantsList, HasTen) { EXPECT_EQ(mutations().size(), 10u); }

}  // namespace
}  // namespace pawl::conformance
