// database.cc: see database.h.
#include "database.h"

#include <fcntl.h>
#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/table_properties_collectors.h>
#include <rocksdb/write_buffer_manager.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "errors.h"

namespace pawl::rocksdb {
namespace {

struct EngineOptions {
  std::int64_t block_cache_mib = 64;
  std::int64_t write_buffer_mib = 64;
  std::int64_t wal_mib = 256;
  std::string compression = "lz4";
  bool compression_given = false;
};

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::kInvalidArgument, message);
}

std::int64_t to_number(const std::string& name, const std::string& text, std::int64_t most) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, number);
  if (fault != std::errc() || stop != end || number < 1 || number > most) {
    refuse(name + " is not a whole number from 1 to " + std::to_string(most));
  }
  return number;
}

EngineOptions parse(const OpenOptions& options) {
  EngineOptions parsed;
  for (const auto& [name, text] : options.engine) {
    if (name == "block_cache_mib") {
      parsed.block_cache_mib = to_number(name, text, 1'048'576);
    } else if (name == "write_buffer_mib") {
      parsed.write_buffer_mib = to_number(name, text, 65'536);
    } else if (name == "wal_mib") {
      parsed.wal_mib = to_number(name, text, 1'048'576);
    } else if (name == "compression") {
      parsed.compression = text;
      parsed.compression_given = true;
    } else {
      refuse("unknown option: " + name);
    }
  }
  return parsed;
}

::rocksdb::CompressionType compression_of(EngineOptions& options) {
  using ::rocksdb::CompressionType;
  CompressionType type = CompressionType::kNoCompression;
  if (options.compression == "lz4") {
    type = CompressionType::kLZ4Compression;
  } else if (options.compression == "snappy") {
    type = CompressionType::kSnappyCompression;
  } else if (options.compression == "zstd") {
    type = CompressionType::kZSTD;
  } else if (options.compression == "zlib") {
    type = CompressionType::kZlibCompression;
  } else if (options.compression != "none") {
    refuse("compression is none of lz4, snappy, zstd, zlib, none");
  }
  const auto supported = ::rocksdb::GetSupportedCompressions();
  if (std::find(supported.begin(), supported.end(), type) != supported.end()) return type;
  if (options.compression_given) {
    refuse("compression: the linked RocksDB has no " + options.compression);
  }
  options.compression = "none";
  return CompressionType::kNoCompression;
}

::rocksdb::Options engine_options(EngineOptions& options) {
  constexpr std::size_t kMib = std::size_t{1} << 20;
  ::rocksdb::Options engine;
  engine.compression = compression_of(options);
  const auto cache = ::rocksdb::NewLRUCache(options.block_cache_mib * kMib);
  ::rocksdb::BlockBasedTableOptions table;
  table.block_cache = cache;
  // Counted in the cache, so that memory does not grow with the number of files.
  table.cache_index_and_filter_blocks = true;
  table.pin_l0_filter_and_index_blocks_in_cache = true;
  table.filter_policy.reset(::rocksdb::NewBloomFilterPolicy(10, false));
  table.format_version = 5;
  engine.table_factory.reset(::rocksdb::NewBlockBasedTableFactory(table));
  engine.write_buffer_manager =
      std::make_shared<::rocksdb::WriteBufferManager>(options.write_buffer_mib * kMib);
  engine.write_buffer_size = std::max<std::size_t>(options.write_buffer_mib * kMib / 2, kMib);
  engine.max_total_wal_size = options.wal_mib * kMib;
  engine.recycle_log_file_num = 0;
  engine.keep_log_file_num = 4;
  engine.max_log_file_size = 4 * kMib;
  engine.max_open_files = 512;
  engine.paranoid_checks = true;
  engine.wal_recovery_mode = ::rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
  // Queues delete at the front of their ranges: files full of tombstones are compacted early.
  engine.table_properties_collector_factories.push_back(
      ::rocksdb::NewCompactOnDeletionCollectorFactory(4096, 2048, 0.5));
  engine.max_subcompactions = 1;
  engine.max_background_jobs = 2;
  return engine;
}

void make_folder(const std::string& path) {
  if (mkdir(path.c_str(), 0700) == 0) return;
  if (errno != EEXIST) {
    throw Error(ErrorCode::kNotConfigured,
                "cannot make the folder " + path + ": " + std::strerror(errno));
  }
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
    throw Error(ErrorCode::kNotConfigured, path + " is not a folder");
  }
  if (access(path.c_str(), R_OK | W_OK | X_OK) != 0) {
    throw Error(ErrorCode::kNotConfigured, "no permission to use the folder " + path);
  }
}

