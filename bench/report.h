// report.h: prints Google Benchmark's lines as they come, and at the end the medians of
// each Pawl loop beside those of the raw loops of the same work, as ratios.
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
  void print_ratios();
  void print_growth();

  std::vector<std::string> groups_;  // in the order of their first run
  // group -> loop -> events per second, one of each repetition
  std::map<std::string, std::map<std::string, std::vector<double>>> rates_;
};

}  // namespace pawl::bench
