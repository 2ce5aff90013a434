// Storage that loses power.
#include "power_loss.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace pawl::sqlite {
namespace {

constexpr std::int64_t kSector = 512;

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Calls after which the disk holds something else, or may.
bool changes_files(const VfsEvent& event) {
  switch (event.call) {
    case VfsCall::kWrite:
    case VfsCall::kTruncate:
    case VfsCall::kSync:
    case VfsCall::kDelete:
      return true;
    case VfsCall::kOpen:
      return (event.flags & SQLITE_OPEN_CREATE) != 0;
    default:
      return false;
  }
}

int code_without_power(VfsCall call) {
  switch (call) {
    case VfsCall::kOpen:
    case VfsCall::kFullPathname:
      return SQLITE_CANTOPEN;
    case VfsCall::kSync:
      return SQLITE_IOERR_FSYNC;
    case VfsCall::kWrite:
      return SQLITE_IOERR_WRITE;
    case VfsCall::kFileControl:
      return SQLITE_NOTFOUND;
    default:
      return SQLITE_IOERR;
  }
}

}  // namespace

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

int PowerLoss::before(VfsEvent& event) {
  const std::lock_guard lock(mutex_);
  if (!is_cut_ && left_ && changes_files(event) && --*left_ <= 0) {
    // The write under way is one of those that may survive in part.
    if (event.call == VfsCall::kWrite) record(event);
    is_cut_ = true;
  }
  if (is_cut_) {
    event.amount = 0;
    return code_without_power(event.call);
  }
  if (event.call == VfsCall::kOpen && !std::filesystem::exists(event.path)) {
    created_.insert(std::string(event.path));
  }
  return SQLITE_OK;
}

int PowerLoss::after(const VfsEvent& event, int result) {
  const std::lock_guard lock(mutex_);
  if (is_cut_) return code_without_power(event.call);
  if (result == SQLITE_OK) record(event);
  return result;
}

void PowerLoss::record(const VfsEvent& event) {
  if (event.path.empty()) return;  // a temporary file
  const std::string path(event.path);
  switch (event.call) {
    case VfsCall::kOpen:
      opened(path, event);
      break;
    case VfsCall::kWrite: {
      const std::string_view bytes(static_cast<const char*>(event.data),
                                   static_cast<std::size_t>(event.amount));
      file_at(path)->changes.push_back({{}, event.offset, std::string(bytes)});
      break;
    }
    case VfsCall::kTruncate:
      file_at(path)->changes.push_back({event.amount, 0, {}});
      break;
    case VfsCall::kSync: {
      File& file = *file_at(path);
      for (const Change& change : file.changes) apply(&file.synced, change, '\0');
      file.changes.clear();
      if (syncs_folder_.erase(event.file) != 0) sync_folder();
      break;
    }
    case VfsCall::kDelete:
      renamings_.push_back({path, nullptr});
      names_.erase(path);
      if (event.flags != 0) sync_folder();
      break;
    default:
      break;
  }
}

void PowerLoss::opened(const std::string& path, const VfsEvent& event) {
  if (created_.erase(path) != 0 && !names_.contains(path)) {
    names_[path] = std::make_shared<File>();
    renamings_.push_back({path, names_[path]});
  }
  file_at(path);
  constexpr int kLogs = SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL;
  syncs_folder_.erase(event.file);
  if ((event.flags & SQLITE_OPEN_CREATE) != 0 && (event.flags & kLogs) != 0) {
    syncs_folder_.insert(event.file);
  }
}

PowerLoss::FilePtr PowerLoss::file_at(const std::string& path) {
  FilePtr& file = names_[path];
  if (file == nullptr) {  // it was there before anybody watched
    file = std::make_shared<File>();
    file->synced = content_of(path);
    synced_names_[path] = file;
  }
  return file;
}

void PowerLoss::sync_folder() {
  for (const Renaming& renaming : std::exchange(renamings_, {})) {
    synced_names_[renaming.path] = renaming.file;
  }
}

