// What the runs that crash a store have in common: their arguments, their place, their result.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/scratch.h"
#include "pawl/open.h"
#include "soak_load.h"
#include "soak_run.h"

namespace pawl::soak {

struct CrashSettings : RunSettings {
  int threads = 4;
  // Of the child process that is to be killed:
  std::optional<std::int64_t> generation;
  std::string acknowledgements;

  OpenOptions open_options() const;
};

// None when they are wrong, or ask for help.
std::optional<CrashSettings> parse_crash(const std::vector<std::string>& arguments,
                                         std::int64_t count = 100);

// "sqlite:FOLDER" and "rocksdb:FOLDER" get a new folder in FOLDER, removed at the end; any other
// URI is taken as it is, and what is stored there stays.
class CrashPlace {
 public:
  explicit CrashPlace(const std::string& store);

  const std::string& uri() const { return uri_; }
  const std::string& scheme() const { return scheme_; }
  std::string path() const { return uri_.substr(scheme_.size() + 1); }
  std::string acknowledgements() const { return scratch_.folder() + "/acknowledgements"; }

 private:
  std::string scheme_;
  conformance::Scratch scratch_;
  std::string uri_;
};

// Opens the store after a crash, checks it, and keeps count.
class CrashRun {
 public:
  CrashRun(const char* name, const CrashSettings& settings, const CrashPlace& place)
      : name_(name), settings_(settings), place_(place) {}

  // `all`: nothing that was acknowledged may be missing.
  void check(std::int64_t generation, bool all);
  // Prints the result and writes it where the settings say. The program's exit code.
  int finish(const nlohmann::json& more);
  void tell_progress(std::int64_t generation);

  Ledger& ledger() { return ledger_; }
  bool has_failed() const { return !ledger_.findings().empty(); }

 private:
  const char* name_;
  const CrashSettings& settings_;
  const CrashPlace& place_;
  Ledger ledger_;
  std::chrono::duration<double, std::milli> slowest_{0};
  Pace pace_;
};

// What the engine itself says of its files. Empty: nothing is wrong, or it has no such check.
std::string engine_check(const CrashPlace& place);
std::string sqlite_check(const std::string& path);  // where the sqlite backend is built

}  // namespace pawl::soak
