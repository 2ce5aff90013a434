// Storage that loses power: what was not synced by then may be there afterwards, or not, or in
// part.
//
// A file's writes and truncations since its latest sync are kept apart; so are the names that
// came and went in its folder since the folder was last synced (SQLite does that with the first
// sync of a new journal or log, and with deletions that ask for it). `restore` leaves in the
// folder what a disk might hold. What SQLite counts on is granted: a sector of 512 bytes is
// written wholly or not, and bytes beside a write stay as they are.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "vfs_shim.h"

namespace pawl::sqlite {

class PowerLoss final : public VfsWatcher {
 public:
  explicit PowerLoss(std::uint64_t seed) : random_(seed) {}

  // Cuts the power at the `changes`th change of a file from here: a write, truncation, sync,
  // creation or deletion. That one does not get through, or not wholly.
  void cut_after(std::int64_t changes);
  void cut();
  // From then on every call fails.
  bool is_cut() const;

  // Makes the files what survived, and turns the power on. All must be closed.
  void restore();

  // Of all cuts so far: changes, or sectors of them, that were not synced, and how many of these
  // were dropped.
  std::int64_t unsynced() const { return unsynced_; }
  std::int64_t dropped() const { return dropped_; }

  int before(VfsEvent& event) override;
  int after(const VfsEvent& event, int result) override;
  bool waits() const override { return true; }

 private:
  struct Change {
    std::optional<std::int64_t> truncated_to;
    std::int64_t offset = 0;
    std::string bytes;
  };
  struct File {
    std::string synced;
    std::vector<Change> changes;  // since
  };
  using FilePtr = std::shared_ptr<File>;  // null: no file of that name
  struct Renaming {
    std::string path;
    FilePtr file;
  };
  // How a disk treats what it was not told to sync.
  enum class Disk { kDropsAll, kKeepsAll, kKeepsSome, kKeepsSectors, kKeepsFirst };

  bool chance(int percent) { return static_cast<int>(random_() % 100) < percent; }
  FilePtr file_at(const std::string& path);
  void record(const VfsEvent& event);
  void opened(const std::string& path, const VfsEvent& event);
  void sync_folder();
  static void apply(std::string* content, const Change& change, char filler);
  std::string survivor(const File& file, Disk disk);
  void keep_sectors(std::string* content, const Change& change, char filler);
  std::map<std::string, FilePtr> surviving_names(Disk disk);

  mutable std::mutex mutex_;
  std::mt19937_64 random_;
  std::optional<std::int64_t> left_;
  bool is_cut_ = false;
  std::map<std::string, FilePtr> names_;         // as programs see them
  std::map<std::string, FilePtr> synced_names_;  // as the disk has them
  std::vector<Renaming> renamings_;              // since the folder was synced
  std::set<const void*> syncs_folder_;           // handles whose next sync does
  std::set<std::string> created_;                // by the open that is under way
  std::int64_t dropped_ = 0;
  std::int64_t unsynced_ = 0;
};

}  // namespace pawl::sqlite
