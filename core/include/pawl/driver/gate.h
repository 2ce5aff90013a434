// pawl/driver/gate.h: lets operations in until the store is closed, and waits for them then. A
// child process of fork finds it closed: handles, locks and connections are its parent's. For
// authors of backends. Every method may be called from any thread.
#pragma once

#include <unistd.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "pawl/error.h"

namespace pawl::driver {

class Gate {
 public:
  // `engine` begins what it throws. Borrowed: mostly a literal.
  explicit Gate(std::string_view engine) : engine_(engine) {}

  // One operation under way. Throws kClosed.
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
      refuse("the store belongs to the parent process; open it anew in this one");
    }
    const std::lock_guard lock(mutex_);
    if (closed_) refuse("the store is closed");
    ++inside_;
  }

  void leave() {
    const std::lock_guard lock(mutex_);
    if (--inside_ == 0) left_.notify_all();
  }

  [[noreturn]] void refuse(const char* why) const {
    throw Error(ErrorCode::kClosed, std::string(engine_) + ": " + why);
  }

  const std::string_view engine_;
  const pid_t owner_ = getpid();
  std::mutex mutex_;
  std::condition_variable left_;
  std::int64_t inside_ = 0;
  bool closed_ = false;
};

}  // namespace pawl::driver
