// The folder of a store, but for RocksDB's own files:
//
//   PAWL         the layout's version, so that a folder that is not ours, or that a later version
//                wrote, is known before RocksDB touches it
//   PAWL.closed  what the database had reached when it was closed; not there while it is open
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "pawl/error.h"

namespace pawl::rocksdb {

inline constexpr std::int64_t kLayout = 1;

// Makes the folder (0700) if it is missing, and marks it if it is empty. Throws kNotConfigured
// where it cannot be a store of ours, kCorrupt where it was one; nothing is touched then.
void prepare_folder(const std::string& path);

// Whether no database has been made in the prepared folder yet. Throws kCorrupt where one has lost
// its beginning: RocksDB would make a new one in its place.
bool is_without_database(const std::string& path);

// The note of what was reached. RocksDB takes the end of its log for cut off by a crash when it is
// damaged; after an orderly close there is no such end.
void write_closing_note(const std::string& path, std::uint64_t sequence);
std::optional<std::uint64_t> read_closing_note(const std::string& path);
void remove_closing_note(const std::string& path);

}  // namespace pawl::rocksdb
