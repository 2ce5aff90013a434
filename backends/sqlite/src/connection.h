// A connection to the file, and statements on it.
//
// A Connection is used by one thread at a time. Its statements are prepared once and kept.
// A Statement is one execution: it is reset when it goes out of scope, also by an exception,
// so that no read mark stays behind (an open one lets the write-ahead log grow without end).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "errors.h"
#include "statements.h"

struct sqlite3;
struct sqlite3_stmt;

namespace pawl::sqlite {

class Connection;

// Arguments that are more than a number or a text. All borrow what they hold: it must
// outlive the Statement.
struct Lane {  // no lane: the empty blob
  const std::optional<std::string>& name;
};
struct OrNull {  // absent: NULL
  const std::optional<std::string>& text;
};
struct BlobOrNull {  // empty: NULL
  std::string_view bytes;
};
struct NumberOrNull {
  std::optional<std::int64_t> number;
};

class Statement {
 public:
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // Steps to the next row; false when there is none.
  bool next();
  // Runs a statement that answers no rows.
  void run();
  // Binds the parameters that follow those bound so far.
  template <typename... Args>
  void bind_next(const Args&... args) {
    (bind(++bound_, args), ...);
  }

  // Columns of the present row. A value of another type than asked for is kCorrupt.
  std::int64_t number(int column) const;
  std::int64_t count(int column) const;  // a number that is 0 or more
  bool flag(int column) const;
  std::optional<std::int64_t> number_or_null(int column) const;
  std::string text(int column) const;
  std::optional<std::string> text_or_null(int column) const;
  std::optional<std::string> lane(int column) const;
  std::string_view blob_or_null(int column) const;  // until the next step; NULL: empty
  bool is_null(int column) const;

  [[noreturn]] void corrupt(const char* what) const;

 private:
  friend class Connection;
  Statement(Connection& connection, sqlite3_stmt* handle, bool& in_use)
      : connection_(connection), handle_(handle), in_use_(in_use) {
    in_use_ = true;
  }
  template <typename... Args>
  Statement(Connection& connection, Sql id, const Args&... args);

  void bind(int index, std::int64_t value);
  void bind(int index, std::string_view text);
  void bind(int index, Lane lane);
  void bind(int index, OrNull value);
  void bind(int index, BlobOrNull value);
  void bind(int index, NumberOrNull value);
  void check(int result) const;

  Connection& connection_;
  sqlite3_stmt* handle_;
  bool& in_use_;
  int bound_ = 0;
};

struct ConnectionOptions {
  bool full_sync = true;
  bool read_only = false;  // refuses to write; the file itself is opened for both
  std::int64_t busy_timeout_ms = 5'000;
  std::int64_t cache_kib = 8'192;
  std::int64_t journal_limit_bytes = 0;
};

class Connection {
 public:
  // Opens `file`, an absolute path that exists. Sets nothing up.
  Connection(std::string file, Phase phase);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void configure(const ConnectionOptions& options);
  // For what runs once, at opening.
  void execute(const char* sql);
  std::int64_t pragma_number(const char* sql);
  std::string pragma_text(const char* sql);
  // The first bytes of the file as they stand on the disk, fewer if it is shorter. Through
  // SQLite, since closing a descriptor of one's own would drop the process's locks on the file.
  std::string header(int size);

  // A statement with its arguments bound. They are borrowed until it goes out of scope.
  template <typename... Args>
  Statement use(Sql id, const Args&... args) {
    return Statement(*this, id, args...);
  }
  template <typename... Args>
  void run(Sql id, const Args&... args) {
    Statement(*this, id, args...).run();
  }

  std::int64_t changed_rows() const;
  // Another one after every commit, of this connection or, as of BEGIN, of any other.
  std::uint32_t data_version() const;
  std::int64_t last_row_id() const;
  bool in_transaction() const;
  bool is_read_only() const;
  bool has_busy_statement() const;
  void set_busy_timeout(std::int64_t ms);

  // Writes the log back into the file, as far as readers and others let it.
  struct Log {
    int pages = 0;
    int written_back = 0;
  };
  Log checkpoint(int mode);
  // Pages in the log after the last commit of this connection.
  int log_pages() const { return log_pages_; }
  void forget_log_pages() { log_pages_ = 0; }

  sqlite3* handle() const { return handle_; }
  const std::string& file() const { return file_; }

  // During a commit errors mean something else (errors.h).
  void set_phase(Phase phase) { phase_ = phase; }
  [[noreturn]] void fail(int result, std::string_view doing) const;

 private:
  friend class Statement;
  sqlite3_stmt* prepared(Sql id);
  sqlite3_stmt* prepare(const char* text, bool keep);

  std::string file_;
  sqlite3* handle_ = nullptr;
  Phase phase_;
  int log_pages_ = 0;
  std::array<sqlite3_stmt*, kStatementCount> prepared_{};
  std::array<bool, kStatementCount> in_use_{};
};

template <typename... Args>
Statement::Statement(Connection& connection, Sql id, const Args&... args)
    : Statement(connection, connection.prepared(id),
                connection.in_use_[static_cast<std::size_t>(id)]) {
  bind_next(args...);
}

}  // namespace pawl::sqlite
