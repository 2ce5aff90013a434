// raw_postgres.cc: see raw_postgres.h.
#include "raw_postgres.h"

#include <libpq-fe.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include "place.h"

namespace pawl::bench {
namespace {

constexpr const char* kHolder = "bench";
constexpr std::int64_t kNow = 1'700'000'000'000;

enum Statement {
  kInsertEvent,
  kInsertCursor,
  kPutReady,
  kMoveSession,
  kClaimCursor,
  kMoveReady,
  kDeleteCursor,
  kInsertWork,
  kDeleteReady,
  kStatements
};

// '@' stands for the schema and a dot.
constexpr std::array<const char*, kStatements> kTexts{
    "INSERT INTO @event (session, idx, created_at, era, id, type, target_consumers, target_lanes, "
    "payload) VALUES ($1, $2::bigint, $3::bigint, 0, $4, $5, '{worker}', '{NULL}', $6)",
    "INSERT INTO @cursor (session, era, slot, position, head, due, since, attempt_count, "
    "first_claimed_at, last_claimed_at, failure_count, last_failed_at, last_failed_attempt, "
    "last_released_attempt, pins, kind, consumer, lane) VALUES ($1, 0, $2::bigint, $2::bigint - 1, "
    "$2::bigint, 0, $3::bigint, 0, 0, 0, 0, 0, 0, 0, 0, 2, 'worker', '')",
    "INSERT INTO @ready VALUES ($1, 'worker', 0, $2::bigint) ON CONFLICT (session, consumer) DO "
    "NOTHING",
    "UPDATE @session SET last_index = $2::bigint WHERE name = $1",
    "WITH first AS MATERIALIZED (SELECT slot FROM @cursor WHERE session = $1 AND era = 0 AND "
    "consumer = 'worker' AND due = 0 ORDER BY due, head LIMIT 1), taken AS (UPDATE @cursor SET "
    "attempt_count = 1, claim_holder = $2, due = $3::bigint, since = 0, first_claimed_at = "
    "$4::bigint, last_claimed_at = $4::bigint WHERE session = $1 AND era = 0 AND consumer = "
    "'worker' AND slot = (SELECT slot FROM first) AND lane = '' RETURNING head) SELECT event.* "
    "FROM "
    "taken CROSS JOIN LATERAL (SELECT * FROM @event WHERE session = $1 AND idx = taken.head LIMIT "
    "1) "
    "event",
    "UPDATE @ready SET due = $2::bigint, since = 0 WHERE session = $1 AND consumer = 'worker'",
    "DELETE FROM @cursor WHERE session = $1 AND era = 0 AND consumer = 'worker' AND slot = "
    "$2::bigint AND lane = ''",
    "INSERT INTO @work (session, idx, available_at, finished_at, kind, consumer, lane, "
    "completion_attempt, completion_index, completion_ids) VALUES ($1, $2::bigint, 0, $3::bigint, "
    "2, 'worker', '', 1, $2::bigint, '{}')",
    "DELETE FROM @ready WHERE session = $1 AND consumer = 'worker'"};

[[noreturn]] void fail(PGconn* connection) {
  throw std::runtime_error(std::string("raw postgres: ") + PQerrorMessage(connection));
}

class Connection {
 public:
  explicit Connection(const std::string& uri) : connection_(PQconnectdb(uri.c_str())) {
    if (PQstatus(connection_) != CONNECTION_OK) fail(connection_);
  }
  ~Connection() { PQfinish(connection_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void execute(const std::string& text) {
    PGresult* result = PQexec(connection_, text.c_str());
    const ExecStatusType status = PQresultStatus(result);
    PQclear(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) fail(connection_);
  }

  void prepare(const std::string& schema) {
    execute("SET plan_cache_mode = force_generic_plan");
    for (int i = 0; i < kStatements; ++i) {
      std::string text = kTexts[static_cast<std::size_t>(i)];
      for (std::size_t at = 0; (at = text.find('@', at)) != std::string::npos;) {
        text.replace(at, 1, "\"" + schema + "\".");
      }
      PGresult* result =
          PQprepare(connection_, std::to_string(i).c_str(), text.c_str(), 0, nullptr);
      const ExecStatusType status = PQresultStatus(result);
      PQclear(result);
      if (status != PGRES_COMMAND_OK) fail(connection_);
    }
    PQenterPipelineMode(connection_);
  }

  void send(Statement statement, const std::vector<std::string>& values) {
    std::array<const char*, 8> pointers{};
    for (std::size_t i = 0; i < values.size(); ++i) pointers[i] = values[i].c_str();
    if (PQsendQueryPrepared(connection_, std::to_string(statement).c_str(),
                            static_cast<int>(values.size()), pointers.data(), nullptr, nullptr,
                            1) != 1) {
      fail(connection_);
    }
    ++sent_;
  }

  // One round trip, one transaction. The number of rows of the last answer.
  int finish() {
    PQpipelineSync(connection_);
    int rows = 0;
    for (; sent_ > 0; --sent_) {
      PGresult* result = PQgetResult(connection_);
      const ExecStatusType status = PQresultStatus(result);
      if (status == PGRES_TUPLES_OK) rows = PQntuples(result);
      PQclear(result);
      if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) fail(connection_);
      PQclear(PQgetResult(connection_));
    }
    PQclear(PQgetResult(connection_));
    return rows;
  }

 private:
  PGconn* connection_;
  int sent_ = 0;
};

class RawPostgresLoop final : public Loop {
 public:
  explicit RawPostgresLoop(const Settings& settings) : settings_(settings) {}

