// Writers of one store, one after the other, several in one transaction.
#include "write_queue.h"

#include <sqlite3.h>

#include <algorithm>

#include "checkpointer.h"
#include "loader.h"
#include "transaction.h"
#include "writer.h"

namespace pawl::sqlite {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// How long a checkpoint that insists on an empty log waits for readers, at least and at most.
constexpr std::int64_t kPatienceMs = 100;
constexpr std::int64_t kLongestPatienceMs = 2'000;
// From how many times checkpoint_pages on it insists.
constexpr std::int64_t kInsistAt = 4;

// The lock on the file, for as long as it lives.
class FileLock {
 public:
  FileLock(SideFile& file, steady_clock::time_point deadline) : file_(file) {
    if (!file_.lock(deadline)) {
      throw Error(ErrorCode::kBusy, "sqlite: other processes kept the store locked");
    }
  }
  ~FileLock() { file_.unlock(); }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  SideFile& file_;
};

// A transaction that writes, with what the connection knows of sessions.
class WriteTransaction {
 public:
  WriteTransaction(Connection& connection, SessionCache& cache)
      : transaction_(connection, Sql::kBeginImmediate), use_(cache, connection) {}

  void commit() {
    transaction_.commit();
    use_.committed();
  }

 private:
  Transaction transaction_;
  SessionCache::Use use_;
};

}  // namespace

WriteQueue::WriteQueue(Connection& connection, SideFile& side_file, NameCache& names, Clock& clock,
                       const WriteQueueOptions& options)
    : connection_(connection),
      side_file_(side_file),
      names_(names),
      clock_(clock),
      options_(options),
      next_checkpoint_at_(options.checkpoint_pages),
      groups_(options.group_limit) {}

driver::Readings WriteQueue::run(const driver::Query& query, const Backend::Decide& decide) {
  Request request{query, decide, steady_clock::now() + options_.busy_timeout};
  while (!request.done) {
    groups_.join(request, 1, [&](Groups::Turn& turn) { lead(turn, request); });
  }
  if (request.error) std::rethrow_exception(request.error);
  return std::move(request.readings);
}

// When the file stays locked past the leader's time, the others join other groups.
void WriteQueue::lead(Groups::Turn& turn, Request& own) {
  try {
    const FileLock file_lock(side_file_, own.deadline);
    const std::vector<Request*>& requests = turn.members();
    execute(requests);
    for (Request* request : requests) request->done = true;
    turn.release_others();
    // Under the lock: a checkpoint beside another connection's commit can corrupt the file in
    // SQLite before 3.51.3 (https://www.sqlite.org/wal.html#walresetbug).
    keep_log_short();
  } catch (...) {
    if (!own.done) own.error = std::current_exception();
    own.done = true;
  }
}

void WriteQueue::execute(std::span<Request* const> group) {
  if (group.size() > 1 && execute_together(group)) return;
  for (Request* request : group) execute_alone(*request);
}

bool WriteQueue::execute_together(std::span<Request* const> group) {
  bool wrote = false;
  Names names(connection_, names_);
  try {
    limit_waiting(*group.front());
    WriteTransaction transaction(connection_, sessions_);
    for (Request* request : group) wrote |= carry_out(*request, names);
    if (wrote) transaction.commit();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kInDoubt) return false;
    // What each of them saw may or may not have happened. Each thread gets an exception of its own:
    // one that they shared would be destroyed by the last of them, whom only the library's counting
    // keeps apart from the others.
    for (Request* request : group) {
      request->error = std::make_exception_ptr(Error(error.code(), error.what(), error.native()));
    }
    return true;
  } catch (...) {
    return false;
  }
  if (wrote) {
    side_file_.announce();
    names.publish();
  }
  return true;
}

void WriteQueue::execute_alone(Request& request) {
  request.readings = {};
  request.error = nullptr;
  Names names(connection_, names_);
  try {
    limit_waiting(request);
    bool wrote = false;
    {
      WriteTransaction transaction(connection_, sessions_);
      wrote = carry_out(request, names);
      if (wrote) transaction.commit();
    }
    if (!wrote) return;
    side_file_.announce();
    names.publish();
  } catch (...) {
    request.error = std::current_exception();
  }
}

bool WriteQueue::carry_out(Request& request, Names& names) {
  Scope scope{connection_, names, &sessions_};
  std::vector<Session> sessions;
  driver::Facts facts = load(scope, clock_, request.query, sessions);
  driver::Effects effects;
  try {
    effects = request.decide(std::move(facts));
  } catch (...) {
    request.error = std::current_exception();
    return false;
  }
  if (effects.writes()) sessions_.will_write();
  request.readings = apply(scope, sessions, effects);
  return effects.writes();
}

// Behind our own lock nobody should be in the way, but other programs may be.
void WriteQueue::limit_waiting(const Request& request) {
  const auto left = request.deadline - steady_clock::now();
  connection_.set_busy_timeout(std::chrono::duration_cast<milliseconds>(left).count());
}

void WriteQueue::keep_log_short() {
  const int pages = connection_.log_pages();
  if (pages < options_.checkpoint_pages) {
    next_checkpoint_at_ = options_.checkpoint_pages;
    return;
  }
  if (pages < next_checkpoint_at_) return;
  const bool is_short = pages < kInsistAt * options_.checkpoint_pages;
  if (options_.checkpointer != nullptr && is_short) {
    options_.checkpointer->wake();
  } else {
    write_log_back(pages);
  }
  next_checkpoint_at_ = pages + std::max(std::max(options_.checkpoint_pages, pages) / 4, 1);
}

void WriteQueue::write_log_back(int pages) {
  try {
    connection_.set_busy_timeout(0);
    note(connection_.checkpoint(SQLITE_CHECKPOINT_PASSIVE));
    if (const std::int64_t patience = patience_at(pages); patience > 0) {
      connection_.set_busy_timeout(patience);
      note(connection_.checkpoint(SQLITE_CHECKPOINT_RESTART));
    }
  } catch (const Error&) {
    // What was committed stands in the log; the next commit tries again.
  }
}

void WriteQueue::note(const Connection::Log& log) {
  if (log.written_back == log.pages || log.written_back != written_back_) {
    readers_moved_at_ = steady_clock::now();
  }
  written_back_ = log.written_back;
}

// Readers keep parts of the log. Those of a short while are gone by the next checkpoint. Where some
// are always there, longer and longer ones are waited for: that bounds the log (pawl/sqlite.h). One
// that has stayed for long is not waited for any more.
std::int64_t WriteQueue::patience_at(int pages) const {
  const std::int64_t fold = pages / options_.checkpoint_pages;
  const std::int64_t most = std::min(kLongestPatienceMs, options_.busy_timeout.count() / 2);
  if (fold < kInsistAt || steady_clock::now() - readers_moved_at_ > milliseconds(most)) return 0;
  return std::max(std::min(kPatienceMs * fold * fold / (kInsistAt * kInsistAt), most), kPatienceMs);
}

void WriteQueue::checkpoint_on_close() {
  try {
    const FileLock file_lock(side_file_, steady_clock::now() + options_.busy_timeout);
    connection_.set_busy_timeout(kPatienceMs);
    connection_.checkpoint(SQLITE_CHECKPOINT_TRUNCATE);
  } catch (const Error&) {
    // The log keeps it all for whoever opens the file next.
  }
}

}  // namespace pawl::sqlite
