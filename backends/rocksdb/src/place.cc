// place.cc: see place.h.
#include "place.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace pawl::rocksdb {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMarkerText = "pawl rocksdb layout ";
constexpr std::string_view kClosingText = "closed at ";

std::string marker_of(const std::string& path) { return path + "/PAWL"; }
std::string closing_note_of(const std::string& path) { return path + "/PAWL.closed"; }

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCode::kNotConfigured, "rocksdb: " + why);
}

[[noreturn]] void refuse(int fault, const std::string& doing) {
  const bool may_pass = fault == ENOSPC || fault == EDQUOT || fault == EIO || fault == EMFILE ||
                        fault == ENFILE || fault == ENOMEM;
  throw Error(may_pass ? ErrorCode::kUnavailable : ErrorCode::kNotConfigured,
              "rocksdb: cannot " + doing + ": " + std::strerror(fault), std::to_string(fault));
}

// So that a loss of power does not take the new name in `folder` away.
void sync_folder(const std::string& folder) {
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;  // it may be entered, but not read
  const bool is_synced = fsync(file) == 0;
  const int fault = errno;
  ::close(file);
  if (!is_synced) refuse(fault, "sync the folder " + folder);
}

void make_folder(const std::string& path) {
  if (mkdir(path.c_str(), 0700) == 0) {
    return sync_folder(path + "/..");
  }
  if (errno != EEXIST) refuse(errno, "make the folder " + path);
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) refuse(errno, "look at " + path);
  if (!S_ISDIR(status.st_mode)) refuse(path + " is not a folder");
  if (access(path.c_str(), R_OK | W_OK | X_OK) != 0) refuse(errno, "use the folder " + path);
}

// Calls visit(name) for what is in the folder, until it returns false.
template <class Visit>
void for_each_name(const std::string& path, const Visit& visit) {
  std::error_code fault;
  for (fs::directory_iterator it(path, fault), end; !fault && it != end; it.increment(fault)) {
    if (!visit(it->path().filename().string())) break;
  }
  if (fault) refuse(fault.value(), "read the folder " + path);
}

// Whether nothing is there but what an interrupted initialisation leaves.
bool is_new(const std::string& path) {
  bool found = false;
  for_each_name(path,
                [&](const std::string& name) { return !(found = !name.starts_with("PAWL.new")); });
  return !found;
}

void check_marker(const std::string& path) {
  const std::string name = marker_of(path);
  struct stat status {};
  if (lstat(name.c_str(), &status) != 0) {
    if (errno == ENOENT) refuse(path + " is not a Pawl store, and not empty");
    refuse(errno, "look at " + name);
  }
  if (!S_ISREG(status.st_mode)) refuse(path + " is not a Pawl store: PAWL in it is no file");
  std::ifstream file(name);
  std::string line;
  if (!file) refuse(EACCES, "read " + name);
  std::getline(file, line);
  if (!line.starts_with(kMarkerText)) {
    throw Error(ErrorCode::kCorrupt, "rocksdb: " + name + " is damaged");
  }
  const std::string layout = line.substr(kMarkerText.size());
  if (layout != std::to_string(kLayout)) {
    refuse(path + " has layout " + layout + ", this version knows " + std::to_string(kLayout) +
           ": use the version of Pawl that wrote it");
  }
}

// Written whole under another name first, which no other process uses: a crash leaves the old file
// or the new one.
void write_file(const std::string& name, const std::string& text) {
  const std::string fresh = name + ".new" + std::to_string(getpid());
  const int file = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  bool is_written =
      file >= 0 && write(file, text.data(), text.size()) == std::ssize(text) && fsync(file) == 0;
  int fault = errno;
  if (file >= 0) ::close(file);
  if (is_written && rename(fresh.c_str(), name.c_str()) != 0) {
    fault = errno;
    is_written = false;
  }
  if (!is_written) refuse(fault, "write " + name);
}

}  // namespace

void prepare_folder(const std::string& path) {
  make_folder(path);
  if (is_new(path)) {
    write_file(marker_of(path), std::string(kMarkerText) + std::to_string(kLayout) + "\n");
  } else {
    check_marker(path);
  }
}

bool is_without_database(const std::string& path) {
  if (fs::exists(path + "/CURRENT")) return false;
  // It is the last file that the making of a database writes before the first log.
  for_each_name(path, [&](const std::string& name) {
    if (name.ends_with(".sst") || name.ends_with(".log") || name == "PAWL.closed") {
      throw Error(ErrorCode::kCorrupt, "rocksdb: " + path + " has lost its file CURRENT");
    }
    return true;
  });
  return true;
}

void write_closing_note(const std::string& path, std::uint64_t sequence) {
  write_file(closing_note_of(path), std::string(kClosingText) + std::to_string(sequence) + "\n");
}

std::optional<std::uint64_t> read_closing_note(const std::string& path) {
  const std::string name = closing_note_of(path);
  if (!fs::exists(name)) return std::nullopt;
  std::ifstream file(name);
  std::string line;
  std::getline(file, line);
  std::uint64_t sequence = 0;
  const char* const end = line.data() + line.size();
  const bool is_whole =
      line.starts_with(kClosingText) &&
      std::from_chars(line.data() + kClosingText.size(), end, sequence).ptr == end;
  if (!is_whole) throw Error(ErrorCode::kCorrupt, "rocksdb: " + name + " is damaged");
  return sequence;
}

void remove_closing_note(const std::string& path) {
  const std::string name = closing_note_of(path);
  if (unlink(name.c_str()) != 0 && errno != ENOENT) refuse(errno, "delete " + name);
}

}  // namespace pawl::rocksdb
