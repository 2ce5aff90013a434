// raw_sqlite.cc: see raw_sqlite.h.
#include "raw_sqlite.h"

#include <sqlite3.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "sqlite/src/schema.h"

namespace pawl::bench {
namespace {

void check(sqlite3* db, int code) {
  if (code != SQLITE_OK && code != SQLITE_DONE && code != SQLITE_ROW) {
    throw std::runtime_error(std::string("raw sqlite: ") + sqlite3_errmsg(db));
  }
}

class Statement {
 public:
  Statement(sqlite3* db, const char* sql) : db_(db) {
    check(db, sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement_, nullptr));
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // Runs to the end with these parameters; the first column of the last row.
  template <class... Values>
  std::int64_t run(const Values&... values) {
    int at = 0;
    (bind(++at, values), ...);
    std::int64_t first = 0;
    int code = SQLITE_ROW;
    while ((code = sqlite3_step(statement_)) == SQLITE_ROW) {
      first = sqlite3_column_int64(statement_, 0);
    }
    check(db_, code);
    sqlite3_reset(statement_);
    return first;
  }

 private:
  void bind(int at, std::int64_t value) { sqlite3_bind_int64(statement_, at, value); }
  void bind(int at, const std::string& text) {
    sqlite3_bind_text(statement_, at, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
  }

  sqlite3* db_;
  sqlite3_stmt* statement_ = nullptr;
};

// One connection with the transactions' bodies.
class Rows {
 public:
  Rows(const Settings& settings, int threads) {
    const std::string path = settings.scratch + "/raw.db";
    check(nullptr, sqlite3_open(path.c_str(), &db_));
    execute("PRAGMA journal_mode = WAL");
    execute(settings.full ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
    execute("PRAGMA cache_size = -8192");
    execute(sqlite::kSchema);
    execute("INSERT INTO name (id, text) VALUES (1, 'worker'), (2, 'work'), (3, 'done')");
    prepare();
    for (int thread = 0; thread < threads; ++thread) {
      insert_session_->run(std::int64_t{thread}, name_of_session(thread));
    }
  }
  ~Rows() {
    statements_.clear();
    sqlite3_close(db_);
  }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  void begin() { begin_->run(); }
  void commit() { commit_->run(); }

  void append(std::int64_t session, std::int64_t first, std::int64_t count) {
    for (std::int64_t index = first; index < first + count; ++index) {
      insert_event_->run(session, index, "0192e4a0-0000-7000-8000-" + std::to_string(index),
                         std::int64_t{2}, now_, payload_);
      insert_cursor_->run(session, index, now_);
    }
    put_ready_->run(session, now_, name_of_session(session));
    move_session_->run(session, first + count - 1);
  }

  void claim(std::int64_t session, bool only) {
    const std::int64_t index = first_due_->run(session);
    claim_cursor_->run(session, index, now_ + 3'600'000, now_);
    if (only) move_ready_->run(session, now_ + 3'600'000);
    read_event_->run(session, index);
  }

  // `follow_up`: the index of an event to append; 0: none.
  void complete(std::int64_t session, std::int64_t index, std::int64_t follow_up, bool only) {
    if (follow_up > 0) {
      insert_event_->run(session, follow_up, "done-" + std::to_string(index), std::int64_t{3}, now_,
                         payload_);
      move_session_->run(session, follow_up);
    }
    delete_cursor_->run(session, index);
    insert_work_->run(session, index, now_);
    if (only) delete_ready_->run(session);
  }

 private:
  static std::string name_of_session(std::int64_t thread) {
    return "session-" + std::to_string(thread);
  }

  void execute(const char* sql) { check(db_, sqlite3_exec(db_, sql, nullptr, nullptr, nullptr)); }

  Statement* add(const char* sql) {
    statements_.push_back(std::make_unique<Statement>(db_, sql));
    return statements_.back().get();
  }

  void prepare() {
    begin_ = add("BEGIN IMMEDIATE");
    commit_ = add("COMMIT");
    insert_session_ = add("INSERT INTO session VALUES (?1, ?2, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1)");
    move_session_ = add("UPDATE session SET last_index = ?2 WHERE id = ?1");
    insert_event_ =
        add("INSERT INTO event (session, idx, id, type, created_at, era, targets, payload) "
            "VALUES (?1, ?2, ?3, ?4, ?5, 0, x'0101', ?6)");
    insert_cursor_ =
        add("INSERT INTO cursor VALUES (?1, 0, 1, x'', ?2, 2, ?2 - 1, ?2, 0, ?3, 0, 0, 0, NULL, 0, "
            "0, 0, NULL, NULL, 0, 0, x'', NULL)");
    put_ready_ = add(
        "INSERT INTO ready VALUES (?1, 1, 0, ?2, ?3) ON CONFLICT (session, consumer) DO NOTHING");
    first_due_ = add(
        "SELECT slot, cursor.* FROM cursor INDEXED BY cursor_due "
        "WHERE session = ?1 AND era = 0 AND consumer = 1 AND due = 0 ORDER BY due, head LIMIT 1");
    claim_cursor_ =
        add("UPDATE cursor SET attempt_count = 1, claim_holder = 'bench', due = ?3, since = 0, "
            "first_claimed_at = ?4, last_claimed_at = ?4 "
            "WHERE session = ?1 AND era = 0 AND consumer = 1 AND lane = x'' AND slot = ?2");
    move_ready_ = add("UPDATE ready SET due = ?2, since = 0 WHERE session = ?1 AND consumer = 1");
    read_event_ = add("SELECT * FROM event WHERE session = ?1 AND idx = ?2");
    delete_cursor_ =
        add("DELETE FROM cursor "
            "WHERE session = ?1 AND era = 0 AND consumer = 1 AND lane = x'' AND slot = ?2");
    insert_work_ = add("INSERT INTO work VALUES (?1, 1, x'', ?2, 0, ?3, x'0101')");
    delete_ready_ = add("DELETE FROM ready WHERE session = ?1 AND consumer = 1");
  }

  sqlite3* db_ = nullptr;
  std::vector<std::unique_ptr<Statement>> statements_;
  Statement *begin_, *commit_, *insert_session_, *move_session_, *insert_event_, *insert_cursor_,
      *put_ready_, *first_due_, *claim_cursor_, *move_ready_, *read_event_, *delete_cursor_,
      *insert_work_, *delete_ready_;
  std::string payload_ = payload();
  std::int64_t now_ = 1'700'000'000'000;
};

// Runs transactions' bodies, each alone under a mutex or many in one commit.
class Runner {
 public:
  Runner(Rows& rows, RawLocking locking) : rows_(rows) {
    if (locking == RawLocking::kGroupCommit) writer_ = std::thread([this] { write(); });
  }
  ~Runner() {
    if (!writer_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_writer_.notify_one();
    writer_.join();
  }
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  void transact(const std::function<void()>& body) {
    if (!writer_.joinable()) {
      const std::lock_guard lock(mutex_);
      rows_.begin();
      body();
      rows_.commit();
      return;
    }
    std::unique_lock lock(mutex_);
    Waiting waiting{&body, false};
    queue_.push_back(&waiting);
    wake_writer_.notify_one();
    wake_threads_.wait(lock, [&] { return waiting.done; });
  }

 private:
  struct Waiting {
    const std::function<void()>* body;
    bool done;
  };

  void write() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_writer_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
      if (queue_.empty()) return;
      std::deque<Waiting*> group;
      group.swap(queue_);
      lock.unlock();
      rows_.begin();
      for (Waiting* waiting : group) (*waiting->body)();
      rows_.commit();
      lock.lock();
      for (Waiting* waiting : group) waiting->done = true;
      wake_threads_.notify_all();
    }
  }

