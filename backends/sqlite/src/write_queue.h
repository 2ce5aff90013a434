// Writers of one store, one after the other, several in one transaction.
//
// Those who wait share the next one (pawl/driver/groups.h): whoever leads them takes the file's
// lock and carries out what they want in one transaction (group commit: one sync for all).
//
// A decide that throws has written nothing and disturbs nobody. Whatever else goes wrong
// undoes the whole group, and each is carried out again by itself.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <span>

#include "connection.h"
#include "names.h"
#include "pawl/backend.h"
#include "pawl/clock.h"
#include "pawl/driver/groups.h"
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
  std::size_t size() { return groups_.size(); }
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
  using Groups = driver::Groups<Request>;

  // Whoever does owns the connection.
  void lead(Groups::Turn& turn, Request& own);
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

  Groups groups_;
};

}  // namespace pawl::sqlite
