// backend.cc: the transaction, waiting, closing, opening.
#include <rocksdb/version.h>

#include <condition_variable>
#include <mutex>

#include "database.h"
#include "loader.h"
#include "locks.h"
#include "pawl/driver/gate.h"
#include "pawl/registry.h"
#include "pawl/rocksdb.h"
#include "writer.h"

namespace pawl::rocksdb {
namespace {

std::string engine_text() {
  return "RocksDB " + ::rocksdb::GetRocksVersionAsString(true) +
         (engine_has_assertions() ? " (built with assertions)" : "");
}

// Damaged bytes are told of with the store's path.
template <class Work>
auto guarded(const std::string& path, const Work& work) {
  try {
    return work();
  } catch (const BadEncoding& fault) {
    throw Error(ErrorCode::kCorrupt, path + ": " + fault.what());
  }
}

class RocksBackend final : public Backend {
 public:
  RocksBackend(std::string path, Database database, const OpenOptions& options)
      : path_(std::move(path)),
        database_(std::move(database)),
        full_(options.durability == Durability::kFull),
        clock_(options.clock ? options.clock : system_clock()) {}

  ~RocksBackend() override {
    if (gate_.is_child()) {
      // The threads that RocksDB's destructor would wait for are in the parent alone.
      (void)database_.db.release();
      return;
    }
    close();
  }

  driver::Facts look(const driver::Query& query) override {
    const driver::Gate::Pass pass(gate_);
    return guarded(path_, [&] {
      driver::Facts facts;
      facts.now = clock_->now_ms();
      const View view(db(), true);
      for (const driver::SessionQuery& session : query.sessions) {
        facts.sessions.push_back(
            SessionLoader(view, session.session, facts.now, nullptr).load(session));
      }
      load_rest(query, view, facts);
      return facts;
    });
  }

  driver::Readings transact(const driver::Query& query, const Decide& decide) override {
    const driver::Gate::Pass pass(gate_);
    return guarded(path_, [&] {
      StripeLocks locks(stripes_, stripes_of(query));
      const View view(db(), false);
      SeenCursors seen;
      driver::Facts facts = load(query, view, locks, seen);
      const driver::Effects effects = decide(std::move(facts));
      Writer writer(view, seen);
      writer.add(effects);
      driver::Readings readings = writer.read_back(effects, fronts_);
      if (effects.writes()) commit(writer);
      return readings;
    });
  }

  std::uint64_t changes() override {
    const driver::Gate::Pass pass(gate_);
    const std::lock_guard lock(wake_mutex_);
    return changes_;
  }

  void wait(std::uint64_t seen, std::chrono::steady_clock::time_point until) override {
    const driver::Gate::Pass pass(gate_);
    std::unique_lock lock(wake_mutex_);
    changed_.wait_until(lock, until, [&] { return gate_.is_closed() || changes_ != seen; });
  }

  void close() override {
    if (gate_.is_child() || !gate_.shut()) return;
    {
      const std::lock_guard lock(wake_mutex_);
      changed_.notify_all();
    }
    gate_.wait_until_empty();
    database_.db.reset();
  }

  Info info() const override {
    return {"rocksdb",
            engine_text(),
            full_ ? "full" : "relaxed",
            {{"path", path_}, {"compression", database_.compression}}};
  }

 private:
  static std::size_t stripe_of_presence(const std::string& name_space) {
    // Another name than the session of the same spelling has.
    return StripedMutex::stripe_of("presence\n" + name_space);
  }

  static std::vector<std::size_t> stripes_of(const driver::Query& query) {
    std::vector<std::size_t> stripes;
    for (const driver::SessionQuery& session : query.sessions) {
      stripes.push_back(StripedMutex::stripe_of(session.session));
    }
    if (query.presence) stripes.push_back(stripe_of_presence(query.presence->name_space));
    return stripes;
  }

  ::rocksdb::DB& db() { return *database_.db; }

  driver::Facts load(const driver::Query& query, const View& view, StripeLocks& locks,
                     SeenCursors& seen) {
    driver::Facts facts;
    facts.now = clock_->now_ms();
    for (const driver::SessionQuery& session : query.sessions) {
      facts.sessions.push_back(
          SessionLoader(view, session.session, facts.now, &seen).load(session));
    }
    if (query.pick) pick(*query.pick, view, locks, seen, facts);
    load_rest(query, view, facts);
    return facts;
  }

  void load_rest(const driver::Query& query, const View& view, driver::Facts& facts) {
    if (query.ready) {
      // Not as of the view: bounds of first keys are to be taken before a snapshot is.
      facts.ready = load_ready(View(db(), false), fronts_, *query.ready, facts.now);
    }
    if (query.presence) facts.presence = load_presence(view, *query.presence, facts.now);
    if (query.list) facts.list = load_list(view, *query.list);
    if (query.upkeep) facts.upkeep = load_upkeep(view, *query.upkeep, facts.now);
  }

  // The sessions that have waited longest and are not held by another call: so a few more are
  // looked at than are wanted.
  void pick(const driver::Pick& pick, const View& view, StripeLocks& locks, SeenCursors& seen,
            driver::Facts& facts) {
    const std::int64_t looked_at = 4 * pick.sessions + 64;
    const auto rows = load_ready(view, fronts_, {pick.consumers, looked_at}, facts.now);
    std::int64_t left = pick.sessions;
    for (const ReadySession& ready : order_ready(rows, facts.now, looked_at)) {
      if (left == 0) break;
      if (!locks.try_lock(StripedMutex::stripe_of(ready.session))) continue;
      --left;
      const auto named = std::find_if(
          facts.sessions.begin(), facts.sessions.end(),
          [&](const driver::SessionFacts& session) { return session.session == ready.session; });
      if (named != facts.sessions.end()) {
        SessionLoader(view, ready.session, facts.now, &seen).load_window(pick.window, *named);
        continue;
      }
      driver::SessionQuery query;
      query.session = ready.session;
      query.cursors = pick.cursors;
      query.window = pick.window;
      facts.sessions.push_back(SessionLoader(view, query.session, facts.now, &seen).load(query));
    }
  }

  void commit(Writer& writer) {
    ::rocksdb::WriteOptions options;
    options.sync = full_;
    const ::rocksdb::Status status = db().Write(options, &writer.batch());
    // Also after a failure: a bound that is too low costs time, one too high loses work.
    for (const Writer::ReadyPut& put : writer.ready_puts()) {
      fronts_.lower(put.consumer, put.zone, put.key);
    }
    check(status, "writing");
    const std::lock_guard lock(wake_mutex_);
    ++changes_;
    changed_.notify_all();
  }

  const std::string path_;
  Database database_;
  const bool full_;
  const std::shared_ptr<Clock> clock_;

  StripedMutex stripes_;
  ReadyFronts fronts_;

  driver::Gate gate_{"rocksdb"};

  std::mutex wake_mutex_;
  std::condition_variable changed_;  // a commit, or the closing
  std::uint64_t changes_ = 0;
};

}  // namespace

std::unique_ptr<Backend> open_backend(std::string_view path, const OpenOptions& options) {
  std::string folder(path);
  Database database = open_database(folder, options);
  return std::make_unique<RocksBackend>(std::move(folder), std::move(database), options);
}

Store open(std::string_view path, const OpenOptions& options) {
  return Store(open_backend(path, options),
               {options.max_payload_bytes, options.max_call_bytes, options.ids});
}

}  // namespace pawl::rocksdb

PAWL_REGISTER_BACKEND(rocksdb, "rocksdb", pawl::rocksdb::open_backend, pawl::rocksdb::engine_text);
