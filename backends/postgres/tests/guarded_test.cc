// Operations in one round trip, on what the store remembers: whatever others have done in between,
// the answer is that of a store which remembers nothing.
#include <array>
#include <atomic>
#include <sstream>
#include <thread>

#include "known.h"
#include "moments.h"
#include "tests/support/fixture.h"

namespace pawl::postgres::testing {
namespace {

using namespace std::chrono_literals;

const std::array kServed{
    Consumer{.name = "c"},
    Consumer{.name = "l", .log = Log{.types = std::vector<std::string>{"t"}, .backfill = true}},
    Consumer{.name = "m", .log = Log{.lane = "all", .backfill = true}}};
const Served kConsumers{kServed};

NewEvent event(const std::string& id, const std::string& type, std::optional<std::string> lane) {
  return {.id = id, .type = type, .payload = "{}", .targets = {{"c", std::move(lane), {}}}};
}

// Whose heads nobody holds: two of events, one of a lane.
const std::array kFree{Consumer{.name = "d"}};

// The heads of a session that is prepared, by what they are.
struct Heads {
  Head of_event;
  Head of_lane;
  Head of_typed_log;
  Head of_log;
};

Heads prepare(Store& store, const std::string& session) {
  std::vector<NewEvent> events{event("1", "t", {}), event("2", "t", "k"), event("3", "u", "k"),
                               event("4", "u", {})};
  events[1].targets.push_back({"d", {}, {}});
  events[2].targets.push_back({"d", "k", {}});
  events[3].targets.push_back({"d", {}, {}});
  store.append(session, events, {.consumers = kConsumers});
  Heads heads;
  for (Head& head :
       store.claim(session, {.holder = "w", .ttl = 1s, .consumers = kConsumers, .max_failures = 9})
           .heads) {
    const std::int64_t index = head.event.index;
    if (head.consumer == "l") {
      heads.of_typed_log = std::move(head);
    } else if (head.consumer == "m") {
      heads.of_log = std::move(head);
    } else if (head.lane) {
      heads.of_lane = std::move(head);
    } else if (index == 1) {
      heads.of_event = std::move(head);
    }
  }
  return heads;
}

std::string show(const FinishResult& result) {
  std::ostringstream out;
  out << "outcome " << static_cast<int>(result.outcome) << ", " << result.failure_count;
  for (const Event& event : result.events) out << " +" << event.index << event.id;
  return out.str();
}

std::string show(const AppendResult& result) {
  std::ostringstream out;
  for (const Event& event : result.events) {
    out << event.index << event.id << "@" << event.created_at.time_since_epoch().count() << " ";
  }
  out << (result.has_pending ? "pending" : "settled");
  return out.str();
}

std::string show(const RenewResult& result) {
  std::ostringstream out;
  for (const HeadRef& ref : result.renewed) out << "renewed " << ref.consumer << ref.index << " ";
  for (const HeadRef& ref : result.superseded) out << "late " << ref.consumer << ref.index << " ";
  return out.str();
}

std::int64_t ms_of(const std::optional<Time>& time);

std::string show(const ClaimResult& result) {
  std::ostringstream out;
  out << "outcome " << static_cast<int>(result.outcome) << " at " << ms_of(result.retry_at);
  for (const auto& heads : {result.heads, result.dead_lettered}) {
    out << " /";
    for (const Head& head : heads) {
      out << " " << head.consumer << head.event.index << head.event.id << "#" << head.attempt_count
          << "@" << ms_of(head.claim_expires_at);
    }
  }
  return out.str();
}

std::int64_t ms_of(const std::optional<Time>& time) {
  return time ? time->time_since_epoch().count() : 0;
}

std::string show_cursors(Store& store, const std::string& session) {
  std::ostringstream out;
  for (const Cursor& cursor : store.cursors(session)) {
    out << "\n  " << cursor.consumer << "/" << cursor.lane.value_or("-") << " " << cursor.position
        << " -> " << cursor.head.value_or(0) << " try " << cursor.attempt_count << " by "
        << cursor.claim_holder.value_or("-") << " until " << ms_of(cursor.claim_expires_at)
        << " since " << ms_of(cursor.last_claimed_at) << " failed " << cursor.failure_count << " "
        << ms_of(cursor.last_failed_at) << " " << ms_of(cursor.failed_at);
  }
  for (const Event& event : store.read(session)) {
    out << "\n  " << event.index << event.type;
    if (!event.type.starts_with("pawl.")) out << event.id;
  }
  return out.str();
}

struct Change {
  const char* name;
  std::function<void(Store&, const std::string& session, const Heads&)> run;
  std::int64_t passed_ms = 0;  // before it
};
struct Operation {
  const char* name;
  std::function<std::string(Store&, const std::string& session, const Heads&)> run;
};

using Heed = const Heads&;

void delete_all(Store& store, const std::string& session) {
  while (!store.delete_session(session).done) continue;
}

const std::vector<Change>& changes() {
  static const std::vector<Change> all{
      {"nothing", [](Store&, const std::string&, Heed) {}},
      {"an event",
       [](Store& s, const std::string& name, Heed) { s.append(name, {event("other", "t", {})}); }},
      {"lane work",
       [](Store& s, const std::string& name, Heed) { s.append(name, {event("other", "u", "k")}); }},
      {"the id",
       [](Store& s, const std::string& name, Heed) { s.append(name, {event("new", "t", "k")}); }},
      {"another log",
       [](Store& s, const std::string& name, Heed) {
         s.wake_log(name, {.name = "l", .log = Log{.types = std::vector<std::string>{"u"}}});
       }},
      {"a renewal",
       [](Store& s, const std::string& name, Heed h) {
         s.renew(name, {h.of_event, h.of_lane, h.of_log}, {.holder = "w", .ttl = 5s});
       }},
      {"failures",
       [](Store& s, const std::string& name, Heed h) {
         (void)s.fail(name, h.of_event, {.error = "e", .max_failures = 9, .retry_after = 1s});
         (void)s.fail(name, h.of_lane, {.error = "e", .max_failures = 1});
         (void)s.fail(name, h.of_log, {.error = "e", .max_failures = 9});
       }},
      {"releases",
       [](Store& s, const std::string& name, Heed h) {
         (void)s.release(name, h.of_event);
         (void)s.release(name, h.of_lane);
       }},
      {"completions",
       [](Store& s, const std::string& name, Heed h) {
         (void)s.complete(name, h.of_event);
         (void)s.complete(name, h.of_lane);
         (void)s.complete(name, h.of_typed_log);
       }},
      {"a lapse", [](Store&, const std::string&, Heed) {}, 2'000},
      {"a step back", [](Store&, const std::string&, Heed) {}, -500},
      {"a takeover",
       [](Store& s, const std::string& name, Heed) {
         s.claim(name, {.holder = "w", .ttl = 9s, .consumers = kConsumers, .max_failures = 9});
       },
       2'000},
      {"a redrive",
       [](Store& s, const std::string& name, Heed h) {
         (void)s.fail(name, h.of_lane, {.error = "e", .max_failures = 1});
         s.redrive(name, "c", 2, RedriveAction::kSkip);
       }},
      {"a clear", [](Store& s, const std::string& name, Heed) { s.clear(name); }},
      {"a clear and more",
       [](Store& s, const std::string& name, Heed) {
         s.clear(name);
         s.append(name, {event("2", "t", "k")});
         s.reclaim(name);
       }},
      {"its deletion", [](Store& s, const std::string& name, Heed) { delete_all(s, name); }},
      {"its second life",
       [](Store& s, const std::string& name, Heed) {
         delete_all(s, name);
         s.append(name, {event("1", "t", {}), event("2", "t", "k")}, {.consumers = kConsumers});
       }},
      {"no consumer",
       [](Store& s, const std::string& name, Heed) { s.delete_consumer(name, "c"); }},
      {"a claim of the first",
       [](Store& s, const std::string& name, Heed) {
         s.claim(name, {.holder = "v", .ttl = 5s, .consumers = kFree, .limit = 1});
       }},
      {"a claim of all",
       [](Store& s, const std::string& name, Heed) {
         s.claim(name, {.holder = "v", .ttl = 5s, .consumers = kFree});
       }},
      {"a claim, given back",
       [](Store& s, const std::string& name, Heed) {
         const ClaimOptions first{.holder = "v", .ttl = 5s, .consumers = kFree, .limit = 1};
         (void)s.release(name, s.claim(name, first).heads.at(0));
       }},
      {"a failure for good",
       [](Store& s, const std::string& name, Heed) {
         const ClaimOptions first{.holder = "v", .ttl = 5s, .consumers = kFree, .limit = 1};
         (void)s.fail(name, s.claim(name, first).heads.at(0), {.error = "e", .max_failures = 1});
       }},
      {"a completion of the first",
       [](Store& s, const std::string& name, Heed) {
         const ClaimOptions first{.holder = "v", .ttl = 5s, .consumers = kFree, .limit = 1};
         (void)s.complete(name, s.claim(name, first).heads.at(0));
       }},
      {"work to come",
       [](Store& s, const std::string& name, Heed) {
         NewEvent later = event("other", "u", {});
         later.targets = {{"d", {}, Time(1'000'500ms)}};
         s.append(name, {later});
       }},
      {"work of a new consumer",
       [](Store& s, const std::string& name, Heed) {
         NewEvent more = event("other", "u", {});
         more.targets = {{"new", {}, {}}};
         s.append(name, {more});
       }},
      {"a pin",
       [](Store& s, const std::string& name, Heed h) {
         s.put_snapshots(name, "r", {{1, "1", {h.of_event.ref(), h.of_lane.ref()}}});
       }},
  };
  return all;
}

const std::vector<Operation>& operations() {
  static const std::vector<Operation> all{
      {"append",
       [](Store& s, const std::string& name, Heed) {
         return show(s.append(name, {event("new", "t", {}), event("newer", "u", "k")},
                              {.consumers = kConsumers}));
       }},
      {"append with a cause",
       [](Store& s, const std::string& name, Heed h) {
         NewEvent caused = event("new", "u", {});
         caused.cause = Cause{"c", "k", 2, h.of_lane.attempt_count, std::nullopt};
         return show(s.append(name, {caused}));
       }},
      {"complete an event",
       [](Store& s, const std::string& name, Heed h) {
         return show(s.complete(name, h.of_event, {event("new", "u", "k")}));
       }},
      {"complete a lane's",
       [](Store& s, const std::string& name, Heed h) {
         return show(
             s.complete(name, h.of_lane, {event("new", "t", "k")}, {.consumers = kConsumers}));
       }},
      {"complete a typed log's",
       [](Store& s, const std::string& name, Heed h) {
         return show(s.complete(name, h.of_typed_log, {}, {.consumers = kConsumers}));
       }},
      {"complete a log's",
       [](Store& s, const std::string& name, Heed h) { return show(s.complete(name, h.of_log)); }},
      {"fail",
       [](Store& s, const std::string& name, Heed h) {
         return show(s.fail(name, h.of_lane, {.error = "e", .max_failures = 2, .retry_after = 7s}));
       }},
      {"fail for good",
       [](Store& s, const std::string& name, Heed h) {
         return show(s.fail(name, h.of_event, {.error = "e", .max_failures = 1}));
       }},
      {"release", [](Store& s, const std::string& name,
                     Heed h) { return show(s.release(name, h.of_log, {.delay = 3s})); }},
      {"claim",
       [](Store& s, const std::string& name, Heed) {
         return show(s.claim(name, {.holder = "w", .ttl = 3s, .consumers = kFree}));
       }},
      {"claim one",
       [](Store& s, const std::string& name, Heed) {
         return show(s.claim(
             name, {.holder = "w", .ttl = 3s, .consumers = kFree, .max_failures = 1, .limit = 1}));
       }},
      {"claim of all consumers",
       [](Store& s, const std::string& name, Heed) {
         return show(s.claim(name, {.holder = "w", .ttl = 3s, .max_failures = 2, .limit = 2}));
       }},
      {"claim but for the first",
       [](Store& s, const std::string& name, Heed) {
         return show(s.claim(name, {.holder = "w",
                                    .ttl = 3s,
                                    .consumers = kFree,
                                    .exclude = {{"d", {}, 2}},
                                    .through = 3}));
       }},
      {"renew",
       [](Store& s, const std::string& name, Heed h) {
         return show(
             s.renew(name, {h.of_event, h.of_lane, h.of_typed_log}, {.holder = "w", .ttl = 20s}));
       }},
  };
  return all;
}

class Guarded : public PostgresTest {
 protected:
  // What is answered, or which error, and what is stored then.
  static std::string outcome(Store& store, Store& reader, const std::string& session,
                             const Operation& operation, const Heads& heads) {
    std::string answer;
    try {
      answer = operation.run(store, session, heads);
    } catch (const Error& error) {
      answer = std::string(to_string(error.code())) + ": " + error.what();
    }
    return answer + show_cursors(reader, session);
  }
};

TEST_F(Guarded, WhateverOthersDidTheAnswerIsThatOfAStoreThatForgets) {
  const auto clock = std::make_shared<ManualClock>(1'000'000);
  OpenOptions remembering = options();
  OpenOptions forgetting = forgetful();
  remembering.clock = forgetting.clock = clock;
  Store first = open(uri_, remembering);
  Store second = open(uri_, forgetting);
  Store other = open(uri_, forgetting);
  int count = 0;
  for (const Change& change : changes()) {
    for (const Operation& operation : operations()) {
      const std::string a = "a" + std::to_string(++count);
      const std::string b = "b" + std::to_string(count);
      const Heads of_a = prepare(first, a);
      const Heads of_b = prepare(second, b);
      clock->advance(change.passed_ms);
      change.run(other, a, of_a);
      change.run(other, b, of_b);
      const auto guarded = first.stats().numbers.at("guarded");
      const std::string answer = outcome(first, other, a, operation, of_a);
      EXPECT_EQ(answer, outcome(second, other, b, operation, of_b))
          << operation.name << " after " << change.name;
      if (change.name == std::string("nothing")) {
        EXPECT_EQ(first.stats().numbers.at("guarded"), guarded + 1) << operation.name;
      }
    }
  }
}

// The times are the server's, read after the lock, and not those that were guessed at.
TEST_F(Guarded, TimesAreTheServers) {
  Store store = open();
  store.append("s", {event("1", "t", "k")});
  const Event second = store.append("s", {event("2", "t", "k")}).events[0];
  const Claim claim = store.claim("s", {.holder = "w", .ttl = 60s}).heads[0];
  store.renew("s", {claim}, {.holder = "w", .ttl = 90s});
  ASSERT_EQ(store.stats().numbers.at("guarded"), 3);
  const std::string of = " FROM " + quoted_schema();
  EXPECT_EQ(sql("SELECT created_at" + of + ".event WHERE idx = 2"),
            std::to_string(ms_of(second.created_at)));
  EXPECT_EQ(sql("SELECT abs(extract(epoch FROM clock_timestamp()) * 1000 + 90000 - due) < 20000" +
                of + ".cursor WHERE lane = 'k'"),
            "t");
  ASSERT_EQ(store.complete("s", claim).outcome, FinishOutcome::kCompleted);
  EXPECT_EQ(store.stats().numbers.at("guarded"), 4);
  EXPECT_EQ(sql("SELECT abs(extract(epoch FROM clock_timestamp()) * 1000 - finished_at) < 20000" +
                of + ".work WHERE idx = 1"),
            "t");
}

// Who finds that others write to a session, too, loads before it trusts its memory again.
TEST_F(Guarded, AMissIsFollowedByALoad) {
  Store store = open();
  Store other = open(uri_, forgetful());
  store.append("s", {event("1", "t", {})});
  for (int i = 0; i < 3; ++i) {
    other.append("s", {event("other" + std::to_string(i), "t", {})});
    store.append("s", {event("mine" + std::to_string(i), "t", {})});
  }
  EXPECT_EQ(store.stats().numbers.at("guards_failed"), 1);
  store.append("s", {event("a", "t", {})});
  EXPECT_EQ(store.stats().numbers.at("guarded"), 0) << "it has found the session as it left it";
  store.append("s", {event("b", "t", {})});
  EXPECT_EQ(store.stats().numbers.at("guarded"), 1);
  EXPECT_EQ(store.head("s").last_index, 9);
}

// Several stores, each with several threads, on one session: nothing is lost, doubled or refused.
TEST_F(Guarded, ManyStoresOnOneSession) {
  constexpr int kStores = 3;
  constexpr int kThreads = 2;
  constexpr int kRounds = 20;
  std::vector<std::unique_ptr<Store>> stores;
  for (int i = 0; i < kStores; ++i) stores.push_back(std::make_unique<Store>(open()));
  std::atomic<int> completed = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kStores * kThreads; ++i) {
    threads.emplace_back([&, i] {
      Store& store = *stores[static_cast<std::size_t>(i % kStores)];
      for (int round = 0; round < kRounds; ++round) {
        store.append("s", {event(std::to_string(i) + "-" + std::to_string(round), "t", {})});
        const ClaimResult claimed = store.claim("s", {.holder = "w", .ttl = 60s, .limit = 2});
        for (const Head& head : claimed.heads) {
          completed += store.complete("s", head).outcome == FinishOutcome::kCompleted ? 1 : 0;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const ClaimResult rest = stores[0]->claim("s", {.holder = "w", .ttl = 60s, .limit = 10'000});
  EXPECT_EQ(completed + std::ssize(rest.heads), kStores * kThreads * kRounds);
  EXPECT_EQ(stores[0]->head("s").last_index, kStores * kThreads * kRounds);
}

driver::SessionRow row_of(std::int64_t last_index) {
  driver::SessionRow row;
  row.last_index = last_index;
  return row;
}

TEST(Known, SessionsAreAsManyAsFit) {
  KnownSessions known(64 * 1024);
  for (int i = 0; i < 1'000; ++i) known.put(KnownSession("s" + std::to_string(i), row_of(1), 1));
  EXPECT_FALSE(known.take("s0"));
  ASSERT_TRUE(known.take("s999"));
  EXPECT_FALSE(known.take("s999")) << "it is taken out";
  int kept = 0;
  for (int i = 0; i < 1'000; ++i) kept += known.take("s" + std::to_string(i)) ? 1 : 0;
  EXPECT_GT(kept, 50);
  EXPECT_LT(kept, 500);
  known.put(KnownSession(std::string(5'000, 'x'), row_of(1), 1));
  EXPECT_FALSE(known.take(std::string(5'000, 'x'))) << "too large to be kept";
}

TEST(Moments, MoveWithTheClockOrStay) {
  constexpr std::int64_t kNow = 1'000;
  const auto effects_at = [](std::int64_t now) {
    driver::Effects effects;
    driver::SessionEffects& session = effects.sessions.emplace_back();
    driver::CursorRow& row = session.put.emplace_back();
    row.due = now + 500;
    row.since = 900;
    row.last_claimed_at = now;
    session.append.emplace_back().created_at = now;
    return effects;
  };
  driver::Effects effects = effects_at(kNow);
  driver::Effects later = effects_at(kNow + 1);
  ASSERT_TRUE(make_relative(effects, later, kNow));
  EXPECT_EQ(effects.sessions[0].put[0].due, -501);
  EXPECT_EQ(effects.sessions[0].put[0].since, 900);
  EXPECT_EQ(effects.sessions[0].put[0].last_claimed_at, -1);
  EXPECT_EQ(effects.sessions[0].append[0].created_at, -1);
  later.sessions[0].put.clear();
  EXPECT_FALSE(make_relative(effects, later, kNow)) << "another decision";
  effects = effects_at(kMaxTimeMs - 10);
  later = effects_at(kMaxTimeMs - 9);
  EXPECT_FALSE(make_relative(effects, later, kMaxTimeMs - 10)) << "near the end of time";
}

TEST(Moments, ADecisionHoldsUntilTheNextTimeThatItMayHaveComparedWith) {
  constexpr std::int64_t kNow = 1'000;
  driver::Facts facts;
  driver::Effects effects;
  EXPECT_EQ(deadline_of(facts, effects, kNow), kNow + kLongestWait);
  driver::FoundCursor& found = facts.sessions.emplace_back().cursors.emplace_back();
  found.row.emplace().due = 5'000;
  EXPECT_EQ(deadline_of(facts, effects, kNow), 5'000) << "of a fact";
  found.next = driver::NextWork{2, 4'000};
  EXPECT_EQ(deadline_of(facts, effects, kNow), 4'000) << "of what follows";
  driver::SessionEffects& session = effects.sessions.emplace_back();
  session.put_work.emplace_back().available_at = 3'000;
  EXPECT_EQ(deadline_of(facts, effects, kNow), 3'000) << "of what is written";
  session.put.emplace_back().since = kNow;
  session.put.back().due = -1;
  EXPECT_EQ(deadline_of(facts, effects, kNow), 3'000) << "not of what has come, or moves";
}

}  // namespace
}  // namespace pawl::postgres::testing
