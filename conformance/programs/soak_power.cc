// `pawl_soak power`: a store on storage that loses power, again and again. Only for engines whose
// files can be watched (backends/sqlite/tests/vfs, backends/rocksdb/tests/fs).
#include <iostream>
#include <memory>

#include "soak.h"
#include "soak_crash.h"
#include "soak_power.h"

namespace pawl::soak {
namespace {

constexpr const char* kUsage =
    R"(pawl_soak power [--store URI] [--count N] [--seed S] [--out FILE]
  --store URI          sqlite:FOLDER or rocksdb:FOLDER: the store is made in a new folder there,
                       or among the temporary files when FOLDER is left out (sqlite:)
  --option NAME=VALUE  an option of the store, as often as needed
  --count N            how often power is lost (100)
  --seed S             of the load, the moments and what the disk keeps (a new one)
  --threads N          of the load (4); on SQLite, with 1 the same seed does the same
  --out FILE           writes the result there as JSON, too
Works on a store until the simulated storage loses power, leaves of what was not synced some or
nothing, in pieces and out of order, opens the store and checks it: with durability=full
everything acknowledged is there, once; with durability=relaxed sessions may have lost their ends.
Prints the result as JSON, and exits with 1 if something was found.
)";

std::unique_ptr<Disk> make_disk([[maybe_unused]] const CrashSettings& settings) {
#ifdef PAWL_SOAK_SQLITE
  if (settings.store.starts_with("sqlite:")) return make_sqlite_disk(settings.seed);
#endif
#ifdef PAWL_SOAK_ROCKSDB
  if (settings.store.starts_with("rocksdb:")) return make_rocksdb_disk(settings.seed);
#endif
  return nullptr;
}

class PowerRun {
 public:
  PowerRun(const CrashSettings& settings, Disk& disk)
      : settings_(settings),
        place_(settings.store),
        run_("power", settings_, place_),
        random_(settings.seed),
        disk_(disk),
        full_(settings.open_options().durability == Durability::kFull) {}

  int run() {
    std::cout << "seed " << settings_.seed << " on " << settings_.store << std::endl;
    for (std::int64_t i = 1; i <= settings_.count && !run_.has_failed(); ++i) {
      work_until_cut(i);
      disk_.restore(place_.path(), random_);
      for (const Acknowledgement& made : std::exchange(acknowledged_, {})) run_.ledger().add(made);
      run_.check(i, full_);
      clock_->advance(1'000);
      run_.tell_progress(i);
    }
    return run_.finish({{"cuts", cuts_},
                        {"cuts_while_opening", cuts_while_opening_},
                        {"unsynced", disk_.unsynced()},
                        {"dropped", disk_.dropped()}});
  }

 private:
  OpenOptions options() {
    OpenOptions options = settings_.open_options();
    options.clock = clock_;
    disk_.tune(options, random_);
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
    if (moment == Moment::kOpening) disk_.cut_after(changes);
    std::stop_source stop;
    bool is_first = true;
    try {
      Store store = disk_.open(place_.path(), options());
      Load load(store, settings_.seed, generation, [&](const Acknowledgement& made) {
        const std::lock_guard lock(mutex_);
        acknowledged_.push_back(made);
        if (!std::exchange(is_first, false)) return;
        if (moment == Moment::kWorking) disk_.cut_after(changes);
        if (moment == Moment::kClosing) stop.request_stop();
      });
      load.run(settings_.threads, stop.get_token());
      check_errors(load.errors(), moment == Moment::kClosing);
      if (moment == Moment::kClosing) disk_.cut_after(changes);
    } catch (const Error& error) {
      ++cuts_while_opening_;
      check_errors({error}, false);
    }
    disk_.cut();
    ++cuts_;
  }

  // Without power there is no other trouble than that.
  void check_errors(const std::vector<Error>& errors, bool has_power) {
    if (!disk_.is_cut() && !has_power) run_.ledger().find("the load ended before power was lost");
    for (const Error& error : errors) {
      const bool is_expected = error.code() == ErrorCode::kUnavailable ||
                               error.code() == ErrorCode::kInDoubt ||
                               disk_.is_for_want_of_power(error);
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
  Disk& disk_;
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
  const std::unique_ptr<Disk> disk =
      settings && !settings->generation ? make_disk(*settings) : nullptr;
  if (!disk) return tell_usage(kUsage, arguments);
  return PowerRun(*settings, *disk).run();
}

}  // namespace pawl::soak
