// Storage that fails at a chosen call.
#include "vfs_faults.h"

#include <utility>

namespace pawl::sqlite {

std::optional<int> fault_code(VfsCall call, int variant) {
  struct Codes {
    int error;
    std::optional<int> other;
  };
  const Codes codes = [call]() -> Codes {
    switch (call) {
      case VfsCall::kOpen:
        return {SQLITE_CANTOPEN, SQLITE_IOERR_NOMEM};
      case VfsCall::kDelete:
        return {SQLITE_IOERR_DELETE, {}};
      case VfsCall::kAccess:
        return {SQLITE_IOERR_ACCESS, {}};
      case VfsCall::kFullPathname:
        return {SQLITE_CANTOPEN, {}};
      case VfsCall::kRead:
        return {SQLITE_IOERR_READ, {}};
      case VfsCall::kWrite:
        return {SQLITE_IOERR_WRITE, SQLITE_FULL};
      case VfsCall::kTruncate:
        return {SQLITE_IOERR_TRUNCATE, {}};
      case VfsCall::kSync:
        return {SQLITE_IOERR_FSYNC, SQLITE_IOERR_DIR_FSYNC};
      case VfsCall::kFileSize:
        return {SQLITE_IOERR_FSTAT, {}};
      case VfsCall::kLock:
        return {SQLITE_IOERR_LOCK, SQLITE_BUSY};
      case VfsCall::kUnlock:
        return {SQLITE_IOERR_UNLOCK, {}};
      case VfsCall::kCheckReservedLock:
        return {SQLITE_IOERR_CHECKRESERVEDLOCK, {}};
      case VfsCall::kFileControl:
        return {SQLITE_IOERR, {}};
      case VfsCall::kShmMap:
        return {SQLITE_IOERR_SHMMAP, SQLITE_NOMEM};
      case VfsCall::kShmLock:
        return {SQLITE_IOERR_SHMLOCK, SQLITE_BUSY};
      case VfsCall::kShmUnlock:
        return {SQLITE_IOERR_SHMLOCK, {}};
    }
    return {SQLITE_IOERR, {}};
  }();
  return variant == 0 ? codes.error : codes.other;
}

void VfsFaults::start(std::optional<Fault> fault) {
  const std::lock_guard lock(mutex_);
  fault_ = fault;
  failed_.reset();
  calls_.clear();
  is_on_ = true;
}

std::vector<VfsCall> VfsFaults::heal() {
  const std::lock_guard lock(mutex_);
  is_on_ = false;
  return std::exchange(calls_, {});
}

int VfsFaults::before(VfsEvent& event) {
  const std::lock_guard lock(mutex_);
  if (!is_on_) return SQLITE_OK;
  const std::size_t number = calls_.size();
  calls_.push_back(event.call);
  if (!fault_ || number < fault_->call) return SQLITE_OK;
  if (number > fault_->call) {
    const bool goes_on =
        fault_->lasting == Fault::Lasting::kAllCalls ||
        (fault_->lasting == Fault::Lasting::kCallsOfThisKind && event.call == failed_);
    if (!goes_on) return SQLITE_OK;
  } else {
    failed_ = event.call;
  }
  // A device that runs full takes a part of a write before it says so.
  event.amount = fault_->variant == 0 ? 0 : event.amount / 2;
  return fault_code(event.call, fault_->variant)
      .value_or(fault_code(event.call, 0).value_or(SQLITE_IOERR));
}

}  // namespace pawl::sqlite
