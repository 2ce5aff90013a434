// report.cc: see report.h.
#include "report.h"

#include <algorithm>
#include <cstdio>

namespace pawl::bench {
namespace {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace

void RatioReporter::ReportRuns(const std::vector<Run>& runs) {
  ConsoleReporter::ReportRuns(runs);
  for (const Run& run : runs) {
    const auto rate = run.counters.find("items_per_second");
    if (run.run_type != Run::RT_Iteration || run.error_occurred || rate == run.counters.end()) {
      continue;
    }
    const std::string& name = run.run_name.function_name;
    const std::size_t slash = name.rfind('/');
    if (slash == std::string::npos) continue;
    const std::string group = name.substr(0, slash);
    if (!rates_.contains(group)) groups_.push_back(group);
    rates_[group][name.substr(slash + 1)].push_back(rate->second.value);
  }
}

void RatioReporter::Finalize() {
  std::printf("\n%-44s %12s", "median events per second", "pawl");
  std::printf("   raw loops (pawl / raw)\n");
  for (const std::string& group : groups_) {
    auto& loops = rates_[group];
    if (!loops.contains("pawl")) continue;
    const double pawl = median(loops["pawl"]);
    std::printf("%-44s %12.0f", group.c_str(), pawl);
    for (const auto& [loop, rates] : loops) {
      if (loop == "pawl") continue;
      const double raw = median(rates);
      std::printf("   %s %.0f (%.2f)", loop.c_str(), raw, pawl / raw);
    }
    std::printf("\n");
  }
}

}  // namespace pawl::bench
