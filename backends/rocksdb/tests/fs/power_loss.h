// Storage that loses power, beneath RocksDB: what was not synced by then may be there afterwards,
// or not, or in part.
//
// Files are only ever appended to: what follows a file's latest sync may be cut off anywhere, or
// have holes of whole sectors. Names that came since the folder was synced may be gone, the latest
// first. Names that went stay gone: RocksDB deletes only what it needs no more.
#pragma once

#include <rocksdb/file_system.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace pawl::rocksdb {

class PowerLoss final : public ::rocksdb::FileSystemWrapper {
 public:
  explicit PowerLoss(std::uint64_t seed);

  // Cuts the power at the `changes`th change from here: an append, sync, creation, renaming or
  // deletion. That one does not get through, or not wholly.
  void cut_after(std::int64_t changes);
  void cut();
  // From then on every change fails.
  bool is_cut() const;

  // Makes the files what survived, and turns the power on. All must be closed.
  void restore();

  // Of all cuts so far: bytes that were not synced, and how many of these were dropped.
  std::int64_t unsynced() const { return unsynced_; }
  std::int64_t dropped() const { return dropped_; }

  const char* Name() const override { return "PowerLoss"; }
  ::rocksdb::IOStatus NewWritableFile(const std::string& path,
                                      const ::rocksdb::FileOptions& options,
                                      std::unique_ptr<::rocksdb::FSWritableFile>* result,
                                      ::rocksdb::IODebugContext* debug) override;
  ::rocksdb::IOStatus ReopenWritableFile(const std::string& path,
                                         const ::rocksdb::FileOptions& options,
                                         std::unique_ptr<::rocksdb::FSWritableFile>* result,
                                         ::rocksdb::IODebugContext* debug) override;
  ::rocksdb::IOStatus NewDirectory(const std::string& path, const ::rocksdb::IOOptions& options,
                                   std::unique_ptr<::rocksdb::FSDirectory>* result,
                                   ::rocksdb::IODebugContext* debug) override;
  ::rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                                 const ::rocksdb::IOOptions& options,
                                 ::rocksdb::IODebugContext* debug) override;
  ::rocksdb::IOStatus DeleteFile(const std::string& path, const ::rocksdb::IOOptions& options,
                                 ::rocksdb::IODebugContext* debug) override;

 private:
  friend class WatchedFile;
  friend class WatchedFolder;

  struct File {
    std::int64_t size = 0;
    std::int64_t synced = 0;
  };
  using FilePtr = std::shared_ptr<File>;
  // A name that came. `replaced`: what a file of that name held, if there was one.
  struct Naming {
    std::string from;  // empty: it was created
    std::string to;
    std::optional<std::string> replaced;
  };

  static ::rocksdb::IOStatus no_power();
  // Counts a change. False: the power is cut.
  bool passes();
  bool passes_locked();
  FilePtr created(const std::string& path);
  // How many bytes of an append reach the file.
  std::size_t appended(File& file, std::size_t size);
  bool synced(File& file);
  bool folder_synced();
  void drop_names();
  void drop_bytes(const std::string& path, const File& file);

  mutable std::mutex mutex_;
  std::mt19937_64 random_;
  std::optional<std::int64_t> left_;
  bool is_cut_ = false;
  std::map<std::string, FilePtr> files_;
  std::vector<Naming> namings_;  // since the folder was synced
  std::int64_t dropped_ = 0;
  std::int64_t unsynced_ = 0;
};

}  // namespace pawl::rocksdb
