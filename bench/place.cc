// place.cc: see place.h.
#include "place.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#ifdef PAWL_BENCH_POSTGRES
#include "raw_postgres.h"
#endif

namespace pawl::bench {

std::vector<std::string> benched_schemes() {
  std::vector<std::string> schemes;
  for (const std::string& scheme : linked_schemes()) {
    if (scheme == "postgresql" || (scheme == "postgres" && postgres_uri().empty())) continue;
    schemes.push_back(scheme);
  }
  return schemes;
}

std::string make_folder() {
  static std::atomic<int> last{0};
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() /
      ("pawl-bench-" + std::to_string(getpid()) + "-" + std::to_string(++last));
  std::filesystem::create_directories(folder);
  return folder;
}

void remove_folder(const std::string& folder) {
#ifdef PAWL_BENCH_POSTGRES
  if (!postgres_uri().empty()) drop_postgres_schema(schema_of(folder));
#endif
  std::filesystem::remove_all(folder);
}

Store open_store(const std::string& scheme, const std::string& folder, OpenOptions options) {
  if (scheme != "postgres") return pawl::open(scheme + ":" + folder + "/store", options);
  options.engine["schema"] = schema_of(folder);
  options.engine["notify"] = "off";
  options.engine.try_emplace("connections", "16");
  return pawl::open(postgres_uri(), options);
}

void catch_up([[maybe_unused]] const std::string& scheme, Store& store) {
#ifdef PAWL_BENCH_POSTGRES
  if (scheme == "postgres") vacuum_postgres();
#endif
  const auto is_compacting = [&store] {
    auto numbers = store.stats().numbers;
    return numbers["compactions_pending"] + numbers["compactions_running"] > 0;
  };
  while (is_compacting()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

std::string postgres_uri() {
  const char* uri = std::getenv("PAWL_BENCH_POSTGRES");
  return uri == nullptr ? "" : uri;
}

std::string schema_of(const std::string& folder) {
  return std::filesystem::path(folder).filename().string();
}

}  // namespace pawl::bench
