// Broken links, restarts, standbys, and what the server refuses for a while.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "tests/support/fixture.h"
#include "tests/support/proxy.h"

namespace pawl::postgres::testing {
namespace {

using namespace std::chrono_literals;

NewEvent event(const std::string& id) { return {.id = id, .type = "t", .payload = "{}"}; }

// A host that takes connections and says nothing: a machine that is about to be lost.
class SilentHost {
 public:
  SilentHost() : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(listener_, any, size), 0);
    EXPECT_EQ(listen(listener_, 16), 0);
    EXPECT_EQ(getsockname(listener_, any, &size), 0);
    port_ = ntohs(address.sin_port);
  }
  ~SilentHost() { close(listener_); }
  SilentHost(const SilentHost&) = delete;
  SilentHost& operator=(const SilentHost&) = delete;

  std::string port() const { return std::to_string(port_); }

 private:
  const int listener_;
  int port_ = 0;
};

// Behind a proxy, on a server that may be stopped.
class Failure : public PostgresTest {
 protected:
  void SetUp() override {
    PostgresTest::SetUp();
    if (IsSkipped()) return;
    server_ = &private_server();
    proxy_ = std::make_unique<Proxy>(server_->folder());
    uri_ = proxy_->uri();
  }

  std::string on_server(const std::string& text) const { return sql_on(server_->uri(), text); }
  std::string count(const std::string& id) const {
    return on_server("SELECT count(*) FROM " + quoted_schema() + ".event WHERE id = '" + id + "'");
  }

  // And waits until they are gone.
  void terminate_all() const {
    on_server(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE pid <> "
        "pg_backend_pid() AND backend_type = 'client backend'");
  }

  Server* server_ = nullptr;
  std::unique_ptr<Proxy> proxy_;
};

TEST_F(Failure, ALinkCutBeforeTheCommitIsUnavailable) {
  Store store = open(uri_, forgetful());
  store.append("s", {event("a")});
  proxy_->cut_next(Proxy::Cut::kInLoad);
  proxy_->refuse(true);
  EXPECT_EQ(code_of([&] { store.append("s", {event("b")}); }), "unavailable");
  EXPECT_EQ(code_of([&] { store.append("s", {event("b")}); }), "unavailable");
  EXPECT_EQ(count("b"), "0");
  proxy_->refuse(false);
  EXPECT_EQ(store.append("s", {event("b")}).events[0].index, 2);
}

// libpq alone would wait for the first as long as the system lets it.
TEST_F(Failure, AHostThatSaysNothingDoesNotHideTheNext) {
  const SilentHost silent;
  OpenOptions options = forgetful();
  options.engine["connect_timeout_ms"] = "200";
  const std::string folder = proxy_->uri().substr(proxy_->uri().find("host=") + 5);
  const std::string both = "postgres:///postgres?user=pawl&host=127.0.0.1," + folder +
                           "&port=" + silent.port() + ",5432&gssencmode=disable";
  Store store = open(both, options);
  EXPECT_EQ(store.append("s", {event("a")}).events[0].index, 1);
  const std::string alone = "postgres://postgres@127.0.0.1:" + silent.port() + "/postgres";
  std::string message;
  EXPECT_EQ(code_of([&] { open(alone, options); }, &message), "unavailable");
  EXPECT_NE(message.find("time limit"), std::string::npos) << message;
}

// The server's settings are numbers of 32 bits, the core's times have 53.
TEST_F(Failure, TimesBeyondTheServersAreAsLongAsItCan) {
  OpenOptions options = forgetful();
  options.busy_timeout = options.wake_poll = std::chrono::milliseconds(std::int64_t{1} << 53);
  Store store = open(uri_, options);
  EXPECT_EQ(store.append("s", {event("a")}).events[0].index, 1);
  store.wait("s", 0, 1h);
}

TEST_F(Failure, ALinkThatIsFoundBrokenIsReplaced) {
  Store store = open(uri_, forgetful());
  store.append("s", {event("a")});
  proxy_->cut_next(Proxy::Cut::kInLoad);
  EXPECT_EQ(store.append("s", {event("b")}).events[0].index, 2);
  proxy_->cut_next(Proxy::Cut::kBeforeCommit);  // a look ends with the same message
  EXPECT_EQ(code_of([&] { store.append("s", {event("c")}); }), "in_doubt");
}

