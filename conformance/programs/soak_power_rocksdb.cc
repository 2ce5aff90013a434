// RocksDB's files under `pawl_soak power`.
#include <rocksdb/env.h>

#include "rocksdb/src/backend.h"
#include "rocksdb/tests/fs/power_loss.h"
#include "soak_power.h"

namespace pawl::soak {
namespace {

class RocksDisk final : public DiskOf<rocksdb::PowerLoss> {
 public:
  explicit RocksDisk(std::uint64_t seed) : DiskOf(std::make_shared<rocksdb::PowerLoss>(seed)) {}

  void tune(OpenOptions& options, model::Random&) const override {
    options.engine.try_emplace("write_buffer_mib", "1");
    options.engine.try_emplace("wal_mib", "1");
  }
  Store open(const std::string& path, const OpenOptions& options) override {
    return Store(std::make_unique<rocksdb::RocksBackend>(path, options, env_.get()),
                 {options.max_payload_bytes, options.max_call_bytes, options.ids});
  }
  bool is_for_want_of_power(const Error&) const override { return false; }
  void restore(const std::string&, model::Random&) override { power_->restore(); }

 private:
  const std::unique_ptr<::rocksdb::Env> env_ = ::rocksdb::NewCompositeEnv(power_);
};

}  // namespace

std::unique_ptr<Disk> make_rocksdb_disk(std::uint64_t seed) {
  return std::make_unique<RocksDisk>(seed);
}

}  // namespace pawl::soak
