// SQLite's result codes as pawl::Error.
#include "errors.h"

#include <sqlite3.h>

#include <cerrno>
#include <cstring>

namespace pawl::sqlite {
namespace {

constexpr ErrorCode kBusy = ErrorCode::kBusy;
constexpr ErrorCode kBadPlace = ErrorCode::kNotConfigured;
constexpr ErrorCode kPasses = ErrorCode::kUnavailable;
constexpr ErrorCode kDoubt = ErrorCode::kInDoubt;
constexpr ErrorCode kCorrupt = ErrorCode::kCorrupt;
constexpr ErrorCode kInvalid = ErrorCode::kInvalidArgument;

struct Entry {
  int code;
  const char* name;
  ErrorCode opening;
  ErrorCode running;
  ErrorCode committing;
};

#define CODE(name, opening, running, committing) \
  { name, #name, opening, running, committing }

// A code that is not listed is looked up by its primary code, the low byte.
//
// Committing: what fails before or while the log is written has not happened, since the frame
// that commits is the last one written. Once it is written, a failed sync can follow, or no room
// for the log's index in shared memory, which may have to grow (or an unknown failure): a later
// recovery of the log may find it or not.
constexpr Entry kEntries[] = {
    CODE(SQLITE_ERROR, kCorrupt, kCorrupt, kCorrupt),
    CODE(SQLITE_INTERNAL, kPasses, kPasses, kDoubt),
    CODE(SQLITE_PERM, kBadPlace, kPasses, kPasses),
    CODE(SQLITE_ABORT, kPasses, kPasses, kPasses),
    CODE(SQLITE_BUSY, kBusy, kBusy, kBusy),
    CODE(SQLITE_LOCKED, kBusy, kBusy, kBusy),
    CODE(SQLITE_NOMEM, kPasses, kPasses, kDoubt),
    CODE(SQLITE_READONLY, kBadPlace, kPasses, kPasses),
    CODE(SQLITE_INTERRUPT, kPasses, kPasses, kPasses),
    CODE(SQLITE_IOERR, kPasses, kPasses, kDoubt),
    CODE(SQLITE_CORRUPT, kCorrupt, kCorrupt, kCorrupt),
    CODE(SQLITE_NOTFOUND, kPasses, kPasses, kDoubt),
    CODE(SQLITE_FULL, kPasses, kPasses, kPasses),
    CODE(SQLITE_CANTOPEN, kBadPlace, kPasses, kPasses),
    CODE(SQLITE_PROTOCOL, kBusy, kBusy, kBusy),
    CODE(SQLITE_EMPTY, kCorrupt, kCorrupt, kCorrupt),
    CODE(SQLITE_SCHEMA, kPasses, kPasses, kPasses),
    CODE(SQLITE_TOOBIG, kInvalid, kInvalid, kInvalid),
    CODE(SQLITE_CONSTRAINT, kCorrupt, kCorrupt, kCorrupt),
    CODE(SQLITE_MISMATCH, kCorrupt, kCorrupt, kCorrupt),
    CODE(SQLITE_MISUSE, kPasses, kPasses, kDoubt),
    CODE(SQLITE_NOLFS, kBadPlace, kPasses, kPasses),
    CODE(SQLITE_AUTH, kBadPlace, kPasses, kPasses),
    CODE(SQLITE_FORMAT, kCorrupt, kCorrupt, kCorrupt),
    CODE(SQLITE_RANGE, kPasses, kPasses, kDoubt),
    CODE(SQLITE_NOTADB, kBadPlace, kCorrupt, kCorrupt),

    CODE(SQLITE_BUSY_RECOVERY, kBusy, kBusy, kBusy),
    CODE(SQLITE_BUSY_SNAPSHOT, kBusy, kBusy, kBusy),
    CODE(SQLITE_BUSY_TIMEOUT, kBusy, kBusy, kBusy),
    CODE(SQLITE_CANTOPEN_ISDIR, kBadPlace, kPasses, kPasses),
    CODE(SQLITE_CANTOPEN_FULLPATH, kBadPlace, kPasses, kPasses),
    CODE(SQLITE_CANTOPEN_SYMLINK, kBadPlace, kPasses, kPasses),
    CODE(SQLITE_CONSTRAINT_DATATYPE, kCorrupt, kCorrupt, kCorrupt),
    CODE(SQLITE_CONSTRAINT_NOTNULL, kCorrupt, kCorrupt, kCorrupt),
    CODE(SQLITE_CONSTRAINT_PRIMARYKEY, kCorrupt, kCorrupt, kCorrupt),
    CODE(SQLITE_CONSTRAINT_ROWID, kCorrupt, kCorrupt, kCorrupt),
    CODE(SQLITE_CONSTRAINT_UNIQUE, kCorrupt, kCorrupt, kCorrupt),
    CODE(SQLITE_CORRUPT_INDEX, kCorrupt, kCorrupt, kCorrupt),
    CODE(SQLITE_IOERR_CORRUPTFS, kCorrupt, kCorrupt, kCorrupt),
    CODE(SQLITE_IOERR_DATA, kCorrupt, kCorrupt, kCorrupt),
    CODE(SQLITE_IOERR_DIR_FSYNC, kPasses, kPasses, kDoubt),
    CODE(SQLITE_IOERR_FSTAT, kPasses, kPasses, kPasses),
    CODE(SQLITE_IOERR_FSYNC, kPasses, kPasses, kDoubt),
    CODE(SQLITE_IOERR_LOCK, kPasses, kPasses, kPasses),
    CODE(SQLITE_IOERR_NOMEM, kPasses, kPasses, kDoubt),
    CODE(SQLITE_IOERR_RDLOCK, kPasses, kPasses, kPasses),
    CODE(SQLITE_IOERR_READ, kPasses, kPasses, kPasses),
    CODE(SQLITE_IOERR_SHMLOCK, kPasses, kPasses, kPasses),
    CODE(SQLITE_IOERR_SHMMAP, kPasses, kPasses, kDoubt),
    CODE(SQLITE_IOERR_SHMOPEN, kPasses, kPasses, kPasses),
    CODE(SQLITE_IOERR_SHMSIZE, kPasses, kPasses, kDoubt),
    CODE(SQLITE_IOERR_SHORT_READ, kCorrupt, kCorrupt, kCorrupt),
    CODE(SQLITE_IOERR_TRUNCATE, kPasses, kPasses, kDoubt),
    CODE(SQLITE_IOERR_UNLOCK, kPasses, kPasses, kDoubt),
    CODE(SQLITE_IOERR_WRITE, kPasses, kPasses, kPasses),
    CODE(SQLITE_READONLY_CANTINIT, kBadPlace, kPasses, kPasses),
    CODE(SQLITE_READONLY_CANTLOCK, kBadPlace, kPasses, kPasses),
    CODE(SQLITE_READONLY_DBMOVED, kBadPlace, kPasses, kPasses),
    CODE(SQLITE_READONLY_DIRECTORY, kBadPlace, kPasses, kPasses),
    CODE(SQLITE_READONLY_RECOVERY, kBadPlace, kPasses, kPasses),
};
#undef CODE

const Entry* find(int code) {
  for (const Entry& entry : kEntries) {
    if (entry.code == code) return &entry;
  }
  return nullptr;
}

const Entry* find_or_primary(int code) {
  const Entry* entry = find(code);
  return entry != nullptr ? entry : find(code & 0xff);
}

}  // namespace

ErrorCode error_code(int extended_code, Phase phase) {
  const Entry* entry = find_or_primary(extended_code);
  if (entry == nullptr) return phase == Phase::kCommitting ? kDoubt : kPasses;
  switch (phase) {
    case Phase::kOpening:
      return entry->opening;
    case Phase::kRunning:
      return entry->running;
    case Phase::kCommitting:
      return entry->committing;
  }
  return kPasses;
}

std::string error_name(int extended_code) {
  if (const Entry* entry = find(extended_code)) return entry->name;
  const Entry* primary = find(extended_code & 0xff);
  const std::string number = std::to_string(extended_code);
  return primary != nullptr ? std::string(primary->name) + "(" + number + ")" : "SQLITE_" + number;
}

void throw_sqlite_error(sqlite3* db, int result, std::string_view file, std::string_view doing,
                        Phase phase) {
  const int extended = db != nullptr ? sqlite3_extended_errcode(db) : result;
  // The connection's code may be of another call than the failed one: then trust the result.
  const int code = (extended & 0xff) == (result & 0xff) ? extended : result;
  std::string message = "sqlite: ";
  message += sqlite3_errstr(code);
  message += " (" + error_name(code) + ") while ";
  message += doing;
  message += ": ";
  message += file;
  throw Error(error_code(code, phase), message, error_name(code));
}

void throw_corrupt(std::string_view file, std::string_view what) {
  std::string message = "sqlite: what is stored cannot be what was written: ";
  message += what;
  message += ": ";
  message += file;
  throw Error(ErrorCode::kCorrupt, message);
}

void throw_system_error(int error, std::string_view file, std::string_view doing, Phase phase) {
  ErrorCode code = kPasses;
  switch (error) {
    case EACCES:
    case EPERM:
    case ENOENT:
    case ENOTDIR:
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG:
    case EROFS:
    case ENXIO:
    case EINVAL:
      if (phase == Phase::kOpening) code = kBadPlace;
      break;
    default:
      break;
  }
  std::string message = "sqlite: cannot ";
  message += doing;
  message += ": ";
  message += std::strerror(error);
  message += ": ";
  message += file;
  throw Error(code, message, std::to_string(error));
}

}  // namespace pawl::sqlite
