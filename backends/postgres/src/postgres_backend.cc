// The backend.
#include "postgres_backend.h"

#include <algorithm>

#include "columns.h"
#include "learning.h"
#include "place.h"
#include "schema.h"
#include "writer.h"

namespace pawl::postgres {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using End = Connection::End;

// How often an operation may meet a connection that broke while nobody used it.
constexpr int kMostBroken = 3;

EngineOptions with_time_for_locks(EngineOptions engine, const OpenOptions& options) {
  engine.statement_timeout =
      std::max(engine.statement_timeout, options.busy_timeout + milliseconds(1'000));
  return engine;
}

// After an exception that left a transaction open. What cannot be saved is closed by the pool.
void roll_back(Connection& connection) noexcept {
  try {
    connection.recover();
  } catch (const std::exception&) {
    // The connection is not clean.
  }
}

std::string version_text(int version) {
  return std::to_string(version / 10'000) + "." + std::to_string(version % 10'000);
}

}  // namespace

PostgresBackend::Handles::Handles(PostgresBackend& backend, ConnectionSource source)
    : pool(static_cast<std::size_t>(backend.engine_.connections), backend.connection_,
           std::move(source)) {
  const EngineOptions& engine = backend.engine_;
  if (!engine.notify) return;
  notifier = std::make_unique<Notifier>(
      engine.notify_uri.empty() ? backend.connection_->target : read_uri(engine.notify_uri),
      engine.connect_timeout, engine.schema, [&backend] { backend.note_change(); });
}

PostgresBackend::PostgresBackend(std::string_view uri, const OpenOptions& options,
                                 ConnectionSource source)
    : engine_(with_time_for_locks(read_engine_options(options), options)),
      durability_(options.durability),
      busy_timeout_(options.busy_timeout),
      wake_poll_(options.wake_poll),
      clock_(options.clock),
      connection_(connection_options(engine_, options, read_uri(uri))),
      known_(static_cast<std::size_t>(engine_.remember_kib) * 1'024),
      handles_(std::make_unique<Handles>(*this, std::move(source))) {
  try {
    const Pool::Lease connection = handles_->pool.take(steady_clock::now());
    try {
      prepare_place(*connection, engine_.schema);
    } catch (...) {
      roll_back(*connection);
      throw;
    }
    server_version_ = version_text(connection->server_version());
  } catch (const Refused& refused) {
    throw_error(refused, Phase::kOpening);
  } catch (const Broken& broken) {
    throw_error(broken, Phase::kOpening);
  }
}

PostgresBackend::~PostgresBackend() {
  if (gate_.is_child()) {
    // Closing would end the parent's sessions, and the thread is not here.
    [[maybe_unused]] const Handles* leaked = handles_.release();
    return;
  }
  close();
}

// Runs `work` on a connection until it is done: again on another one where this one broke before
// anything could have happened, and on fresh facts where the server asks for that.
template <class Work>
auto PostgresBackend::run(const Work& work) {
  const auto until = steady_clock::now() + busy_timeout_;
  int broken_ones = 0;
  while (true) {
    bool reused = false;
    try {
      const Pool::Lease connection = handles_->pool.take(until);
      reused = connection.reused();
      try {
        return work(*connection);
      } catch (const Broken&) {
        throw;
      } catch (...) {
        if (!connection->is_clean()) roll_back(*connection);
        throw;
      }
    } catch (const Refused& refused) {
      refuse(refused, until);
      ++tried_again_;
    } catch (const Broken& broken) {
      if (!reused || broken.in_doubt || ++broken_ones == kMostBroken) {
        throw_error(broken, Phase::kRunning);
      }
      handles_->pool.drop_idle();
      ++tried_again_;
    }
  }
}

// Returns where the operation is to be tried again.
void PostgresBackend::refuse(const Refused& refused, steady_clock::time_point until) const {
  if (refused.constraint == kEventIds) throw IdTaken();
  const bool was_created = refused.constraint == kSessionKey;
  if (!was_created && !is_worth_another_try(refused.sqlstate)) {
    throw_error(refused, Phase::kRunning);
  }
  if (steady_clock::now() < until) return;
  if (was_created) throw Error(ErrorCode::kBusy, "postgres: others keep creating the session");
  throw_error(refused, Phase::kRunning);
}

// An injected clock can only be read when the locks are known to be held: a round trip more.
void PostgresBackend::send_load(Connection& connection, Loader& loader, bool lock) const {
  lock ? connection.begin_write() : connection.begin_read();
  loader.send_sessions(lock, !clock_);
  std::optional<std::int64_t> now;
  if (clock_) {
    if (lock) connection.fetch(End::kOpen);
    now = clock_->now_ms();
  }
  loader.send_clock(now);
  loader.send_facts();
}

driver::Facts PostgresBackend::look(const driver::Query& query) {
  const driver::Gate::Pass pass(gate_);
  return run([&](Connection& connection) {
    Loader loader(connection, query);
    send_load(connection, loader, false);
    connection.commit();
    connection.fetch(End::kFinish);
    return loader.take();
  });
}

driver::Readings PostgresBackend::transact(const driver::Query& query, const Decide& decide) {
  const driver::Gate::Pass pass(gate_);
  std::optional<KnownSession> remembered = recall(query);
  return run([&](Connection& connection) {
    // Once: what fails is forgotten.
    std::optional<KnownSession> known = std::exchange(remembered, std::nullopt);
    if (known && known->trusted) {
      if (auto readings = try_known(connection, *known, query, decide)) return *std::move(readings);
    }
    return try_transact(connection, query, decide, std::move(known));
  });
}

std::uint64_t PostgresBackend::seed() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

// Never one that was drawn before, by whatever store.
std::int64_t PostgresBackend::draw_revision() {
  const std::lock_guard lock(mutex_);
  return static_cast<std::int64_t>(revisions_() >> 1);
}

// What is known of the sessions is taken out, so that nothing is left of it if this fails.
std::optional<KnownSession> PostgresBackend::recall(const driver::Query& query) {
  std::optional<KnownSession> known;
  if (!known_.remembers()) return known;
  for (const driver::SessionQuery& session : query.sessions) known = known_.take(session.session);
  const bool is_for_one = query.sessions.size() == 1 && !query.pick && !query.presence;
  return is_for_one ? std::move(known) : std::nullopt;
}

// Nothing where the decision does not hold, or cannot be made: then nothing has happened.
std::optional<driver::Readings> PostgresBackend::try_known(Connection& connection,
                                                           KnownSession& known,
                                                           const driver::Query& query,
                                                           const Decide& decide) {
  std::optional<std::int64_t> now;
  if (clock_) now = clock_->now_ms();
  GuardedWrite guarded(known, query, decide);
  // A connection that is found broken by its commit leaves a doubt.
  if (!guarded.decide(now ? *now : known_.now()) || connection.has_news()) return std::nullopt;
  connection.begin_write();
  try {
    driver::Readings readings = guarded.write(connection, now, draw_revision());
    ++guarded_;
    known_.hear(guarded.now());
    known_.put(std::move(known));
    tell(guarded.effects());
    return readings;
  } catch (const Refused& refused) {
    if (!GuardedWrite::is_miss(refused)) throw;
    ++guards_failed_;
    known.trusted = false;
    connection.skip();
    return std::nullopt;
  }
}

driver::Readings PostgresBackend::try_transact(Connection& connection, const driver::Query& query,
                                               const Decide& decide,
                                               std::optional<KnownSession> before) {
  Loader loader(connection, query);
  Learning learning(known_, query, before);
  loader.look_ahead(learning.look_ahead());
  send_load(connection, loader, true);
  connection.fetch(End::kOpen);
  driver::Facts facts = loader.take();
  if (!clock_) known_.hear(facts.now);
  learning.note(facts, loader);
  const driver::Effects effects = decide(std::move(facts));
  const bool writes = effects.writes();
  const std::int64_t revision = draw_revision();
  Writer writer(connection, effects, loader.stored(), revision);
  if (writes) writer.send_writes();
  writer.send_read_back();
  if (writes) learning.send_look_ups(connection, effects);
  writes ? connection.commit() : connection.roll_back();
  try {
    connection.fetch(writes ? End::kCommit : End::kFinish);
  } catch (const Refused& refused) {
    if (refused.sqlstate != kUnanswerable) throw;
    refuse_answer(connection, effects);
  }
  learning.keep(effects, revision);
  if (writes) tell(effects);
  return writer.take();
}

void PostgresBackend::tell(const driver::Effects& effects) {
  note_change();
  if (handles_->notifier && wakes(effects)) handles_->notifier->ring();
}

// Tells how many of the events fit. Those that were appended in this transaction are known; the
// others cannot change.
void PostgresBackend::refuse_answer(Connection& connection, const driver::Effects& effects) const {
  connection.recover();
  const driver::ReadBack& read = effects.read;
  std::vector<std::optional<std::int64_t>> sizes(read.events.size());
  Columns keys;
  for (std::size_t i = 0; i < read.events.size(); ++i) {
    const auto& [name, index] = read.events[i];
    keys.add(name, index);
    for (const driver::SessionEffects& session : effects.sessions) {
      if (session.session != name) continue;
      for (const driver::EventRow& event : session.append) {
        if (event.index == index) sizes[i] = std::ssize(event.payload);
      }
    }
  }
  connection.begin_read();
  connection.send(Sql::kPayloadSizes, keys.params(), [&sizes](const Row& row) {
    sizes.at(static_cast<std::size_t>(row.count(0) - 1)) = row.count(1);
  });
  connection.commit();
  connection.fetch(End::kFinish);
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (!sizes[i]) throw_corrupt("the event of a head is not stored");
    bytes += *sizes[i];
    const auto fits = static_cast<std::int64_t>(i);
    if (bytes > read.max_bytes && fits > 0) throw AnswerTooLarge(fits);
  }
  throw_corrupt("an answer's length");
}

std::uint64_t PostgresBackend::changes() {
  const driver::Gate::Pass pass(gate_);
  const std::lock_guard lock(mutex_);
  return changes_;
}

void PostgresBackend::note_change() {
  {
    const std::lock_guard lock(mutex_);
    ++changes_;
  }
  changed_.notify_all();
}

void PostgresBackend::wait(std::uint64_t seen, steady_clock::time_point until) {
  const driver::Gate::Pass pass(gate_);
  if (handles_->notifier) handles_->notifier->start();
  const auto poll = std::min(until, steady_clock::now() + wake_poll_);
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, poll, [&] { return changes_ != seen || gate_.is_closed(); });
}

void PostgresBackend::close() {
  if (gate_.is_child() || !gate_.shut()) return;
  note_change();
  gate_.wait_until_empty();
  handles_.reset();
}

Info PostgresBackend::info() const {
  Info info;
  info.scheme = "postgres";
  info.engine = "PostgreSQL " + server_version_ + " (" + postgres::engine() + ")";
  info.durability = durability_ == Durability::kFull ? "full" : "relaxed";
  info.details["layout"] = std::to_string(kLayout);
  info.details["schema"] = engine_.schema;
  info.details["connections"] = std::to_string(engine_.connections);
  info.details["prepare"] = engine_.prepare ? "on" : "off";
  info.details["notify"] = engine_.notify ? "on" : "off";
  info.details["remember_kib"] = std::to_string(engine_.remember_kib);
  return info;
}

Stats PostgresBackend::stats() {
  const driver::Gate::Pass pass(gate_);
  Stats stats;
  const Pool::Counts counts = handles_->pool.counts();
  stats.numbers["connections_in_use"] = static_cast<std::int64_t>(counts.in_use);
  stats.numbers["connections_idle"] = static_cast<std::int64_t>(counts.idle);
  stats.numbers["tried_again"] = tried_again_;
  stats.numbers["guarded"] = guarded_;
  stats.numbers["guards_failed"] = guards_failed_;
  Notifier* notifier = handles_->notifier.get();
  if (notifier == nullptr) return stats;
  stats.numbers["listening"] = notifier->is_listening() ? 1 : 0;
  if (notifier->is_started() && !notifier->is_listening()) {
    stats.warnings.emplace_back(
        "the connection that listens is broken: commits of others are found by polling");
  }
  return stats;
}

ConnectionSource fresh_connections() {
  return {open_connection, [](std::unique_ptr<Connection>) {}};
}

std::string engine() { return "libpq " + version_text(PQlibVersion()); }

}  // namespace pawl::postgres
