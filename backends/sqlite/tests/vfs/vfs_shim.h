// A VFS for tests: SQLite's own, with somebody who watches every call and may make it fail.
//
// No call syncs, since tests simulate what that is for. The shim registers itself as the default of
// the process, so that whatever opens a file without naming a VFS goes through it: a store needs no
// seam. kRealVfs names the one below, for looking at a file from outside.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace pawl::sqlite {

inline constexpr const char* kRealVfs = "unix";

enum class VfsCall {
  kOpen,
  kDelete,
  kAccess,
  kFullPathname,
  kRead,
  kWrite,
  kTruncate,
  kSync,
  kFileSize,
  kLock,
  kUnlock,
  kCheckReservedLock,
  kFileControl,
  kShmMap,
  kShmLock,
  kShmUnlock,
};
const char* to_string(VfsCall call);

struct VfsEvent {
  VfsCall call;
  std::string_view path;
  const void* file = nullptr;  // tells handles apart
  int flags = 0;               // of kOpen; of kDelete: whether the folder is synced
  const void* data = nullptr;  // of kWrite
  std::int64_t amount = 0;     // of kWrite and kRead: bytes; of kTruncate: the new size
  std::int64_t offset = 0;
};

class VfsWatcher {
 public:
  virtual ~VfsWatcher() = default;
  // Before the call: another answer than SQLITE_OK is the call's, and it does not happen, except
  // for unlocks, which do: no system keeps a lock that it was asked to drop. Of a write that
  // fails, `event.amount` is how much of it reaches the file all the same.
  virtual int before(VfsEvent& event) = 0;
  // After it, with its answer; gives the answer to pass on.
  virtual int after(const VfsEvent& /*event*/, int result) { return result; }
  // Whether SQLite's waits for a lock take their time. It counts waits, not time, before it gives
  // up: where another thread really holds the lock, waits that take none are over too soon.
  virtual bool waits() const = 0;
};

// Registered as long as it lives. Files must be closed before. Only one at a time.
class VfsShim {
 public:
  explicit VfsShim(VfsWatcher& watcher);
  ~VfsShim();
  VfsShim(const VfsShim&) = delete;
  VfsShim& operator=(const VfsShim&) = delete;

 private:
  struct Vfs;
  std::unique_ptr<Vfs> vfs_;
};

}  // namespace pawl::sqlite
