// PATH-lock: how processes (and stores of one process) that share a file queue for it, and
// how a commit wakes those who wait for one. It holds one page, mapped by everybody:
//
//   magic       "pawl-lk1"
//   commits     commits of all stores so far
//   bell        futex: moves when a commit finds sleepers
//   sleepers    how many wait for the bell
//   waiting     how many wait for the lock
//   turn, line  futexes: move when the lock, or the place in front of it, is given up
//
// The locks themselves are open-file-description locks on three bytes, which the kernel takes
// back when their holder dies:
//
//   0  the lock: whoever writes, checkpoints or initialises
//   1  the line: the place in front of the lock. Who is to wait takes it first, and whoever
//      gives the lock up and wants it again must queue behind
//   2  shared by every store that has the file open: a store that gets it alone resets
//      what the dead have left behind in the counts
//
// The counts are hints: a process that dies with one raised costs a system call per commit.
//
// A child of fork lets go of its copies at once: it would keep the locks of a parent that dies.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

#include <sys/types.h>

namespace pawl::sqlite {

class SideFile {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  // Opens or creates `path`; `mode` is what a new one gets, whatever the umask.
  SideFile(std::string path, mode_t mode, Deadline deadline);
  ~SideFile();
  SideFile(const SideFile&) = delete;
  SideFile& operator=(const SideFile&) = delete;

  // Waits for the lock, asleep. False when it was not to be had until `deadline`; it is tried
  // at least once.
  bool lock(Deadline deadline);
  void unlock() noexcept;

  // For tests: whether somebody stands in front of the lock, how many wait for it, and how many
  // for the bell.
  bool line_is_free();
  std::uint32_t waiting() const;
  std::uint32_t sleepers() const;

  std::uint64_t commits() const;
  // Counts a commit, and wakes the sleepers of all processes if there are any.
  void announce();
  // Wakes them without a commit.
  void ring();
  // Sleeps until the count of commits is no longer `seen`, the bell rings or `until`. Before
  // it sleeps it asks `stop`.
  template <typename Stop>
  void sleep(std::uint64_t seen, Deadline until, const Stop& stop) {
    const Sleeper sleeper(*this);
    const std::uint32_t bell = bell_now();
    if (commits() != seen || stop()) return;
    wait_for_bell(bell, until);
  }

 private:
  class Registry;
  struct Page;
  struct Sleeper {
    explicit Sleeper(SideFile& file);
    ~Sleeper();
    SideFile& file;
  };

  void let_go() noexcept;
  void open_file(mode_t mode);
  void map_page();
  void reserve_page();
  void take_up(Deadline deadline);
  bool try_byte(off_t byte, short type);
  bool lock_byte(off_t byte, std::atomic<std::uint32_t>& futex, Deadline deadline);
  void unlock_byte(off_t byte, std::atomic<std::uint32_t>& futex) noexcept;
  std::uint32_t bell_now() const;
  void wait_for_bell(std::uint32_t seen, Deadline until);

  std::string path_;
  int descriptor_ = -1;
  Page* page_ = nullptr;
};

}  // namespace pawl::sqlite
