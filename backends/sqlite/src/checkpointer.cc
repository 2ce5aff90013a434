// The thread that checkpoints.
#include "checkpointer.h"

#include <sqlite3.h>

#include <utility>

namespace pawl::sqlite {

Checkpointer::Checkpointer(Open open) : open_(std::move(open)), thread_([this] { work(); }) {}

Checkpointer::~Checkpointer() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Checkpointer::wake() {
  {
    const std::lock_guard lock(mutex_);
    wanted_ = true;
  }
  changed_.notify_all();
}

void Checkpointer::wait_until_idle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !wanted_ && !busy_; });
}

void Checkpointer::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return wanted_ || stopping_; });
    if (stopping_) return;
    wanted_ = false;
    busy_ = true;
    lock.unlock();
    checkpoint();
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

void Checkpointer::checkpoint() {
  try {
    if (!connection_) connection_ = open_();
    connection_->checkpoint(SQLITE_CHECKPOINT_PASSIVE);
  } catch (const std::exception&) {
    // What was committed stands in the log; the writers want another one soon, and write the log
    // back themselves when it grows all the same.
  }
}

}  // namespace pawl::sqlite
