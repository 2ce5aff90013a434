// PATH-lock: the lock and the bell of all stores on one file.
#include "side_file.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>
#include <mutex>
#include <new>
#include <set>

#include "errors.h"
#include "pawl/error.h"

namespace pawl::sqlite {
namespace {

using Futex = std::atomic<std::uint32_t>;
using std::chrono::steady_clock;

constexpr char kMagic[8] = {'p', 'a', 'w', 'l', '-', 'l', 'k', '1'};
constexpr std::size_t kPageSize = 4096;

constexpr off_t kLock = 0;
constexpr off_t kLine = 1;
constexpr off_t kOpen = 2;

// A holder that dies frees its lock without a word. How late that is noticed.
constexpr std::chrono::milliseconds kGlance{20};

// Returns at once if the word is no longer `seen`, else when woken or at `until`.
void futex_wait(const Futex& futex, std::uint32_t seen, steady_clock::time_point until) {
  const auto left = until - steady_clock::now();
  if (left <= left.zero()) return;
  // A relative time of some years would not fit.
  const auto capped = std::min<std::chrono::nanoseconds>(left, std::chrono::hours(24));
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(capped);
  timespec timeout{};
  timeout.tv_sec = seconds.count();
  timeout.tv_nsec = (capped - seconds).count();
  syscall(SYS_futex, reinterpret_cast<const std::uint32_t*>(&futex), FUTEX_WAIT, seen, &timeout,
          nullptr, 0);
}

int set_lock(int descriptor, off_t byte, short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = byte;
  lock.l_len = 1;
  return fcntl(descriptor, F_OFD_SETLK, &lock);
}

void futex_wake_all(Futex& futex) {
  futex.fetch_add(1);
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&futex), FUTEX_WAKE, INT_MAX, nullptr,
          nullptr, 0);
}

}  // namespace

struct SideFile::Page {
  char magic[8];
  std::atomic<std::uint64_t> commits;
  Futex bell;
  Futex sleepers;
  Futex waiting;
  Futex turn;
  Futex line;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free && Futex::is_always_lock_free);
static_assert(sizeof(Futex) == sizeof(std::uint32_t));

// All side files of the process, for a child of fork to let go of. A lock of this kind lives as
// long as any copy of its descriptor, a mapping included; giving a copy up leaves the parent's lock
// alone.
class SideFile::Registry {
 public:
  static Registry& get() {
    static Registry& registry = *new Registry;  // outlives whoever closes a store at the end
    return registry;
  }

  void add(SideFile* file) {
    const std::lock_guard lock(mutex_);
    files_.insert(file);
  }
  void remove(SideFile* file) {
    const std::lock_guard lock(mutex_);
    files_.erase(file);
  }

 private:
  Registry() {
    pthread_atfork([] { get().mutex_.lock(); }, [] { get().mutex_.unlock(); },
                   [] {
                     for (SideFile* file : get().files_) file->let_go();
                     get().mutex_.unlock();
                   });
  }

  std::mutex mutex_;
  std::set<SideFile*> files_;
};

SideFile::SideFile(std::string path, mode_t mode, Deadline deadline) : path_(std::move(path)) {
  Registry::get().add(this);
  try {
    open_file(mode);
    map_page();
    take_up(deadline);
  } catch (...) {
    Registry::get().remove(this);
    let_go();
    throw;
  }
}

SideFile::~SideFile() {
  Registry::get().remove(this);
  let_go();
}

void SideFile::let_go() noexcept {
  if (page_ != nullptr) munmap(page_, kPageSize);
  page_ = nullptr;
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
}

void SideFile::open_file(mode_t mode) {
  constexpr int kFlags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  descriptor_ = ::open(path_.c_str(), kFlags | O_CREAT | O_EXCL, mode);
  if (descriptor_ >= 0) {
    if (fchmod(descriptor_, mode) != 0) {
      throw_system_error(errno, path_, "set the permissions of the lock file", Phase::kOpening);
    }
    return;
  }
  if (errno == EEXIST) descriptor_ = ::open(path_.c_str(), kFlags);
  if (descriptor_ < 0) throw_system_error(errno, path_, "open the lock file", Phase::kOpening);
}

