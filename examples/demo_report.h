// demo_report.h: what the demonstration prints. Nothing here touches a store.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

// 1234567 -> "1,234,567".
inline std::string grouped(std::int64_t number) {
  std::string text = std::to_string(number);
  for (int at = static_cast<int>(text.size()) - 3; at > 0; at -= 3) text.insert(at, ",");
  return text;
}

// Lines with the seconds since the beginning before them.
class Timeline {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }

  void say(const std::string& text) const {
    std::printf("%6.1f s  %s\n", seconds(), text.c_str());
    std::fflush(stdout);
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point began_ = Clock::now();
};

struct Report {
  std::int64_t sessions = 0;
  std::int64_t events = 0;
  std::int64_t claims = 0;
  std::int64_t completions = 0;
  std::int64_t takeovers = 0;
  std::int64_t failures = 0;
  std::int64_t dead_letters = 0;
  std::int64_t redriven = 0;
  double seconds = 0;  // of working
  std::string durability;
  std::string engine;
};

inline void print_table(const Report& report) {
  const auto row = [](const char* name, const std::string& value, const char* remark = "") {
    std::printf(*remark ? "  %-18s %10s   %s\n" : "  %-18s %10s\n", name, value.c_str(), remark);
  };
  const double seconds = report.seconds > 0 ? report.seconds : 1;
  std::printf("\n");
  row("sessions", grouped(report.sessions), "one per package");
  row("events", grouped(report.events), "one per line");
  row("claims", grouped(report.claims), "leases given, first ones and repeated ones");
  row("completions", grouped(report.completions), "every event by each of the 3 consumers");
  row("takeovers", grouped(report.takeovers), "claims of the killed process that others finished");
  row("failures", grouped(report.failures), "refused, or not finished in time");
  row("dead letters", grouped(report.dead_letters), "after 3 failures");
  row("redriven", grouped(report.redriven));
  row("events per second",
      grouped(static_cast<std::int64_t>(static_cast<double>(report.completions) / seconds)),
      "finished; each handler waits for 3 ms");
  row("durability", report.durability, report.engine.c_str());
  std::printf("\n");
}

inline void print_verdict(const Report& report, bool proven) {
  std::printf(proven ? "Proven: each of the %s events was finished exactly once by each consumer.\n"
                     : "NOT PROVEN: that each of the %s events was finished exactly once.\n",
              grouped(report.events).c_str());
}

inline void print_usage(std::FILE* to) {
  std::fputs(
      "usage: pawl_demo [FILE] [--store URI]\n"
      "  FILE   a package log (default: /var/log/dpkg.log, or a sample where there is none)\n"
      "  URI    an empty store, which is kept (default: SQLite in a temporary folder)\n",
      to);
}
