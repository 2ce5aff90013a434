// Where a store is.
//
// The layout is written in rollback mode, before the file is put into WAL mode: so the
// header of the file itself always tells whose it is, and a foreign or newer file is refused
// by its header alone, without a lock or a byte written.
#include "place.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <thread>

#include "schema.h"

namespace pawl::sqlite {
namespace {

constexpr int kHeaderSize = 100;
constexpr std::size_t kLongestPath = 500;  // SQLite takes 512, with its suffixes

[[noreturn]] void refuse(std::string_view file, std::string_view why) {
  std::string message = "sqlite: ";
  message += why;
  message += ": ";
  message += file;
  throw Error(ErrorCode::kNotConfigured, message);
}

std::string absolute(const std::string& path, std::string_view doing) {
  const std::unique_ptr<char, void (*)(void*)> resolved(realpath(path.c_str(), nullptr), std::free);
  if (resolved == nullptr) throw_system_error(errno, path, doing, Phase::kOpening);
  return resolved.get();
}

std::string absolute_new(const std::string& path) {
  struct stat status {};
  if (lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode)) {
    refuse(path, "a symbolic link that leads nowhere");
  }
  const std::size_t slash = path.rfind('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  if (name.empty() || name == "." || name == "..") refuse(path, "the path names no file");
  std::string folder = ".";
  if (slash != std::string::npos) folder = slash == 0 ? "/" : path.substr(0, slash);
  folder = absolute(folder, "find the folder");
  if (folder != "/") folder += '/';
  return folder + name;
}

std::int64_t big_endian(std::string_view bytes) {
  std::int64_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

// A crash while the layout was first written leaves a rollback journal that says the file was
// empty before. SQLite empties it at the next read.
bool was_being_laid_out(const std::string& file) {
  constexpr char kJournalMagic[] = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
  std::ifstream journal(file + "-journal", std::ios::binary);
  char head[20] = {};
  if (!journal.read(head, sizeof head)) return false;
  return std::memcmp(head, kJournalMagic, 8) == 0 && big_endian({head + 16, 4}) == 0;
}

enum class Content { kEmpty, kInterrupted, kStore };

Content recognise(Connection& connection) {
  const std::string header = connection.header(kHeaderSize);
  if (header.empty()) return Content::kEmpty;
  const bool is_sqlite =
      header.size() == kHeaderSize && header.compare(0, 16, "SQLite format 3\0", 16) == 0;
  const std::int64_t application = is_sqlite ? big_endian({header.data() + 68, 4}) : 0;
  if (application != kApplicationId) {
    if (was_being_laid_out(connection.file())) return Content::kInterrupted;
    refuse(connection.file(),
           is_sqlite ? "a database of another program. Choose another path"
                     : "neither a Pawl store nor an SQLite database. Choose another path");
  }
  const std::int64_t layout = big_endian({header.data() + 60, 4});
  if (layout != kLayout) {
    refuse(connection.file(), "the store has layout " + std::to_string(layout) +
                                  ", and this version of Pawl knows only layout " +
                                  std::to_string(kLayout) +
                                  ". Open it with the version that made it, or a newer one");
  }
  return Content::kStore;
}

void lay_out(Connection& connection) {
  connection.execute("PRAGMA synchronous = FULL");
  connection.execute(("PRAGMA page_size = " + std::to_string(kPageBytes)).c_str());
  connection.execute("BEGIN IMMEDIATE");
  connection.execute(("PRAGMA application_id = " + std::to_string(kApplicationId)).c_str());
  connection.execute(("PRAGMA user_version = " + std::to_string(kLayout)).c_str());
  connection.execute(kSchema);
  connection.execute("COMMIT");
}

// The change needs the file alone for a moment, and SQLite does not wait for that.
void enter_wal_mode(Connection& connection, std::int64_t busy_timeout_ms) {
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(busy_timeout_ms);
  while (true) {
    try {
      if (connection.pragma_text("PRAGMA journal_mode = WAL") == "wal") return;
      refuse(connection.file(), "this file system cannot hold a write-ahead log");
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kBusy || std::chrono::steady_clock::now() >= deadline) throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace

Place find_place(std::string_view path_view) {
  const std::string path(path_view);
  if (path.empty()) refuse(path, "the path is empty");
  if (path.find('\0') != std::string::npos) {
    throw Error(ErrorCode::kInvalidArgument, "sqlite: the path holds a NUL");
  }
  Place place;
  struct stat status {};
  if (stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) refuse(path, "the path is a folder");
    if (!S_ISREG(status.st_mode)) refuse(path, "not a regular file");
    place.exists = true;
    place.mode = status.st_mode & 0666;
    place.file = absolute(path, "find the file");
  } else if (errno == ENOENT) {
    place.file = absolute_new(path);
  } else {
    throw_system_error(errno, path, "find the file", Phase::kOpening);
  }
  if (place.file.size() > kLongestPath) refuse(path, "the path is too long for SQLite");
  place.lock_file = place.file + "-lock";
  return place;
}

void create_file(const Place& place) {
  constexpr int kFlags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
  const int descriptor = ::open(place.file.c_str(), kFlags, place.mode);
  if (descriptor < 0) {
    if (errno == EEXIST) return;
    throw_system_error(errno, place.file, "make the file", Phase::kOpening);
  }
  const bool done = fchmod(descriptor, place.mode) == 0;
  const int error = errno;
  close(descriptor);
  if (!done) throw_system_error(error, place.file, "set the permissions", Phase::kOpening);
  // SQLite syncs the folder for the files that it makes itself, not for this one.
  const std::string folder = place.file.substr(0, place.file.rfind('/') + 1);
  const int folder_descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_descriptor < 0) return;  // may not be read: then it cannot be synced either
  fsync(folder_descriptor);
  close(folder_descriptor);
}

void refuse_foreign(const Place& place) {
  struct stat status {};
  if (!place.exists || lstat(place.lock_file.c_str(), &status) == 0) return;
  Connection connection(place.file, Phase::kOpening);
  recognise(connection);
}

void refuse_unwritable(const Place& place) {
  const auto may = [](const std::string& path, int what) {
    return faccessat(AT_FDCWD, path.c_str(), what, AT_EACCESS) == 0;
  };
  bool all_there = true;
  for (const char* suffix : {"", "-lock", "-wal", "-shm"}) {
    const std::string path = place.file + suffix;
    if (!may(path, F_OK)) {
      all_there = false;
    } else if (!may(path, R_OK | W_OK)) {
      refuse(path, "this user may not read and write the file");
    }
  }
  const std::string folder = place.file.substr(0, place.file.rfind('/') + 1);
  if (!all_there && !may(folder, W_OK | X_OK)) {
    refuse(folder, "this user may not make files in the folder");
  }
}

void prepare_file(Connection& connection, std::int64_t busy_timeout_ms) {
  if (connection.is_read_only()) refuse(connection.file(), "the file may not be written");
  connection.set_busy_timeout(busy_timeout_ms);
  Content content = recognise(connection);
  if (content != Content::kEmpty) {
    // A crash may have left a rollback journal, also beside a file that looks like a store. The
    // first read plays it back, and the file is what it was before its layout.
    connection.pragma_number("PRAGMA schema_version");
    // Only a read tells SQLite that the header asks for a newer writer (bytes 18 and 19).
    if (connection.is_read_only()) {
      refuse(connection.file(),
             "the file is damaged, or of a newer SQLite, and may not be written by this one");
    }
    content = recognise(connection);
  }
  if (content == Content::kInterrupted) refuse(connection.file(), "not a Pawl store");
  if (content == Content::kEmpty) lay_out(connection);
  enter_wal_mode(connection, busy_timeout_ms);
}

}  // namespace pawl::sqlite
