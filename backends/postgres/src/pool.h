// The connections of a store: a bounded number, each lent to one thread at a time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "connection.h"

namespace pawl::postgres {

// Where a pool has its connections from, and where they go when it ends. Tests keep them.
struct ConnectionSource {
  std::function<std::unique_ptr<Connection>(const std::shared_ptr<const ConnectionOptions>&)> open;
  std::function<void(std::unique_ptr<Connection>)> retire;
};

class Pool {
 public:
  using Options = std::shared_ptr<const ConnectionOptions>;

  Pool(std::size_t most, Options options, ConnectionSource source)
      : most_(most), options_(std::move(options)), source_(std::move(source)) {}
  ~Pool();

  // A connection for as long as it lives. One that is not clean then is closed.
  class Lease {
   public:
    Lease(Pool& pool, std::unique_ptr<Connection> connection, bool reused)
        : pool_(&pool), connection_(std::move(connection)), reused_(reused) {}
    ~Lease() { pool_->give_back(std::move(connection_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    Connection& operator*() const { return *connection_; }
    Connection* operator->() const { return connection_.get(); }
    // It has been lent before, and may have broken while nobody used it.
    bool reused() const { return reused_; }

   private:
    Pool* pool_;
    std::unique_ptr<Connection> connection_;
    bool reused_;
  };

  // The one that was used last, or a new one. Waits while all are lent; kBusy at `until`.
  Lease take(std::chrono::steady_clock::time_point until);

  // Closes all that nobody uses: one of them was found broken, so the others may be.
  void drop_idle();

  struct Counts {
    std::size_t in_use = 0;
    std::size_t idle = 0;
  };
  Counts counts();

  // For tests, while no operation is under way.
  const std::vector<std::unique_ptr<Connection>>& idle() const { return idle_; }

 private:
  void give_back(std::unique_ptr<Connection> connection) noexcept;

  const std::size_t most_;
  const Options options_;
  const ConnectionSource source_;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::size_t lent_ = 0;
  std::vector<std::unique_ptr<Connection>> idle_;
};

}  // namespace pawl::postgres
