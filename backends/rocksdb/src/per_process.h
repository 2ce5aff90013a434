// One object of a type in each process. A fork's child makes its own: mutexes of its parent's may
// have been held when it was made, by threads that it does not have.
#pragma once

#include <unistd.h>

#include <atomic>
#include <memory>

namespace pawl::rocksdb {

// Never destroyed: stores of static storage duration may be closed later.
template <class T>
T& of_this_process() {
  struct Made {
    const pid_t owner = getpid();
    T object;
  };
  static std::atomic<Made*> current{nullptr};
  Made* found = current.load();
  while (found == nullptr || found->owner != getpid()) {
    auto fresh = std::make_unique<Made>();
    if (current.compare_exchange_strong(found, fresh.get())) return fresh.release()->object;
  }
  return found->object;
}

}  // namespace pawl::rocksdb
