// examples_test.cc: runs the examples as programs, and compares the README with them.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "pawl/sqlite.h"

namespace {

namespace fs = std::filesystem;

const std::string kSample = std::string(PAWL_SOURCE_DIR) + "/examples/dpkg-sample.log";

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

struct Outcome {
  int status = -1;
  std::string output;  // errors among it
};

class Examples : public testing::Test {
 protected:
  Examples() {
    std::string folder = fs::temp_directory_path() / "pawl-examples-XXXXXX";
    if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no scratch folder");
    folder_ = folder;
  }
  ~Examples() override { fs::remove_all(folder_); }

  // Runs a program of the build in the scratch folder, by the shell.
  Outcome run(const std::string& command) const {
    const std::string line =
        "cd " + folder_.string() + " && TMPDIR=. " + PAWL_BIN_DIR + "/" + command + " 2>&1";
    Outcome outcome;
    std::FILE* pipe = popen(line.c_str(), "r");
    std::array<char, 4'096> block;
    for (std::size_t n; (n = std::fread(block.data(), 1, block.size(), pipe)) > 0;) {
      outcome.output.append(block.data(), n);
    }
    const int status = pclose(pipe);
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return outcome;
  }

  fs::path folder_;
};

class Quickstart : public Examples {};
class Worker : public Examples {};
class Demo : public Examples {};

TEST_F(Quickstart, FinishesTheWorkAndGoesOnWithTheFollowUp) {
  const Outcome first = run("pawl_quickstart");
  EXPECT_EQ(first.status, 0);
  EXPECT_EQ(first.output,
            "audit handles placed {\"total\": \"19.90\"}\n"
            "billing handles placed {\"total\": \"19.90\"}\n"
            "1 placed\n"
            "2 billed\n");
  const Outcome second = run("pawl_quickstart");
  EXPECT_EQ(second.status, 0);
  EXPECT_EQ(second.output, "audit handles billed null\n1 placed\n2 billed\n");
}

TEST_F(Worker, ShipsAllOrdersButTheDeadLetter) {
  const Outcome outcome = run("pawl_worker");
  EXPECT_EQ(outcome.status, 0);
  for (int order = 1; order <= 20; ++order) {
    const std::string name = "order-" + std::to_string(order);
    const std::string line =
        order == 13 ? name + " failed 3 times: no such address\n" : name + " is shipped\n";
    EXPECT_NE(outcome.output.find(line), std::string::npos) << line << outcome.output;
  }
}

// The number in the demonstration's row of that name.
std::int64_t row(const std::string& output, const std::string& name) {
  const std::size_t at = output.find("\n  " + name + " ");
  if (at == std::string::npos) return -1;
  std::string digits;
  for (std::size_t i = at + 3 + name.size(); i < output.size() && output[i] != '\n'; ++i) {
    if (std::isdigit(static_cast<unsigned char>(output[i]))) digits += output[i];
    if (output[i] != ' ' && output[i] != ',' && digits.empty()) break;
    if (output[i] == ' ' && !digits.empty()) break;
  }
  return digits.empty() ? -1 : std::stoll(digits);
}

void expect_proven(const Outcome& outcome) {
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_EQ(row(outcome.output, "events"), 416) << outcome.output;
  EXPECT_EQ(row(outcome.output, "completions"), 3 * 416) << outcome.output;
  EXPECT_NE(outcome.output.find("Proven: "), std::string::npos) << outcome.output;
}

TEST_F(Demo, ProvesItsResultWithAProcessKilledAndGoesOnWithItsStore) {
  const Outcome outcome = run("pawl_demo " + kSample + " --store sqlite:demo.db");
  expect_proven(outcome);
  EXPECT_NE(outcome.output.find("killed process B"), std::string::npos) << outcome.output;
  EXPECT_GT(row(outcome.output, "takeovers"), 0) << outcome.output;
  EXPECT_GE(row(outcome.output, "dead letters"), 8) << outcome.output;
  EXPECT_EQ(row(outcome.output, "redriven"), row(outcome.output, "dead letters"));

  const Outcome again = run("pawl_demo " + kSample + " --store sqlite:demo.db");
  expect_proven(again);
  EXPECT_EQ(row(again.output, "claims"), row(outcome.output, "claims"));
}

TEST_F(Demo, RunsInMemoryWithThreadsForTheSecondProcess) {
  const Outcome outcome = run("pawl_demo --store memory: " + kSample);
  expect_proven(outcome);
  EXPECT_NE(outcome.output.find("killed thread pair B"), std::string::npos) << outcome.output;
  EXPECT_GT(row(outcome.output, "takeovers"), 0) << outcome.output;
}

TEST_F(Demo, RemovesItsScratchStore) {
  expect_proven(run("pawl_demo " + kSample));
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(Demo, ExitsWith1WhenTheStoreHoldsOneEventTooMany) {
  expect_proven(run("pawl_demo " + kSample + " --store sqlite:demo.db"));
  pawl::sqlite::open((folder_ / "demo.db").string())
      .append("libc6", {{.id = "stray", .type = "remove", .payload = R"({"line": 999})"}});
  const Outcome outcome = run("pawl_demo " + kSample + " --store sqlite:demo.db");
  EXPECT_EQ(outcome.status, 1) << outcome.output;
  EXPECT_NE(outcome.output.find("NOT PROVEN"), std::string::npos) << outcome.output;
}

TEST_F(Demo, ExitsWith2OnUsageErrors) {
  EXPECT_EQ(run("pawl_demo --nonsense").status, 2);
  EXPECT_EQ(run("pawl_demo --store").status, 2);
  EXPECT_EQ(run("pawl_demo one.log two.log").status, 2);
  EXPECT_EQ(run("pawl_demo missing.log").status, 2);
  EXPECT_EQ(run("pawl_demo --store nonsense:x " + kSample).status, 2);
  EXPECT_EQ(run("pawl_demo --store sqlite:missing/demo.db " + kSample).status, 2);
  pawl::sqlite::open((folder_ / "other.db").string()).append("mine", {{.id = "a", .type = "t"}});
  EXPECT_EQ(run("pawl_demo --store sqlite:other.db " + kSample).status, 2);
}

TEST(Readme, ShowsTheQuickstart) {
  const std::string readme = text_of(fs::path(PAWL_SOURCE_DIR) / "README.md");
  const std::string code = text_of(fs::path(PAWL_SOURCE_DIR) / "examples" / "quickstart.cc");
  EXPECT_NE(readme.find("```cpp\n" + code + "```\n"), std::string::npos);
}

}  // namespace
