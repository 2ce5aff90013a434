// Tells other stores of commits, and hears of theirs: LISTEN and NOTIFY on a connection and a
// thread of its own.
//
// A hint, behind which `wait` polls. It is not part of the transactions: a NOTIFY inside one holds
// a lock of the whole database through the commit's sync. So commits ring here, and those that
// come close together are told as one.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "connection.h"

namespace pawl::postgres {

class Notifier {
 public:
  // `heard` is called on the thread when another store may have committed.
  Notifier(Target target, std::chrono::milliseconds connect_timeout, const std::string& schema,
           std::function<void()> heard);
  ~Notifier();
  Notifier(const Notifier&) = delete;
  Notifier& operator=(const Notifier&) = delete;

  // Listens from now on, if it does not yet.
  void start();
  // Tells others that this store has committed.
  void ring();

  // Whether start() has been called, and whether it listens now.
  bool is_started();
  bool is_listening();

 private:
  void run();
  void serve(PGconn* connection);
  void wake_thread();
  bool sleep(PGconn* connection, std::chrono::milliseconds timeout);
  void execute(PGconn* connection, const std::string& text);
  void hear(PGconn* connection);
  bool stopped();

  const Target target_;
  const std::chrono::milliseconds connect_timeout_;
  const std::string channel_;
  const std::function<void()> heard_;
  const int bell_;  // an eventfd that wakes the thread
  std::mutex mutex_;
  bool rung_ = false;
  bool stop_ = false;
  bool listening_ = false;
  std::thread thread_;
};

}  // namespace pawl::postgres