TEST_F(Failure, ALinkCutInsideTheCommitIsInDoubt) {
  Store store = open(uri_, forgetful());
  store.append("s", {event("a")});
  proxy_->cut_next(Proxy::Cut::kBeforeCommit);
  EXPECT_EQ(code_of([&] { store.append("s", {event("b")}); }), "in_doubt");
  EXPECT_EQ(count("b"), "0");
  // The server commits, and nobody hears of it.
  Store other = open();
  other.head("s");
  proxy_->cut_next(Proxy::Cut::kAfterCommit);
  std::thread cutter([this] {
    for (int i = 0; i < 10'000 && count("c") != "1"; ++i) std::this_thread::yield();
    on_server(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
        "AND backend_type = 'client backend'");
  });
  EXPECT_EQ(code_of([&] { other.append("s", {event("c")}); }), "in_doubt");
  cutter.join();
  EXPECT_EQ(count("c"), "1");
  // Repeating it is safe.
  EXPECT_EQ(other.append("s", {event("c")}).events[0].index, 2);
}

TEST_F(Failure, TerminatedSessionsAreReplaced) {
  OpenedStore opened(uri_, options());
  Store& store = opened.store;
  store.append("s", {event("a")});
  EXPECT_EQ(store.stats().numbers.at("connections_idle"), 1);
  EXPECT_EQ(store.stats().numbers.at("tried_again"), 0);
  terminate_all();
  while (!opened.backend.pool().idle().front()->has_news()) std::this_thread::yield();
  // It remembers the session. On a link that may be broken it does without, for then nothing of
  // its commit is sent.
  EXPECT_EQ(store.append("s", {event("b")}).events[0].index, 2);
  EXPECT_EQ(store.stats().numbers.at("tried_again"), 1);
  EXPECT_EQ(store.append("s", {event("c")}).events[0].index, 3);
}

TEST_F(Failure, ATransactionThatIsTerminatedHasNotHappened) {
  OpenedStore opened(uri_, forgetful());
  opened.store.append("s", {event("a")});
  driver::Query query;
  query.sessions.resize(1);
  query.sessions[0].session = "s";
  int decided = 0;
  const auto decide = [&](driver::Facts&& facts) {
    if (++decided == 1) terminate_all();
    driver::Effects effects;
    driver::SessionEffects& session = effects.sessions.emplace_back();
    session.session = "s";
    session.row = facts.sessions[0].row;
    ++session.row->last_index;
    return effects;
  };
  // The server says why it ends the link, so it is no doubt: it is decided again.
  opened.backend.transact(query, decide);
  EXPECT_EQ(decided, 2);
  EXPECT_EQ(opened.store.head("s").last_index, 2);
}

TEST_F(Failure, ARestartIsSurvived) {
  Store store = open();
  store.append("s", {event("a")});
  server_->stop();
  std::string message;
  EXPECT_EQ(code_of([&] { store.append("s", {event("b")}); }, &message), "unavailable") << message;
  server_->start();
  EXPECT_EQ(store.append("s", {event("b")}).events[0].index, 2);
  server_->kill_now();
  EXPECT_EQ(code_of([&] { store.head("s"); }), "unavailable");
  server_->start();
  EXPECT_EQ(store.append("s", {event("c")}).events.size(), 1u);
}

TEST_F(Failure, ALockThatIsHeldTooLongIsBusy) {
  Store store = open();
  store.append("s", {event("a")});
  OpenOptions impatient = options();
  impatient.busy_timeout = 50ms;
  Store other = open(uri_, impatient);
  const Handle holder(PQconnectdb(server_->uri().c_str()));
  const std::string lock =
      "BEGIN; SELECT 1 FROM " + quoted_schema() + ".session WHERE name = 's' FOR UPDATE";
  PQclear(PQexec(holder.get(), lock.c_str()));
  std::string message;
  EXPECT_EQ(code_of([&] { other.append("s", {event("b")}); }, &message), "busy") << message;
  EXPECT_TRUE(other.claim_ready({.holder = "w", .ttl = 1s}).claims.empty());
  EXPECT_EQ(other.read("s").size(), 1u) << "reads wait for nobody";
  PQclear(PQexec(holder.get(), "ROLLBACK"));
  EXPECT_EQ(other.append("s", {event("b")}).events[0].index, 2);
}

TEST_F(Failure, WhenAllConnectionsAreLentItIsBusy) {
  OpenOptions narrow = options();
  narrow.busy_timeout = 50ms;
  narrow.engine["connections"] = "1";
  OpenedStore opened(uri_, narrow);
  const Pool::Lease lent = opened.backend.pool().take(std::chrono::steady_clock::now() + 1s);
  EXPECT_EQ(code_of([&] { opened.store.head("s"); }), "busy");
}

TEST_F(Failure, AnUncleanConnectionIsNotLentAgain) {
  OpenedStore opened(uri_, options());
  int pid = 0;
  {
    const Pool::Lease lent = opened.backend.pool().take(std::chrono::steady_clock::now() + 1s);
    pid = lent->backend_pid();
    lent->send(Sql::kBeginWrite);
    lent->fetch(Connection::End::kFinish);  // a transaction stays open
  }
  const Pool::Lease next = opened.backend.pool().take(std::chrono::steady_clock::now() + 1s);
  EXPECT_NE(next->backend_pid(), pid);
}

// What the server refuses with a serialization failure or a deadlock is decided again.
TEST_F(Failure, ConflictsAreDecidedAgain) {
  OpenedStore opened(uri_, options());
  opened.store.append("s", {event("a")});
  driver::Query query;
  query.sessions.resize(1);
  query.sessions[0].session = "s";
  for (const char* state : {"40001", "40P01"}) {
    int decided = 0;
    opened.backend.transact(query, [&](driver::Facts&&) {
      if (++decided < 3) throw Refused(state, "as the server would say");
      return driver::Effects();
    });
    EXPECT_EQ(decided, 3);
  }
  OpenOptions impatient = options();
  impatient.busy_timeout = 1ms;
  OpenedStore other(uri_, impatient);
  EXPECT_EQ(code_of([&] {
              other.backend.transact(query, [&](driver::Facts&&) -> driver::Effects {
                throw Refused("40001", "as the server would say");
              });
            }),
            "busy");
}

TEST_F(Failure, AStandbyIsRefusedAndPassedOver) {
  Server standby;
  standby.stop();
  standby.make_standby();
  standby.start();
  std::string message;
  EXPECT_EQ(code_of([&] { open(standby.uri(), options()); }, &message), "not_configured");
  EXPECT_NE(message.find("standby"), std::string::npos) << message;
  const std::string both =
      "postgres:///postgres?user=pawl&host=" + standby.folder() + "," + server_->folder();
  Store store = open(both, options());
  EXPECT_EQ(store.append("s", {event("a")}).events[0].index, 1);
  EXPECT_EQ(count("a"), "1");
}

}  // namespace
}  // namespace pawl::postgres::testing
