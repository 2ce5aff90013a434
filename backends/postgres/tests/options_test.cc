// Options, and what a URI becomes.
#include "options.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "pawl/error.h"

namespace pawl::postgres {
namespace {

std::string refused(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    return error.what();
  }
  return "no error";
}

EngineOptions read(const std::string& name, const std::string& value) {
  OpenOptions options;
  options.engine[name] = value;
  return read_engine_options(options);
}

std::string value(const std::string& uri, const std::string& keyword) {
  const Target target = read_uri(uri);
  const std::string* found = target.find(keyword);
  return found == nullptr ? "none" : *found;
}

// What the environment says must not decide a test.
class Uris : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name :
         {"PGHOST", "PGHOSTADDR", "PGSSLMODE", "PGSERVICE", "PGTARGETSESSIONATTRS"}) {
      unsetenv(name);
    }
  }
  void TearDown() override { SetUp(); }
};

TEST(Options, AreRead) {
  EXPECT_EQ(read("schema", "My \"odd\" schema").schema, "My \"odd\" schema");
  EXPECT_EQ(read("connections", "3").connections, 3);
  EXPECT_EQ(read("connect_timeout_ms", "1500").connect_timeout.count(), 1'500);
  EXPECT_EQ(read("statement_timeout_ms", "7").statement_timeout.count(), 7);
  EXPECT_FALSE(read("prepare", "off").prepare);
  EXPECT_TRUE(read("notify", "on").notify);
  EXPECT_EQ(read("notify_uri", "postgres:///x").notify_uri, "postgres:///x");
}

TEST(Options, AreRefusedByName) {
  const auto text = [](const std::string& name, const std::string& value) {
    return refused([&] { read(name, value); });
  };
  EXPECT_NE(text("shema", "x").find("unknown option shema; known are schema"), std::string::npos);
  EXPECT_NE(text("schema", "").find("option schema"), std::string::npos);
  EXPECT_NE(text("schema", std::string(64, 'x')).find("option schema"), std::string::npos);
  EXPECT_NE(text("schema", "pg_mine").find("option schema"), std::string::npos);
  EXPECT_NE(text("connections", "0").find("option connections"), std::string::npos);
  EXPECT_NE(text("connections", "two").find("option connections"), std::string::npos);
  EXPECT_NE(text("prepare", "yes").find("option prepare is on or off"), std::string::npos);
}

TEST_F(Uris, AForeignHostIsAskedForACertificate) {
  EXPECT_EQ(value("postgres://db.example/x", "sslmode"), "verify-full");
  EXPECT_EQ(value("postgres://127.0.0.1,db.example/x", "sslmode"), "verify-full");
  EXPECT_EQ(value("postgres:///x?hostaddr=10.0.0.1", "sslmode"), "verify-full");
  EXPECT_EQ(value("postgres:///x?service=away", "sslmode"), "verify-full");
  EXPECT_EQ(value("postgres://db.example/x?sslmode=require", "sslmode"), "require");
  for (const char* local : {"postgres:///x", "postgres://localhost/x", "postgres://127.0.0.1/x",
                            "postgres://[::1]/x", "postgres:///x?host=/run/postgresql"}) {
    EXPECT_EQ(value(local, "sslmode"), "none") << local;
  }
}

TEST_F(Uris, TheEnvironmentCounts) {
  setenv("PGHOST", "db.example", 1);
  EXPECT_EQ(value("postgres:///x", "sslmode"), "verify-full");
  EXPECT_EQ(value("postgres://localhost/x", "sslmode"), "none");
  setenv("PGSSLMODE", "disable", 1);
  EXPECT_EQ(value("postgres:///x", "sslmode"), "none");
}

TEST_F(Uris, OfSeveralHostsThePrimaryIsTaken) {
  EXPECT_EQ(value("postgres://localhost,127.0.0.1/x", "target_session_attrs"), "read-write");
  EXPECT_EQ(value("postgres://a,b/x?target_session_attrs=primary", "target_session_attrs"),
            "primary");
  EXPECT_EQ(value("postgres://localhost/x", "target_session_attrs"), "none");
}

TEST_F(Uris, TheEncodingIsOurs) {
  EXPECT_EQ(value("postgres:///x?client_encoding=LATIN1", "client_encoding"), "UTF8");
}

// Each holds the word "secret" where libpq takes it for something else, or refuses it.
TEST_F(Uris, NoRefusalTellsWhatWasInIt) {
  for (const char* uri : {"postgres://u:secret@[h/x", "postgres://u:p@secret@h/x",
                          "postgres://h:secret/x?=", "postgres://h/x?secret",
                          "postgres://h/x?secret=1", "postgres://u:%zsecret@h/x", "host=h secret",
                          "postgres://u:secret@h/x?sslmode=require&sslmode"}) {
    const std::string message = refused([&] { read_uri(uri); });
    EXPECT_NE(message, "no error") << uri;
    EXPECT_EQ(message.find("secret"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace pawl::postgres
