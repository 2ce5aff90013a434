// pawl/store.h: the class that programs hold. Sections of core/CONTRACT.md say exactly
// what every operation does; this header says how to call it.
//
// Store is thread-safe: any number of threads may call any of its methods at once. It is
// movable, owns its backend, and closes it when destroyed. Every operation is one
// transaction: when it returns, all of it has happened and is as durable as the store was
// opened to be; when it throws pawl::Error, nothing has, except for kInDoubt. Arguments are
// checked before anything is looked up (kInvalidArgument names the field). Text and spans
// in arguments are borrowed until the call returns; answers own what they hold.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/clock.h"
#include "pawl/error.h"
#include "pawl/types.h"

namespace pawl {

class Backend;

// ---- appending and reading

struct AppendOptions {
  Served consumers = {};
  std::int64_t origin_index = 0;  // 0: none
};
struct AppendResult {
  std::vector<Event> events;
  bool has_pending = false;
};
struct AppendItem {  // of append_batch
  std::string session;
  std::vector<NewEvent> events;
  Served consumers = {};
  std::int64_t origin_index = 0;
};
struct WakeLogResult {
  Cursor cursor;
  std::int64_t last_index = 0;
};
struct PageOptions {  // of cursors and dead_letters: `after` is the page before's last entry
  std::optional<HeadRef> after = {};
  std::int64_t limit = 1'000;
};
struct ReadOptions {
  std::int64_t after = 0;
  std::int64_t limit = 1'000;
  std::optional<std::vector<std::string>> types = {};
  std::optional<std::int64_t> through = {};
};
struct SessionHead {
  std::int64_t last_index = 0;
  std::int64_t clear_index = 0;
};
struct SessionInfo {
  std::string session;
  std::int64_t last_index = 0;
  std::int64_t clear_index = 0;
};
struct SessionsOptions {
  std::optional<std::string> after = {};
  std::int64_t limit = 1'000;
};

// ---- claiming. Exactly one of `ttl` and `expires_at` is to be given.

struct ClaimOptions {
  std::string holder;
  std::optional<Duration> ttl = {};
  std::optional<Time> expires_at = {};
  Served consumers = {};
  std::vector<HeadRef> exclude = {};
  std::optional<std::int64_t> through = {};
  std::optional<std::int64_t> max_failures = {};
  std::int64_t limit = 100;
};
enum class ClaimOutcome { kClaimed, kBusy, kSettled };
struct ClaimResult {
  ClaimOutcome outcome = ClaimOutcome::kSettled;
  std::vector<Head> heads;
  std::vector<Head> dead_lettered;  // by this call; not to be run
  std::int64_t last_index = 0;      // of kClaimed
  std::optional<Time> retry_at;     // of kBusy
};
struct RenewOptions {
  std::string holder;
  std::optional<Duration> ttl = {};
  std::optional<Time> expires_at = {};
};
struct RenewResult {
  std::vector<HeadRef> renewed;
  std::vector<HeadRef> superseded;
};
struct ClaimReadyOptions {
  std::string holder;
  std::optional<Duration> ttl = {};
  std::optional<Time> expires_at = {};
  Served consumers = {};
  std::optional<std::int64_t> max_failures = {};
  std::int64_t sessions_limit = 100;
  std::int64_t limit = 100;
};
struct SessionClaims {
  std::string session;
  std::vector<Head> heads;
  std::vector<Head> dead_lettered;
  std::int64_t last_index = 0;
};
struct ClaimReadyResult {
  std::vector<SessionClaims> claims;
  std::optional<Time> next_at;
};

// ---- finishing

enum class FinishOutcome { kCompleted, kFailed, kDeadLettered, kReleased, kSuperseded };
struct CompleteOptions {
  Served consumers = {};
};
struct FailOptions {
  std::string error;
  std::int64_t max_failures = 0;  // to be given, 1 or more
  std::optional<Duration> retry_after = {};
};
struct ReleaseOptions {
  std::optional<Duration> delay = {};
};
struct [[nodiscard]] FinishResult {
  FinishOutcome outcome = FinishOutcome::kSuperseded;
  std::vector<Event> events;       // of kCompleted: the follow-up events
  std::int64_t failure_count = 0;  // of a fail

