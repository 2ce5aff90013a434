// The harness itself: what it counts, what it leaves behind, and that cases see what they claim.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>

#include "cases/case.h"
#include "cases/fixture.h"
#include "harness/scratch.h"
#include "pawl/conformance.h"

namespace pawl::conformance {
namespace {

Harness memory_harness() {
  Harness harness;
  harness.name = "memory";
  harness.place = [](const std::string& folder) { return "memory:" + folder; };
  harness.durable = false;
  return harness;
}

struct Output {
  int code = -1;
  std::string text;
};

Output run_program(const std::string& environment, const std::string& arguments) {
  const std::string command =
      environment + " '" PAWL_BIN_DIR "/pawl_conformance' " + arguments + " 2>&1";
  Output result;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return result;
  char bytes[4096];
  for (size_t n; (n = fread(bytes, 1, sizeof bytes, pipe)) > 0;) result.text.append(bytes, n);
  const int status = pclose(pipe);
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

constexpr char kClean[] = "env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX";

TEST(Harness, APartialRunDoesNotShowConformance) {
  const Output run = run_program(kClean, "memory: '--gtest_filter=*/Head.*'");
  EXPECT_EQ(run.code, 0) << run.text;
  EXPECT_NE(run.text.find("does not show conformance"), std::string::npos) << run.text;
}

TEST(Harness, ARunOfTooFewCasesFails) {
  const Output nothing = run_program(kClean, "memory: --gtest_repeat=0");
  EXPECT_EQ(nothing.code, 1) << nothing.text;
  EXPECT_NE(nothing.text.find("TOO FEW"), std::string::npos) << nothing.text;
  const Output filtered = run_program(kClean, "memory: '--gtest_filter=None.*'");
  EXPECT_EQ(filtered.code, 1) << filtered.text;
}

TEST(Harness, AShardRunsItsShare) {
  std::string shards = kClean;
  shards += " GTEST_TOTAL_SHARDS=400 GTEST_SHARD_INDEX=399";
  const Output run = run_program(shards, "memory:");
  EXPECT_EQ(run.code, 0) << run.text;
  EXPECT_NE(run.text.find("(shard 400 of 400, to which"), std::string::npos) << run.text;
}

TEST(Harness, WithoutAUriItTellsItsUse) { EXPECT_EQ(run_program(kClean, "").code, 2); }

TEST(Manifest, ListsWhatThePhysicsAllow) {
  Harness harness = memory_harness();
  const size_t memory = manifest(harness).size();
  harness.durable = true;
  const size_t durable = manifest(harness).size();
  harness.processes = true;
  const size_t processes = manifest(harness).size();
  EXPECT_GT(memory, 500u);
  EXPECT_LT(memory, durable);
  EXPECT_LT(durable, processes);
  EXPECT_EQ(processes, all_cases().size());
}

TEST(Scratch, IsGoneAfterwards) {
  std::string folder;
  {
    Scratch scratch;
    folder = scratch.folder();
    EXPECT_TRUE(std::filesystem::is_directory(folder));
  }
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(Fixture, RefusedSeesWhatHasChanged) {
  const Harness harness = memory_harness();
  Scratch scratch;
  Fixture f(harness, scratch.folder());
  EXPECT_EQ(f.refused([&] { f.head(); }), "no error");
  EXPECT_TRUE(f.refused([&] { f.add("a"); }).starts_with("no error, but from\n"));
  const auto append_and_throw = [&] {
    f.add("b>c");
    throw Error(ErrorCode::kBusy, "session is busy");
  };
  EXPECT_TRUE(f.refused(append_and_throw).starts_with("busy, but from\n"));
  const auto throw_only = [] { throw Error(ErrorCode::kBusy, "session is busy"); };
  EXPECT_EQ(f.refused(throw_only, "session"), "busy");
  EXPECT_TRUE(f.refused(throw_only, "holder").starts_with("busy, but the message"));
}

TEST(Fixture, ReopensAndOpensTheSamePlace) {
  const Harness harness = memory_harness();
  Scratch scratch;
  Fixture f(harness, scratch.folder());
  f.add("a");
  f.reopen();
  EXPECT_EQ(f.read(), "a#1");
  Store other = f.open();
  EXPECT_EQ(Fixture::on(other).read(), "a#1");
}

TEST(Notation, ReadsEvents) {
  const auto events = parse_events("a b:paid=1>c/k,e+50 -:x d<c/k#1@2");
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(events[0].id, "a");
  EXPECT_EQ(events[0].type, "t");
  EXPECT_EQ(events[0].payload, "null");
  EXPECT_EQ(events[1].type, "paid");
  EXPECT_EQ(events[1].payload, "1");
  ASSERT_EQ(events[1].targets.size(), 2u);
  EXPECT_EQ(events[1].targets[0].lane, "k");
  EXPECT_EQ(events[1].targets[1].consumer, "e");
  EXPECT_EQ(events[1].targets[1].available_at, ms(50));
  EXPECT_EQ(events[2].id, std::nullopt);
  EXPECT_EQ(events[3].cause, (Cause{"c", "k", 1, 2, {}}));
}

TEST(Notation, ReadsConsumers) {
  const ServedList list("c l+ m+a,b%k! n+-");
  ASSERT_EQ(list.consumers().size(), 4u);
  EXPECT_FALSE(list.consumers()[0].log);
  EXPECT_EQ(list.consumers()[1].log->types, std::nullopt);
  EXPECT_EQ(list.consumers()[2].name, "m");
  EXPECT_EQ(list.consumers()[2].log->lane, "k");
  EXPECT_TRUE(list.consumers()[2].log->backfill);
  EXPECT_EQ(list.consumers()[2].log->types, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(list.consumers()[3].log->types, std::vector<std::string>{});
  EXPECT_FALSE(ServedList("*").get());
  EXPECT_TRUE(ServedList("").get()->empty());
}

TEST(Notation, ReadsAndShowsHeads) {
  for (const char* text : {"c#1", "c/k#12"}) EXPECT_EQ(show(parse_ref(text)), text);
  for (const char* text : {"c#1@2", "c/k#12@34"}) EXPECT_EQ(show(parse_claim(text)), text);
  EXPECT_THROW(parse_ref("c#x"), std::logic_error);
}

}  // namespace
}  // namespace pawl::conformance
