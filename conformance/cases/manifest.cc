// The manifest: every case there is, in one list.
#include <set>
#include <stdexcept>

#include "cases/case.h"

namespace pawl::conformance {
namespace {

std::vector<Case> collect() {
  std::vector<Case> all;
  for (const auto& table :
       {append_cases(),   append_log_cases(),  read_cases(),     claim_cases(),    renew_cases(),
        complete_cases(), advance_cases(),     fail_cases(),     release_cases(),  redrive_cases(),
        settle_cases(),   batch_cases(),       snapshot_cases(), presence_cases(), clear_cases(),
        reclaim_cases(),  prune_cases(),       delete_cases(),   maintain_cases(), schedule_cases(),
        ready_cases(),    wait_cases(),        payload_cases(),  limit_cases(),    open_cases(),
        reopen_cases(),   concurrency_cases(), process_cases()}) {
    for (const CaseRow& row : table) all.push_back({row.name, row.rules, row.run, row.needs});
  }
  for (auto made : {name_cases, argument_cases, vector_cases, history_cases}) {
    for (Case& c : made()) all.push_back(std::move(c));
  }
  return all;
}

}  // namespace

const std::vector<Case>& all_cases() {
  static const std::vector<Case> cases = [] {
    std::vector<Case> all = collect();
    std::set<std::string> names;
    for (const Case& c : all) {
      if (c.rules.empty()) throw std::logic_error(c.name + " names no rule");
      if (!names.insert(c.name).second) throw std::logic_error(c.name + " stands twice");
    }
    return all;
  }();
  return cases;
}

}  // namespace pawl::conformance
