// Storage that fails at a chosen call, once or from then on.
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "vfs_shim.h"

namespace pawl::sqlite {

// How the call fails, and what fails after it.
struct Fault {
  enum class Lasting { kOnce, kAllCalls, kCallsOfThisKind };

  std::size_t call = 0;  // from 0: which one after `start`
  int variant = 0;       // 0: an I/O error; 1: what else this kind of call may answer
  Lasting lasting = Lasting::kOnce;
};

// The code for a call; none: that kind has no such variant.
std::optional<int> fault_code(VfsCall call, int variant);

class VfsFaults final : public VfsWatcher {
 public:
  // Counts from here, and makes the fault happen.
  void start(std::optional<Fault> fault);
  // Everything works again. Returns the kinds of calls since `start`, in order.
  std::vector<VfsCall> heal();

  // The kind of the call that failed first, if one has.
  std::optional<VfsCall> failed() const {
    const std::lock_guard lock(mutex_);
    return failed_;
  }

  int before(VfsEvent& event) override;
  // What is locked by a fault stays locked, however long one waits.
  bool waits() const override { return false; }

 private:
  mutable std::mutex mutex_;
  bool is_on_ = false;
  std::optional<Fault> fault_;
  std::optional<VfsCall> failed_;
  std::vector<VfsCall> calls_;
};

}  // namespace pawl::sqlite
