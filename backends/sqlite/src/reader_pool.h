// A few connections that serve reads, opened as they are needed.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "connection.h"

namespace pawl::sqlite {

class ReaderPool {
 public:
  using Open = std::function<std::unique_ptr<Connection>()>;

  ReaderPool(std::size_t most, Open open) : most_(most), open_(std::move(open)) {}

  // A connection for one read. Waits for one to be given back when all are in use.
  class Lease {
   public:
    explicit Lease(ReaderPool& pool) : pool_(pool), connection_(pool.take()) {}
    ~Lease() { pool_.give_back(std::move(connection_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Connection& operator*() const { return *connection_; }

   private:
    ReaderPool& pool_;
    std::unique_ptr<Connection> connection_;
  };

  // For tests: all connections that are not in use.
  const std::vector<std::unique_ptr<Connection>>& idle() const { return idle_; }

 private:
  std::unique_ptr<Connection> take();
  void give_back(std::unique_ptr<Connection> connection);

  const std::size_t most_;
  const Open open_;
  std::mutex mutex_;
  std::condition_variable given_back_;
  std::size_t count_ = 0;
  std::vector<std::unique_ptr<Connection>> idle_;
};

}  // namespace pawl::sqlite
