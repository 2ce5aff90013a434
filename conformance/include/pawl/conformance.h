// pawl/conformance.h: the suite that every backend passes. The manual for authors of backends.
//
// A backend keeps the contract (core/CONTRACT.md) when the whole suite is green on it. A
// test program of ten lines runs it:
//
//   #include <pawl/conformance.h>
//
//   int main(int argc, char** argv) {
//     pawl::conformance::Harness harness;
//     harness.name = "sqlite";
//     harness.place = [](const std::string& folder) { return "sqlite:" + folder + "/store.db"; };
//     harness.processes = true;
//     return pawl::conformance::run(argc, argv, harness);
//   }
//
// link it to the backend and to pawl::conformance, and run it with GoogleTest's options. Each
// case bears a name that reads as the rule, as in Complete.AfterTakeoverIsSuperseded, opens a
// store on a place of its own, with a clock that stands still and ids that count up, and
// prints the rules it checks when it fails. Cases may run in any order, in shards
// (GTEST_TOTAL_SHARDS) and beside each other.
//
// The program refuses to pass when fewer cases ran than the manifest lists: skipped and
// disabled ones count as not run. With a filter it says that the run was partial.
//
// `durable` and `processes` say what the engine is, not what it is good at: a case that
// kills a process needs a store that outlives it. Nothing else is left out for anybody. A
// reopening case on a store that is not durable opens a second one before it closes the first.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pawl/open.h"
#include "pawl/store.h"

namespace pawl::conformance {

struct Harness {
  // The first part of the tests' names: "sqlite" gives sqlite/Append.NoEventsWriteNothing.
  std::string name;

  // The URI of an empty place for one case. `folder` is an empty folder that nobody else
  // uses, removed with all it holds after the case; its last component is a word of letters,
  // digits and dashes that no other run bears, for engines that need a name instead.
  std::function<std::string(const std::string& folder)> place;

  // Opens a store there. Called several times with one URI: the stores share what is stored.
  // Absent: pawl::open.
  std::function<Store(const std::string& uri, const OpenOptions& options)> open = {};

  // Removes what the place left outside of the folder. Called after the last store is closed.
  std::function<void(const std::string& uri)> remove = {};

  // What every store is opened with, unless the case says otherwise: the engine's own
  // options. The clock, ids and limits are the suite's.
  OpenOptions options = {};

  // Where the folders are made. Absent: the system's folder for temporary files.
  std::string scratch = {};

  bool durable = true;     // what was acknowledged outlives the process
  bool processes = false;  // several processes may have the place open at once
};

struct CaseInfo {
  std::string name;                // "Complete.AfterTakeoverIsSuperseded"
  std::vector<std::string> rules;  // ids in core/CONTRACT.md: "complete.5"
};

// What register_suite registers for this harness, in order.
std::vector<CaseInfo> manifest(const Harness& harness);

// Registers every case of the manifest with GoogleTest, before RUN_ALL_TESTS. Only for
// programs that run other tests too; they start their main with run_worker.
void register_suite(const Harness& harness);

// Cases of several processes start this very program again, with arguments that say what to
// do. If these are such arguments, does it and returns its exit code, else -1.
int run_worker(int argc, char** argv, const Harness& harness);

// After RUN_ALL_TESTS: tells on standard output how many cases ran. False if fewer did than
// the manifest lists (of the shard, if there are shards; of the filter, if there is one).
bool ran_all();

// All of these, as main does.
int run(int argc, char** argv, const Harness& harness);

}  // namespace pawl::conformance
