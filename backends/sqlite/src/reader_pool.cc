// A few connections that serve reads.
#include "reader_pool.h"

namespace pawl::sqlite {

std::unique_ptr<Connection> ReaderPool::take() {
  std::unique_lock lock(mutex_);
  given_back_.wait(lock, [this] { return !idle_.empty() || count_ < most_; });
  if (!idle_.empty()) {
    std::unique_ptr<Connection> connection = std::move(idle_.back());
    idle_.pop_back();
    return connection;
  }
  ++count_;
  lock.unlock();
  try {
    return open_();
  } catch (...) {
    lock.lock();
    --count_;
    given_back_.notify_one();
    throw;
  }
}

void ReaderPool::give_back(std::unique_ptr<Connection> connection) {
  {
    const std::lock_guard lock(mutex_);
    // One that could not even end its transaction would keep its read mark for ever.
    if (connection->in_transaction()) {
      --count_;
    } else {
      idle_.push_back(std::move(connection));
    }
  }
  given_back_.notify_one();
}

}  // namespace pawl::sqlite
