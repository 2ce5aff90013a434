// Lets operations in until the store is closed, and waits for them then. A child process
// of fork finds it closed: connections are its parent's.
#pragma once

#include <unistd.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <utility>

#include "pawl/error.h"

namespace pawl::postgres {

class Gate {
 public:
  // One operation under way.
  class Pass {
   public:
    explicit Pass(Gate& gate) : gate_(gate) { gate_.enter(); }
    ~Pass() { gate_.leave(); }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

   private:
    Gate& gate_;
  };

  bool is_child() const { return getpid() != owner_; }

  bool is_closed() {
    const std::lock_guard lock(mutex_);
    return closed_;
  }

  // Later operations throw kClosed. False if it was shut before.
  bool shut() {
    const std::lock_guard lock(mutex_);
    return !std::exchange(closed_, true);
  }

  void wait_until_empty() {
    std::unique_lock lock(mutex_);
    left_.wait(lock, [this] { return inside_ == 0; });
  }

 private:
  void enter() {
    // Before the mutex: another thread of the parent may have held it when it forked.
    if (is_child()) {
      throw Error(ErrorCode::kClosed,
                  "postgres: the store belongs to the parent process; open it anew in this one");
    }
    const std::lock_guard lock(mutex_);
    if (closed_) throw Error(ErrorCode::kClosed, "postgres: the store is closed");
    ++inside_;
  }

  void leave() {
    const std::lock_guard lock(mutex_);
    if (--inside_ == 0) left_.notify_all();
  }

  const pid_t owner_ = getpid();
  std::mutex mutex_;
  std::condition_variable left_;
  std::int64_t inside_ = 0;
  bool closed_ = false;
};

}  // namespace pawl::postgres