  Rows& rows_;
  std::mutex mutex_;
  std::condition_variable wake_writer_;
  std::condition_variable wake_threads_;
  std::deque<Waiting*> queue_;
  bool stopping_ = false;
  std::thread writer_;
};

class RawSqliteLoop final : public Loop {
 public:
  RawSqliteLoop(RawLocking locking, const Settings& settings)
      : locking_(locking), settings_(settings) {}

  void prepare(int threads, std::int64_t turns) override {
    rows_ = std::make_unique<Rows>(settings_, threads);
    sessions_.resize(threads);
    const bool claims = settings_.work == Work::kClaim || settings_.work == Work::kComplete;
    for (int thread = 0; claims && thread < threads; ++thread) {
      rows_->begin();
      rows_->append(thread, 1, turns);
      for (std::int64_t i = 0; settings_.work == Work::kComplete && i < turns; ++i) {
        rows_->claim(thread, false);
      }
      rows_->commit();
      sessions_[thread].last = turns;
    }
    runner_ = std::make_unique<Runner>(*rows_, locking_);
  }

  void turn(int thread) override {
    Session& session = sessions_[thread];
    switch (settings_.work) {
      case Work::kAppend1:
        return append(thread, 1);
      case Work::kAppend100:
        return append(thread, 100);
      case Work::kClaim:
        return runner_->transact([&] { rows_->claim(thread, false); });
      case Work::kComplete:
        ++session.done;
        ++session.last;
        return runner_->transact(
            [&] { rows_->complete(thread, session.done, session.last, false); });
      case Work::kCycle:
        append(thread, 1);
        runner_->transact([&] { rows_->claim(thread, true); });
        return runner_->transact([&] { rows_->complete(thread, session.last, 0, true); });
      case Work::kHundreds:
        throw std::logic_error("bench: there is no raw loop by hundreds");
    }
  }

 private:
  struct Session {
    std::int64_t last = 0;
    std::int64_t done = 0;
  };

  void append(int thread, std::int64_t count) {
    Session& session = sessions_[thread];
    runner_->transact([&] { rows_->append(thread, session.last + 1, count); });
    session.last += count;
  }

  RawLocking locking_;
  Settings settings_;
  std::vector<Session> sessions_;
  std::unique_ptr<Rows> rows_;
  std::unique_ptr<Runner> runner_;
};

}  // namespace

std::unique_ptr<Loop> make_raw_sqlite_loop(RawLocking locking, const Settings& settings) {
  return std::make_unique<RawSqliteLoop>(locking, settings);
}

const char* raw_sqlite_carries() {
  return "all tables and indexes of backends/sqlite/src/schema.h; writes event (3 indexes), "
         "cursor (key, due), ready (2), session, work (2); no look-ups of ids, types or served "
         "consumers";
}

}  // namespace pawl::bench
