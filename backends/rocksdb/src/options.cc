// options.cc: see options.h.
#include "options.h"

#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>
#include <rocksdb/utilities/table_properties_collectors.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "pawl/error.h"

namespace pawl::rocksdb {
namespace {

using ::rocksdb::CompressionType;

struct Compression {
  const char* name;
  CompressionType type;
};
constexpr std::array kCompressions{
    Compression{"lz4", CompressionType::kLZ4Compression},
    Compression{"snappy", CompressionType::kSnappyCompression},
    Compression{"zstd", CompressionType::kZSTD},
    Compression{"zlib", CompressionType::kZlibCompression},
    Compression{"none", CompressionType::kNoCompression},
};

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::kInvalidArgument, "rocksdb: " + message);
}

std::int64_t to_number(const std::string& name, const std::string& text, std::int64_t most,
                       std::int64_t least = 1) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, number);
  if (fault != std::errc() || stop != end || number < least || number > most) {
    refuse(name + " is not a whole number from " + std::to_string(least) + " to " +
           std::to_string(most));
  }
  return number;
}

CompressionType type_of(const std::string& name) {
  const auto* const found =
      std::find_if(kCompressions.begin(), kCompressions.end(),
                   [&](const Compression& known) { return known.name == name; });
  if (found == kCompressions.end()) {
    refuse("compression is none of lz4, snappy, zstd, zlib, none");
  }
  return found->type;
}

bool is_supported(const std::string& name) {
  const auto linked = ::rocksdb::GetSupportedCompressions();
  return std::find(linked.begin(), linked.end(), type_of(name)) != linked.end();
}

std::string default_compression() {
  for (const char* name : {"lz4", "snappy"}) {
    if (is_supported(name)) return name;
  }
  return "none";
}

}  // namespace

EngineOptions read_engine_options(const OpenOptions& options) {
  EngineOptions read;
  read.compression = default_compression();
  for (const auto& [name, text] : options.engine) {
    if (name == "block_cache_mib") {
      read.block_cache_mib = to_number(name, text, 1'048'576);
    } else if (name == "write_buffer_mib") {
      read.write_buffer_mib = to_number(name, text, 65'536);
    } else if (name == "wal_mib") {
      read.wal_mib = to_number(name, text, 1'048'576);
    } else if (name == "remember_kib") {
      read.remember_kib = to_number(name, text, 1'048'576, 0);
    } else if (name == "compression") {
      if (!is_supported(text)) refuse("compression: the linked RocksDB has no " + text);
      read.compression = text;
    } else {
      refuse("unknown option: " + name);
    }
  }
  return read;
}

std::int64_t memory_bytes(const EngineOptions& options) {
  return options.write_buffer_mib * (std::int64_t{1} << 20) / 2;
}

::rocksdb::Options rocksdb_options(const EngineOptions& options) {
  constexpr std::size_t kMib = std::size_t{1} << 20;
  ::rocksdb::Options engine;
  engine.compression = type_of(options.compression);
  ::rocksdb::BlockBasedTableOptions table;
  table.block_cache = ::rocksdb::NewLRUCache(options.block_cache_mib * kMib);
  // Counted in the cache, so that memory does not grow with the number of files.
  table.cache_index_and_filter_blocks = true;
  table.pin_l0_filter_and_index_blocks_in_cache = true;
  table.filter_policy.reset(::rocksdb::NewBloomFilterPolicy(10, false));
  // In parts: the filter of a whole file may be larger than a shard of the cache, and would then be
  // read from the file by every look-up.
  table.partition_filters = true;
  table.index_type = ::rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
  table.pin_top_level_index_and_filter = true;
  table.format_version = 5;
  engine.table_factory.reset(::rocksdb::NewBlockBasedTableFactory(table));
  engine.max_open_files = 512;
  // One is filled while the other is written to a file; then writers wait.
  engine.write_buffer_size = static_cast<std::size_t>(memory_bytes(options));
  engine.max_write_buffer_number = 2;
  // Keys of one kind mostly come beside the last of their kind: memory is searched from there, and
  // from its beginning only when that is not so. Whoever does this may not delete ranges: RocksDB
  // 7.8 would look for the mark of one beside keys that are in another list.
  engine.memtable_insert_with_hint_prefix_extractor.reset(::rocksdb::NewFixedPrefixTransform(1));
  // Only who writes alone goes by that. So does everyone (commit_queue.h); the rest is for others
  // who use these options.
  engine.allow_concurrent_memtable_write = false;
  engine.enable_write_thread_adaptive_yield = false;
  // New ids are looked up in vain.
  engine.memtable_prefix_bloom_size_ratio = 0.02;
  engine.memtable_whole_key_filtering = true;
  // What a loss of power leaves behind the last sync may have holes, and was not acknowledged.
  // Damage before it is told by the note that closing leaves (place.h).
  engine.wal_recovery_mode = ::rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  engine.recycle_log_file_num = 0;
  engine.paranoid_checks = true;
  engine.track_and_verify_wals_in_manifest = true;
  // Queues delete at the front of their ranges: files full of deletions are compacted early.
  engine.table_properties_collector_factories.push_back(
      ::rocksdb::NewCompactOnDeletionCollectorFactory(4096, 2048, 0.5));
  engine.max_background_jobs = 2;
  // All but a mark is in the log.
  engine.avoid_flush_during_shutdown = true;
  // RocksDB's own diary: a library with assertions ends the process when it cannot be written, as
  // on a full disk. So nothing is written to it after opening.
  engine.info_log_level = ::rocksdb::InfoLogLevel::FATAL_LEVEL;
  engine.keep_log_file_num = 4;
  return engine;
}

}  // namespace pawl::rocksdb
