// Lending connections.
#include "pool.h"

#include "pawl/error.h"

namespace pawl::postgres {

Pool::~Pool() {
  for (std::unique_ptr<Connection>& connection : idle_) source_.retire(std::move(connection));
}

Pool::Lease Pool::take(std::chrono::steady_clock::time_point until) {
  {
    std::unique_lock lock(mutex_);
    if (!freed_.wait_until(lock, until, [this] { return lent_ < most_; })) {
      throw Error(ErrorCode::kBusy, "postgres: all connections of the store are in use");
    }
    ++lent_;
    if (!idle_.empty()) {
      std::unique_ptr<Connection> connection = std::move(idle_.back());
      idle_.pop_back();
      return {*this, std::move(connection), true};
    }
  }
  try {
    return {*this, source_.open(options_), false};
  } catch (...) {
    give_back(nullptr);
    throw;
  }
}

void Pool::drop_idle() {
  std::vector<std::unique_ptr<Connection>> dropped;
  const std::lock_guard lock(mutex_);
  dropped.swap(idle_);
}

Pool::Counts Pool::counts() {
  const std::lock_guard lock(mutex_);
  return {lent_, idle_.size()};
}

void Pool::give_back(std::unique_ptr<Connection> connection) noexcept {
  if (connection && !connection->is_clean()) connection.reset();
  {
    const std::lock_guard lock(mutex_);
    --lent_;
    if (connection) idle_.push_back(std::move(connection));
  }
  freed_.notify_one();
}

}  // namespace pawl::postgres
