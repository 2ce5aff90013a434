// The backend: one writer connection behind a queue, a few readers, the side file.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "checkpointer.h"
#include "names.h"
#include "options.h"
#include "pawl/backend.h"
#include "pawl/driver/gate.h"
#include "pawl/open.h"
#include "place.h"
#include "reader_pool.h"
#include "side_file.h"
#include "write_queue.h"

namespace pawl::sqlite {

class SqliteBackend final : public Backend {
 public:
  SqliteBackend(const Place& place, const OpenOptions& options);
  ~SqliteBackend() override;

  driver::Facts look(const driver::Query& query) override;
  driver::Readings transact(const driver::Query& query, const Decide& decide) override;
  std::uint64_t changes() override;
  void wait(std::uint64_t seen, std::chrono::steady_clock::time_point until) override;
  void close() override;
  Info info() const override;
  Stats stats() override;

  // For tests, while no operation is under way.
  Connection& writer() { return *handles_->writer; }
  ReaderPool& readers() { return handles_->readers; }
  SideFile& side_file() { return handles_->side_file; }
  WriteQueue& queue() { return handles_->queue; }

 private:
  // What holds descriptors. A child process lets go of it without closing anything.
  struct Handles {
    Handles(const Place& place, const OpenOptions& options, const EngineOptions& engine,
            NameCache& names, Clock& clock);

    SideFile side_file;
    std::unique_ptr<Connection> writer;
    ReaderPool readers;
    std::unique_ptr<Checkpointer> checkpointer;
    WriteQueue queue;
  };

  const EngineOptions engine_;
  const Durability durability_;
  const std::chrono::milliseconds wake_poll_;
  const std::shared_ptr<Clock> clock_;
  NameCache names_;
  driver::Gate gate_{"sqlite"};
  std::unique_ptr<Handles> handles_;
};

// "SQLite 3.40.1"
std::string engine();

// Whether this SQLite can corrupt a file when one connection's commit resets the write-ahead
// log while another writes it back. `version` is that of sqlite3_libversion_number().
bool has_wal_reset_bug(int version);

// Whether the log is written back in a thread of its own (checkpointer.h).
bool uses_checkpointer(const OpenOptions& options, int version);

}  // namespace pawl::sqlite
