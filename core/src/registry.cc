// The list of linked backends.
#include "pawl/registry.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "pawl/open.h"

namespace pawl {
namespace {

// Ready before any registration runs, whatever the order of the files; atomic for the sake of
// backends in libraries that are loaded later.
constinit std::atomic<BackendRegistration*> g_first{nullptr};

// Never read; volatile, or a link-time optimiser would drop it together with what is stored.
constinit volatile std::atomic<void (*)()> g_linked{nullptr};

}  // namespace

void keep_linked(void (*linked)()) { g_linked.store(linked, std::memory_order_relaxed); }

bool register_backend(BackendRegistration* registration) noexcept {
  registration->next = g_first.load(std::memory_order_relaxed);
  while (!g_first.compare_exchange_weak(registration->next, registration, std::memory_order_release,
                                        std::memory_order_relaxed)) {
  }
  return true;
}

const BackendRegistration* find_backend(std::string_view scheme) {
  const BackendRegistration* backend = g_first.load(std::memory_order_acquire);
  while (backend != nullptr && scheme != backend->scheme) backend = backend->next;
  return backend;
}

const BackendRegistration* only_backend() {
  const BackendRegistration* first = g_first.load(std::memory_order_acquire);
  for (const BackendRegistration* other = first; other != nullptr; other = other->next) {
    if (other->open != first->open) return nullptr;
  }
  return first;
}

std::vector<std::string> linked_schemes() {
  std::vector<std::string> schemes;
  for (const BackendRegistration* backend = g_first.load(std::memory_order_acquire);
       backend != nullptr; backend = backend->next) {
    schemes.emplace_back(backend->scheme);
  }
  std::sort(schemes.begin(), schemes.end());
  schemes.erase(std::unique(schemes.begin(), schemes.end()), schemes.end());
  return schemes;
}

}  // namespace pawl
