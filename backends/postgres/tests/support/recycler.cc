// Emptying schemas, keeping connections.
#include "tests/support/recycler.h"

#include <gtest/gtest.h>

#include "tests/support/server.h"

namespace pawl::postgres::testing {
namespace {

Recycler::Key key_of(const ConnectionOptions& options) {
  return {options.schema, options.prepare, options.relaxed, options.busy_timeout,
          options.statement_timeout};
}

// The rows that stand on one side only. `ready` without a cursor: a session that is served for
// nothing; a first key without its row: one that is never served again.
constexpr const char* kDifferences = R"sql(
  WITH candidate AS (
    SELECT c.session, c.consumer, c.due, CASE c.due WHEN 0 THEN c.since ELSE 0 END AS since,
           row_number() OVER (PARTITION BY c.session, c.consumer
                              ORDER BY c.due, c.head, c.slot, c.lane) AS place
    FROM @cursor c JOIN @session s ON s.name = c.session AND s.era = c.era
    WHERE c.due IS NOT NULL),
  expected AS (SELECT session, consumer, due, since FROM candidate WHERE place = 1),
  stored AS (SELECT session, consumer, due, since FROM @ready)
  SELECT 'missing', * FROM (SELECT * FROM expected EXCEPT SELECT * FROM stored) m
  UNION ALL SELECT 'stale', * FROM (SELECT * FROM stored EXCEPT SELECT * FROM expected) m)sql";

void check_first_keys(Connection& connection, const std::string& schema) {
  connection.send_text(in_schema(kDifferences, schema), {}, [](const Row& row) {
    ADD_FAILURE() << row.text(0) << " first key: " << row.text(1) << " " << row.text(2) << " "
                  << row.number(3) << " " << row.number(4);
  });
  connection.fetch(Connection::End::kFinish);
}

void empty(Connection& connection, const std::string& schema) {
  connection.send_text("BEGIN");
  for (const char* table :
       {"session", "event", "cursor", "work", "ready", "snapshot", "pin", "presence"}) {
    connection.send_text(in_schema(std::string("DELETE FROM @") + table, schema));
  }
  connection.send(Sql::kCommit);
  connection.fetch(Connection::End::kFinish);
}

}  // namespace

Recycler::~Recycler() {
  connections_.clear();
  for (const std::string& schema : all_) drop_schema(schema);
}

std::string Recycler::take_schema(const std::string& name) {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    all_.push_back(name);
    return name;
  }
  std::string schema = std::move(free_.back());
  free_.pop_back();
  return schema;
}

// A schema without a connection was never opened, or only by other processes: it is left.
void Recycler::give_back(const std::string& schema) {
  const std::lock_guard lock(mutex_);
  for (auto& [key, connections] : connections_) {
    if (std::get<0>(key) != schema || connections.empty()) continue;
    check_first_keys(*connections.back(), schema);
    empty(*connections.back(), schema);
    free_.push_back(schema);
    return;
  }
}

Store Recycler::open(const std::string& schema, OpenOptions options) {
  options.engine["schema"] = schema;
  return Store(std::make_unique<PostgresBackend>(uri_, options, source()),
               StoreOptions{.max_payload_bytes = options.max_payload_bytes,
                            .max_call_bytes = options.max_call_bytes,
                            .ids = options.ids});
}

ConnectionSource Recycler::source() {
  ConnectionSource source = fresh_connections();
  source.open =
      [this, fresh = source.open](
          const std::shared_ptr<const ConnectionOptions>& options) -> std::unique_ptr<Connection> {
    {
      const std::lock_guard lock(mutex_);
      Connections& connections = connections_[key_of(*options)];
      if (!connections.empty()) {
        std::unique_ptr<Connection> connection = std::move(connections.back());
        connections.pop_back();
        return connection;
      }
    }
    return fresh(options);
  };
  source.retire = [this](std::unique_ptr<Connection> connection) {
    const std::lock_guard lock(mutex_);
    connections_[key_of(connection->options())].push_back(std::move(connection));
  };
  return source;
}

}  // namespace pawl::postgres::testing
