// The backend: a pool of connections, and one that listens.
//
// An operation is two round trips: a load that locks, and a write. Where the store remembers all
// that the operation is decided on (known.h), it is one: the write, behind a guard (guarded.h). A
// guard that fails has changed nothing, and what the operation needs is loaded.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <string>

#include "guarded.h"
#include "known.h"
#include "loader.h"
#include "notifier.h"
#include "options.h"
#include "pawl/backend.h"
#include "pawl/driver/gate.h"
#include "pawl/open.h"
#include "pool.h"

namespace pawl::postgres {

class PostgresBackend final : public Backend {
 public:
  PostgresBackend(std::string_view uri, const OpenOptions& options, ConnectionSource source);
  ~PostgresBackend() override;

  driver::Facts look(const driver::Query& query) override;
  driver::Readings transact(const driver::Query& query, const Decide& decide) override;
  std::uint64_t changes() override;
  void wait(std::uint64_t seen, std::chrono::steady_clock::time_point until) override;
  void close() override;
  Info info() const override;
  Stats stats() override;

  // For tests.
  Pool& pool() { return handles_->pool; }
  Notifier* notifier() { return handles_->notifier.get(); }

 private:
  // What holds sockets. A child process lets go of it without closing anything.
  struct Handles {
    Handles(PostgresBackend& backend, ConnectionSource source);

    Pool pool;
    std::unique_ptr<Notifier> notifier;
  };

  static std::uint64_t seed();
  template <class Work>
  auto run(const Work& work);
  void refuse(const Refused& refused, std::chrono::steady_clock::time_point until) const;
  void send_load(Connection& connection, Loader& loader, bool lock) const;
  std::optional<KnownSession> recall(const driver::Query& query);
  std::optional<driver::Readings> try_known(Connection& connection, KnownSession& known,
                                            const driver::Query& query, const Decide& decide);
  driver::Readings try_transact(Connection& connection, const driver::Query& query,
                                const Decide& decide, std::optional<KnownSession> before);
  std::int64_t draw_revision();
  void tell(const driver::Effects& effects);
  [[noreturn]] void refuse_answer(Connection& connection, const driver::Effects& effects) const;
  void note_change();

  const EngineOptions engine_;
  const Durability durability_;
  const std::chrono::milliseconds busy_timeout_;
  const std::chrono::milliseconds wake_poll_;
  const std::shared_ptr<Clock> clock_;  // absent: the server's
  const std::shared_ptr<const ConnectionOptions> connection_;
  std::string server_version_;
  driver::Gate gate_{"postgres"};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t changes_ = 0;
  std::atomic<std::int64_t> tried_again_ = 0;
  KnownSessions known_;
  std::mt19937_64 revisions_{seed()};
  std::atomic<std::int64_t> guarded_ = 0;
  std::atomic<std::int64_t> guards_failed_ = 0;
  std::unique_ptr<Handles> handles_;
};

// Connections that are made anew, and closed.
ConnectionSource fresh_connections();

// "libpq 15.18"
std::string engine();

}  // namespace pawl::postgres
