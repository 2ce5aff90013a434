// A link that is cut before every message of every operation that writes, in either direction:
// what it was to write is there whole or not at all, the error tells which of these may be, and a
// repeat has no second effect.
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

// Heads 0 and 1 of those that prepare() claimed are work on a lane and of a log.
using Heads = std::vector<Head>;

struct Operation {
  std::string name;
  int trips;     // one: from what the store remembers
  bool replays;  // a repeat is answered as the first was; others find that nothing is left to do
  std::function<std::string(Store&, const std::string& session, const Heads&)> run;
  // What has to have happened before.
  std::function<void(Store&, const std::string& session, const Heads&)> arrange = {};
};

// For messages of failed assertions, under the name that GoogleTest asks for.
// NOLINTNEXTLINE(readability-identifier-naming)
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

// Also from memory.
std::vector<Operation> remembered_operations() {
  return {
      {"append", 1, true,
       [](Store& store, const std::string& session, const Heads&) {
         return show(
             store.append(session, {event("a"), event("b")}, {.consumers = kConsumers}).events);
       }},
      {"complete", 1, true,
       [](Store& store, const std::string& session, const Heads& heads) {
         return show(store.complete(session, heads[0], {event("a")}, {.consumers = kConsumers}));
       }},
      {"fail", 1, true,
       [](Store& store, const std::string& session, const Heads& heads) {
         return show(
             store.fail(session, heads[0], {.error = "e", .max_failures = 3, .retry_after = 9s}));
       }},
      {"release", 1, true,
       [](Store& store, const std::string& session, const Heads& heads) {
         return show(store.release(session, heads[0]));
       }},
      {"renew", 1, true,
       [](Store& store, const std::string& session, const Heads& heads) {
         const RenewResult result =
             store.renew(session, {heads[0], heads[1]}, {.holder = "w", .ttl = 90s});
         return std::to_string(result.renewed.size());
       }},
      {"claim", 1, false,
       [](Store& store, const std::string& session, const Heads&) {
         const std::array served{Consumer{.name = free_of(session)}};
         return show(store.claim(session, {.holder = "w", .ttl = 60s, .consumers = served}).heads);
       }},
  };
}

