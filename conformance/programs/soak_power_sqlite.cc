// SQLite's files under `pawl_soak power`, and what SQLite itself says of them.
#include <sqlite3.h>

#include <filesystem>
#include <memory>

#include "soak_crash.h"
#include "soak_power.h"
#include "vfs/power_loss.h"

namespace pawl::soak {
namespace {

class SqliteDisk final : public DiskOf<sqlite::PowerLoss> {
 public:
  explicit SqliteDisk(std::uint64_t seed) : DiskOf(std::make_shared<sqlite::PowerLoss>(seed)) {}

  void tune(OpenOptions& options, model::Random& random) const override {
    // Small logs: much is written back, and logs begin anew.
    options.engine.try_emplace("checkpoint_pages", std::to_string(random.between(16, 200)));
  }
  Store open(const std::string& path, const OpenOptions& options) override {
    return pawl::open("sqlite:" + path, options);
  }
  bool is_for_want_of_power(const Error& error) const override {
    return error.native() == "SQLITE_CANTOPEN";
  }
  void restore(const std::string& path, model::Random& random) override {
    // The lock file is not SQLite's, and nobody syncs it.
    if (random.chance(50)) std::filesystem::remove(path + "-lock");
    power_->restore();
  }

 private:
  sqlite::VfsShim shim_{*power_};
};

}  // namespace

std::unique_ptr<Disk> make_sqlite_disk(std::uint64_t seed) {
  return std::make_unique<SqliteDisk>(seed);
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