  bool superseded() const { return outcome == FinishOutcome::kSuperseded; }
};
enum class SettleAction { kComplete, kFail, kRelease };
struct SettleItem {
  std::string session;
  Claim claim;
  SettleAction action = SettleAction::kComplete;
  std::vector<NewEvent> events = {};  // of kComplete
  FailOptions fail = {};              // of kFail
  ReleaseOptions release = {};        // of kRelease
};
struct SettleOptions {
  Served consumers = {};
  // Claims as claim_ready does, in the same transaction, after the items. Its own
  // `consumers` hold for it; where they are absent, the ones above do.
  std::optional<ClaimReadyOptions> claim = {};
};
struct [[nodiscard]] SettleResult {
  std::vector<FinishResult> results;
  std::optional<std::vector<SessionClaims>> claims;
  std::optional<Time> next_at;
};
enum class RedriveAction { kRetry, kSkip };
struct RedriveOptions {
  std::optional<std::string> lane = {};
  Served consumers = {};
};
struct RedriveResult {
  bool redriven = false;
  bool has_pending = false;
};

// ---- snapshots and presence

struct SnapshotWrite {
  std::int64_t index = 0;
  std::string state;
  std::vector<HeadRef> pins = {};
};
struct LoadSnapshotOptions {
  std::optional<std::int64_t> through = {};
  std::int64_t limit = 1'000;
};
struct Snapshot {
  std::int64_t index = 0;
  std::string state;
  Time updated_at;
};
struct LoadSnapshotResult {
  std::int64_t clear_index = 0;
  std::int64_t last_index = 0;
  std::optional<std::int64_t> newest_index;
  std::optional<Snapshot> snapshot;
  std::vector<Event> events;
};
struct PresenceField {
  std::string field;
  std::optional<std::string> value = {};  // absent: a tombstone, like the JSON text null
};
struct PresenceOptions {
  Time at;
  Duration ttl{};
  std::optional<std::int64_t> seen = {};
};
struct PresenceEntry {
  std::string participant;
  std::string field;
  std::string value;
  std::optional<std::int64_t> seen;
  Time at;
  Time expires_at;
};

// ---- clearing and upkeep

struct ClearOptions {
  std::optional<Cause> cause = {};
  std::optional<std::int64_t> if_last_index = {};
};
struct ClearResult {
  bool cleared = false;
  std::int64_t index = 0;
  std::int64_t clear_index = 0;
};
struct DeletedResult {
  std::int64_t deleted = 0;
  bool done = false;
};
struct MaintainOptions {
  std::int64_t limit = 1'000;
  std::optional<Time> finished_before = {};
};

// ---- finding work

struct ReadyOptions {
  Served consumers = {};
  std::int64_t limit = 1'000;
};
struct ReadyEntry {
  std::string session;
  Time ready_at;
};
struct ReadyResult {
  std::vector<ReadyEntry> sessions;
  std::optional<Time> next_at;
};

// Limits and sources of a Store. Backends take theirs from OpenOptions (open.h).
struct StoreOptions {
  std::int64_t max_payload_bytes = std::int64_t{64} << 20;
  std::int64_t max_call_bytes = std::int64_t{256} << 20;
  std::shared_ptr<IdSource> ids = {};  // absent: UUIDv7
};

class Store {
 public:
  // Takes the backend over. Programs call pawl::open or a backend's own opener instead.
  explicit Store(std::unique_ptr<Backend> backend, StoreOptions options = {});
  ~Store();
  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;

  AppendResult append(std::string_view session, const std::vector<NewEvent>& events,
                      const AppendOptions& options = {});
  std::vector<AppendResult> append_batch(const std::vector<AppendItem>& items);
  // `consumer` must have a log.
  WakeLogResult wake_log(std::string_view session, const Consumer& consumer);
  std::vector<Cursor> cursors(std::string_view session, const PageOptions& options = {});
  std::vector<Event> read(std::string_view session, const ReadOptions& options = {});
  SessionHead head(std::string_view session);
  std::vector<SessionInfo> sessions(const SessionsOptions& options = {});

  ClaimResult claim(std::string_view session, const ClaimOptions& options);
  RenewResult renew(std::string_view session, const std::vector<Claim>& claims,
                    const RenewOptions& options);
  ClaimReadyResult claim_ready(const ClaimReadyOptions& options);

  FinishResult complete(std::string_view session, const Claim& claim,
                        const std::vector<NewEvent>& events = {},
                        const CompleteOptions& options = {});
  FinishResult fail(std::string_view session, const Claim& claim, const FailOptions& options);
  FinishResult release(std::string_view session, const Claim& claim,
                       const ReleaseOptions& options = {});
  SettleResult settle(const std::vector<SettleItem>& items, const SettleOptions& options = {});
  std::vector<Head> dead_letters(std::string_view session, const PageOptions& options = {});
  RedriveResult redrive(std::string_view session, std::string_view consumer, std::int64_t index,
                        RedriveAction action, const RedriveOptions& options = {});

  void put_snapshots(std::string_view session, std::string_view reducer,
                     const std::vector<SnapshotWrite>& writes);
  LoadSnapshotResult load_snapshot(std::string_view session, std::string_view reducer,
                                   const LoadSnapshotOptions& options = {});
  void set_presence(std::string_view name_space, std::string_view participant,
                    const std::vector<PresenceField>& fields, const PresenceOptions& options);
  std::vector<PresenceEntry> presence(std::string_view name_space);
  DeletedResult reclaim_presence(std::string_view name_space, std::int64_t limit = 1'000);

  ClearResult clear(std::string_view session, const ClearOptions& options = {});
  // The operations below work in batches: repeat them until `done`.
  DeletedResult reclaim(std::string_view session, std::int64_t limit = 256);
  DeletedResult prune(std::string_view session, Time finished_before, std::int64_t limit = 1'000);
  DeletedResult delete_session(std::string_view session, std::int64_t limit = 1'000);
  DeletedResult delete_consumer(std::string_view session, std::string_view consumer,
                                std::int64_t limit = 1'000);
  DeletedResult maintain(const MaintainOptions& options = {});

  ReadyResult ready(const ReadyOptions& options = {});
  // Blocks until a served consumer may have something to claim, or `timeout` has passed.
  // May return for nothing; misses nothing.
  void wait(const Served& consumers, Duration timeout);
  // Blocks until the session has an index above `after`, or `timeout` has passed.
  void wait(std::string_view session, std::int64_t after, Duration timeout);
  // Calls `on_event` for each event above `after`, in order, in this thread, until `stop`
  // is requested or `on_event` returns false. What it throws leaves tail. Returns the
  // index to go on from.
  std::int64_t tail(std::string_view session, std::int64_t after,
                    const std::function<bool(const Event&)>& on_event,
                    const std::stop_token& stop = {});

  // Finishes operations under way; later calls throw kClosed. Wakes wait and tail.
  void close();

  Info info() const;

  // How the store is doing: the engine's numbers, and warnings. Like any other method it may be
  // called from any thread at any time. It costs a few small reads, keeps nobody waiting, and is
  // not a transaction: the numbers need not be of one moment.
  Stats stats();

  // For tools and tests: the backend under the store, alive as long as the store.
  Backend& backend();

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace pawl
