// Opening: many at once, foreign schemas, rights, hostile settings, and what is left behind.
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/fixture.h"

namespace pawl::postgres::testing {
namespace {

NewEvent event(const std::string& id) {
  return {.id = id, .type = "t", .payload = "{}", .targets = {{.consumer = "c"}}};
}

// On a database of its own, in which the test may do as it likes.
class Place : public PostgresTest {
 protected:
  void SetUp() override {
    PostgresTest::SetUp();
    if (IsSkipped()) return;
    database_ = "d_" + schema_.name();
    sql_on(private_server().uri(), "CREATE DATABASE " + database_);
    uri_ = private_server().uri(database_);
  }

  // An appended event is claimed and completed, so that most statements have run.
  static void use(Store& store, const std::string& session = "s") {
    store.append(session, {event("a"), event("b")});
    const auto claimed =
        store.claim_ready({.holder = "w", .ttl = Duration(1'000), .max_failures = 3});
    ASSERT_EQ(claimed.claims.size(), 1u);
    for (const Head& head : claimed.claims[0].heads) {
      EXPECT_FALSE(store.complete(session, head).superseded());
    }
    store.set_presence("n", "p", {{"f", "1"}}, {.at = Time(Duration(1)), .ttl = Duration(9)});
    EXPECT_EQ(store.read(session).size(), 2u);
  }

  std::string role_uri(const std::string& role) const {
    return "postgres:///" + database_ + "?user=" + role + "&host=" + private_server().folder();
  }

  std::string database_;
};

TEST_F(Place, SixteenProcessesAtOnceMakeOneLayout) {
  constexpr int kProcesses = 16;
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      try {
        Store store = open();
        store.append("s", {event("e" + std::to_string(i))});
        store.close();
        _exit(0);
      } catch (const std::exception& error) {
        std::cerr << error.what() << std::endl;
        _exit(1);
      }
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  EXPECT_EQ(open().head("s").last_index, kProcesses);
}

TEST_F(Place, AForeignSchemaIsLeftAlone) {
  sql("CREATE SCHEMA " + quoted_schema());
  sql("CREATE TABLE " + quoted_schema() + ".mine (x int)");
  std::string message;
  EXPECT_EQ(code_of([&] { open(); }, &message), "not_configured");
  EXPECT_NE(message.find("not a Pawl store"), std::string::npos) << message;
  EXPECT_EQ(sql("SELECT count(*) FROM pg_class WHERE relnamespace = '" + quoted_schema() +
                "'::regnamespace"),
            "1");
}

TEST_F(Place, AnUnknownLayoutIsLeftAlone) {
  Store store = open();
  use(store);
  sql("UPDATE " + quoted_schema() + ".layout SET version = 99");
  std::string message;
  EXPECT_EQ(code_of([&] { open(); }, &message), "not_configured");
  EXPECT_NE(message.find("layout 99"), std::string::npos) << message;
  EXPECT_EQ(sql("SELECT count(*) FROM " + quoted_schema() + ".event"), "2");
}

TEST_F(Place, SchemaNamesAreQuoted) {
  for (const char* name : {"a\"b; DROP SCHEMA public", "@.%s $1 'x'", "Käse \\ \n", "select"}) {
    OpenOptions odd = options();
    odd.engine["schema"] = name;
    {
      Store store = open(uri_, odd);
      use(store);
    }
    EXPECT_EQ(open(uri_, odd).head("s").last_index, 2) << name;
  }
  EXPECT_EQ(sql("SELECT count(*) FROM pg_namespace WHERE nspname = 'public'"), "1");
}

TEST_F(Place, AnotherEncodingIsRefused) {
  sql("CREATE DATABASE ascii_" + schema_.name() +
      " TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LOCALE 'C'");
  std::string message;
  EXPECT_EQ(
      code_of([&] { open(private_server().uri("ascii_" + schema_.name()), options()); }, &message),
      "not_configured");
  EXPECT_NE(message.find("UTF8"), std::string::npos) << message;
}

TEST_F(Place, AMissingDatabaseIsNotConfigured) {
  std::string message;
  const std::string uri = "postgres://pawl:secret@/nowhere?host=" + private_server().folder();
  EXPECT_EQ(code_of([&] { open(uri, options()); }, &message), "not_configured");
  EXPECT_EQ(message.find("secret"), std::string::npos) << message;
  EXPECT_NE(message.find("3D000"), std::string::npos) << message;
}

TEST_F(Place, AServerThatIsNotThereIsUnavailable) {
  EXPECT_EQ(code_of([&] { open("postgres:///x?host=/nowhere", options()); }), "unavailable");
  EXPECT_EQ(code_of([&] { open("postgres://127.0.0.1:1/x", options()); }), "unavailable");
}

TEST_F(Place, ARoleThatOwnsOnlyItsSchemaIsEnough) {
  const std::string role = "r_" + schema_.name();
  sql("CREATE ROLE " + role + " LOGIN");
  sql("REVOKE ALL ON SCHEMA public FROM PUBLIC");
  std::string message;
  EXPECT_EQ(code_of([&] { open(role_uri(role), options()); }, &message), "not_configured");
  EXPECT_NE(message.find("42501"), std::string::npos) << message;
  sql("CREATE SCHEMA " + quoted_schema() + " AUTHORIZATION " + role);
  Store store = open(role_uri(role), options());
  use(store);
}

// Settings of the role and the database, and objects in front of the system's.
TEST_F(Place, SettingsOfOthersChangeNothing) {
  sql("CREATE SCHEMA evil");
  sql("CREATE FUNCTION evil.octet_length(text) RETURNS int LANGUAGE sql AS 'SELECT 1 / 0'");
  sql("CREATE FUNCTION evil.set_config(text, text, bool) RETURNS text LANGUAGE sql AS "
      "'SELECT (1 / 0)::text'");
  sql("CREATE FUNCTION evil.same(text, text) RETURNS bool LANGUAGE sql AS 'SELECT false'");
  sql("CREATE OPERATOR evil.= (LEFTARG = text, RIGHTARG = text, FUNCTION = evil.same)");
  sql("CREATE TABLE evil.session (name int)");
  for (const char* setting :
       {"search_path = evil, pg_catalog", "TimeZone = 'Pacific/Kiritimati'",
        "DateStyle = 'German, DMY'", "IntervalStyle = 'sql_standard'", "bytea_output = 'escape'",
        "default_transaction_isolation = 'serializable'", "default_transaction_read_only = on",
        "default_transaction_deferrable = on", "extra_float_digits = -10",
        "standard_conforming_strings = off", "synchronous_commit = off", "jit_above_cost = 0",
        "lc_messages = 'C'", "row_security = off", "enable_indexscan = off"}) {
    sql_on(private_server().uri(), "ALTER DATABASE " + database_ + " SET " + setting);
  }
  Store store = open();
  use(store);
  use(store, "t");
}

TEST_F(Place, NothingOutlivesATransactionButItsRows) {
  OpenOptions options = this->options();
  options.engine["prepare"] = "off";
  OpenedStore opened(uri_, options);
  use(opened.store);
  const Pool::Lease lent =
      opened.backend.pool().take(std::chrono::steady_clock::now() + std::chrono::seconds(1));
  ASSERT_TRUE(lent.reused());
  lent->send_text(
      "SELECT coalesce(current_setting('pawl.now', true), '') || "
      "coalesce(current_setting('pawl.picked', true), '') || current_setting('enable_seqscan') || "
      "current_setting('lock_timeout') || ' ' || (SELECT count(*) FROM pg_prepared_statements) || "
      "' ' || (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory') || ' ' || "
      "(SELECT count(*) FROM pg_proc p WHERE p.pronamespace = '" +
          quoted_schema() + "'::regnamespace)",
      {}, [](const Row& row) { EXPECT_EQ(row.text(0), "on0 0 0 0"); });
  lent->fetch(Connection::End::kFinish);
}

TEST_F(Place, FullDurabilityIsNotLoweredByTheServersDefault) {
  sql("ALTER DATABASE " + database_ + " SET synchronous_commit = off");
  for (const auto& [durability, expected] :
       {std::pair{Durability::kFull, "on"}, std::pair{Durability::kRelaxed, "off"}}) {
    OpenOptions options = this->options();
    options.durability = durability;
    OpenedStore opened(uri_, options);
    const Pool::Lease lent =
        opened.backend.pool().take(std::chrono::steady_clock::now() + std::chrono::seconds(1));
    lent->begin_write();
    lent->send_text("SHOW synchronous_commit", {},
                    [expected = expected](const Row& row) { EXPECT_EQ(row.text(0), expected); });
    lent->roll_back();
    lent->fetch(Connection::End::kFinish);
  }
}

// By whoever reads it: a store that remembers the session does not.
TEST_F(Place, WhatCannotHaveBeenWrittenIsCorrupt) {
  Store store = open(uri_, forgetful());
  use(store);
  sql("UPDATE " + quoted_schema() + ".session SET clear_index = 99");
  EXPECT_EQ(code_of([&] { store.head("s"); }), "corrupt");
  EXPECT_EQ(code_of([&] { store.append("s", {event("x")}); }), "corrupt");
  sql("UPDATE " + quoted_schema() + ".session SET clear_index = 0");
  EXPECT_EQ(store.append("s", {event("x")}).events[0].index, 3);
  sql("DELETE FROM " + quoted_schema() + ".event WHERE idx = 2");
  EXPECT_EQ(code_of([&] { store.read("s"); }), "corrupt");
}

TEST_F(Place, TheClockIsTheServersUnlessOneIsInjected) {
  Store store = open();
  const std::int64_t before =
      std::stoll(sql("SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint"));
  const Time at = store.append("s", {event("a")}).events[0].created_at;
  const std::int64_t after =
      std::stoll(sql("SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint"));
  EXPECT_GE(at.time_since_epoch().count(), before);
  EXPECT_LE(at.time_since_epoch().count(), after);
  OpenOptions manual = options();
  manual.clock = std::make_shared<ManualClock>(77);
  EXPECT_EQ(open(uri_, manual).append("s", {event("b")}).events[0].created_at, Time(Duration(77)));
}

TEST_F(Place, AChildProcessFindsTheStoreClosed) {
  Store store = open();
  use(store);
  const pid_t child = fork();
  if (child == 0) {
    const bool closed = code_of([&] { store.head("s"); }) == "closed";
    store.close();
    _exit(closed ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(store.head("s").last_index, 2) << "the parent's connection is still its own";
}

}  // namespace
}  // namespace pawl::postgres::testing
