// pawl::memory: the smallest backend that keeps the whole of backend.h, for its authors to read.
//
//   tables.h   what is stored: rows, and the indexes beside them
//   load.cc    Query -> Facts
//   write.cc   Effects -> changed tables, first keys included; and what is read back
//   memory.cc  the transaction, waiting, closing, opening (this file)
//
// A backend on a real engine has the same parts. One mutex stands for its locks: the whole store
// is locked, so a picked session is never held by another. A journal stands for its rollback:
// whatever is thrown, by the decision, by a taken id or for want of memory, takes all back.
#include "pawl/memory.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "load.h"
#include "pawl/registry.h"
#include "tables.h"
#include "write.h"

namespace pawl::memory {
namespace {

std::string engine() { return "maps of this process"; }

// What the handles of one name share.
struct Shared {
  std::mutex mutex;
  Tables tables;
  std::uint64_t changes = 0;
  std::condition_variable changed;  // or a handle was closed

  std::string name;
  int handles = 1;  // under the mutex of the names
};

// The named stores that have an open handle. Never destroyed, since stores with static storage
// duration may be closed after it would be.
struct Names {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<Shared>, std::less<>> stores;
};
Names& names() {
  static Names& instance = *new Names;
  return instance;
}

std::shared_ptr<Shared> share(std::string_view name) {
  if (name.empty()) return std::make_shared<Shared>();
  const std::lock_guard lock(names().mutex);
  const auto found = names().stores.find(name);
  if (found != names().stores.end()) {
    ++found->second->handles;
    return found->second;
  }
  auto shared = std::make_shared<Shared>();
  shared->name = name;
  names().stores.emplace(shared->name, shared);
  return shared;
}

void release(const Shared& shared) {
  const std::lock_guard lock(names().mutex);
  const auto found = names().stores.find(shared.name);
  if (found == names().stores.end() || found->second.get() != &shared) return;
  if (--found->second->handles == 0) names().stores.erase(found);
}

class Memory final : public Backend {
 public:
  Memory(std::shared_ptr<Shared> shared, std::shared_ptr<Clock> clock)
      : shared_(std::move(shared)), clock_(std::move(clock)) {}
  ~Memory() override { close(); }

  driver::Facts look(const driver::Query& query) override {
    const auto lock = open_lock();
    return load(shared_->tables, query, clock_->now_ms());
  }

  driver::Readings transact(const driver::Query& query, const Decide& decide) override {
    const auto lock = open_lock();
    const driver::Effects effects = decide(load(shared_->tables, query, clock_->now_ms()));
    Journal journal;
    write(shared_->tables, effects, journal);
    driver::Readings readings = read_back(shared_->tables, effects.read);
    journal.keep();
    if (effects.writes()) {
      ++shared_->changes;
      shared_->changed.notify_all();
    }
    return readings;
  }

  std::uint64_t changes() override {
    const auto lock = open_lock();
    return shared_->changes;
  }

  void wait(std::uint64_t seen, std::chrono::steady_clock::time_point until) override {
    auto lock = open_lock();
    shared_->changed.wait_until(lock, until, [&] { return closed_ || shared_->changes != seen; });
  }

  void close() override {
    {
      const std::lock_guard lock(shared_->mutex);
      if (std::exchange(closed_, true)) return;
      shared_->changed.notify_all();
    }
    release(*shared_);
  }

  Info info() const override { return {"memory", engine(), "none", {}}; }

 private:
  std::unique_lock<std::mutex> open_lock() {
    std::unique_lock lock(shared_->mutex);
    if (closed_) throw Error(ErrorCode::kClosed, "the store has been closed");
    return lock;
  }

  const std::shared_ptr<Shared> shared_;
  const std::shared_ptr<Clock> clock_;
  bool closed_ = false;  // under the shared mutex
};

}  // namespace

std::unique_ptr<Backend> open_backend(std::string_view name, const OpenOptions& options) {
  if (!options.engine.empty()) {
    throw Error(ErrorCode::kInvalidArgument, "unknown option: " + options.engine.begin()->first);
  }
  return std::make_unique<Memory>(share(name), options.clock ? options.clock : system_clock());
}

Store open(std::string_view name, const OpenOptions& options) {
  return Store(open_backend(name, options),
               {options.max_payload_bytes, options.max_call_bytes, options.ids});
}

Store open(const OpenOptions& options) { return memory::open("", options); }

}  // namespace pawl::memory

PAWL_REGISTER_BACKEND(memory, "memory", pawl::memory::open_backend, pawl::memory::engine);
