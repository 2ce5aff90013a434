// How much the write-ahead log holds, and who keeps it from being written back.
//
// Both stand in PATH-shm, the index of the log, whose layout is fixed
// (https://www.sqlite.org/walformat.html): how many pages there are and are written back, up to
// where each of five read marks reaches, and a byte for each mark, on which its readers hold a
// lock. The index is looked at in the mapping that the connection has anyway, and the holders of
// locks are looked up in /proc/locks: to ask the kernel by fcntl takes a descriptor of PATH-shm,
// and closing it would drop the locks of all connections of this process.
#include "log_state.h"

#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <sstream>

namespace pawl::sqlite {
namespace {

constexpr int kIndexBytes = 32'768;
constexpr std::size_t kHeaderBytes = 48;  // stands there twice
constexpr std::size_t kPagesAt = 16;
constexpr std::size_t kWrittenBackAt = 96;
constexpr std::size_t kMarksAt = 100;
constexpr std::size_t kMarks = 5;
constexpr std::int64_t kUnused = 0xffff'ffff;
constexpr std::int64_t kFirstMarkLock = 123;
constexpr std::int64_t kOpenLock = 128;  // held shared by all who have the index open

struct Index {
  std::int64_t pages = 0;
  std::int64_t written_back = 0;
  std::array<std::int64_t, kMarks> marks{};
};

// A line of /proc/locks: "1: POSIX  ADVISORY  READ 4711 fe:00:131 123 124".
struct Lock {
  std::string type;
  pid_t process = 0;
  std::string file;  // device and inode
  std::int64_t first = 0;
  std::int64_t last = 0;

  bool covers(std::int64_t byte) const { return first <= byte && byte <= last; }
};

std::int64_t number_at(const char* bytes, std::size_t offset) {
  std::uint32_t number = 0;
  std::memcpy(&number, bytes + offset, sizeof number);
  return number;
}

Index read_index(Connection& connection) {
  sqlite3_file* file = nullptr;
  sqlite3_file_control(connection.handle(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
  Index index;
  if (file == nullptr || file->pMethods == nullptr || file->pMethods->iVersion < 2) return index;
  volatile void* mapped = nullptr;
  const int result = file->pMethods->xShmMap(file, 0, kIndexBytes, 0, &mapped);
  if (result != SQLITE_OK || mapped == nullptr) return index;
  std::array<char, kMarksAt + kMarks * 4> bytes{};
  // A writer changes the header's copies one after the other: where they differ it is at it.
  for (int tries = 0; tries < 100; ++tries) {
    const volatile char* from = static_cast<const volatile char*>(mapped);
    for (char& byte : bytes) byte = *from++;
    if (std::memcmp(bytes.data(), bytes.data() + kHeaderBytes, kHeaderBytes) == 0) break;
  }
  index.pages = number_at(bytes.data(), kPagesAt);
  index.written_back = std::min(number_at(bytes.data(), kWrittenBackAt), index.pages);
  for (std::size_t i = 0; i < kMarks; ++i) {
    index.marks[i] = number_at(bytes.data(), kMarksAt + 4 * i);
  }
  return index;
}

// The locks on files with this inode number.
std::vector<Lock> locks_on(ino_t inode) {
  const std::string suffix = ":" + std::to_string(inode);
  std::vector<Lock> locks;
  std::ifstream file("/proc/locks");
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string number;
    std::string kind;
    std::string advisory;
    std::string last;
    Lock lock;
    fields >> number >> kind >> advisory >> lock.type >> lock.process >> lock.file >> lock.first >>
        last;
    // Those who wait have an arrow before the kind, so that the fields do not fit.
    if (!fields || kind != "POSIX" || !lock.file.ends_with(suffix)) continue;
    lock.last = last == "EOF" ? INT64_MAX : std::stoll(last);
    locks.push_back(std::move(lock));
  }
  return locks;
}

// The read locks on the index. Devices are told apart by the lock that this process holds: some
// file systems show another number than stat does.
std::vector<Lock> read_locks(const std::string& index_file) {
  struct stat status {};
  if (stat(index_file.c_str(), &status) != 0) return {};
  std::vector<Lock> locks = locks_on(status.st_ino);
  const auto own = std::find_if(locks.begin(), locks.end(), [](const Lock& lock) {
    return lock.process == getpid() && lock.covers(kOpenLock);
  });
  if (own == locks.end()) return {};
  const std::string file = own->file;
  std::erase_if(locks, [&](const Lock& lock) { return lock.file != file || lock.type != "READ"; });
  return locks;
}

}  // namespace

LogState log_state(Connection& connection) {
  const Index index = read_index(connection);
  LogState state{.pages = index.pages, .written_back = index.written_back, .holders = {}};
  if (index.pages == index.written_back) return state;
  for (const Lock& lock : read_locks(connection.file() + "-shm")) {
    for (std::size_t i = 0; i < kMarks; ++i) {
      // The first mark is of those who read the file alone, as it was when all was written back.
      const std::int64_t page = i == 0 ? index.written_back : index.marks[i];
      if (page == kUnused || page >= index.pages) continue;
      if (!lock.covers(kFirstMarkLock + static_cast<std::int64_t>(i))) continue;
      state.holders.push_back({lock.process, page});
    }
  }
  auto& holders = state.holders;
  std::stable_sort(holders.begin(), holders.end(),
                   [](const auto& a, const auto& b) { return a.page < b.page; });
  for (std::size_t i = 0; i < holders.size(); ++i) {
    const auto same = [&](const auto& other) { return other.process == holders[i].process; };
    holders.erase(
        std::remove_if(holders.begin() + static_cast<std::ptrdiff_t>(i) + 1, holders.end(), same),
        holders.end());
  }
  return state;
}

std::string warning(const LogState& log) {
  std::string text = "the write-ahead log has " + std::to_string(log.pages - log.written_back) +
                     " pages that readers keep from being written back: ";
  if (log.holders.empty()) return text + "which processes, /proc/locks does not tell";
  text += log.holders.size() == 1 ? "process" : "processes";
  for (const LogState::Holder& holder : log.holders) text += " " + std::to_string(holder.process);
  return text;
}

std::int64_t file_bytes(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? status.st_size : 0;
}

}  // namespace pawl::sqlite
