// What the tests of the backend share: a server, a schema, stores on it, and a connection from
// outside.
#pragma once

#include <gtest/gtest.h>
#include <libpq-fe.h>

#include <functional>
#include <memory>
#include <string>

#include "pawl/error.h"
#include "pawl/postgres.h"
#include "postgres_backend.h"
#include "tests/support/server.h"

namespace pawl::postgres::testing {

class PostgresTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto reason = why_not()) {
      std::cout << "not run: " << *reason << std::endl;
      GTEST_SKIP();
    }
    uri_ = shared_uri();
  }

  OpenOptions options() const {
    OpenOptions options;
    options.durability = Durability::kRelaxed;
    options.engine["schema"] = schema_.name();
    options.engine["notify"] = "off";
    return options;
  }
  // Of a store that remembers nothing of what it wrote.
  OpenOptions forgetful() const {
    OpenOptions options = this->options();
    options.engine["remember_kib"] = "0";
    return options;
  }
  Store open() const { return open(uri_, options()); }
  static Store open(const std::string& uri, const OpenOptions& options) {
    return pawl::postgres::open(uri, options);
  }

  // Runs SQL as somebody else would; the first column of the first row, if there is one.
  std::string sql(const std::string& text) const { return sql_on(uri_, text); }
  static std::string sql_on(const std::string& uri, const std::string& text) {
    const Handle connection(PQconnectdb(uri.c_str()));
    const Result result(PQexec(connection.get(), text.c_str()));
    const ExecStatusType status = PQresultStatus(result.get());
    EXPECT_TRUE(status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK)
        << text << ": " << PQerrorMessage(connection.get());
    return PQntuples(result.get()) > 0 ? PQgetvalue(result.get(), 0, 0) : "";
  }

  std::string quoted_schema() const { return quote_identifier(schema_.name()); }

  // The code and message of what the call throws.
  static std::string code_of(const std::function<void()>& call, std::string* message = nullptr) {
    try {
      call();
    } catch (const Error& error) {
      if (message != nullptr) *message = error.what();
      return std::string(to_string(error.code()));
    }
    return "no error";
  }

  std::string uri_;
  const Schema schema_;
};

// A store with the connection pool in sight.
struct OpenedStore {
  OpenedStore(const std::string& uri, const OpenOptions& options)
      : OpenedStore(std::make_unique<PostgresBackend>(uri, options, fresh_connections())) {}
  explicit OpenedStore(std::unique_ptr<PostgresBackend> opened)
      : backend(*opened), store(std::move(opened)) {}

  PostgresBackend& backend;
  Store store;
};

}  // namespace pawl::postgres::testing
