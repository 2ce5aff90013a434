// A link that is cut before every message of every operation that writes, in either direction:
// what it was to write is there whole or not at all, the error tells which of these may be, and a
// repeat gives the answer of the first and no second effect.
#include <array>
#include <cctype>
#include <map>
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
  bool remembers;   // in one round trip
  bool repeatable;  // safe to repeat, so that the answer is the first's
  std::function<std::string(Store&, const std::string& session, const std::vector<Head>&)> run;
};

// For messages of failed assertions.
void PrintTo(const Operation& operation, std::ostream* out) { *out << operation.name; }

std::string show(const std::vector<Event>& events) {
  std::ostringstream out;
  for (const Event& event : events) {
    out << event.index << (event.type == "pawl.clear" ? "cleared" : event.id) << " ";
  }
  return out.str();
}

std::string show(const FinishResult& result) {
  return std::to_string(static_cast<int>(result.outcome)) + " " + show(result.events);
}

std::string show(const std::vector<Head>& heads) {
  std::ostringstream out;
  for (const Head& head : heads) out << head.event.index << head.event.id << " ";
  return out.str();
}

std::string show(const DeletedResult& result) {
  return std::to_string(result.deleted) + (result.done ? " done" : "");
}

// One with work that is free, and one with a dead letter.
std::string free_of(const std::string& session) { return "free-" + session; }
constexpr const char* kDead = "dead";

