// report.h: prints what each group of loops costs: medians of the repetitions, Pawl's loop beside
// the raw loops of the same work, as ratios; in a growth group, sizes beside one another.
#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <vector>

namespace pawl::bench {

// A benchmark's name is GROUP/LOOP: loops of one group are compared. "pawl" with "raw*".
class RatioReporter final : public ::benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

 private:
  // Microseconds for one event, one of each repetition.
  struct Costs {
    std::vector<double> wall;
    std::vector<double> cpu;  // of all threads of the process, a database server's not
  };

  void print_ratios();
  void print_growth();

  std::map<std::string, std::map<std::string, Costs>> costs_;  // group -> loop
};

}  // namespace pawl::bench
