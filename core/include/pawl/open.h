// pawl/open.h: opens a store by URI, on whichever backends the program links.
//
//   pawl::Store store = pawl::open("sqlite:orders.db");
//
// Linking is choosing: target_link_libraries(app PRIVATE pawl::sqlite). A program that
// links no backend does not link; with one, a plain path is that backend's; with several,
// the scheme says which.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "pawl/clock.h"
#include "pawl/store.h"

// Every backend library defines it, and a call of pawl::open refers to it: a program that
// links none does not link, and the linker prints this name.
extern "C" void pawl_link_a_backend_as_in_target_link_libraries_app_PRIVATE_pawl_sqlite();

namespace pawl {

enum class Durability {
  kFull,     // what a call has acknowledged survives the loss of power
  kRelaxed,  // ... survives a crash of the process only
};

struct OpenOptions {
  Durability durability = Durability::kFull;
  std::int64_t max_payload_bytes = std::int64_t{64} << 20;
  std::int64_t max_call_bytes = std::int64_t{256} << 20;
  Duration busy_timeout{5'000};        // how long to wait for an engine's lock
  Duration wake_poll{1'000};           // how late another process's commit may wake `wait`
  std::shared_ptr<Clock> clock = {};   // absent: the engine's own
  std::shared_ptr<IdSource> ids = {};  // absent: UUIDv7
  // The engine's own options by name, as its header lists them. Unknown ones are refused.
  std::map<std::string, std::string> engine = {};

  // Sets an option by its contract name from text, as `--option NAME=VALUE` does:
  // durability (full, relaxed), max_payload_bytes, max_call_bytes, busy_timeout_ms,
  // wake_poll_ms; any other name goes to `engine`. kInvalidArgument names it.
  void set(std::string_view name, std::string_view value);
};

namespace detail {

// pawl::open; `linked` is there to be referred to.
Store open(std::string_view uri, const OpenOptions& options, void (*linked)());

}  // namespace detail

// Opens `uri`: "sqlite:PATH", "memory:", "memory:NAME", "postgres://...", "rocksdb:PATH".
// PATH is the rest of the text as it stands. An empty place is initialised.
//
// Throws kNotConfigured when no backend is linked for the scheme, when there is no such
// place or no permission, or when what is there is foreign or of an unknown layout;
// kInvalidArgument for a malformed URI or option. Nothing is touched then.
inline Store open(std::string_view uri, const OpenOptions& options = {}) {
  return detail::open(uri, options,
                      &pawl_link_a_backend_as_in_target_link_libraries_app_PRIVATE_pawl_sqlite);
}

// The schemes of the linked backends, sorted.
std::vector<std::string> linked_schemes();

}  // namespace pawl
