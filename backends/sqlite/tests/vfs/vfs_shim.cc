// A VFS for tests.
#include "vfs_shim.h"

#include <new>
#include <stdexcept>
#include <thread>

namespace pawl::sqlite {
namespace {

// What SQLite allocates for a file: this, and right behind it the file of the VFS below.
struct ShimFile {
  sqlite3_file base;
  sqlite3_file* real;
  VfsWatcher* watcher;
  const char* path;  // SQLite's, as long as the file is open; null: a temporary file
};

ShimFile& shim(sqlite3_file* file) { return *reinterpret_cast<ShimFile*>(file); }

std::string_view view(const char* path) { return path != nullptr ? path : ""; }

VfsEvent event_of(sqlite3_file* file, VfsCall call) {
  return {.call = call, .path = view(shim(file).path), .file = file};
}

// Asks the watcher, makes the call, tells the watcher.
template <typename Call>
int watched(VfsWatcher& watcher, VfsEvent& event, const Call& call) {
  const int refused = watcher.before(event);
  if (refused != SQLITE_OK) return refused;
  return watcher.after(event, call());
}

template <typename Call>
int watched(sqlite3_file* file, VfsEvent event, const Call& call) {
  return watched(*shim(file).watcher, event, [&] { return call(shim(file).real); });
}

int close_file(sqlite3_file* file) {
  sqlite3_file* real = shim(file).real;
  return real->pMethods->xClose(real);
}

int read_file(sqlite3_file* file, void* to, int amount, sqlite3_int64 offset) {
  VfsEvent event = event_of(file, VfsCall::kRead);
  event.amount = amount;
  event.offset = offset;
  return watched(file, event, [&](sqlite3_file* real) {
    return real->pMethods->xRead(real, to, amount, offset);
  });
}

int write_file(sqlite3_file* file, const void* from, int amount, sqlite3_int64 offset) {
  VfsEvent event = event_of(file, VfsCall::kWrite);
  event.data = from;
  event.amount = amount;
  event.offset = offset;
  sqlite3_file* real = shim(file).real;
  const int refused = shim(file).watcher->before(event);
  if (refused == SQLITE_OK) {
    return shim(file).watcher->after(event, real->pMethods->xWrite(real, from, amount, offset));
  }
  if (event.amount > 0) real->pMethods->xWrite(real, from, static_cast<int>(event.amount), offset);
  return refused;
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  VfsEvent event = event_of(file, VfsCall::kTruncate);
  event.amount = size;
  return watched(file, event,
                 [&](sqlite3_file* real) { return real->pMethods->xTruncate(real, size); });
}

int sync_file(sqlite3_file* file, int) {
  return watched(file, event_of(file, VfsCall::kSync), [](sqlite3_file*) { return SQLITE_OK; });
}

int file_size(sqlite3_file* file, sqlite3_int64* size) {
  return watched(file, event_of(file, VfsCall::kFileSize),
                 [&](sqlite3_file* real) { return real->pMethods->xFileSize(real, size); });
}

int lock_file(sqlite3_file* file, int lock) {
  return watched(file, event_of(file, VfsCall::kLock),
                 [&](sqlite3_file* real) { return real->pMethods->xLock(real, lock); });
}

int unlock_file(sqlite3_file* file, int lock) {
  VfsEvent event = event_of(file, VfsCall::kUnlock);
  sqlite3_file* real = shim(file).real;
  const int refused = shim(file).watcher->before(event);
  const int result = real->pMethods->xUnlock(real, lock);
  return refused != SQLITE_OK ? refused : shim(file).watcher->after(event, result);
}

int check_reserved_lock(sqlite3_file* file, int* answer) {
  return watched(file, event_of(file, VfsCall::kCheckReservedLock), [&](sqlite3_file* real) {
    return real->pMethods->xCheckReservedLock(real, answer);
  });
}

int file_control(sqlite3_file* file, int what, void* argument) {
  return watched(file, event_of(file, VfsCall::kFileControl), [&](sqlite3_file* real) {
    return real->pMethods->xFileControl(real, what, argument);
  });
}

int sector_size(sqlite3_file* file) {
  sqlite3_file* real = shim(file).real;
  return real->pMethods->xSectorSize(real);
}

int device_characteristics(sqlite3_file* file) {
  sqlite3_file* real = shim(file).real;
  return real->pMethods->xDeviceCharacteristics(real);
}

int shm_map(sqlite3_file* file, int region, int size, int extend, void volatile** to) {
  return watched(file, event_of(file, VfsCall::kShmMap), [&](sqlite3_file* real) {
    return real->pMethods->xShmMap(real, region, size, extend, to);
  });
}

int shm_lock(sqlite3_file* file, int offset, int count, int flags) {
  sqlite3_file* real = shim(file).real;
  if ((flags & SQLITE_SHM_UNLOCK) == 0) {
    return watched(file, event_of(file, VfsCall::kShmLock), [&](sqlite3_file* below) {
      return below->pMethods->xShmLock(below, offset, count, flags);
    });
  }
  VfsEvent event = event_of(file, VfsCall::kShmUnlock);
  const int refused = shim(file).watcher->before(event);
  const int result = real->pMethods->xShmLock(real, offset, count, flags);
  return refused != SQLITE_OK ? refused : shim(file).watcher->after(event, result);
}

void shm_barrier(sqlite3_file* file) {
  sqlite3_file* real = shim(file).real;
  real->pMethods->xShmBarrier(real);
}

int shm_unmap(sqlite3_file* file, int remove) {
  sqlite3_file* real = shim(file).real;
  return real->pMethods->xShmUnmap(real, remove);
}

// Version 2: shared memory, but no mapped reads, which nobody could watch.
constexpr sqlite3_io_methods kMethods = {2,
                                         close_file,
                                         read_file,
                                         write_file,
                                         truncate_file,
                                         sync_file,
                                         file_size,
                                         lock_file,
                                         unlock_file,
                                         check_reserved_lock,
                                         file_control,
                                         sector_size,
                                         device_characteristics,
                                         shm_map,
                                         shm_lock,
                                         shm_barrier,
                                         shm_unmap,
                                         nullptr,
                                         nullptr};

}  // namespace

const char* to_string(VfsCall call) {
  switch (call) {
    case VfsCall::kOpen:
      return "xOpen";
    case VfsCall::kDelete:
      return "xDelete";
    case VfsCall::kAccess:
      return "xAccess";
    case VfsCall::kFullPathname:
      return "xFullPathname";
    case VfsCall::kRead:
      return "xRead";
    case VfsCall::kWrite:
      return "xWrite";
    case VfsCall::kTruncate:
      return "xTruncate";
    case VfsCall::kSync:
      return "xSync";
    case VfsCall::kFileSize:
      return "xFileSize";
    case VfsCall::kLock:
      return "xLock";
    case VfsCall::kUnlock:
      return "xUnlock";
    case VfsCall::kCheckReservedLock:
      return "xCheckReservedLock";
    case VfsCall::kFileControl:
      return "xFileControl";
    case VfsCall::kShmMap:
      return "xShmMap";
    case VfsCall::kShmLock:
      return "xShmLock";
    case VfsCall::kShmUnlock:
      return "xShmLock(unlock)";
  }
  return "?";
}

struct VfsShim::Vfs {
  sqlite3_vfs base{};
  sqlite3_vfs* real;
  VfsWatcher& watcher;

