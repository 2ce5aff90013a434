// conformance/bugs.tsv: every bug report it lists is covered by tests that are there, or says why
// it needs none.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cases/case.h"
#include "cases/fixture.h"

namespace pawl::conformance {
namespace {

constexpr const char* kReason = "reason: ";
// As many as were collected: none gets lost.
constexpr std::size_t kReports = 114;

struct Report {
  std::string url;
  std::string what;
  std::string covered;
};

std::vector<Report> read_reports(std::istream& file) {
  std::vector<Report> reports;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream fields(line);
    Report& report = reports.emplace_back();
    std::getline(fields, report.url, '\t');
    std::getline(fields, report.what, '\t');
    std::getline(fields, report.covered);
  }
  return reports;
}

std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string output;
  char buffer[4096];
  while (pipe && fgets(buffer, sizeof buffer, pipe.get()) != nullptr) output += buffer;
  return output;
}

// The names that tests of other programs have; asks each program once.
class Programs {
 public:
  bool are_built(const std::string& program) { return !tests_of(program).empty(); }
  bool have(const std::string& program, const std::string& test) {
    return tests_of(program).count(test) > 0;
  }

 private:
  const std::set<std::string>& tests_of(const std::string& program) {
    const auto [at, is_new] = tests_.try_emplace(program);
    if (is_new) at->second = program == "soak" ? soaks() : tests(program);
    return at->second;
  }

  static std::set<std::string> tests(const std::string& program) {
    const std::string path = PAWL_BIN_DIR "/../tests/pawl_" + program + "_test";
    if (!std::filesystem::exists(path)) return {};
    std::set<std::string> names;
    std::string suite;
    std::istringstream lines(output_of("'" + path + "' --gtest_list_tests"));
    for (std::string line; std::getline(lines, line);) {
      line = line.substr(0, line.find(" #"));
      if (!line.starts_with("  ")) {
        suite = line;
      } else {
        names.insert(suite + line.substr(2));
      }
    }
    return names;
  }

  static std::set<std::string> soaks() {
    const std::string path = PAWL_BIN_DIR "/pawl_soak";
    if (!std::filesystem::exists(path)) return {};
    std::set<std::string> names;
    const std::string list = output_of("'" + path + "' --help");
    const std::regex name("\n  ([a-z_]+): ");
    for (std::sregex_iterator i(list.begin(), list.end(), name), end; i != end; ++i) {
      names.insert((*i)[1]);
    }
    return names;
  }

  std::map<std::string, std::set<std::string>> tests_;
};

// Whether the program is the test of a backend that this build was told to leave out.
bool is_left_out(const std::string& program) {
  const std::string backend = program.substr(0, program.find('_'));
  if (backend != "sqlite" && backend != "postgres" && backend != "rocksdb") return false;
  const std::vector<std::string> built = words(PAWL_TESTED_BACKENDS);
  return std::find(built.begin(), built.end(), backend) == built.end();
}

// What is wrong with the list, one a line. `not_built` gets the programs that could not be asked.
std::string faults_of(const std::vector<Report>& reports, std::set<std::string>& not_built) {
  std::set<std::string> cases;
  for (const Case& c : all_cases()) cases.insert(c.name);
  Programs programs;
  std::set<std::string> urls;
  std::string faults;
  for (const Report& report : reports) {
    const auto fault = [&](const std::string& text) { faults += report.url + " " + text + "\n"; };
    if (!report.url.starts_with("https://") || !urls.insert(report.url).second) {
      fault("is no address, or stands twice");
    }
    if (report.what.empty()) fault("does not say what happened");
    if (report.covered.starts_with(kReason)) {
      if (report.covered.size() < std::string(kReason).size() + 10) fault("gives no reason");
      continue;
    }
    const std::vector<std::string> names = words(report.covered);
    if (names.empty()) fault("names neither a test nor a reason");
    for (const std::string& name : names) {
      const std::size_t slash = name.find('/');
      if (slash == std::string::npos) {
        if (cases.count(name) == 0) fault("names no case of the suite: " + name);
        continue;
      }
      const std::string program = name.substr(0, slash);
      if (is_left_out(program)) continue;
      if (!programs.are_built(program)) {
        not_built.insert(program);
      } else if (!programs.have(program, name.substr(slash + 1))) {
        fault("names no test of that program: " + name);
      }
    }
  }
  return faults;
}

TEST(Bugs, EachIsCoveredByATestOrSaysWhyNot) {
  std::ifstream file(PAWL_SOURCE_DIR "/conformance/bugs.tsv");
  const std::vector<Report> reports = read_reports(file);
  EXPECT_GE(reports.size(), kReports);
  std::set<std::string> not_built;
  EXPECT_EQ(faults_of(reports, not_built), "");
  for (const std::string& program : not_built) {
    std::printf("not run: look-up of the tests of pawl_%s, which is not built\n", program.c_str());
  }
}

TEST(Bugs, ALineWithoutATestIsAFault) {
  std::istringstream file(
      "# a remark\n"
      "https://x/1\twhat\tClaim.OnlyServedConsumers\n"
      "https://x/2\twhat\treason: such a thing is not there\n"
      "https://x/3\twhat\tClaim.IsNoSuchCase\n"
      "https://x/4\twhat\treason: \n"
      "https://x/5\twhat\n"
      "https://x/5\t\tClaim.OnlyServedConsumers\n"
      "https://x/6\twhat\tconformance/Bugs.ALineWithoutATestIsAFault conformance/Bugs.IsNone\n");
  std::set<std::string> not_built;
  EXPECT_EQ(faults_of(read_reports(file), not_built),
            "https://x/3 names no case of the suite: Claim.IsNoSuchCase\n"
            "https://x/4 gives no reason\n"
            "https://x/5 names neither a test nor a reason\n"
            "https://x/5 is no address, or stands twice\n"
            "https://x/5 does not say what happened\n"
            "https://x/6 names no test of that program: conformance/Bugs.IsNone\n");
  EXPECT_EQ(not_built.count("conformance"), 0u);
}

}  // namespace
}  // namespace pawl::conformance
