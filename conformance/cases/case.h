// One case of the suite, and the tables that hold all of them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace pawl::conformance {

class Fixture;

// What a case needs beyond a store.
inline constexpr unsigned kDurable = 1;    // a store that outlives its process
inline constexpr unsigned kProcesses = 2;  // a place that several processes have open

// A line of a table: a name that reads as the rule, the ids of the rules, and the proof.
struct CaseRow {
  const char* name;
  const char* rules;  // "complete.5 claim.3"
  void (*run)(Fixture& f);
  unsigned needs = 0;
};

struct Case {
  std::string name;
  std::string rules;
  std::function<void(Fixture& f)> run;
  unsigned needs = 0;
};

// The tables, by verb and by property; each is at the end of the file of its name.
std::span<const CaseRow> append_cases();
std::span<const CaseRow> append_log_cases();
std::span<const CaseRow> read_cases();
std::span<const CaseRow> claim_cases();
std::span<const CaseRow> renew_cases();
std::span<const CaseRow> complete_cases();
std::span<const CaseRow> advance_cases();
std::span<const CaseRow> fail_cases();
std::span<const CaseRow> release_cases();
std::span<const CaseRow> redrive_cases();
std::span<const CaseRow> settle_cases();
std::span<const CaseRow> batch_cases();
std::span<const CaseRow> snapshot_cases();
std::span<const CaseRow> presence_cases();
std::span<const CaseRow> clear_cases();
std::span<const CaseRow> reclaim_cases();
std::span<const CaseRow> prune_cases();
std::span<const CaseRow> delete_cases();
std::span<const CaseRow> maintain_cases();
std::span<const CaseRow> schedule_cases();
std::span<const CaseRow> ready_cases();
std::span<const CaseRow> wait_cases();
std::span<const CaseRow> payload_cases();
std::span<const CaseRow> limit_cases();
std::span<const CaseRow> open_cases();
std::span<const CaseRow> reopen_cases();
std::span<const CaseRow> concurrency_cases();
std::span<const CaseRow> process_cases();

// Made by the product of operations, fields and values.
std::vector<Case> name_cases();
std::vector<Case> argument_cases();
// From files and from seeds.
std::vector<Case> vector_cases();
std::vector<Case> history_cases();

// All of them, whatever they need, in the order above. Throws std::logic_error if a name
// stands twice or a case names no rule.
const std::vector<Case>& all_cases();

}  // namespace pawl::conformance
