// The stores that are open in this process. Those that still are when it ends are closed then: the
// next that goes are objects that RocksDB made when a database was opened first, and that closing
// one needs. So a store may be static.
#pragma once

#include <cstdlib>
#include <mutex>
#include <set>

#include "per_process.h"

namespace pawl::rocksdb {

// `Open` has a method close().
template <class Open>
class AtExit {
 public:
  static AtExit& instance() { return of_this_process<AtExit>(); }

  // One that has been opened.
  void add(Open* open) {
    const std::lock_guard lock(mutex_);
    if (!is_registered_) is_registered_ = std::atexit([] { instance().close_all(); }) == 0;
    open_.insert(open);
  }

  // Before it goes: waits until it has been closed, if the process ends.
  void remove(Open* open) {
    const std::lock_guard lock(mutex_);
    open_.erase(open);
  }

 private:
  void close_all() {
    const std::lock_guard lock(mutex_);
    for (Open* open : open_) open->close();
  }

  std::mutex mutex_;
  bool is_registered_ = false;
  std::set<Open*> open_;
};

}  // namespace pawl::rocksdb
