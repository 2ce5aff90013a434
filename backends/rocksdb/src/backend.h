// The transaction: locks, load, decide, one batch.
#pragma once

#include <memory>
#include <string>

#include "database.h"
#include "loader.h"
#include "pawl/backend.h"
#include "pawl/driver/gate.h"
#include "pawl/open.h"
#include "writer.h"

namespace pawl::rocksdb {

std::string engine();

class RocksBackend final : public Backend {
 public:
  // `env` is for tests; null: the system's.
  RocksBackend(std::string path, const OpenOptions& options, ::rocksdb::Env* env = nullptr);
  ~RocksBackend() override;

  driver::Facts look(const driver::Query& query) override;
  driver::Readings transact(const driver::Query& query, const Decide& decide) override;
  std::uint64_t changes() override;
  void wait(std::uint64_t seen, std::chrono::steady_clock::time_point until) override;
  void close() override;
  Info info() const override;
  Stats stats() override;

  // For tests.
  ::rocksdb::DB& db() { return database_->db(); }

 private:
  template <class Work>
  auto telling_damage(const Work& work) const;
  driver::Facts load(const driver::Query& query, const View& view, const Fronts::Taken& taken,
                     StripeLocks& locks);
  void load_rest(const driver::Query& query, const Ranges& ranges, driver::Facts& facts);
  void pick(const driver::Pick& pick, const Ranges& ranges, StripeLocks& locks,
            driver::Facts& facts);
  void commit(Writer& writer);

  const std::string path_;
  const EngineOptions options_;
  const Durability durability_;
  const std::shared_ptr<Clock> clock_;
  driver::Gate gate_{"rocksdb"};
  DatabasePtr database_;
};

}  // namespace pawl::rocksdb
