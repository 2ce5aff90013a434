// `pawl_soak power`: a store on storage that loses power, again and again. Only for SQLite, whose
// files can be watched (backends/sqlite/tests/vfs).
#include <sqlite3.h>

#include <filesystem>
#include <iostream>
#include <memory>

#include "soak.h"
#include "soak_crash.h"
#include "vfs/power_loss.h"

namespace pawl::soak {
namespace {

constexpr const char* kUsage =
    R"(pawl_soak power [--store sqlite:FOLDER] [--count N] [--seed S] [--out FILE]
  --store sqlite:FOLDER  where the store is made, in a new folder; left out: among the temporary
                         files
  --option NAME=VALUE    an option of the store, as often as needed
  --count N              how often power is lost (100)
  --seed S               of the load, the moments and what the disk keeps (a new one)
  --threads N            of the load (4); with 1 the same seed does the same
  --out FILE             writes the result there as JSON, too
Works on a store until the simulated storage loses power, leaves of what was not synced some or
nothing, in pieces and out of order, opens the store and checks it: with durability=full
everything acknowledged is there, once; with durability=relaxed sessions may have lost their ends.
Prints the result as JSON, and exits with 1 if something was found.
)";

class PowerRun {
 public:
  explicit PowerRun(const CrashSettings& settings)
      : settings_(settings),
        place_(settings.store),
        run_("power", settings_, place_),
        random_(settings.seed),
        power_(settings.seed),
        full_(settings.open_options().durability == Durability::kFull) {}

  int run() {
    std::cout << "seed " << settings_.seed << " on " << settings_.store << std::endl;
    for (std::int64_t i = 1; i <= settings_.count && !run_.has_failed(); ++i) {
      work_until_cut(i);
      // The lock file is not SQLite's, and nobody syncs it.
      if (random_.chance(50)) std::filesystem::remove(place_.path() + "-lock");
      power_.restore();
      for (const Acknowledgement& made : std::exchange(acknowledged_, {})) run_.ledger().add(made);
      run_.check(i, full_);
      clock_->advance(1'000);
      run_.tell_progress(i);
    }
    return run_.finish({{"cuts", cuts_},
                        {"cuts_while_opening", cuts_while_opening_},
                        {"unsynced", power_.unsynced()},
                        {"dropped", power_.dropped()}});
  }

 private:
  OpenOptions options() {
    OpenOptions options = settings_.open_options();
    options.clock = clock_;
    // Small logs: much is written back, and logs begin anew.
    options.engine.try_emplace("checkpoint_pages", std::to_string(random_.between(16, 200)));
    return options;
  }

  // When power is lost: while the store is opened, while it is worked on, or while it is closed.
  enum class Moment { kOpening, kWorking, kClosing };

  void work_until_cut(std::int64_t generation) {
    const std::int64_t choice = random_.below(10);
    const Moment moment = choice == 0   ? Moment::kOpening
                          : choice == 1 ? Moment::kClosing
                                        : Moment::kWorking;
    const std::int64_t changes = random_.between(1, moment == Moment::kWorking ? 600 : 12);
    if (moment == Moment::kOpening) power_.cut_after(changes);
    std::stop_source stop;
    bool is_first = true;
    try {
      Store store = pawl::open(place_.uri(), options());
      Load load(store, settings_.seed, generation, [&](const Acknowledgement& made) {
        const std::lock_guard lock(mutex_);
        acknowledged_.push_back(made);
        if (!std::exchange(is_first, false)) return;
        if (moment == Moment::kWorking) power_.cut_after(changes);
        if (moment == Moment::kClosing) stop.request_stop();
      });
      load.run(settings_.threads, stop.get_token());
      check_errors(load.errors(), moment == Moment::kClosing);
      if (moment == Moment::kClosing) power_.cut_after(changes);
    } catch (const Error& error) {
      ++cuts_while_opening_;
      check_errors({error}, false);
    }
    power_.cut();
    ++cuts_;
  }

  // Without power there is no other trouble than that.
  void check_errors(const std::vector<Error>& errors, bool has_power) {
    if (!power_.is_cut() && !has_power) run_.ledger().find("the load ended before power was lost");
    for (const Error& error : errors) {
      const bool is_expected = error.code() == ErrorCode::kUnavailable ||
                               error.code() == ErrorCode::kInDoubt ||
                               error.native() == "SQLITE_CANTOPEN";
      if (!is_expected) {
        run_.ledger().find(std::string(to_string(error.code())) +
                           " when power was lost: " + error.what());
      }
    }
  }

  const CrashSettings& settings_;
  const CrashPlace place_;
  CrashRun run_;
  model::Random random_;
  sqlite::PowerLoss power_;
  sqlite::VfsShim shim_{power_};
  const bool full_;
  const std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>(1);
  std::mutex mutex_;
  std::vector<Acknowledgement> acknowledged_;
  std::int64_t cuts_ = 0;
  std::int64_t cuts_while_opening_ = 0;
};

}  // namespace

int power(const std::vector<std::string>& arguments) {
  const std::optional<CrashSettings> settings = parse_crash(arguments);
  if (!settings || settings->generation || !settings->store.starts_with("sqlite:")) {
    return tell_usage(kUsage, arguments);
  }
  return PowerRun(*settings).run();
}

std::string sqlite_check(const std::string& path) {
  sqlite3* opened = nullptr;
  const int result = sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READWRITE, nullptr);
  const std::unique_ptr<sqlite3, int (*)(sqlite3*)> db(opened, sqlite3_close);
  if (result != SQLITE_OK) return "cannot open it";
  sqlite3_db_config(opened, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  sqlite3_busy_timeout(opened, 5'000);
  std::string answer;
  const auto add = [](void* to, int, char** values, char**) {
    *static_cast<std::string*>(to) += std::string(values[0]) + "\n";
    return 0;
  };
  if (sqlite3_exec(opened, "PRAGMA integrity_check", add, &answer, nullptr) != SQLITE_OK) {
    return sqlite3_errmsg(opened);
  }
  return answer == "ok\n" ? "" : answer;
}

}  // namespace pawl::soak