  static Vfs& of(sqlite3_vfs* vfs) { return *static_cast<Vfs*>(vfs->pAppData); }

  static int open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* given) {
    Vfs& self = of(vfs);
    file->pMethods = nullptr;
    auto* real_file =
        reinterpret_cast<sqlite3_file*>(reinterpret_cast<char*>(file) + sizeof(ShimFile));
    VfsEvent event{.call = VfsCall::kOpen, .path = view(path), .file = file, .flags = flags};
    const int refused = self.watcher.before(event);
    if (refused != SQLITE_OK) return refused;
    real_file->pMethods = nullptr;
    const int result = self.real->xOpen(self.real, path, real_file, flags, given);
    if (real_file->pMethods != nullptr) {
      new (file) ShimFile{{&kMethods}, real_file, &self.watcher, path};
    }
    return self.watcher.after(event, result);
  }

  static int remove(sqlite3_vfs* vfs, const char* path, int sync_folder) {
    Vfs& self = of(vfs);
    VfsEvent event{.call = VfsCall::kDelete, .path = view(path), .flags = sync_folder};
    return watched(self.watcher, event, [&] { return self.real->xDelete(self.real, path, 0); });
  }

  static int access(sqlite3_vfs* vfs, const char* path, int flags, int* answer) {
    Vfs& self = of(vfs);
    VfsEvent event{.call = VfsCall::kAccess, .path = view(path)};
    return watched(self.watcher, event,
                   [&] { return self.real->xAccess(self.real, path, flags, answer); });
  }

  static int full_pathname(sqlite3_vfs* vfs, const char* path, int size, char* to) {
    Vfs& self = of(vfs);
    VfsEvent event{.call = VfsCall::kFullPathname, .path = view(path)};
    return watched(self.watcher, event,
                   [&] { return self.real->xFullPathname(self.real, path, size, to); });
  }

  // The rest goes straight to the VFS below.
  Vfs(sqlite3_vfs* below, VfsWatcher& who) : base(*below), real(below), watcher(who) {
    base.szOsFile = static_cast<int>(sizeof(ShimFile)) + below->szOsFile;
    base.zName = "pawl-test";
    base.pNext = nullptr;
    base.pAppData = this;
    base.xOpen = open;
    base.xDelete = remove;
    base.xAccess = access;
    base.xFullPathname = full_pathname;
    base.xRandomness = [](sqlite3_vfs* vfs, int size, char* to) {
      return of(vfs).real->xRandomness(of(vfs).real, size, to);
    };
    base.xSleep = [](sqlite3_vfs* vfs, int us) {
      if (of(vfs).watcher.waits()) return of(vfs).real->xSleep(of(vfs).real, us);
      std::this_thread::yield();
      return us;
    };
    base.xCurrentTime = [](sqlite3_vfs* vfs, double* to) {
      return of(vfs).real->xCurrentTime(of(vfs).real, to);
    };
    base.xCurrentTimeInt64 = [](sqlite3_vfs* vfs, sqlite3_int64* to) {
      return of(vfs).real->xCurrentTimeInt64(of(vfs).real, to);
    };
    base.xGetLastError = [](sqlite3_vfs* vfs, int size, char* to) {
      return of(vfs).real->xGetLastError(of(vfs).real, size, to);
    };
  }
};

VfsShim::VfsShim(VfsWatcher& watcher) {
  sqlite3_initialize();
  sqlite3_vfs* below = sqlite3_vfs_find(kRealVfs);
  if (below == nullptr) throw std::runtime_error("this SQLite has no VFS of the name unix");
  vfs_ = std::make_unique<Vfs>(below, watcher);
  if (sqlite3_vfs_register(&vfs_->base, 1) != SQLITE_OK) {
    throw std::runtime_error("the VFS for tests cannot be registered");
  }
}

VfsShim::~VfsShim() {
  sqlite3_vfs_unregister(&vfs_->base);
  sqlite3_vfs_register(vfs_->real, 1);
}

}  // namespace pawl::sqlite
