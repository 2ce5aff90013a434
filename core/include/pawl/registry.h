// pawl/registry.h: how a backend library makes itself known to pawl::open. For authors of
// backends; programs use open.h.
//
// One source file of the backend says
//
//   PAWL_REGISTER_BACKEND(sqlite, "sqlite", open_backend, engine_version);
//
// and its CMake target comes from pawl_add_backend(NAME sqlite), which makes the linker keep
// that file though nothing names it. Registrations are constants in a list, made before main.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace pawl {

class Backend;
struct OpenOptions;

// Opens a place: what follows the scheme and its colon, or the whole of a plain path.
using OpenFn = std::unique_ptr<Backend> (*)(std::string_view place, const OpenOptions& options);

// The engine that is linked, as Info::engine says it ("SQLite 3.40.1"), without opening anything.
using EngineFn = std::string (*)();

struct BackendRegistration {
  const char* scheme;
  OpenFn open;
  EngineFn engine = nullptr;            // may be left out
  BackendRegistration* next = nullptr;  // set by register_backend
};

// Puts `registration`, which must live as long as the program, on the list. Returns true.
bool register_backend(BackendRegistration* registration) noexcept;

// The backend of a scheme (without the colon), or null.
const BackendRegistration* find_backend(std::string_view scheme);

// Uses `linked` so that no optimiser drops the reference to it. detail::open calls it.
void keep_linked(void (*linked)());

// The one backend that is linked, under whatever schemes; null if there are none or several.
const BackendRegistration* only_backend();

}  // namespace pawl

// See open.h.
extern "C" void pawl_link_a_backend_as_in_target_link_libraries_app_PRIVATE_pawl_sqlite();

#define PAWL_CONCAT_(a, b) a##b
#define PAWL_CONCAT(a, b) PAWL_CONCAT_(a, b)

// A further scheme of a backend, its opener and, if it has one, its EngineFn. At namespace scope,
// in the file that registers the backend.
#define PAWL_REGISTER_SCHEME(scheme, ...)                                                 \
  static constinit ::pawl::BackendRegistration PAWL_CONCAT(pawl_registration_, __LINE__){ \
      scheme, __VA_ARGS__};                                                               \
  [[maybe_unused]] static const bool PAWL_CONCAT(pawl_registered_, __LINE__) =            \
      ::pawl::register_backend(&PAWL_CONCAT(pawl_registration_, __LINE__))

// The same for the first scheme. `name` is the one that was given to pawl_add_backend. Outside of
// any namespace.
#define PAWL_REGISTER_BACKEND(name, scheme, ...)                               \
  extern "C" [[gnu::weak]] void                                                \
  pawl_link_a_backend_as_in_target_link_libraries_app_PRIVATE_pawl_sqlite() {} \
  extern "C" void pawl_backend_##name();                                       \
  extern "C" void pawl_backend_##name() {}                                     \
  PAWL_REGISTER_SCHEME(scheme, __VA_ARGS__)
