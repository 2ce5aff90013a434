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
  print_ratios();
  print_growth();
}

// A growth group's loops are sizes: what an operation costs at the largest, as a multiple of
// what it costs at the smallest.
void RatioReporter::print_growth() {
  for (const std::string& group : groups_) {
    if (group.find("/growth/") == std::string::npos) continue;
    std::map<long, double> by_size;
    for (const auto& [size, rates] : rates_[group]) by_size[std::stol(size)] = median(rates);
    std::printf("%-44s", group.c_str());
    for (const auto& [size, rate] : by_size) std::printf("  %ld: %.1f us", size, 1e6 / rate);
    std::printf("   x %.2f\n", by_size.begin()->second / by_size.rbegin()->second);
  }
}

void RatioReporter::print_ratios() {
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