std::vector<Operation> operations_of_work() {
  return {
      {"append_batch", 2, true,
       [](Store& store, const std::string& session, const Heads&) {
         std::string shown;
         for (const AppendResult& result :
              store.append_batch({{session, {event("a")}, kConsumers},
                                  {session + "-too", {event("a")}, kConsumers}})) {
           shown += show(result.events);
         }
         return shown;
       }},
      {"settle", 2, true,
       [](Store& store, const std::string& session, const Heads& heads) {
         std::string shown;
         const std::vector<SettleItem> items{
             {.session = session, .claim = heads[0], .events = {event("a")}},
             {.session = session, .claim = heads[1], .events = {event("b")}}};
         for (const FinishResult& result : store.settle(items, {.consumers = kConsumers}).results) {
           shown += show(result);
         }
         return shown;
       }},
      {"claim_ready", 2, false,
       [](Store& store, const std::string& session, const Heads&) {
         const std::array served{Consumer{.name = free_of(session)}};
         std::string shown;
         for (const SessionClaims& claims :
              store.claim_ready({.holder = "w", .ttl = 60s, .consumers = served}).claims) {
           shown += show(claims.heads);
         }
         return shown;
       }},
      {"redrive", 2, false,
       [](Store& store, const std::string& session, const Heads&) {
         return std::to_string(store.redrive(session, kDead, 4, RedriveAction::kRetry).redriven);
       }},
      {"wake_log", 2, true,
       [](Store& store, const std::string& session, const Heads&) {
         const WakeLogResult result =
             store.wake_log(session, {.name = "new", .log = Log{.backfill = true}});
         return std::to_string(result.cursor.head.value_or(0));
       }},
      {"put_snapshots", 2, true,
       [](Store& store, const std::string& session, const Heads& heads) {
         store.put_snapshots(session, "r", {{1, "1"}, {2, "2", {heads[0].ref()}}});
         return std::string();
       }},
      {"set_presence", 2, true,
       [](Store& store, const std::string& session, const Heads&) {
         store.set_presence(session, "p", {{"f", "1"}, {"g", "2"}},
                            {.at = Time(1s), .ttl = 3'600s});
         return std::string();
       }},
  };
}

void clear(Store& store, const std::string& session, const Heads& heads) {
  store.put_snapshots(session, "r", {{1, "1"}, {2, "2", {heads[0].ref()}}});
  store.clear(session);
}

void finish(Store& store, const std::string& session, const Heads& heads) {
  EXPECT_FALSE(store.complete(session, heads[0]).superseded());
}

void vanish(Store& store, const std::string& session, const Heads&) {
  store.set_presence(session, "p", {{"f", "1"}, {"g", "2"}}, {.at = Time(1s), .ttl = 0s});
}

constexpr Time kLater(std::chrono::hours(24 * 365 * 200));

std::vector<Operation> operations_of_upkeep() {
  return {
      {"clear", 2, true,
       [](Store& store, const std::string& session, const Heads&) {
         return std::to_string(store.clear(session, {.if_last_index = 4}).clear_index);
       }},
      {"reclaim", 2, false,
       [](Store& store, const std::string& session, const Heads&) {
         return show(store.reclaim(session));
       },
       clear},
      {"prune", 2, false,
       [](Store& store, const std::string& session, const Heads&) {
         return show(store.prune(session, kLater));
       },
       finish},
      {"reclaim_presence", 2, false,
       [](Store& store, const std::string& session, const Heads&) {
         return show(store.reclaim_presence(session));
       },
       vanish},
      {"delete_consumer", 2, false,
       [](Store& store, const std::string& session, const Heads&) {
         return show(store.delete_consumer(session, "c"));
       }},
      {"delete_session", 2, false,
       [](Store& store, const std::string& session, const Heads&) {
         return show(store.delete_session(session));
       }},
      // A look, and a step.
      {"maintain, reclaiming", 3, false,
       [](Store& store, const std::string&, const Heads&) { return show(store.maintain()); },
       clear},
      {"maintain, pruning", 3, false,
       [](Store& store, const std::string&, const Heads&) {
         return show(store.maintain({.finished_before = kLater}));
       },
       finish},
      {"maintain, of presence", 3, false,
       [](Store& store, const std::string&, const Heads&) { return show(store.maintain()); },
       vanish},
  };
}

std::vector<Operation> operations() {
  std::vector<Operation> all = remembered_operations();
  for (Operation operation : remembered_operations()) {
    operation.trips = 2;
    operation.name += ", loading";
    all.push_back(std::move(operation));
  }
  for (const auto& more : {operations_of_work(), operations_of_upkeep()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
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
    const OpenOptions kept = GetParam().trips == 1 ? options() : forgetful();
    store_ = std::make_unique<Store>(open(proxy_->uri() + "&application_name=cut", kept));
  }

  std::string run(Store& store) const { return GetParam().run(store, session_, heads_); }

  // Makes the next session, and all that the operation needs in it: by the store itself only where
  // it has to remember that. A link that was cut is followed by a new one, on which each statement
  // is prepared anew, which takes most of the time here.
  void prepare() {
    Store& store = GetParam().trips == 1 ? *store_ : *direct_;
    session_ = GetParam().name + std::to_string(++count_);
    NewEvent free = event("3");
    free.targets = {{free_of(session_), {}, {}}};
    NewEvent dead = event("4");
    dead.targets = {{kDead, {}, {}}};
    store.append(session_, {event("1"), event("2"), free, dead}, {.consumers = kConsumers});
    const std::array failing{Consumer{.name = kDead}};
    const ClaimOptions claiming{.holder = "w", .ttl = 60s, .consumers = failing};
    (void)store.fail(session_, store.claim(session_, claiming).heads.at(0),
                     {.error = "e", .max_failures = 1});
    heads_ = store.claim(session_, {.holder = "w", .ttl = 60s, .consumers = kConsumers}).heads;
    if (GetParam().arrange) GetParam().arrange(store, session_, heads_);
  }

  // Statements that are not prepared yet would be more messages.
  void warm() {
    prepare();
    run(*store_);
  }

  std::string state() const {
    std::ostringstream out;
    for (const Cursor& cursor : direct_->cursors(session_)) {
      const bool free = cursor.consumer == free_of(session_);
      out << (free ? "free" : cursor.consumer) << " " << cursor.position << "->"
          << cursor.head.value_or(0) << " " << cursor.attempt_count << cursor.failure_count;
      if (cursor.claim_holder) {
        const bool renewed = *cursor.claim_expires_at - *cursor.last_claimed_at > 75s;
        out << (renewed ? " held for longer" : " held");
      }
      out << "; ";
    }
    out << show(direct_->read(session_)) << show(direct_->read(session_ + "-too"))
        << show(direct_->dead_letters(session_)) << direct_->presence(session_).size();
    if (const auto found = direct_->load_snapshot(session_, "r").snapshot) out << found->state;
    return out.str() + rows();
  }

  // What is stored, seen or not.
  std::string rows() const {
    std::string query = "SELECT concat_ws(', '";
    for (const std::string table :
         {"session", "event", "cursor", "work", "ready", "snapshot", "pin", "presence"}) {
      const std::string key =
          table == "session" ? "name" : (table == "presence" ? "ns" : "session");
      query += ", (SELECT '" + table + " ' || count(*) FROM " + quoted_schema() + "." + table +
               " WHERE " + key + " IN ('" + session_ + "', '" + session_ + "-too'))";
    }
    const Result result(PQexec(admin_.get(), (query + ")").c_str()));
    EXPECT_EQ(PQntuples(result.get()), 1) << PQerrorMessage(admin_.get());
    return std::string("; rows: ") + PQgetvalue(result.get(), 0, 0);
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

  // Cuts the link at this message. The code of the error.
  std::string cut(Side side, std::int64_t at) {
    warm();
    prepare();
    proxy_->cut_at(side, at);
    proxy_->refuse(true);
    std::string code = code_of([&] { run(*store_); });
    wait_until_gone();
    proxy_->cut_at(side, -1);
    proxy_->refuse(false);
    return code;
  }

  std::unique_ptr<Proxy> proxy_;
  Handle admin_;
  std::unique_ptr<Store> direct_;
  std::unique_ptr<Store> store_;  // by the proxy
  int count_ = 0;
  std::string session_;
  Heads heads_;
};

TEST_P(Cuts, LeaveAllOrNothing) {
  // Undisturbed: how many messages there are, what is answered, and what is stored.
  warm();
  prepare();
  const std::string before = state();
  proxy_->cut_at(Side::kQuestions, -1);
  const std::int64_t trips = proxy_->trips();
  const std::string answer = run(*store_);
  ASSERT_EQ(proxy_->trips() - trips, GetParam().trips);
  const std::array messages{proxy_->messages(Side::kQuestions), proxy_->messages(Side::kAnswers)};
  const std::string after = state();
  ASSERT_NE(before, after);
  std::map<std::string, int> codes;
  for (const Side side : {Side::kQuestions, Side::kAnswers}) {
    const std::int64_t most = messages[static_cast<std::size_t>(side)];
    for (std::int64_t at = 0; at < most; ++at) {
      const std::string code = cut(side, at);
      ++codes[code];
      const std::string where = "cut at message " + std::to_string(at) + " of " +
                                std::to_string(most) +
                                (side == Side::kQuestions ? " to" : " from") + " the server";
      ASSERT_TRUE(code == "unavailable" || code == "in_doubt") << code << ": " << where;
      const std::string found = state();
      EXPECT_TRUE(found == before || (found == after && code == "in_doubt"))
          << code << ": " << where << "\n"
          << found;
      const std::string again = run(*direct_);
      if (GetParam().replays || found == before) {
        EXPECT_EQ(again, answer) << where;
      }
      EXPECT_EQ(state(), after) << where;
    }
  }
  EXPECT_EQ(codes["unavailable"] > 0, GetParam().trips > 1);
  EXPECT_GT(codes["in_doubt"], 0);
}

INSTANTIATE_TEST_SUITE_P(Of, Cuts, ::testing::ValuesIn(operations()), [](const auto& one) {
  std::string name = one.param.name;
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name;
});

}  // namespace
}  // namespace pawl::postgres::testing
