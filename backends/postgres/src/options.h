// The engine's own options (pawl/postgres.h), and where a URI leads.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pawl/open.h"

namespace pawl::postgres {

struct EngineOptions {
  std::string schema = "pawl";
  std::int64_t connections = 8;
  std::chrono::milliseconds connect_timeout{10'000};
  std::chrono::milliseconds statement_timeout{60'000};
  bool prepare = true;
  bool notify = true;
  std::string notify_uri;
  std::int64_t remember_kib = 4'096;
};

// kInvalidArgument names an unknown option or a value out of range.
EngineOptions read_engine_options(const OpenOptions& options);

// A URI as libpq's keywords, with what this library adds. It holds the password: never print it.
struct Target {
  std::vector<std::pair<std::string, std::string>> keywords;

  const std::string* find(std::string_view keyword) const;
  // One for each host, in their order.
  std::vector<Target> hosts() const;
};

// kInvalidArgument for what libpq does not accept. The message holds nothing of the URI.
Target read_uri(std::string_view uri);

}  // namespace pawl::postgres