[[noreturn]] void refuse_open(const ::rocksdb::Status& status, const std::string& path) {
  const std::string text = status.ToString();
  if (text.find("lock hold by current process") != std::string::npos) {
    throw Error(ErrorCode::kNotConfigured, path + " is open already in this process");
  }
  if (text.find("While lock file") != std::string::npos) {
    throw Error(ErrorCode::kNotConfigured, path + " is held by another process");
  }
  throw Error(code_of(status), "cannot open " + path + ": " + text);
}

// The layout's version stands in a file of our own, so that a folder that is not ours, or
// that a later version wrote, is known before RocksDB touches it.
constexpr const char* kMarkerName = "/PAWL";
constexpr std::string_view kMarkerText = "pawl rocksdb layout ";

void check_marker(const std::string& path) {
  std::ifstream file(path + kMarkerName);
  std::string line;
  if (!file || !std::getline(file, line) || !line.starts_with(kMarkerText)) {
    throw Error(ErrorCode::kNotConfigured, path + " is not a Pawl store, and not empty");
  }
  const std::string layout = line.substr(kMarkerText.size());
  if (layout != std::to_string(kLayout)) {
    throw Error(ErrorCode::kNotConfigured, path + " has layout " + layout +
                                               ", this version knows " + std::to_string(kLayout) +
                                               ": use the version of Pawl that wrote it");
  }
}

// Written whole under another name first: a crash leaves an empty folder or a marked one.
void write_marker(const std::string& path) {
  const std::string text = std::string(kMarkerText) + std::to_string(kLayout) + "\n";
  const std::string name = path + kMarkerName;
  const int file = ::open((name + ".new").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const bool written =
      file >= 0 && write(file, text.data(), text.size()) == std::ssize(text) && fsync(file) == 0;
  const int fault = errno;
  if (file >= 0) ::close(file);
  if (!written || rename((name + ".new").c_str(), name.c_str()) != 0) {
    throw Error(fault == ENOSPC ? ErrorCode::kUnavailable : ErrorCode::kNotConfigured,
                "cannot write " + name + ": " + std::strerror(fault));
  }
}

// Whether nothing is there but what an interrupted initialisation leaves.
bool is_new(const std::string& path) {
  std::error_code fault;
  for (const auto& entry : std::filesystem::directory_iterator(path, fault)) {
    if (entry.path().filename() != "PAWL.new") return false;
  }
  if (fault) {
    throw Error(ErrorCode::kNotConfigured, "cannot read " + path + ": " + fault.message());
  }
  return true;
}

}  // namespace

Database open_database(const std::string& path, const OpenOptions& options) {
  if (path.empty()) refuse("path is empty");
  EngineOptions parsed = parse(options);
  ::rocksdb::Options engine = engine_options(parsed);
  make_folder(path);
  if (is_new(path)) {
    write_marker(path);
  } else {
    check_marker(path);
  }
  engine.create_if_missing = true;
  ::rocksdb::DB* opened = nullptr;
  const ::rocksdb::Status status = ::rocksdb::DB::Open(engine, path, &opened);
  if (!status.ok()) refuse_open(status, path);
  Database database{std::unique_ptr<::rocksdb::DB>(opened), parsed.compression};
  return database;
}

}  // namespace pawl::rocksdb
