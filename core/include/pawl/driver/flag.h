// pawl/driver/flag.h: a flag that is raised once, and that threads sleep on until then: at once, by
// one call to the system, and woken together by one. For authors of backends whose writers share a
// commit. What was written before raise() is seen after wait().
//
// Instead of a condition variable, which wakes each thread into the mutex that the others need,
// and of std::atomic::wait, which yields the processor four times before it sleeps and so hinders
// those who have work. Linux only.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>

namespace pawl::driver {

// Both methods may be called from any thread; raise() more than once, which changes nothing. The
// flag has to outlive the call to raise(), not only the waiting: let all of them share it.
class Flag {
 public:
  void wait() {
    int seen = kDown;
    word_.compare_exchange_strong(seen, kSlept);
    while (word_.load(std::memory_order_acquire) != kUp) call(FUTEX_WAIT_PRIVATE, kSlept);
  }

  void raise() {
    if (word_.exchange(kUp) == kSlept) call(FUTEX_WAKE_PRIVATE, INT_MAX);
  }

 private:
  enum Word : int { kDown, kSlept, kUp };

  void call(int operation, int value) {
    static_assert(sizeof word_ == sizeof(int) && std::atomic<int>::is_always_lock_free);
    syscall(SYS_futex, &word_, operation, value, nullptr, nullptr, 0);
  }

  std::atomic<int> word_{kDown};
};

}  // namespace pawl::driver
