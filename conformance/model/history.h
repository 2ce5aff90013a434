// One random history against two parties, and the report of a failure.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>

#include "model/driver.h"
#include "model/party.h"
#include "model/shrink.h"

namespace pawl::model {

struct HistoryOptions {
  std::uint64_t seed = 0;
  int length = 100;
  int full_every = 1;
  bool shrink = true;
};

struct HistoryCounts {
  std::int64_t histories = 0;
  std::int64_t operations = 0;
  std::map<std::string, std::int64_t> by_answer;  // "claim busy", "append ok", "clear superseded"
};

struct HistoryFailure {
  std::uint64_t seed = 0;
  History shrunk;  // as lines that a store can be fed with
  Difference difference;
};

// The seed of the n-th history of a run.
std::uint64_t history_seed(std::uint64_t seed, std::uint64_t n);

// The length that goes with a seed: 50 operations at least.
HistoryOptions shaped_history(std::uint64_t seed);

std::optional<HistoryFailure> run_history(const HistoryOptions& options,
                                          const PartyFactory& expected, const PartyFactory& actual,
                                          HistoryCounts* counts = nullptr);

// Replays a list of operations; what differs, if anything.
std::optional<HistoryFailure> replay(const History& history, const PartyFactory& expected,
                                     const PartyFactory& actual, int full_every = 1);

// The seed, the operations as JSON Lines, the question and both answers.
void print(std::ostream& out, const HistoryFailure& failure);

}  // namespace pawl::model
