// backend.cc: see backend.h.
#include "backend.h"

#include <rocksdb/version.h>

#include <algorithm>
#include <utility>

#include "at_exit.h"
#include "pawl/rocksdb.h"
#include "place.h"

namespace pawl::rocksdb {
namespace {

std::size_t stripe_of_presence(const std::string& name_space) {
  // No session bears a name with a NUL.
  return Stripes::stripe_of(name_space + '\0');
}

std::vector<std::size_t> stripes_of(const driver::Query& query) {
  std::vector<std::size_t> stripes;
  for (const driver::SessionQuery& session : query.sessions) {
    stripes.push_back(Stripes::stripe_of(session.session));
  }
  if (query.presence) stripes.push_back(stripe_of_presence(query.presence->name_space));
  return stripes;
}

}  // namespace

std::string engine() {
  return "RocksDB " + ::rocksdb::GetRocksVersionAsString(true) +
         (engine_has_assertions() ? " (built with assertions)" : "");
}

// Bytes that cannot be decoded are told of with the store's path.
template <class Work>
auto RocksBackend::telling_damage(const Work& work) const {
  try {
    return work();
  } catch (const BadEncoding& fault) {
    throw Error(ErrorCode::kCorrupt, "rocksdb: what is stored cannot be what was written: " +
                                         std::string(fault.what()) + ": " + path_);
  }
}

RocksBackend::RocksBackend(std::string path, const OpenOptions& options, ::rocksdb::Env* env)
    : path_(std::move(path)),
      options_(read_engine_options(options)),
      durability_(options.durability),
      clock_(options.clock ? options.clock : system_clock()) {
  if (path_.empty()) throw Error(ErrorCode::kInvalidArgument, "rocksdb: the path is empty");
  telling_damage([&] { database_ = share_database(path_, options_, env); });
  AtExit<RocksBackend>::instance().add(this);
}

RocksBackend::~RocksBackend() {
  if (gate_.is_child()) {
    // The threads that closing would wait for are in the parent alone, and the files are its.
    [[maybe_unused]] const Database* leaked = database_.release();
    return;
  }
  close();
  AtExit<RocksBackend>::instance().remove(this);
}

driver::Facts RocksBackend::look(const driver::Query& query) {
  const driver::Gate::Pass pass(gate_);
  return telling_damage([&] {
    driver::Facts facts;
    facts.now = clock_->now_ms();
    const Fronts::Taken taken = take_fronts(database_->fronts, query);
    Gaps::Taken gaps = take_gaps(database_->gaps, query);
    const View view(database_->db(), true);
    database_->gaps.settle(gaps);
    for (const driver::SessionQuery& session : query.sessions) {
      facts.sessions.push_back(
          SessionLoader(view, session.session, facts.now, nullptr, nullptr, &gaps).load(session));
    }
    load_rest(query, {view, database_->fronts, taken}, facts);
    return facts;
  });
}

driver::Readings RocksBackend::transact(const driver::Query& query, const Decide& decide) {
  const driver::Gate::Pass pass(gate_);
  return telling_damage([&] {
    StripeLocks locks(database_->stripes, stripes_of(query));
    const Fronts::Taken taken = take_fronts(database_->fronts, query);
    const View view(database_->db(), false);
    const driver::Effects effects = decide(load(query, view, taken, locks));
    Writer writer(view, locks);
    writer.add(effects);
    driver::Readings readings = writer.read_back(effects, database_->ready);
    if (effects.writes()) commit(writer);
    locks.keep();
    return readings;
  });
}

driver::Facts RocksBackend::load(const driver::Query& query, const View& view,
                                 const Fronts::Taken& taken, StripeLocks& locks) {
  driver::Facts facts;
  facts.now = clock_->now_ms();
  const Fronts::Taken taken_superseded = take_superseded(database_->superseded, query);
  const Ranges superseded{view, database_->superseded, taken_superseded};
  for (const driver::SessionQuery& session : query.sessions) {
    facts.sessions.push_back(
        SessionLoader(view, session.session, facts.now, &locks.memory(session.session), &superseded)
            .load(session));
  }
  const Ranges ranges{view, database_->fronts, taken};
  if (query.pick) pick(*query.pick, ranges, locks, facts);
  load_rest(query, ranges, facts);
  return facts;
}

void RocksBackend::load_rest(const driver::Query& query, const Ranges& ranges,
                             driver::Facts& facts) {
  if (query.ready) {
    facts.ready = load_ready(ranges.view, database_->ready, *query.ready, facts.now, true);
  }
  if (query.presence) facts.presence = load_presence(ranges, *query.presence, facts.now);
  if (query.list) facts.list = load_list(ranges.view, *query.list);
  if (query.upkeep) facts.upkeep = load_upkeep(ranges, *query.upkeep, facts.now);
}

// The sessions that have waited longest and are not held by another call: so a few more are
// looked at than are wanted.
void RocksBackend::pick(const driver::Pick& pick, const Ranges& ranges, StripeLocks& locks,
                        driver::Facts& facts) {
  const std::int64_t looked_at = 4 * pick.sessions + 64;
  const auto rows =
      load_ready(ranges.view, database_->ready, {pick.consumers, looked_at}, facts.now, false);
  const auto named_end = std::ssize(facts.sessions);
  std::int64_t left = pick.sessions;
  for (const ReadySession& ready : order_ready(rows, facts.now, looked_at)) {
    if (left == 0) break;
    if (!locks.try_lock(Stripes::stripe_of(ready.session))) continue;
    --left;
    const SessionLoader loader(ranges.view, ready.session, facts.now, &locks.memory(ready.session));
    const auto end = facts.sessions.begin() + named_end;
    const auto named = std::find_if(
        facts.sessions.begin(), end,
        [&](const driver::SessionFacts& session) { return session.session == ready.session; });
    if (named != end) {
      if (!named->windowed) loader.load_window(pick.window, *named);
      continue;
    }
    driver::SessionQuery query;
    query.session = ready.session;
    query.cursors = pick.cursors;
    query.window = pick.window;
    facts.sessions.push_back(loader.load(query));
  }
}

void RocksBackend::commit(Writer& writer) {
  {
    ::rocksdb::WriteBatch& batch = writer.batch();
    const Fronts::Lowered lowered(database_->fronts, writer.front_puts());
    const Gaps::Commit divided(database_->gaps, writer.gap_puts());
    ReadyKeys::Commit known(database_->ready, writer.ready_changes());
    database_->commit(batch, durability_ == Durability::kFull);
    known.is_done();
  }
  database_->bell.count_commit();
}

std::uint64_t RocksBackend::changes() {
  const driver::Gate::Pass pass(gate_);
  return database_->bell.commits();
}

void RocksBackend::wait(std::uint64_t seen, std::chrono::steady_clock::time_point until) {
  const driver::Gate::Pass pass(gate_);
  database_->bell.sleep(seen, until, [this] { return gate_.is_closed(); });
}

void RocksBackend::close() {
  if (gate_.is_child() || !gate_.shut()) return;
  database_->bell.ring();
  gate_.wait_until_empty();
  database_.reset();
}

Info RocksBackend::info() const {
  Info info;
  info.scheme = "rocksdb";
  info.engine = engine();
  info.durability = durability_ == Durability::kFull ? "full" : "relaxed";
  info.details["layout"] = std::to_string(kLayout);
  info.details["block_cache_mib"] = std::to_string(options_.block_cache_mib);
  info.details["write_buffer_mib"] = std::to_string(options_.write_buffer_mib);
  info.details["wal_mib"] = std::to_string(options_.wal_mib);
  info.details["remember_kib"] = std::to_string(options_.remember_kib);
  info.details["compression"] = options_.compression;
  info.details["assertions"] = engine_has_assertions() ? "yes" : "no";
  return info;
}

Stats RocksBackend::stats() {
  const driver::Gate::Pass pass(gate_);
  ::rocksdb::DB& db = database_->db();
  Stats stats;
  const auto add = [&](const char* name, const std::string& property) {
    std::uint64_t value = 0;
    if (db.GetIntProperty(property, &value)) {
      stats.numbers[name] = static_cast<std::int64_t>(value);
    }
  };
  using Properties = ::rocksdb::DB::Properties;
  add("keys_estimated", Properties::kEstimateNumKeys);
  add("file_bytes", Properties::kTotalSstFilesSize);
  add("memory_tables_bytes", Properties::kSizeAllMemTables);
  add("table_readers_bytes", Properties::kEstimateTableReadersMem);
  add("block_cache_bytes", Properties::kBlockCacheUsage);
  add("compaction_pending_bytes", Properties::kEstimatePendingCompactionBytes);
  add("compactions_pending", Properties::kCompactionPending);
  add("compactions_running", Properties::kNumRunningCompactions);
  add("background_errors", Properties::kBackgroundErrors);
  add("views", Properties::kNumSnapshots);
  stats.numbers["commits"] = static_cast<std::int64_t>(database_->bell.commits());
  std::uint64_t stopped = 0;
  if (db.GetIntProperty(Properties::kIsWriteStopped, &stopped) && stopped != 0) {
    stats.warnings.emplace_back(
        "RocksDB has stopped taking writes until it has compacted its files");
  }
  return stats;
}

}  // namespace pawl::rocksdb
