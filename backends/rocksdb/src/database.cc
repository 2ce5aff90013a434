// database.cc: see database.h.
#include "database.h"

#include <rocksdb/transaction_log.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <utility>

#include "errors.h"
#include "keys.h"
#include "per_process.h"
#include "place.h"

namespace pawl::rocksdb {
namespace {

[[noreturn]] void refuse_open(const ::rocksdb::Status& status, const std::string& path) {
  if (is_lock_of_this_process(status) || is_lock_of_another_process(status)) {
    throw Error(ErrorCode::kNotConfigured,
                "rocksdb: " + path + " is held by " +
                    (is_lock_of_this_process(status) ? "this" : "another") + " process",
                status_name(status));
  }
  throw_status(status, Phase::kOpening, "opening " + path);
}

// What was read back must reach as far as what was there when the store was closed in order.
void check_closing_note(const std::string& path, const ::rocksdb::DB& db) {
  const auto reached = read_closing_note(path);
  if (reached && db.GetLatestSequenceNumber() < *reached) {
    throw Error(ErrorCode::kCorrupt, "rocksdb: " + path + " has lost its last writes");
  }
}

// As much as RocksDB would write at once, but no more than leaves memory's size to be looked at.
std::size_t most_shared_bytes(const EngineOptions& options) {
  return static_cast<std::size_t>(std::min<std::int64_t>(1 << 20, memory_bytes(options) / 16));
}

}  // namespace

Database::Database(std::string path, const EngineOptions& options, ::rocksdb::Env* env)
    : stripes(options.remember_kib * 1'024),
      path_(std::move(path)),
      options_(options),
      queue_(most_shared_bytes(options),
             [this](::rocksdb::WriteBatch& batch, bool sync) { return write(batch, sync); }) {
  ::rocksdb::Options engine = rocksdb_options(options);
  if (env != nullptr) engine.env = env;
  engine.create_if_missing = is_without_database(path_);
  ::rocksdb::DB* opened = nullptr;
  const ::rocksdb::Status status = ::rocksdb::DB::Open(engine, path_, &opened);
  if (!status.ok()) refuse_open(status, path_);
  db_.reset(opened);
  check_closing_note(path_, *db_);
  remove_closing_note(path_);
  logged_ = db_->GetLatestSequenceNumber();
  mark_memory();
}

Database::~Database() { leave_closing_note(); }

void Database::commit(::rocksdb::WriteBatch& batch, bool sync) {
  check(queue_.commit(batch, sync), Phase::kCommitting, "committing");
}

::rocksdb::Status Database::write(::rocksdb::WriteBatch& batch, bool sync) {
  const auto size = static_cast<std::int64_t>(batch.GetDataSize());
  // One that may fill memory by itself lets nobody begin a new log behind unsynced writes.
  ::rocksdb::Status status = put(batch, sync || size > memory_bytes(options_) / 8);
  if (!status.ok()) return status;
  log_bytes_ += size;
  // The size of memory is worth a look now and then only.
  if ((written_ += size) < std::min(memory_bytes(options_) / 16, options_.wal_mib << 20)) {
    return status;
  }
  written_ = 0;
  if (is_log_full()) begin_new_log();
  return status;
}

::rocksdb::Status Database::put(::rocksdb::WriteBatch& batch, bool sync) {
  // RocksDB's recovery may have begun a log by itself.
  if (has_failed_) put_mark();
  ::rocksdb::WriteOptions options;
  options.sync = sync;
  const bool is_broken = has_failed_ && log_number() == broken_log_;
  ::rocksdb::Status status = is_broken ? still_broken() : db_->Write(options, &batch);
  if (!status.ok() && status.severity() == ::rocksdb::Status::kNoError) {
    broken_log_ = log_number();
    has_failed_ = true;
    // RocksDB may have recovered already: then that is the new log, and nobody could tell it from
    // the broken one. There is another one behind it then; else this is refused.
    put_mark();
    flush_soon();
  }
  is_log_whole_ = status.ok();
  if (status.ok()) has_written_ = true;
  return status;
}

// Of the log that is written now.
std::uint64_t Database::log_number() const {
  std::unique_ptr<::rocksdb::LogFile> log;
  return db_->GetCurrentWalFile(&log).ok() && log ? log->LogNumber() : 0;
}

// As RocksDB refuses writes while it has not recovered.
::rocksdb::Status Database::still_broken() {
  return {::rocksdb::Status::IOError("the log could not be written"),
          ::rocksdb::Status::kHardError};
}

bool Database::is_log_full() const {
  std::uint64_t used = 0;
  db_->GetIntProperty(::rocksdb::DB::Properties::kCurSizeActiveMemTable, &used);
  return log_bytes_ > options_.wal_mib << 20 ||
         static_cast<std::int64_t>(used) > memory_bytes(options_) / 4 * 3;
}

// RocksDB would do the same when its memory is full, but without the sync: a loss of power could
// then take the end of a log and leave the next one, writes from the midst of what was relaxed.
void Database::begin_new_log() {
  if (!make_durable()) return;
  flush_soon();
  log_bytes_ = 0;
  mark_memory();
}

// Begins a new log, and what is in memory goes to a file.
void Database::flush_soon() {
  ::rocksdb::FlushOptions flush;
  flush.wait = false;
  flush.allow_write_stall = true;
  db_->Flush(flush).PermitUncheckedError();
}

// All that was written. A log that could not be written stays among RocksDB's and may never be
// synced again, though there is a new one: then what is in memory goes to a file.
bool Database::make_durable() {
  if (!is_log_whole_) return false;
  if (has_failed_) return db_->Flush({}).ok();
  has_failed_ = !db_->SyncWAL().ok();
  return !has_failed_;
}

void Database::mark_memory() {
  if (has_written_) logged_ = db_->GetLatestSequenceNumber();
  has_written_ = false;
  put_mark();
}

// When a log could not be written, RocksDB recovers by a new one, but only where there is something
// in memory; else it would go on with the broken one, which ends the process where it has its
// assertions.
void Database::put_mark() {
  ::rocksdb::WriteOptions options;
  options.disableWAL = true;
  db_->Put(options, Key(Tag::kMark).bytes(), {}).PermitUncheckedError();
}

// Without the note nothing is lost but the knowledge that all is there.
void Database::leave_closing_note() {
  // The mark is not in the log.
  const std::uint64_t reached = has_written_ ? db_->GetLatestSequenceNumber() : logged_;
  if (!make_durable() || !db_->Close().ok()) return;
  try {
    write_closing_note(path_, reached);
  } catch (const Error&) {
  }
}

namespace {

// The databases that are open in this process, by their folders.
class OpenDatabases {
 public:
  DatabasePtr share(const std::string& path, const EngineOptions& options, ::rocksdb::Env* env) {
    const auto place = place_of(path);
    const std::lock_guard lock(place->mutex);
    if (!place->database) {
      place->database = std::make_unique<Database>(path, options, env);
    } else if (!(place->database->options() == options)) {
      throw Error(ErrorCode::kInvalidArgument,
                  "rocksdb: " + path + " is open in this process with other options");
    }
    ++place->users;
    return {place->database.get(), [place](Database*) {
              const std::lock_guard lock_again(place->mutex);
              if (--place->users == 0) place->database.reset();
            }};
  }

 private:
  struct Place {
    std::mutex mutex;  // held while it is opened or closed
    std::unique_ptr<Database> database;
    int users = 0;
  };
  using FolderId = std::pair<dev_t, ino_t>;

  std::shared_ptr<Place> place_of(const std::string& path) {
    const std::lock_guard lock(mutex_);
    prepare_folder(path);
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) {
      throw Error(ErrorCode::kNotConfigured, "rocksdb: cannot look at " + path);
    }
    std::erase_if(places_, [](const auto& entry) { return entry.second.use_count() == 1; });
    auto& place = places_[{status.st_dev, status.st_ino}];
    if (!place) place = std::make_shared<Place>();
    return place;
  }

  std::mutex mutex_;
  std::map<FolderId, std::shared_ptr<Place>> places_;
};

}  // namespace

DatabasePtr share_database(const std::string& path, const EngineOptions& options,
                           ::rocksdb::Env* env) {
  return of_this_process<OpenDatabases>().share(path, options, env);
}

}  // namespace pawl::rocksdb