void PowerLoss::apply(std::string* content, const Change& change, char filler) {
  if (change.truncated_to) {
    content->resize(static_cast<std::size_t>(*change.truncated_to), '\0');
    return;
  }
  const auto from = static_cast<std::size_t>(change.offset);
  const std::size_t to = from + change.bytes.size();
  if (content->size() < to) content->resize(to, filler);
  std::copy(change.bytes.begin(), change.bytes.end(),
            content->begin() + static_cast<std::ptrdiff_t>(from));
}

void PowerLoss::keep_sectors(std::string* content, const Change& change, char filler) {
  const auto end = change.offset + static_cast<std::int64_t>(change.bytes.size());
  for (std::int64_t from = change.offset; from < end;) {
    const std::int64_t to = std::min(end, (from / kSector + 1) * kSector);
    ++unsynced_;
    if (chance(50)) {
      apply(content,
            {{},
             from,
             change.bytes.substr(static_cast<std::size_t>(from - change.offset),
                                 static_cast<std::size_t>(to - from))},
            filler);
    } else {
      ++dropped_;
    }
    from = to;
  }
}

std::string PowerLoss::survivor(const File& file, Disk disk) {
  std::string content = file.synced;
  // What lies between sectors that were kept is nobody's promise.
  const char filler = chance(50) ? '\0' : static_cast<char>(random_());
  const auto count = static_cast<std::int64_t>(file.changes.size());
  const auto first = static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(count + 1));
  for (std::int64_t i = 0; i < count; ++i) {
    const Change& change = file.changes[static_cast<std::size_t>(i)];
    const bool is_torn = disk == Disk::kKeepsSectors || (disk == Disk::kKeepsFirst && i == first);
    if (is_torn && !change.truncated_to) {
      keep_sectors(&content, change, filler);
      continue;
    }
    const bool is_kept = disk == Disk::kKeepsAll || (disk == Disk::kKeepsFirst && i < first) ||
                         ((is_torn || disk == Disk::kKeepsSome) && chance(50));
    ++unsynced_;
    if (is_kept) {
      apply(&content, change, filler);
    } else {
      ++dropped_;
    }
  }
  return content;
}

std::map<std::string, PowerLoss::FilePtr> PowerLoss::surviving_names(Disk disk) {
  std::map<std::string, FilePtr> names = synced_names_;
  std::set<std::string> stopped;  // of one name, what came first is kept first
  for (const Renaming& renaming : renamings_) {
    const bool is_kept = disk == Disk::kKeepsAll || (disk != Disk::kDropsAll && chance(50));
    if (!is_kept) stopped.insert(renaming.path);
    if (!stopped.contains(renaming.path)) names[renaming.path] = renaming.file;
  }
  return names;
}

void PowerLoss::restore() {
  const std::lock_guard lock(mutex_);
  const auto any_disk = [this] { return static_cast<Disk>(random_() % 5); };
  std::map<std::string, FilePtr> survivors;
  for (const auto& [path, file] : surviving_names(any_disk())) {
    if (file == nullptr) continue;
    survivors[path] = std::make_shared<File>();
    survivors[path]->synced = survivor(*file, any_disk());
  }
  for (const auto* names : {&names_, &synced_names_}) {
    for (const auto& [path, file] : *names) {
      std::filesystem::remove(path);
      std::filesystem::remove(path + "-shm");
    }
  }
  for (const auto& [path, file] : survivors) {
    std::ofstream out(path, std::ios::binary);
    if (!out.write(file->synced.data(), static_cast<std::streamsize>(file->synced.size())) ||
        !out.flush()) {
      throw std::runtime_error("cannot write " + path);
    }
  }
  names_ = survivors;
  synced_names_ = std::move(survivors);
  renamings_.clear();
  syncs_folder_.clear();
  created_.clear();
  left_.reset();
  is_cut_ = false;
}

}  // namespace pawl::sqlite
