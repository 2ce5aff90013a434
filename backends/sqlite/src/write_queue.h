// Writers of one store, one after the other, several in one transaction.
//
// A thread that finds nobody else waiting works by itself. Otherwise it joins the last group, or
// begins one and leads it: when the group before is done it takes the file's lock, carries out what
// has joined by then in one transaction (group commit: one sync for all), wakes all of them by one
// call and hands over to the next.
//
// A decide that throws has written nothing and disturbs nobody. Whatever else goes wrong
// undoes the whole group, and each is carried out again by itself.
#pragma once

#include <chrono>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "connection.h"
#include "names.h"
#include "pawl/backend.h"
#include "pawl/clock.h"
#include "pawl/driver/flag.h"
#include "session_cache.h"
#include "side_file.h"

namespace pawl::sqlite {

class Checkpointer;

struct WriteQueueOptions {
  std::chrono::milliseconds busy_timeout{5'000};
  std::size_t group_limit = 128;
  int checkpoint_pages = 2'000;
  Checkpointer* checkpointer = nullptr;  // none: writers write the log back
};

class WriteQueue {
 public:
  WriteQueue(Connection& connection, SideFile& side_file, NameCache& names, Clock& clock,
             const WriteQueueOptions& options);

  driver::Readings run(const driver::Query& query, const Backend::Decide& decide);

  // For tests: how many operations wait or are under way; what is remembered, while none is.
  std::size_t size();
  const SessionCache& remembered() const { return sessions_; }

  // Writes the log back as far as it goes, unless others keep the file locked.
  void checkpoint_on_close();

 private:
  using Deadline = std::chrono::steady_clock::time_point;

  struct Request {
    const driver::Query& query;
    const Backend::Decide& decide;
    Deadline deadline;
    driver::Readings readings = {};
    std::exception_ptr error = {};
    bool done = false;
  };
  struct Group {
    std::vector<Request*> requests;  // the first one leads
    bool is_closed = false;          // nobody joins any more
    driver::Flag is_next;
    driver::Flag is_done;
  };
  struct Joined {
    std::shared_ptr<Group> group;
    bool leads = false;
  };

  Joined join(Request& request);
  void lead(Group& group, Request& own);
  void close(Group& group);
  static void finish(Group& group);
  void hand_over(Group& group);

  void execute(std::span<Request* const> group);
  bool execute_together(std::span<Request* const> group);
  void execute_alone(Request& request);
  // Load, decide, apply. Returns whether anything was written; a decide that throws is
  // the request's error.
  bool carry_out(Request& request, Names& names);
  void limit_waiting(const Request& request);
  void keep_log_short();
  void write_log_back(int pages);
  void note(const Connection::Log& log);
  std::int64_t patience_at(int pages) const;

  Connection& connection_;
  SideFile& side_file_;
  NameCache& names_;
  SessionCache sessions_;
  Clock& clock_;
  const WriteQueueOptions options_;
  int next_checkpoint_at_;
  int written_back_ = 0;         // by the last checkpoint
  Deadline readers_moved_at_{};  // when a checkpoint last wrote back other pages than before

  std::mutex mutex_;
  std::deque<std::shared_ptr<Group>> groups_;  // whoever leads the first one owns the connection
};

}  // namespace pawl::sqlite