void SideFile::map_page() {
  struct stat status {};
  if (fstat(descriptor_, &status) != 0) {
    throw_system_error(errno, path_, "look at the lock file", Phase::kOpening);
  }
  const auto foreign = [this] {
    throw Error(ErrorCode::kNotConfigured,
                "sqlite: this file stands where the store's lock file should, and is not one. "
                "Move it away: " +
                    path_);
  };
  if (!S_ISREG(status.st_mode)) foreign();
  if (status.st_size != 0 && status.st_size != static_cast<off_t>(kPageSize)) foreign();
  reserve_page();
  void* page = mmap(nullptr, kPageSize, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (page == MAP_FAILED) {
    throw_system_error(errno, path_, "map the lock file", Phase::kOpening);
  }
  page_ = static_cast<Page*>(page);
  constexpr char kNew[sizeof kMagic] = {};
  const bool is_new = std::memcmp(page_->magic, kNew, sizeof kMagic) == 0;
  if (!is_new && std::memcmp(page_->magic, kMagic, sizeof kMagic) != 0) foreign();
  // Everybody who finds it new writes the same.
  if (is_new) std::memcpy(page_->magic, kMagic, sizeof kMagic);
}

// A page of the file that has no place on the disk yet would get it when it is first written to,
// and on a full disk that kills the process.
void SideFile::reserve_page() {
  if (fallocate(descriptor_, 0, 0, kPageSize) == 0) return;
  // Where the file system cannot reserve, the file still gets its size.
  if (errno == EOPNOTSUPP && ftruncate(descriptor_, kPageSize) == 0) return;
  throw_system_error(errno, path_, "make the lock file", Phase::kOpening);
}

void SideFile::take_up(Deadline deadline) {
  // Another opener holds it alone for the moment in which it resets the counts.
  while (!try_byte(kOpen, F_RDLCK)) {
    if (steady_clock::now() >= deadline) {
      throw Error(ErrorCode::kBusy, "sqlite: others are opening the store: " + path_);
    }
    futex_wait(page_->turn, page_->turn.load(), steady_clock::now() + std::chrono::milliseconds(1));
  }
  if (!try_byte(kOpen, F_WRLCK)) return;
  page_->sleepers.store(0);
  page_->waiting.store(0);
  try_byte(kOpen, F_RDLCK);
}

bool SideFile::try_byte(off_t byte, short type) {
  if (set_lock(descriptor_, byte, type) == 0) return true;
  if (errno == EAGAIN || errno == EACCES || errno == EINTR) return false;
  throw_system_error(errno, path_, "lock the store", Phase::kRunning);
}

bool SideFile::lock_byte(off_t byte, Futex& futex, Deadline deadline) {
  while (true) {
    const std::uint32_t seen = futex.load();
    if (try_byte(byte, F_WRLCK)) return true;
    const auto now = steady_clock::now();
    if (now >= deadline) return false;
    futex_wait(futex, seen, std::min<Deadline>(deadline, now + kGlance));
  }
}

void SideFile::unlock_byte(off_t byte, Futex& futex) noexcept {
  set_lock(descriptor_, byte, F_UNLCK);  // fails for no lock that is held
  if (page_->waiting.load() != 0) futex_wake_all(futex);
}

bool SideFile::lock(Deadline deadline) {
  if (page_->waiting.load() == 0 && try_byte(kLock, F_WRLCK)) return true;
  page_->waiting.fetch_add(1);
  bool locked = false;
  try {
    if (lock_byte(kLine, page_->line, deadline)) {
      locked = lock_byte(kLock, page_->turn, deadline);
      unlock_byte(kLine, page_->line);
    }
  } catch (...) {
    page_->waiting.fetch_sub(1);
    throw;
  }
  page_->waiting.fetch_sub(1);
  return locked;
}

void SideFile::unlock() noexcept { unlock_byte(kLock, page_->turn); }

bool SideFile::line_is_free() {
  if (!try_byte(kLine, F_WRLCK)) return false;
  unlock_byte(kLine, page_->line);
  return true;
}

std::uint32_t SideFile::waiting() const { return page_->waiting.load(); }

std::uint32_t SideFile::sleepers() const { return page_->sleepers.load(); }

std::uint64_t SideFile::commits() const { return page_->commits.load(); }

void SideFile::announce() {
  page_->commits.fetch_add(1);
  if (page_->sleepers.load() != 0) ring();
}

void SideFile::ring() { futex_wake_all(page_->bell); }

SideFile::Sleeper::Sleeper(SideFile& side_file) : file(side_file) {
  file.page_->sleepers.fetch_add(1);
}

SideFile::Sleeper::~Sleeper() { file.page_->sleepers.fetch_sub(1); }

std::uint32_t SideFile::bell_now() const { return page_->bell.load(); }

void SideFile::wait_for_bell(std::uint32_t seen, Deadline until) {
  futex_wait(page_->bell, seen, until);
}

}  // namespace pawl::sqlite
