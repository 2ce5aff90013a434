// The random histories' own machinery: generator, driver, shrinker.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "model/compare.h"
#include "model/generator.h"
#include "model/history.h"

namespace pawl::model {
namespace {

using Json = nlohmann::json;

History generate(std::uint64_t seed, int length) {
  Generator generator(seed);
  const Party model = model_party();
  History history;
  for (int i = 0; i < length; ++i) {
    history.push_back(generator.next());
    generator.observe(history.back(), model(history.back()));
  }
  return history;
}

// A party with a planted fault: a claim forgets the failures there were.
Party forgetful_party() {
  return [model = model_party()](const Json& op) {
    Json answer = model(op);
    if (answer.contains("ok") && answer["ok"].contains("heads")) {
      for (Json& head : answer["ok"]["heads"]) head["failure_count"] = 0;
    }
    return answer;
  };
}

TEST(ModelHistory, TheSameSeedGivesTheSameHistory) {
  EXPECT_EQ(generate(7, 300), generate(7, 300));
  EXPECT_NE(generate(7, 300), generate(8, 300));
  EXPECT_NE(history_seed(1, 0), history_seed(1, 1));
}

// The engine is the standard's, so this holds on every platform.
TEST(ModelHistory, ChoicesDoNotDependOnTheStandardLibrary) {
  Random random(42);
  EXPECT_EQ(random.next(), 13930160852258120406U);
  EXPECT_EQ(random.below(10), 4);
}

TEST(ModelHistory, TheModelDoesNotDifferFromItself) {
  HistoryCounts counts;
  for (std::uint64_t n = 0; n < 12; ++n) {
    HistoryOptions options;
    options.seed = history_seed(1, n);
    options.full_every = n % 2 == 0 ? 1 : 16;
    const auto failure = run_history(options, model_party, model_party, &counts);
    std::ostringstream text;
    if (failure) print(text, *failure);
    ASSERT_FALSE(failure) << text.str();
  }
  EXPECT_EQ(counts.operations, 1'200);
}

// A history that never gets anywhere shows nothing: these answers must all come up.
TEST(ModelHistory, HistoriesReachTheAnswersOfTheContract) {
  HistoryCounts counts;
  for (std::uint64_t n = 0; n < 40; ++n) {
    HistoryOptions options;
    options.seed = history_seed(2, n);
    options.length = 150;
    options.full_every = 1'000;
    ASSERT_FALSE(run_history(options, model_party, model_party, &counts));
  }
  for (const char* kind : {"append ok",
                           "append partial_duplicate_batch",
                           "append replay_mismatch",
                           "append session_cleared",
                           "append superseded_attempt",
                           "append invalid_argument",
                           "append_batch ok",
                           "append_batch partial_duplicate_batch",
                           "wake_log ok",
                           "claim claimed",
                           "claim busy",
                           "claim settled",
                           "claim_ready ok",
                           "renew ok",
                           "complete completed",
                           "complete superseded",
                           "complete unknown_event",
                           "complete partial_duplicate_batch",
                           "fail failed",
                           "fail dead_lettered",
                           "fail superseded",
                           "release released",
                           "release superseded",
                           "settle ok",
                           "settle partial_duplicate_batch",
                           "redrive ok",
                           "put_snapshots ok",
                           "set_presence ok",
                           "clear ok",
                           "clear superseded_attempt",
                           "reclaim ok",
                           "prune ok",
                           "delete_session ok",
                           "delete_consumer ok",
                           "maintain ok",
                           "clock ok"}) {
    EXPECT_GT(counts.by_answer[kind], 0) << kind;
  }
}

TEST(ModelHistory, APlantedDifferenceIsFoundAndShrunk) {
  std::optional<HistoryFailure> failure;
  for (std::uint64_t n = 0; n < 200 && !failure; ++n) {
    HistoryOptions options;
    options.seed = history_seed(3, n);
    failure = run_history(options, model_party, forgetful_party);
  }
  ASSERT_TRUE(failure);
  // What is needed: an event, a claim, its failing or lapsing, and another claim.
  EXPECT_LE(failure->shrunk.size(), 6U);
  const auto again = replay(failure->shrunk, model_party, forgetful_party);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->difference.asked, failure->difference.asked);
  std::ostringstream text;
  print(text, *failure);
  EXPECT_NE(text.str().find("seed " + std::to_string(failure->seed)), std::string::npos);
  EXPECT_NE(text.str().find("\"failure_count\":1"), std::string::npos);
}

TEST(ModelHistory, ShrinkingKeepsWhatIsNeededAndOnlyThat) {
  History history;
  for (int i = 0; i < 50; ++i) history.push_back({{"op", "head"}, {"n", i}, {"list", {1, i, 2}}});
  const auto differs = [](const History& candidate) {
    bool third = false;
    for (const Json& op : candidate) {
      if (!op.contains("list")) continue;
      for (const Json& item : op["list"]) {
        if (item == 3) third = true;
        if (item == 40 && third) return true;
      }
    }
    return false;
  };
  const History expected = {{{"op", "head"}, {"list", {3}}}, {{"op", "head"}, {"list", {40}}}};
  EXPECT_EQ(shrink(history, differs), expected);
}

TEST(ModelHistory, OfErrorsTheCodeCounts) {
  const Json error = {{"error", {{"code", "busy"}, {"message", "a"}}}};
  const Json reworded = {{"error", {{"code", "busy"}, {"message", "b"}}}};
  const Json other = {{"error", {{"code", "closed"}, {"message", "a"}}}};
  EXPECT_TRUE(same_answer(error, reworded));
  EXPECT_FALSE(same_answer(error, other));
  EXPECT_FALSE(same_answer(error, {{"ok", 1}}));
  EXPECT_FALSE(same_answer({{"ok", {{"a", 1}}}}, {{"ok", {{"a", 1}, {"b", 2}}}}));
}

}  // namespace
}  // namespace pawl::model
