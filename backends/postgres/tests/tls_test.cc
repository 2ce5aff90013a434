// Encryption: whose certificate is accepted.
#include <filesystem>
#include <thread>

#include "tests/support/fixture.h"
#include "tests/support/process.h"

namespace pawl::postgres::testing {
namespace {

namespace fs = std::filesystem;

class Tls : public PostgresTest {
 protected:
  void SetUp() override {
    PostgresTest::SetUp();
    if (IsSkipped()) return;
    if (!find_program("openssl")) {
      std::cout << "not run: openssl is not installed" << std::endl;
      GTEST_SKIP();
    }
    folder_ = make_folder_for_server("pawl-tls-XXXXXX");
    fs::permissions(folder_, fs::perms::others_exec, fs::perm_options::add);
  }
  void TearDown() override { fs::remove_all(folder_); }

  // A certificate that signs itself, for localhost: its file. The key's ends with .key.
  std::string make_certificate(const std::string& name) const {
    std::string file = folder_ + "/" + name;
    EXPECT_TRUE(run_program(
        "openssl",
        {"req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost", "-keyout", file + ".key", "-out", file},
        folder_ + "/openssl.log"));
    return file;
  }

  std::string folder_;
};

TEST_F(Tls, TheServersCertificateIsVerified) {
  const std::string its = make_certificate("its");
  const std::string another = make_certificate("another");
  Server server;
  const std::string port = std::to_string(server.listen(its, its + ".key"));
  const auto uri = [&](const std::string& host, const std::string& parameters) {
    return "postgres://pawl@" + host + ":" + port + "/postgres?hostaddr=127.0.0.1" + parameters;
  };
  std::string message;
  const auto try_opening = [&](const std::string& place) {
    message.clear();
    return code_of([&] { open(place, options()); }, &message);
  };
  EXPECT_EQ(try_opening(uri("localhost", "&sslmode=verify-full&sslrootcert=" + its)), "no error")
      << message;
  EXPECT_EQ(try_opening(uri("localhost", "&sslmode=verify-full&sslrootcert=" + another)),
            "unavailable");
  EXPECT_NE(message.find("certificate verify failed"), std::string::npos) << message;
  EXPECT_EQ(try_opening(uri("db.example", "&sslmode=verify-full&sslrootcert=" + its)),
            "unavailable");
  EXPECT_NE(message.find("does not match host name"), std::string::npos) << message;
  EXPECT_EQ(try_opening(uri("db.example", "&sslmode=require")), "no error") << message;

  // All connections are encrypted, the one that listens, too.
  OpenOptions notified = options();
  notified.engine["notify"] = "on";
  OpenedStore opened(uri("localhost", "&sslmode=verify-full&sslrootcert=" + its), notified);
  opened.store.append("s", {{.type = "t"}});
  opened.backend.notifier()->start();
  while (!opened.backend.notifier()->is_listening()) std::this_thread::yield();
  EXPECT_EQ(sql_on(server.uri(),
                   "SELECT count(*) || ' ' || bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity "
                   "USING (pid) WHERE client_addr IS NOT NULL"),
            "2 true");
}

}  // namespace
}  // namespace pawl::postgres::testing
