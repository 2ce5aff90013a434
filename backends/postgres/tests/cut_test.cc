// A link that is cut before every message of an operation, in either direction: what it was to
// write is there whole or not at all, the error tells which of these may be, and the repeat gives
// the answer of the first.
#include <array>
#include <sstream>

#include "tests/support/fixture.h"
#include "tests/support/proxy.h"

namespace pawl::postgres::testing {
namespace {

using namespace std::chrono_literals;
using Side = Proxy::Side;

const std::array kServed{Consumer{.name = "c"}, Consumer{.name = "l", .log = Log{}}};
const Served kConsumers{kServed};

NewEvent event(const std::string& id) {
  return {.id = id, .type = "t", .payload = "{}", .targets = {{"c", "k", {}}}};
}

struct Operation {
  const char* name;
  bool remembers;              // in one round trip
  std::array<int, 2> strides;  // every how many messages it is cut: to the server, and from it
  std::function<std::string(Store&, const std::string& session, const std::vector<Head>&)> run;
};

std::string show(const std::vector<Event>& events) {
  std::ostringstream out;
  for (const Event& event : events) out << event.index << event.id << " ";
  return out.str();
}

std::string show(const FinishResult& result) {
  return std::to_string(static_cast<int>(result.outcome)) + " " + show(result.events);
}

std::string append(Store& store, const std::string& session, const std::vector<Head>&) {
  return show(store.append(session, {event("a"), event("b")}, {.consumers = kConsumers}).events);
}
std::string complete(Store& store, const std::string& session, const std::vector<Head>& heads) {
  return show(store.complete(session, heads[0], {event("a")}, {.consumers = kConsumers}));
}
std::string fail(Store& store, const std::string& session, const std::vector<Head>& heads) {
  return show(store.fail(session, heads[0], {.error = "e", .max_failures = 3, .retry_after = 9s}));
}
std::string append_batch(Store& store, const std::string& session, const std::vector<Head>&) {
  std::string shown;
  for (const AppendResult& result : store.append_batch(
           {{session, {event("a")}, kConsumers}, {session + "-too", {event("a")}, kConsumers}})) {
    shown += show(result.events);
  }
  return shown;
}
std::string settle(Store& store, const std::string& session, const std::vector<Head>& heads) {
  std::string shown;
  const std::vector<SettleItem> items{
      {.session = session, .claim = heads[0], .events = {event("a")}},
      {.session = session, .claim = heads[1], .events = {event("b")}}};
  for (const FinishResult& result : store.settle(items, {.consumers = kConsumers}).results) {
    shown += show(result);
  }
  return shown;
}

const std::vector<Operation>& operations() {
  static const std::vector<Operation> all{
      {"append", false, {1, 5}, append},        {"append, remembered", true, {5, 5}, append},
      {"complete", false, {7, 7}, complete},    {"complete, remembered", true, {1, 5}, complete},
      {"fail, remembered", true, {8, 8}, fail}, {"append_batch", false, {8, 8}, append_batch},
      {"settle", false, {8, 8}, settle},
  };
  return all;
}

class Cuts : public PostgresTest {
 protected:
  void SetUp() override {
    PostgresTest::SetUp();
    if (IsSkipped()) return;
    proxy_ = std::make_unique<Proxy>(private_server().folder());
    admin_.reset(PQconnectdb(private_server().uri().c_str()));
    direct_ = std::make_unique<Store>(open(private_server().uri(), options()));
  }

  static std::vector<Head> prepare(Store& store, const std::string& session) {
    store.append(session, {event("1"), event("2")}, {.consumers = kConsumers});
    return store.claim(session, {.holder = "w", .ttl = 60s, .consumers = kConsumers}).heads;
  }

  std::string state(const std::string& session) const {
    std::ostringstream out;
    for (const Cursor& cursor : direct_->cursors(session)) {
      out << cursor.consumer << " " << cursor.position << "->" << cursor.head.value_or(0) << " "
          << cursor.failure_count << (cursor.claim_holder ? " held; " : "; ");
    }
    out << show(direct_->read(session)) << show(direct_->read(session + "-too"));
    return out.str();
  }

  // The server's side of a link that was cut may still be at work.
  void wait_until_gone() const {
    const std::string left =
        "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND "
        "application_name = 'cut'";
    while (true) {
      const Result result(PQexec(admin_.get(), left.c_str()));
      if (PQntuples(result.get()) == 1 && std::string(PQgetvalue(result.get(), 0, 0)) == "0")
        return;
    }
  }

  std::unique_ptr<Proxy> proxy_;
  Handle admin_;
  std::unique_ptr<Store> direct_;
};

TEST_F(Cuts, LeaveAllOrNothing) {
  int count = 0;
  std::map<std::string, int> codes;
  for (const Operation& operation : operations()) {
    const auto opened = [&] {
      return open(proxy_->uri() + "&application_name=cut",
                  operation.remembers ? options() : forgetful());
    };
    // Undisturbed: how many messages there are, what is answered, and what is stored.
    Store store = opened();
    std::string session = "s" + std::to_string(++count);
    operation.run(store, session + "-warm", prepare(store, session + "-warm"));
    std::vector<Head> heads = prepare(store, session);
    const std::string before = state(session);
    proxy_->cut_at(Side::kQuestions, -1);
    const std::int64_t trips = proxy_->trips();
    const std::string answer = operation.run(store, session, heads);
    ASSERT_EQ(proxy_->trips() - trips, operation.remembers ? 1 : 2) << operation.name;
    const std::array messages{proxy_->messages(Side::kQuestions), proxy_->messages(Side::kAnswers)};
    const std::string after = state(session);
    for (const Side side : {Side::kQuestions, Side::kAnswers}) {
      const std::int64_t most = messages[static_cast<std::size_t>(side)];
      const int stride = operation.strides[static_cast<std::size_t>(side)];
      for (std::int64_t at = count % stride; at < most; at += stride) {
        session = "s" + std::to_string(++count);
        // Statements that are not prepared yet would be more messages.
        operation.run(store, session + "-warm", prepare(store, session + "-warm"));
        heads = prepare(store, session);
        proxy_->cut_at(side, at);
        proxy_->refuse(true);
        const std::string code = code_of([&] { operation.run(store, session, heads); });
        ++codes[code];
        const std::string where = std::string(operation.name) + ", cut at message " +
                                  std::to_string(at) + " of " + std::to_string(most) +
                                  (side == Side::kQuestions ? " to" : " from") + " the server";
        ASSERT_TRUE(code == "unavailable" || code == "in_doubt") << code << ": " << where;
        wait_until_gone();
        const std::string found = state(session);
        EXPECT_TRUE(found == before || (found == after && code == "in_doubt"))
            << code << ": " << where << "\n"
            << found;
        EXPECT_EQ(operation.run(*direct_, session, heads), answer) << where;
        EXPECT_EQ(state(session), after) << where;
        // The store goes on by itself.
        proxy_->cut_at(side, -1);
        proxy_->refuse(false);
      }
    }
  }
  EXPECT_GT(codes["unavailable"], 30);
  EXPECT_GT(codes["in_doubt"], 50);
}

}  // namespace
}  // namespace pawl::postgres::testing
