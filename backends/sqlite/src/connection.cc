// A connection to the file, and statements on it.
#include "connection.h"

#include <sqlite3.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>

namespace pawl::sqlite {

// ---- Statement

Statement::~Statement() {
  // What was bound stays, borrowed and perhaps gone: every use binds all parameters anew.
  sqlite3_reset(handle_);
  in_use_ = false;
}

void Statement::check(int result) const {
  if (result != SQLITE_OK) connection_.fail(result, "binding a value");
}

void Statement::bind(int index, std::int64_t value) {
  check(sqlite3_bind_int64(handle_, index, value));
}

void Statement::bind(int index, std::string_view text) {
  const char* data = text.data() != nullptr ? text.data() : "";
  check(sqlite3_bind_text64(handle_, index, data, text.size(), SQLITE_STATIC, SQLITE_UTF8));
}

void Statement::bind(int index, Lane lane) {
  if (lane.name) {
    bind(index, std::string_view(*lane.name));
  } else {
    check(sqlite3_bind_zeroblob(handle_, index, 0));
  }
}

void Statement::bind(int index, OrNull value) {
  if (value.text) {
    bind(index, std::string_view(*value.text));
  } else {
    check(sqlite3_bind_null(handle_, index));
  }
}

void Statement::bind(int index, BlobOrNull value) {
  if (value.bytes.empty()) {
    check(sqlite3_bind_null(handle_, index));
  } else {
    check(
        sqlite3_bind_blob64(handle_, index, value.bytes.data(), value.bytes.size(), SQLITE_STATIC));
  }
}

void Statement::bind(int index, NumberOrNull value) {
  if (value.number) {
    bind(index, *value.number);
  } else {
    check(sqlite3_bind_null(handle_, index));
  }
}

bool Statement::next() {
  const int result = sqlite3_step(handle_);
  if (result == SQLITE_ROW) return true;
  if (result == SQLITE_DONE) return false;
  connection_.fail(result, "running a statement");
}

void Statement::run() {
  while (next()) {
  }
}

void Statement::corrupt(const char* what) const { throw_corrupt(connection_.file(), what); }

std::int64_t Statement::number(int column) const {
  if (sqlite3_column_type(handle_, column) != SQLITE_INTEGER) corrupt("not a number");
  return sqlite3_column_int64(handle_, column);
}

std::int64_t Statement::count(int column) const {
  const std::int64_t value = number(column);
  if (value < 0) corrupt("a negative number");
  return value;
}

bool Statement::flag(int column) const {
  const std::int64_t value = number(column);
  if (value != 0 && value != 1) corrupt("neither true nor false");
  return value == 1;
}

std::optional<std::int64_t> Statement::number_or_null(int column) const {
  if (sqlite3_column_type(handle_, column) == SQLITE_NULL) return std::nullopt;
  return count(column);
}

std::string Statement::text(int column) const {
  if (sqlite3_column_type(handle_, column) != SQLITE_TEXT) corrupt("not a text");
  const void* data = sqlite3_column_blob(handle_, column);
  const int size = sqlite3_column_bytes(handle_, column);
  if (size == 0) return {};
  if (data == nullptr) connection_.fail(SQLITE_NOMEM, "reading a text");
  return {static_cast<const char*>(data), static_cast<std::size_t>(size)};
}

std::optional<std::string> Statement::text_or_null(int column) const {
  if (sqlite3_column_type(handle_, column) == SQLITE_NULL) return std::nullopt;
  return text(column);
}

std::optional<std::string> Statement::lane(int column) const {
  if (sqlite3_column_type(handle_, column) != SQLITE_BLOB) return text(column);
  if (sqlite3_column_bytes(handle_, column) != 0) corrupt("not a lane");
  return std::nullopt;
}

std::string_view Statement::blob_or_null(int column) const {
  const int type = sqlite3_column_type(handle_, column);
  if (type == SQLITE_NULL) return {};
  if (type != SQLITE_BLOB) corrupt("not a list");
  const void* data = sqlite3_column_blob(handle_, column);
  const int size = sqlite3_column_bytes(handle_, column);
  if (size == 0) corrupt("an empty list");
  if (data == nullptr) connection_.fail(SQLITE_NOMEM, "reading a list");
  return {static_cast<const char*>(data), static_cast<std::size_t>(size)};
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(handle_, column) == SQLITE_NULL;
}

// ---- Connection

Connection::Connection(std::string file, Phase phase) : file_(std::move(file)), phase_(phase) {
  // No SQLITE_OPEN_CREATE: the file is made before, with its permissions (place.h).
  constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  const int result = sqlite3_open_v2(file_.c_str(), &handle_, kFlags, nullptr);
  if (result != SQLITE_OK) {
    const std::unique_ptr<sqlite3, int (*)(sqlite3*)> closer(handle_, sqlite3_close);
    throw_sqlite_error(handle_, result, file_, "opening the file", phase);
  }
}

Connection::~Connection() {
  if (handle_ == nullptr) return;
  for (sqlite3_stmt* statement : prepared_) sqlite3_finalize(statement);
  sqlite3_close_v2(handle_);
}

void Connection::configure(const ConnectionOptions& options) {
  const auto set = [this](int option, int value) {
    const int result = sqlite3_db_config(handle_, option, value, nullptr);
    if (result != SQLITE_OK) fail(result, "configuring the connection");
  };
  set(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1);
  set(SQLITE_DBCONFIG_DEFENSIVE, 1);
  set(SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0);
  set(SQLITE_DBCONFIG_DQS_DML, 0);
  set_busy_timeout(options.busy_timeout_ms);
  const auto pragma = [this](const std::string& text) { execute(("PRAGMA " + text).c_str()); };
  pragma("wal_autocheckpoint = 0");
  pragma(options.full_sync ? "synchronous = FULL" : "synchronous = NORMAL");
  pragma("secure_delete = FAST");
  pragma("temp_store = MEMORY");
  pragma("cache_size = -" + std::to_string(options.cache_kib));
  pragma("journal_size_limit = " + std::to_string(options.journal_limit_bytes));
  if (options.read_only) pragma("query_only = 1");
  sqlite3_wal_hook(
      handle_,
      [](void* self, sqlite3*, const char*, int pages) {
        static_cast<Connection*>(self)->log_pages_ = pages;
        return SQLITE_OK;
      },
      this);
  phase_ = Phase::kRunning;
}

void Connection::fail(int result, std::string_view doing) const {
  throw_sqlite_error(handle_, result, file_, doing, phase_);
}

void Connection::execute(const char* sql) {
  const int result = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
  if (result != SQLITE_OK) fail(result, "setting up");
}

std::int64_t Connection::pragma_number(const char* sql) {
  bool in_use = false;
  const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> handle(prepare(sql, false),
                                                                     sqlite3_finalize);
  Statement statement(*this, handle.get(), in_use);
  if (!statement.next()) statement.corrupt("a missing setting");
  return statement.number(0);
}

std::string Connection::pragma_text(const char* sql) {
  bool in_use = false;
  const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> handle(prepare(sql, false),
                                                                     sqlite3_finalize);
  Statement statement(*this, handle.get(), in_use);
  if (!statement.next()) statement.corrupt("a missing setting");
  return statement.text(0);
}

std::string Connection::header(int size) {
  sqlite3_file* file = nullptr;
  int result = sqlite3_file_control(handle_, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  sqlite3_int64 length = 0;
  if (result == SQLITE_OK) result = file->pMethods->xFileSize(file, &length);
  std::string bytes(static_cast<std::size_t>(std::min<sqlite3_int64>(length, size)), '\0');
  if (result == SQLITE_OK && !bytes.empty()) {
    result = file->pMethods->xRead(file, bytes.data(), static_cast<int>(bytes.size()), 0);
  }
  if (result != SQLITE_OK) fail(result, "reading the header");
  return bytes;
}

sqlite3_stmt* Connection::prepare(const char* text, bool keep) {
  sqlite3_stmt* handle = nullptr;
  const unsigned flags = keep ? SQLITE_PREPARE_PERSISTENT : 0;
  const int result = sqlite3_prepare_v3(handle_, text, -1, flags, &handle, nullptr);
  if (result != SQLITE_OK) fail(result, "preparing a statement");
  return handle;
}

sqlite3_stmt* Connection::prepared(Sql id) {
  const auto index = static_cast<std::size_t>(id);
  if (in_use_[index]) throw std::logic_error("sqlite: a statement is used within itself");
  if (prepared_[index] == nullptr) prepared_[index] = prepare(kStatements[index].text, true);
  return prepared_[index];
}

std::int64_t Connection::changed_rows() const { return sqlite3_changes64(handle_); }

std::uint32_t Connection::data_version() const {
  unsigned int version = 0;
  const int result = sqlite3_file_control(handle_, "main", SQLITE_FCNTL_DATA_VERSION, &version);
  if (result != SQLITE_OK) fail(result, "asking for the data version");
  return version;
}

std::int64_t Connection::last_row_id() const { return sqlite3_last_insert_rowid(handle_); }

bool Connection::in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }

bool Connection::is_read_only() const { return sqlite3_db_readonly(handle_, "main") != 0; }

bool Connection::has_busy_statement() const {
  sqlite3_stmt* statement = nullptr;
  while ((statement = sqlite3_next_stmt(handle_, statement)) != nullptr) {
    if (sqlite3_stmt_busy(statement) != 0) return true;
  }
  return false;
}

void Connection::set_busy_timeout(std::int64_t ms) {
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  sqlite3_busy_timeout(handle_, static_cast<int>(std::clamp<std::int64_t>(ms, 0, kMost)));
}

Connection::Log Connection::checkpoint(int mode) {
  Log log;
  const int result =
      sqlite3_wal_checkpoint_v2(handle_, "main", mode, &log.pages, &log.written_back);
  if (result != SQLITE_OK && (result & 0xff) != SQLITE_BUSY) fail(result, "writing the log back");
  return log;
}

}  // namespace pawl::sqlite
