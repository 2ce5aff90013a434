// Checking the server, and making the layout.
#include "place.h"

#include "schema.h"

namespace pawl::postgres {
namespace {

constexpr int kOldestServer = 130'000;  // WITH TIES

// What of the layout is there.
struct Found {
  bool schema = false;
  bool layout = false;
  bool others = false;  // relations of somebody else's
};

void send_find(Connection& connection, const std::string& schema, Found& found) {
  connection.send_text(
      "SELECT (SELECT count(*) FROM pg_class WHERE relnamespace = n.oid AND relname = 'layout' "
      "AND relkind = 'r'), (SELECT count(*) FROM pg_class WHERE relnamespace = n.oid) "
      "FROM pg_namespace n WHERE n.nspname = $1::text",
      Params().text(schema), [&found](const Row& row) {
        found.schema = true;
        found.layout = row.count(0) > 0;
        found.others = row.count(1) > row.count(0);
      });
}

void check_version(Connection& connection, const std::string& schema) {
  std::int64_t version = 0;
  connection.send_text(in_schema("SELECT version FROM @layout", schema), {},
                       [&version](const Row& row) { version = row.number(0); });
  connection.roll_back();
  connection.fetch(Connection::End::kFinish);
  if (version == kLayout) return;
  throw Error(ErrorCode::kNotConfigured, "postgres: schema " + quote_identifier(schema) +
                                             " has layout " + std::to_string(version) +
                                             ", and this version knows " + std::to_string(kLayout) +
                                             ": use the version that made it, or another schema");
}

void make_layout(Connection& connection, const std::string& schema, bool with_schema) {
  if (with_schema) connection.send_text("CREATE SCHEMA " + quote_identifier(schema));
  for (const std::string& statement : layout_statements()) {
    connection.send_text(in_schema(statement, schema));
  }
  connection.commit();
  connection.fetch(Connection::End::kCommit);
}

}  // namespace

std::unique_ptr<Connection> open_connection(
    const std::shared_ptr<const ConnectionOptions>& options) {
  auto connection = std::make_unique<Connection>(options);
  if (connection->server_version() < kOldestServer) {
    throw Refused("0A000", "the server is older than version 13");
  }
  const std::string encoding = connection->parameter("server_encoding");
  if (encoding != "UTF8") {
    throw Refused("0A000",
                  "the database's encoding is " + encoding + ": create one with ENCODING 'UTF8'");
  }
  if (connection->is_standby()) {
    throw Refused("25006", "the server is a standby, on which nothing can be written");
  }
  connection->adopt_session();
  return connection;
}

void prepare_place(Connection& connection, const std::string& schema) {
  Found found;
  connection.begin_write();
  send_find(connection, schema, found);
  connection.fetch(Connection::End::kOpen);
  if (found.layout) return check_version(connection, schema);
  // Whoever waited here finds what another has made meanwhile.
  connection.send_text("SELECT pg_advisory_xact_lock(1885435756, hashtext($1::text))",
                       Params().text(schema));
  connection.fetch(Connection::End::kOpen);
  found = {};
  send_find(connection, schema, found);
  connection.fetch(Connection::End::kOpen);
  if (found.layout) return check_version(connection, schema);
  if (found.others) {
    throw Error(ErrorCode::kNotConfigured,
                "postgres: schema " + quote_identifier(schema) +
                    " holds something that is not a Pawl store: choose another by the option "
                    "schema");
  }
  make_layout(connection, schema, !found.schema);
}

}  // namespace pawl::postgres
