// SQLite's result codes as pawl::Error: one table.
#pragma once

#include <string>
#include <string_view>

#include "pawl/error.h"

struct sqlite3;

namespace pawl::sqlite {

// What was going on when SQLite said no: a file that cannot be opened is a wrong place when
// opening and a passing trouble later; a sync that fails inside a commit leaves a doubt.
enum class Phase { kOpening, kRunning, kCommitting };

ErrorCode error_code(int extended_code, Phase phase);

// "SQLITE_IOERR_FSYNC".
std::string error_name(int extended_code);

// `doing` completes "while ...". The message names the file and never a value.
[[noreturn]] void throw_sqlite_error(sqlite3* db, int result, std::string_view file,
                                     std::string_view doing, Phase phase);

[[noreturn]] void throw_corrupt(std::string_view file, std::string_view what);

// For calls of the operating system: kNotConfigured where the place is to blame.
[[noreturn]] void throw_system_error(int error, std::string_view file, std::string_view doing,
                                     Phase phase);

}  // namespace pawl::sqlite
