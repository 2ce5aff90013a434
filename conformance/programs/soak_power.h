// Storage that can lose power, beneath a store: one for each engine whose files can be watched.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "model/random.h"
#include "pawl/open.h"
#include "pawl/store.h"

namespace pawl::soak {

class Disk {
 public:
  virtual ~Disk() = default;

  // Makes files small, so that much happens to them.
  virtual void tune(OpenOptions& options, model::Random& random) const = 0;
  virtual Store open(const std::string& path, const OpenOptions& options) = 0;
  // Whether a store without power may say so, besides unavailable and in_doubt.
  virtual bool is_for_want_of_power(const Error& error) const = 0;

  virtual void cut_after(std::int64_t changes) = 0;
  virtual void cut() = 0;
  virtual bool is_cut() const = 0;
  // What survived. The store is closed, and lay at `path`.
  virtual void restore(const std::string& path, model::Random& random) = 0;
  virtual std::int64_t unsynced() const = 0;
  virtual std::int64_t dropped() const = 0;
};

// By a class with these five methods, as the backends' tests have them.
template <class PowerLoss>
class DiskOf : public Disk {
 public:
  explicit DiskOf(std::shared_ptr<PowerLoss> power) : power_(std::move(power)) {}
  void cut_after(std::int64_t changes) override { power_->cut_after(changes); }
  void cut() override { power_->cut(); }
  bool is_cut() const override { return power_->is_cut(); }
  std::int64_t unsynced() const override { return power_->unsynced(); }
  std::int64_t dropped() const override { return power_->dropped(); }

 protected:
  const std::shared_ptr<PowerLoss> power_;
};

// Where the backends are built.
std::unique_ptr<Disk> make_sqlite_disk(std::uint64_t seed);
std::unique_ptr<Disk> make_rocksdb_disk(std::uint64_t seed);

}  // namespace pawl::soak
