// The backend.
#include "sqlite_backend.h"

#include <sqlite3.h>

#include <algorithm>

#include "loader.h"
#include "log_state.h"
#include "schema.h"
#include "transaction.h"

namespace pawl::sqlite {
namespace {

using std::chrono::steady_clock;

ConnectionOptions connection_options(const OpenOptions& options, const EngineOptions& engine,
                                     bool read_only) {
  return {.full_sync = options.durability == Durability::kFull,
          .read_only = read_only,
          .busy_timeout_ms = options.busy_timeout.count(),
          .cache_kib = engine.cache_kib,
          .journal_limit_bytes = 4 * engine.checkpoint_pages * kPageBytes};
}

std::unique_ptr<Connection> open_connection(const std::string& file,
                                            const ConnectionOptions& options) {
  auto connection = std::make_unique<Connection>(file, Phase::kRunning);
  connection->configure(options);
  return connection;
}

// Opens the file under the lock, so that it is laid out once, however many open it at once.
std::unique_ptr<Connection> open_writer(const Place& place, SideFile& side_file,
                                        const OpenOptions& options, const EngineOptions& engine) {
  if (!side_file.lock(steady_clock::now() + options.busy_timeout)) {
    throw Error(ErrorCode::kBusy, "sqlite: other processes kept the store locked");
  }
  const std::unique_ptr<SideFile, void (*)(SideFile*)> unlocker(
      &side_file, [](SideFile* file) { file->unlock(); });
  create_file(place);
  auto connection = std::make_unique<Connection>(place.file, Phase::kOpening);
  prepare_file(*connection, options.busy_timeout.count());
  connection->configure(connection_options(options, engine, false));
  return connection;
}

std::unique_ptr<Checkpointer> make_checkpointer(const Place& place, const OpenOptions& options,
                                                const EngineOptions& engine) {
  if (!uses_checkpointer(options, sqlite3_libversion_number())) return nullptr;
  return std::make_unique<Checkpointer>(
      [file = place.file, own = connection_options(options, engine, false)] {
        return open_connection(file, own);
      });
}

WriteQueueOptions queue_options(const OpenOptions& options, const EngineOptions& engine,
                                Checkpointer* checkpointer) {
  return {.busy_timeout = options.busy_timeout,
          .group_limit = static_cast<std::size_t>(engine.group_limit),
          .checkpoint_pages = static_cast<int>(engine.checkpoint_pages),
          .checkpointer = checkpointer};
}

}  // namespace

SqliteBackend::Handles::Handles(const Place& place, const OpenOptions& options,
                                const EngineOptions& engine, NameCache& names, Clock& clock)
    : side_file(place.lock_file, place.mode, steady_clock::now() + options.busy_timeout),
      writer(open_writer(place, side_file, options, engine)),
      readers(static_cast<std::size_t>(engine.readers),
              [file = place.file, reader = connection_options(options, engine, true)] {
                return open_connection(file, reader);
              }),
      checkpointer(make_checkpointer(place, options, engine)),
      queue(*writer, side_file, names, clock, queue_options(options, engine, checkpointer.get())) {}

SqliteBackend::SqliteBackend(const Place& place, const OpenOptions& options)
    : engine_(read_engine_options(options)),
      durability_(options.durability),
      wake_poll_(options.wake_poll),
      clock_(options.clock ? options.clock : system_clock()) {
  if (sqlite3_threadsafe() == 0) {
    throw Error(ErrorCode::kNotConfigured, "sqlite: the linked SQLite is built without threads");
  }
  refuse_foreign(place);
  refuse_unwritable(place);
  handles_ = std::make_unique<Handles>(place, options, engine_, names_, *clock_);
}

SqliteBackend::~SqliteBackend() {
  if (gate_.is_child()) {
    // Closing would drop locks and touch files that are the parent's.
    [[maybe_unused]] const Handles* leaked = handles_.release();
    return;
  }
  close();
}

driver::Facts SqliteBackend::look(const driver::Query& query) {
  const driver::Gate::Pass pass(gate_);
  const ReaderPool::Lease reader(handles_->readers);
  const Transaction snapshot(*reader, Sql::kBegin);
  Names names(*reader, names_);
  Scope scope{*reader, names};
  std::vector<Session> sessions;
  return load(scope, *clock_, query, sessions);
}

driver::Readings SqliteBackend::transact(const driver::Query& query, const Decide& decide) {
  const driver::Gate::Pass pass(gate_);
  return handles_->queue.run(query, decide);
}

std::uint64_t SqliteBackend::changes() {
  const driver::Gate::Pass pass(gate_);
  return handles_->side_file.commits();
}

void SqliteBackend::wait(std::uint64_t seen, steady_clock::time_point until) {
  const driver::Gate::Pass pass(gate_);
  // A process that died between its commit and the bell is noticed by the next look.
  const auto poll = steady_clock::now() + wake_poll_;
  handles_->side_file.sleep(seen, std::min(until, poll), [this] { return gate_.is_closed(); });
}

void SqliteBackend::close() {
  if (gate_.is_child() || !gate_.shut()) return;
  handles_->side_file.ring();
  gate_.wait_until_empty();
  handles_->checkpointer.reset();  // or the two checkpoints would be in each other's way
  handles_->queue.checkpoint_on_close();
  handles_.reset();
}

Info SqliteBackend::info() const {
  Info info;
  info.scheme = "sqlite";
  info.engine = engine();
  info.durability = durability_ == Durability::kFull ? "full" : "relaxed";
  info.details["layout"] = std::to_string(kLayout);
  info.details["readers"] = std::to_string(engine_.readers);
  info.details["checkpoint_pages"] = std::to_string(engine_.checkpoint_pages);
  info.details["group_limit"] = std::to_string(engine_.group_limit);
  info.details["cache_kib"] = std::to_string(engine_.cache_kib);
  info.details["wal_reset_bug"] =
      has_wal_reset_bug(sqlite3_libversion_number()) ? "guarded against" : "not in this SQLite";
  return info;
}

Stats SqliteBackend::stats() {
  const driver::Gate::Pass pass(gate_);
  const ReaderPool::Lease reader(handles_->readers);
  Connection& connection = *reader;
  Stats stats;
  auto& numbers = stats.numbers;
  numbers["file_pages"] = connection.pragma_number("PRAGMA page_count");
  numbers["free_pages"] = connection.pragma_number("PRAGMA freelist_count");
  numbers["file_bytes"] = file_bytes(connection.file());
  numbers["log_bytes"] = file_bytes(connection.file() + "-wal");
  const LogState log = log_state(connection);
  numbers["log_pages"] = log.pages;
  numbers["log_pages_written_back"] = log.written_back;
  numbers["commits"] = static_cast<std::int64_t>(handles_->side_file.commits());
  numbers["waiting_writers"] = handles_->side_file.waiting();
  numbers["waiting_for_commit"] = handles_->side_file.sleepers();
  if (!log.holders.empty()) numbers["log_held_by"] = log.holders.front().process;
  // Those that are due to end soon are no matter: the log is short as yet.
  if (log.pages >= 2 * engine_.checkpoint_pages && log.pages > log.written_back) {
    stats.warnings.push_back(warning(log));
  }
  return stats;
}

bool uses_checkpointer(const OpenOptions& options, int version) {
  return options.durability == Durability::kRelaxed && !has_wal_reset_bug(version);
}

std::string engine() { return std::string("SQLite ") + sqlite3_libversion(); }

bool has_wal_reset_bug(int version) {
  const auto within = [version](int from, int below) { return version >= from && version < below; };
  const bool is_fixed =
      version >= 3'051'003 || within(3'050'007, 3'051'000) || within(3'044'006, 3'045'000);
  return version >= 3'007'000 && !is_fixed;
}

}  // namespace pawl::sqlite