  void prepare(int threads, std::int64_t turns) override {
    const std::string schema = schema_of(settings_.scratch);
    open_store("postgres", settings_.scratch, {}).close();
    for (int thread = 0; thread < threads; ++thread) {
      Session& session = sessions_.emplace_back();
      session.name = "session-" + std::to_string(thread);
      session.connection = std::make_unique<Connection>(postgres_uri());
      session.connection->execute("INSERT INTO \"" + schema + "\".session VALUES ('" +
                                  session.name + "', 0, 0, 0, 1, 0, 0, 1, false, false, true, 0)");
      if (!settings_.full) session.connection->execute("SET synchronous_commit = off");
      session.connection->prepare(schema);
      if (settings_.work != Work::kClaim && settings_.work != Work::kComplete) continue;
      for (std::int64_t left = turns; left > 0; left -= 100) append(session, std::min(left, 100L));
      for (std::int64_t i = 0; settings_.work == Work::kComplete && i < turns; ++i) {
        claim(session, false);
      }
    }
  }

  void turn(int thread) override {
    Session& session = sessions_[static_cast<std::size_t>(thread)];
    switch (settings_.work) {
      case Work::kAppend1:
        return append(session, 1);
      case Work::kAppend100:
        return append(session, 100);
      case Work::kClaim:
        return claim(session, false);
      case Work::kComplete:
        return complete(session, true, false);
      case Work::kCycle:
        append(session, 1);
        claim(session, true);
        return complete(session, false, true);
      case Work::kHundreds:
        throw std::logic_error("bench: there is no raw loop by hundreds");
    }
  }

 private:
  struct Session {
    std::string name;
    std::unique_ptr<Connection> connection;
    std::int64_t last = 0;
    std::int64_t done = 0;
  };

  void append_event(Session& session, const std::string& id, const char* type) {
    session.connection->send(kInsertEvent, {session.name, std::to_string(++session.last),
                                            std::to_string(kNow), id, type, payload_});
  }

  void append(Session& session, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      append_event(session, "0192e4a0-0000-7000-8000-" + std::to_string(session.last), "work");
      session.connection->send(kInsertCursor,
                               {session.name, std::to_string(session.last), std::to_string(kNow)});
    }
    session.connection->send(kPutReady, {session.name, std::to_string(kNow)});
    session.connection->send(kMoveSession, {session.name, std::to_string(session.last)});
    session.connection->finish();
  }

  // `only`: no other head is left.
  void claim(Session& session, bool only) {
    const std::string until = std::to_string(kNow + 3'600'000);
    if (only) session.connection->send(kMoveReady, {session.name, until});
    session.connection->send(kClaimCursor, {session.name, kHolder, until, std::to_string(kNow)});
    if (session.connection->finish() != 1) throw std::logic_error("bench: claim");
  }

  void complete(Session& session, bool follow_up, bool only) {
    const std::string index = std::to_string(++session.done);
    if (follow_up) {
      append_event(session, "done-" + index, "done");
      session.connection->send(kMoveSession, {session.name, std::to_string(session.last)});
    }
    session.connection->send(kDeleteCursor, {session.name, index});
    session.connection->send(kInsertWork, {session.name, index, std::to_string(kNow)});
    if (only) session.connection->send(kDeleteReady, {session.name});
    session.connection->finish();
  }

  Settings settings_;
  std::vector<Session> sessions_;
  std::string payload_ = payload();
};

}  // namespace

std::unique_ptr<Loop> make_raw_postgres_loop(const Settings& settings) {
  return std::make_unique<RawPostgresLoop>(settings);
}

void drop_postgres_schema(const std::string& schema) {
  Connection connection(postgres_uri());
  connection.execute("SET client_min_messages = warning; DROP SCHEMA IF EXISTS \"" + schema +
                     "\" CASCADE");
}

void vacuum_postgres() {
  Connection connection(postgres_uri());
  connection.execute("SET client_min_messages = error");
  connection.execute("VACUUM (ANALYZE)");
  connection.execute("CHECKPOINT");
}

const char* raw_postgres_carries() {
  return "all tables and indexes of backends/postgres/src/schema.cc; writes event (3 indexes), "
         "cursor (key, due), ready (2), session, work (2); one round trip a transaction; no locks, "
         "no look-ups of ids, types or served consumers";
}

}  // namespace pawl::bench
