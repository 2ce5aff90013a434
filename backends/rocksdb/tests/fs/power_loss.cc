// power_loss.cc: see power_loss.h.
#include "fs/power_loss.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace pawl::rocksdb {

using ::rocksdb::FileOptions;
using ::rocksdb::FSDirectory;
using ::rocksdb::FSWritableFile;
using ::rocksdb::IODebugContext;
using ::rocksdb::IOOptions;
using ::rocksdb::IOStatus;
using ::rocksdb::Slice;

class WatchedFile final : public ::rocksdb::FSWritableFileOwnerWrapper {
 public:
  WatchedFile(PowerLoss& power, PowerLoss::FilePtr file, std::unique_ptr<FSWritableFile> target)
      : FSWritableFileOwnerWrapper(std::move(target)), power_(power), file_(std::move(file)) {}

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* debug) override {
    const std::size_t size = power_.appended(*file_, data.size());
    if (size > 0) {
      IOStatus status = target()->Append(Slice(data.data(), size), options, debug);
      if (!status.ok()) return status;
    }
    return size == data.size() ? IOStatus::OK() : PowerLoss::no_power();
  }
  IOStatus Append(const Slice& data, const IOOptions& options,
                  const ::rocksdb::DataVerificationInfo&, IODebugContext* debug) override {
    return Append(data, options, debug);
  }
  IOStatus Sync(const IOOptions&, IODebugContext*) override { return sync(); }
  IOStatus Fsync(const IOOptions&, IODebugContext*) override { return sync(); }
  IOStatus Truncate(std::uint64_t size, const IOOptions& options, IODebugContext* debug) override {
    if (power_.is_cut()) return PowerLoss::no_power();
    return target()->Truncate(size, options, debug);
  }

 private:
  // The disk beneath need not be asked: only this program looks.
  IOStatus sync() { return power_.synced(*file_) ? IOStatus::OK() : PowerLoss::no_power(); }

  PowerLoss& power_;
  const PowerLoss::FilePtr file_;
};

class WatchedFolder final : public ::rocksdb::FSDirectoryWrapper {
 public:
  WatchedFolder(PowerLoss& power, std::unique_ptr<FSDirectory> target)
      : FSDirectoryWrapper(std::move(target)), power_(power) {}
  IOStatus Fsync(const IOOptions&, IODebugContext*) override { return sync(); }
  IOStatus FsyncWithDirOptions(const IOOptions&, IODebugContext*,
                               const ::rocksdb::DirFsyncOptions&) override {
    return sync();
  }

 private:
  IOStatus sync() { return power_.folder_synced() ? IOStatus::OK() : PowerLoss::no_power(); }

  PowerLoss& power_;
};

PowerLoss::PowerLoss(std::uint64_t seed)
    : FileSystemWrapper(::rocksdb::FileSystem::Default()), random_(seed) {}

IOStatus PowerLoss::no_power() { return IOStatus::IOError("the power is cut"); }

void PowerLoss::cut_after(std::int64_t changes) {
  const std::lock_guard lock(mutex_);
  left_ = changes;
}

void PowerLoss::cut() {
  const std::lock_guard lock(mutex_);
  is_cut_ = true;
}

bool PowerLoss::is_cut() const {
  const std::lock_guard lock(mutex_);
  return is_cut_;
}

bool PowerLoss::passes_locked() {
  if (left_ && --*left_ <= 0) is_cut_ = true;
  return !is_cut_;
}

bool PowerLoss::passes() {
  const std::lock_guard lock(mutex_);
  return passes_locked();
}

PowerLoss::FilePtr PowerLoss::created(const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (!passes_locked()) return nullptr;
  namings_.push_back({"", path, std::nullopt});
  return files_[path] = std::make_shared<File>();
}

std::size_t PowerLoss::appended(File& file, std::size_t size) {
  const std::lock_guard lock(mutex_);
  const bool was_cut = is_cut_;
  if (!passes_locked()) size = was_cut || size == 0 ? 0 : random_() % size;
  file.size += static_cast<std::int64_t>(size);
  return size;
}

bool PowerLoss::synced(File& file) {
  const std::lock_guard lock(mutex_);
  if (!passes_locked()) return false;
  file.synced = file.size;
  return true;
}

bool PowerLoss::folder_synced() {
  const std::lock_guard lock(mutex_);
  if (!passes_locked()) return false;
  namings_.clear();
  return true;
}

