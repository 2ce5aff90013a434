// How much the write-ahead log holds, and who keeps it from being written back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

#include "connection.h"

namespace pawl::sqlite {

struct LogState {
  struct Holder {
    pid_t process = 0;
    std::int64_t page = 0;  // of the log, up to which it can be written back beside this view
  };
  std::int64_t pages = 0;
  std::int64_t written_back = 0;
  std::vector<Holder> holders;  // those with the oldest view first; each process once
};

// Of the connection's file; the connection must have read from it, and be in no transaction.
LogState log_state(Connection& connection);

// In words, that readers hold the log back.
std::string warning(const LogState& log);

// 0 if there is no such file.
std::int64_t file_bytes(const std::string& path);

}  // namespace pawl::sqlite