const std::vector<Operation>& operations() {
  static const std::vector<Operation> all{
      {"append", false, true,
       [](Store& store, const std::string& session, const auto&) {
         return show(
             store.append(session, {event("a"), event("b")}, {.consumers = kConsumers}).events);
       }},
      {"append, remembered", true, true,
       [](Store& store, const std::string& session, const auto&) {
         return show(
             store.append(session, {event("a"), event("b")}, {.consumers = kConsumers}).events);
       }},
      {"complete", false, true,
       [](Store& store, const std::string& session, const auto& heads) {
         return show(store.complete(session, heads[0], {event("a")}, {.consumers = kConsumers}));
       }},
      {"complete, remembered", true, true,
       [](Store& store, const std::string& session, const auto& heads) {
         return show(store.complete(session, heads[0], {event("a")}, {.consumers = kConsumers}));
       }},
      {"fail", false, true,
       [](Store& store, const std::string& session, const auto& heads) {
         return show(
             store.fail(session, heads[0], {.error = "e", .max_failures = 3, .retry_after = 9s}));
       }},
      {"fail, remembered", true, true,
       [](Store& store, const std::string& session, const auto& heads) {
         return show(
             store.fail(session, heads[0], {.error = "e", .max_failures = 3, .retry_after = 9s}));
       }},
      {"release", false, true,
       [](Store& store, const std::string& session, const auto& heads) {
         return show(store.release(session, heads[0]));
       }},
      {"release, remembered", true, true,
       [](Store& store, const std::string& session, const auto& heads) {
         return show(store.release(session, heads[0]));
       }},
      {"renew", false, true,
       [](Store& store, const std::string& session, const auto& heads) {
         const RenewResult result =
             store.renew(session, {heads[0], heads[1]}, {.holder = "w", .ttl = 90s});
         return std::to_string(result.renewed.size());
       }},
      {"append_batch", false, true,
       [](Store& store, const std::string& session, const auto&) {
         std::string shown;
         for (const AppendResult& result :
              store.append_batch({{session, {event("a")}, kConsumers},
                                  {session + "-too", {event("a")}, kConsumers}})) {
           shown += show(result.events);
         }
         return shown;
       }},
      {"settle", false, true,
       [](Store& store, const std::string& session, const auto& heads) {
         std::string shown;
         const std::vector<SettleItem> items{
             {.session = session, .claim = heads[0], .events = {event("a")}},
             {.session = session, .claim = heads[1], .events = {event("b")}}};
         for (const FinishResult& result : store.settle(items, {.consumers = kConsumers}).results) {
           shown += show(result);
         }
         return shown;
       }},
      {"claim", false, false,
       [](Store& store, const std::string& session, const auto&) {
         const std::array served{Consumer{.name = free_of(session)}};
         return show(store.claim(session, {.holder = "w", .ttl = 60s, .consumers = served}).heads);
       }},
      {"claim_ready", false, false,
       [](Store& store, const std::string& session, const auto&) {
         const std::array served{Consumer{.name = free_of(session)}};
         return show(store.claim_ready({.holder = "w", .ttl = 60s, .consumers = served})
                         .claims.at(0)
                         .heads);
       }},
      {"redrive", false, false,
       [](Store& store, const std::string& session, const auto&) {
         return std::to_string(store.redrive(session, kDead, 4, RedriveAction::kRetry).redriven);
       }},
      {"wake_log", false, true,
       [](Store& store, const std::string& session, const auto&) {
         const WakeLogResult result =
             store.wake_log(session, {.name = "new", .log = Log{.backfill = true}});
         return std::to_string(result.cursor.head.value_or(0));
       }},
      {"put_snapshots", false, true,
       [](Store& store, const std::string& session, const auto& heads) {
         store.put_snapshots(session, "r", {{1, "1"}, {2, "2", {heads[0].ref()}}});
         return std::string();
       }},
      {"set_presence", false, true,
       [](Store& store, const std::string& session, const auto&) {
         store.set_presence(session, "p", {{"f", "1"}, {"g", "2"}},
                            {.at = Time(1s), .ttl = 3'600s});
         return std::string();
       }},
      {"clear", false, true,
       [](Store& store, const std::string& session, const auto&) {
         return std::to_string(store.clear(session, {.if_last_index = 4}).clear_index);
       }},
      {"delete_consumer", false, false,
       [](Store& store, const std::string& session, const auto&) {
         return show(store.delete_consumer(session, "c"));
       }},
      {"delete_session", false, false,
       [](Store& store, const std::string& session, const auto&) {
         return show(store.delete_session(session));
       }},
  };
  return all;
}

class Cuts : public PostgresTest, public ::testing::WithParamInterface<Operation> {
 protected:
  void SetUp() override {
    PostgresTest::SetUp();
    if (IsSkipped()) return;
    proxy_ = std::make_unique<Proxy>(private_server().folder());
    admin_.reset(PQconnectdb(private_server().uri().c_str()));
    direct_ = std::make_unique<Store>(open(private_server().uri(), options()));
  }

  static std::vector<Head> prepare(Store& store, const std::string& session) {
    NewEvent free = event("3");
    free.targets = {{free_of(session), {}, {}}};
    NewEvent dead = event("4");
    dead.targets = {{kDead, {}, {}}};
    store.append(session, {event("1"), event("2"), free, dead}, {.consumers = kConsumers});
    const std::array failing{Consumer{.name = kDead}};
    const ClaimOptions claiming{.holder = "w", .ttl = 60s, .consumers = failing};
    (void)store.fail(session, store.claim(session, claiming).heads.at(0),
                     {.error = "e", .max_failures = 1});
    return store.claim(session, {.holder = "w", .ttl = 60s, .consumers = kConsumers}).heads;
  }

  std::string state(const std::string& session) const {
    std::ostringstream out;
    for (const Cursor& cursor : direct_->cursors(session)) {
      const bool free = cursor.consumer == free_of(session);
      out << (free ? "free" : cursor.consumer) << " " << cursor.position << "->"
          << cursor.head.value_or(0) << " " << cursor.attempt_count << cursor.failure_count
          << (cursor.claim_holder ? " held; " : "; ");
    }
    out << show(direct_->read(session)) << show(direct_->read(session + "-too"))
        << show(direct_->dead_letters(session)) << direct_->presence(session).size();
    if (const auto found = direct_->load_snapshot(session, "r").snapshot) out << found->state;
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

TEST_P(Cuts, LeaveAllOrNothing) {
  const Operation& operation = GetParam();
  int count = 0;
  std::map<std::string, int> codes;
  const auto session_name = [&] { return std::string(operation.name) + std::to_string(++count); };
  Store store =
      open(proxy_->uri() + "&application_name=cut", operation.remembers ? options() : forgetful());
  // Statements that are not prepared yet would be more messages.
  const auto warm = [&] {
    const std::string session = session_name();
    operation.run(store, session, prepare(store, session));
  };
  // Undisturbed: how many messages there are, what is answered, and what is stored.
  warm();
  std::string session = session_name();
  std::vector<Head> heads = prepare(store, session);
  const std::string before = state(session);
  proxy_->cut_at(Side::kQuestions, -1);
  const std::int64_t trips = proxy_->trips();
  const std::string answer = operation.run(store, session, heads);
  ASSERT_EQ(proxy_->trips() - trips, operation.remembers ? 1 : 2);
  const std::array messages{proxy_->messages(Side::kQuestions), proxy_->messages(Side::kAnswers)};
  const std::string after = state(session);
  for (const Side side : {Side::kQuestions, Side::kAnswers}) {
    const std::int64_t most = messages[static_cast<std::size_t>(side)];
    for (std::int64_t at = 0; at < most; ++at) {
      warm();
      session = session_name();
      heads = prepare(store, session);
      proxy_->cut_at(side, at);
      proxy_->refuse(true);
      const std::string code = code_of([&] { operation.run(store, session, heads); });
      ++codes[code];
      const std::string where = "cut at message " + std::to_string(at) + " of " +
                                std::to_string(most) +
                                (side == Side::kQuestions ? " to" : " from") + " the server";
      ASSERT_TRUE(code == "unavailable" || code == "in_doubt") << code << ": " << where;
      wait_until_gone();
      const std::string found = state(session);
      EXPECT_TRUE(found == before || (found == after && code == "in_doubt"))
          << code << ": " << where << "\n"
          << found;
      if (operation.repeatable || found == before) {
        EXPECT_EQ(operation.run(*direct_, session, heads), answer) << where;
      }
      EXPECT_EQ(state(session), after) << where;
      // The store goes on by itself.
      proxy_->cut_at(side, -1);
      proxy_->refuse(false);
    }
  }
  EXPECT_EQ(codes["unavailable"] > 0, !operation.remembers);
  EXPECT_GT(codes["in_doubt"], 0);
}

INSTANTIATE_TEST_SUITE_P(Of, Cuts, ::testing::ValuesIn(operations()), [](const auto& one) {
  std::string name = one.param.name;
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name;
});

}  // namespace
}  // namespace pawl::postgres::testing