IOStatus PowerLoss::NewWritableFile(const std::string& path, const FileOptions& options,
                                    std::unique_ptr<FSWritableFile>* result,
                                    IODebugContext* debug) {
  FilePtr file = created(path);
  if (!file) return no_power();
  std::unique_ptr<FSWritableFile> opened;
  IOStatus status = target()->NewWritableFile(path, options, &opened, debug);
  if (status.ok()) *result = std::make_unique<WatchedFile>(*this, file, std::move(opened));
  return status;
}

IOStatus PowerLoss::ReopenWritableFile(const std::string& path, const FileOptions& options,
                                       std::unique_ptr<FSWritableFile>* result,
                                       IODebugContext* debug) {
  // Nothing in RocksDB's own folder is written on.
  (void)path, (void)options, (void)result, (void)debug;
  return IOStatus::NotSupported("reopening a file");
}

IOStatus PowerLoss::NewDirectory(const std::string& path, const IOOptions& options,
                                 std::unique_ptr<FSDirectory>* result, IODebugContext* debug) {
  std::unique_ptr<FSDirectory> opened;
  IOStatus status = target()->NewDirectory(path, options, &opened, debug);
  if (status.ok()) *result = std::make_unique<WatchedFolder>(*this, std::move(opened));
  return status;
}

IOStatus PowerLoss::RenameFile(const std::string& from, const std::string& to,
                               const IOOptions& options, IODebugContext* debug) {
  const std::lock_guard lock(mutex_);
  if (!passes_locked()) return no_power();
  Naming naming{from, to, std::nullopt};
  if (std::ifstream file(to, std::ios::binary); file) {
    naming.replaced.emplace(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  IOStatus status = target()->RenameFile(from, to, options, debug);
  if (!status.ok()) return status;
  namings_.push_back(std::move(naming));
  if (const auto found = files_.find(from); found != files_.end()) {
    files_[to] = found->second;
    files_.erase(from);
  }
  return status;
}

IOStatus PowerLoss::DeleteFile(const std::string& path, const IOOptions& options,
                               IODebugContext* debug) {
  const std::lock_guard lock(mutex_);
  if (!passes_locked()) return no_power();
  IOStatus status = target()->DeleteFile(path, options, debug);
  if (status.ok()) files_.erase(path);
  return status;
}

void PowerLoss::restore() {
  const std::lock_guard lock(mutex_);
  for (const auto& [path, file] : files_) {
    if (file->size > file->synced && std::filesystem::exists(path)) drop_bytes(path, *file);
  }
  drop_names();
  files_.clear();
  namings_.clear();
  left_.reset();
  is_cut_ = false;
}

void PowerLoss::drop_names() {
  for (std::size_t left = random_() % (namings_.size() + 1); left > 0; --left) {
    const Naming& naming = namings_.back();
    if (naming.from.empty()) {
      std::filesystem::remove(naming.to);
    } else if (std::filesystem::exists(naming.to)) {
      std::filesystem::rename(naming.to, naming.from);
      if (naming.replaced) std::ofstream(naming.to, std::ios::binary) << *naming.replaced;
    }
    namings_.pop_back();
  }
}

void PowerLoss::drop_bytes(const std::string& path, const File& file) {
  constexpr std::int64_t kSector = 512;
  const std::int64_t open_end = file.size - file.synced;
  unsynced_ += open_end;
  const auto draw = [this](std::int64_t below) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(below));
  };
  // All of it, nothing of it, its beginning; and perhaps with holes.
  const std::int64_t choice = draw(4);
  const std::int64_t kept = choice == 0 ? 0 : choice == 1 ? open_end : draw(open_end + 1);
  const std::int64_t size = file.synced + kept;
  dropped_ += open_end - kept;
  std::filesystem::resize_file(path, static_cast<std::uintmax_t>(size));
  if (choice != 3) return;
  const int opened = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (opened < 0) throw std::runtime_error("cannot open " + path);
  const std::string hole(kSector, '\0');
  for (std::int64_t sector = file.synced / kSector; sector * kSector < size; ++sector) {
    if (draw(3) > 0) continue;
    const std::int64_t from = std::max(sector * kSector, file.synced);
    const std::int64_t to = std::min((sector + 1) * kSector, size);
    dropped_ += to - from;
    if (pwrite(opened, hole.data(), static_cast<std::size_t>(to - from), from) < 0) {
      throw std::runtime_error("cannot write " + path);
    }
  }
  ::close(opened);
}

}  // namespace pawl::rocksdb
