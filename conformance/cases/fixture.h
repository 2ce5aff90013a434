// What a case works with: a store on a place of its own, a clock that stands still at 1 until it
// is set, ids id-1, id-2, ..., and the operations in words (notation.h).
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cases/notation.h"
#include "pawl/conformance.h"
#include "pawl/error.h"
#include "pawl/open.h"
#include "pawl/store.h"

namespace pawl::conformance {

using Int = std::int64_t;
using MaybeInt = std::optional<Int>;

struct ClaimArgs {
  std::string served = "*";
  std::string holder = "w";
  Int ttl = 100;
  MaybeInt expires_at = {};  // in place of ttl
  std::string exclude = {};
  MaybeInt through = {};
  MaybeInt max_failures = {};
  Int limit = 100;
};

struct ReadyArgs {  // of claim_ready
  std::string served = "*";
  std::string holder = "w";
  Int ttl = 100;
  MaybeInt max_failures = {};
  Int sessions_limit = 100;
  Int limit = 100;
};

// The operations on one session of one store, given and answered in words.
class Ops {
 public:
  using GetStore = std::function<Store&()>;
  Ops(GetStore store, std::string session) : store_(std::move(store)), s_(std::move(session)) {}

  // "a#1 b#2 pending", "... settled": the events, and has_pending.
  std::string add(std::string_view events, const ServedList& served = "*", Int origin_index = 0);
  // "l/log log pos=0 head=1 ... (last 1)".
  std::string wake(std::string_view consumer);
  std::string cursors();                     // one a line
  std::string cursor(std::string_view key);  // of "c/k", or "c#1" for an event cursor; "none"
  std::string read(const ReadOptions& options = {});
  std::string head();  // "last 3 clear 2"

  std::string claim(const ClaimArgs& args = {});
  std::string claim(const char* served) { return claim(ClaimArgs{.served = served}); }
  std::string renew(std::string_view claims, Int ttl = 100, const std::string& holder = "w");

  std::string complete(std::string_view claim, std::string_view events = "",
                       const ServedList& served = "*");
  std::string fail(std::string_view claim, Int max_failures = 3, MaybeInt retry_after = {},
                   const std::string& error = "e");
  std::string release(std::string_view claim, MaybeInt delay = {});
  std::string dead(const PageOptions& options = {});  // "c/k#1@2"
  // "redriven pending", "redriven settled", "none pending", ...; of the lane if the reference
  // has one.
  std::string redrive(std::string_view ref, RedriveAction action, const ServedList& served = "*");

  // The writes are INDEX=STATE or INDEX=STATE<PIN,PIN.
  void put(std::string_view reducer, std::string_view writes);
  std::string load(std::string_view reducer, MaybeInt through = {}, Int limit = 1'000);

  std::string clear(const ClearOptions& options = {});  // "cleared 3 (clear 3)", "kept 3 (clear 0)"
  std::string reclaim(Int limit = 256);
  std::string prune(Int finished_before, Int limit = 1'000);
  std::string delete_session(Int limit = 1'000);
  std::string delete_consumer(std::string_view consumer, Int limit = 1'000);

  // Everything a reader can see of the session, as text.
  std::string state();

  Store& store() const { return store_(); }
  Store* operator->() const { return &store_(); }
  const std::string& session() const { return s_; }

 private:
  GetStore store_;
  std::string s_;
};

// Ops of the session "s", and what concerns the whole store.
class Fixture : public Ops {
 public:
  // `folder` is the case's own; the harness must outlive the fixture.
  Fixture(const Harness& harness, const std::string& folder);
  ~Fixture();
  Fixture(const Fixture&) = delete;
  Fixture& operator=(const Fixture&) = delete;

  Ops on(std::string session);  // of the fixture's store
  static Ops on(Store& store, std::string session = "s");

  void at(Int now);  // sets the clock
  Int now() const { return clock_->now_ms(); }
  const std::shared_ptr<ManualClock>& clock() const { return clock_; }

  // The options of later openings. The fixture's store opens when it is first used.
  OpenOptions& options() { return options_; }
  // Time passes by itself from now on, for cases that wait or work in other processes.
  void use_real_time();

  const std::string& uri() const { return uri_; }
  Store open();   // one more store on the same place
  void reopen();  // closes the fixture's store and opens it again
  void close();

  std::string ready(const ServedList& served = "*", Int limit = 1'000);
  std::string claim_ready(const ReadyArgs& args = {});
  std::string sessions(const SessionsOptions& options = {});  // "s 3/0 u 2/1": last/clear
  std::string presence(std::string_view name_space);          // "p.f=1@at..until(seen)"
  std::string maintain(Int limit = 1'000, MaybeInt finished_before = {});
  // Repeats it until it is done; returns what was deleted in all.
  Int maintain_all(Int limit = 1'000, MaybeInt finished_before = {});

  // The code of the error that `call` throws; "no error" if it throws none. Adds what is wrong
  // if the message does not contain `names`, or anything that can be seen has changed.
  std::string refused(const std::function<void()>& call, std::string_view names = "");

  // Everything that can be seen of all sessions, and what is ready.
  std::string state();

  const Harness& harness() const { return harness_; }

 private:
  Store& opened();

  const Harness& harness_;
  std::string uri_;
  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  OpenOptions options_;
  std::optional<Store> store_;
};

// Runs `work(0)` .. `work(threads - 1)` at once, each on a thread of its own, all from one
// barrier. Reports what they throw as failures.
void run_threads(int threads, const std::function<void(int)>& work);

}  // namespace pawl::conformance
