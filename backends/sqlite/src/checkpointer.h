// Writes the log back beside the writers, in a thread of its own.
//
// Only with an SQLite without the WAL-reset bug (sqlite_backend.h), and in relaxed mode: in full
// mode a writer that checkpoints early overwrites a short log, which syncs faster than one that
// grows meanwhile.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "connection.h"

namespace pawl::sqlite {

class Checkpointer {
 public:
  using Open = std::function<std::unique_ptr<Connection>()>;

  // `open` is called in the thread, when a checkpoint is first wanted.
  explicit Checkpointer(Open open);
  // Waits for the checkpoint that is under way.
  ~Checkpointer();
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;

  // Wants a checkpoint. Those that are wanted during one are one more.
  void wake();

  // For tests: until none is wanted or under way.
  void wait_until_idle();

 private:
  void work();
  void checkpoint();

  const Open open_;
  std::unique_ptr<Connection> connection_;  // of the thread
  std::mutex mutex_;
  std::condition_variable changed_;
  bool wanted_ = false;
  bool busy_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace pawl::sqlite
