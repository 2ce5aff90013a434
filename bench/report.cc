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

bool is_growth(const std::string& group) { return group.find("/growth/") != std::string::npos; }

}  // namespace

void RatioReporter::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    if (run.error_occurred) ConsoleReporter::ReportRuns({run});
    const auto rate = run.counters.find("items_per_second");
    if (run.run_type != Run::RT_Iteration || run.error_occurred || rate == run.counters.end()) {
      continue;
    }
    const std::string& name = run.run_name.function_name;
    const std::size_t slash = name.rfind('/');
    if (slash == std::string::npos) continue;
    Costs& costs = costs_[name.substr(0, slash)][name.substr(slash + 1)];
    const double wall = 1e6 / rate->second.value;
    costs.wall.push_back(wall);
    costs.cpu.push_back(wall * run.cpu_accumulated_time / run.real_accumulated_time);
  }
}

void RatioReporter::Finalize() {
  print_ratios();
  print_growth();
}

// What an operation costs at the largest size, as a multiple of what it costs at the smallest.
void RatioReporter::print_growth() {
  for (const auto& [group, loops] : costs_) {
    if (!is_growth(group)) continue;
    std::map<long, Costs> by_size;
    for (const auto& [size, costs] : loops) by_size[std::stol(size)] = costs;
    std::printf("%-44s", group.c_str());
    for (const auto& [size, costs] : by_size) {
      std::printf("  %ld: %.1f us, %.1f cpu", size, median(costs.wall), median(costs.cpu));
    }
    const Costs& smallest = by_size.begin()->second;
    const Costs& largest = by_size.rbegin()->second;
    std::printf("   x %.2f, %.2f cpu\n", median(largest.wall) / median(smallest.wall),
                median(largest.cpu) / median(smallest.cpu));
  }
}

void RatioReporter::print_ratios() {
  std::printf(
      "\nMicroseconds for an event, of wall clock and of processor time, medians; and how "
      "many times\nas fast as each other loop Pawl is, by wall clock and by processor "
      "time.\n\n");
  for (const auto& [group, loops] : costs_) {
    if (is_growth(group)) continue;
    const auto pawl = loops.find("pawl");
    std::printf("%-30s", group.c_str());
    if (pawl != loops.end()) {
      std::printf(" pawl %.1f us, %.1f cpu", median(pawl->second.wall), median(pawl->second.cpu));
    }
    for (const auto& [loop, costs] : loops) {
      if (loop == "pawl") continue;
      const double wall = median(costs.wall);
      const double cpu = median(costs.cpu);
      std::printf("   %s %.1f us, %.1f cpu", loop.c_str(), wall, cpu);
      if (pawl == loops.end()) continue;
      std::printf(" (%.2f, %.2f cpu)", wall / median(pawl->second.wall),
                  cpu / median(pawl->second.cpu));
    }
    std::printf("\n");
  }
}

}  // namespace pawl::bench
