// Cases in which what a store remembers of a session is less than it seems: it answers as one that
// remembers nothing.
#include <array>
#include <sstream>

#include "tests/support/fixture.h"

namespace pawl::postgres::testing {
namespace {

using namespace std::chrono_literals;

const std::array kWork{Consumer{.name = "c"}};

NewEvent work(const std::string& id, std::optional<std::string> lane) {
  return {.id = id, .type = "t", .payload = "1", .targets = {{"c", std::move(lane), {}}}};
}

Consumer log_of(const std::string& type) {
  return {.name = "l", .log = Log{.types = std::vector<std::string>{type}, .backfill = true}};
}

std::string show(const ClaimResult& claim) {
  std::ostringstream out;
  out << " claim " << static_cast<int>(claim.outcome);
  if (claim.retry_at) out << " at " << claim.retry_at->time_since_epoch().count();
  for (const Head& head : claim.heads) out << " " << head.consumer << head.event.index;
  return out.str();
}

std::string show_ready(Store& store, const std::string& session) {
  std::string shown = " ready";
  for (const ReadyEntry& entry : store.ready({.consumers = kWork}).sessions) {
    if (entry.session != session) continue;
    shown += " " + std::to_string(entry.ready_at.time_since_epoch().count());
  }
  return shown;
}

class RememberedRows : public PostgresTest {
 protected:
  Store open_store(bool remembers) {
    OpenOptions chosen = remembers ? options() : forgetful();
    chosen.clock = clock_;
    return open(uri_, chosen);
  }

  const std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>(1'000'000);
};

// Old rows of lanes that live again are dropped: as many as are left after `reclaims`.
std::string reclaim_old_lanes(Store& store, const std::string& session, int reclaims) {
  const Served served{kWork};
  const ClaimOptions one{.holder = "w", .ttl = 1h, .consumers = served, .limit = 1};
  for (const char* lane : {"1", "2", "3"}) store.append(session, {work(lane, lane)});
  store.clear(session);
  store.append(session, {work("4", "2"), work("5", "3")});
  for (int i = 0; i < reclaims; ++i) store.reclaim(session, 1);
  std::string shown = show(store.claim(session, one));
  store.reclaim(session, 1);
  store.append(session, {work("6", {})});
  shown += show_ready(store, session);
  const ClaimResult next = store.claim(session, one);
  shown += show(next) + show_ready(store, session);
  for (const Head& head : next.heads) (void)store.complete(session, head);
  return shown + show_ready(store, session) + show(store.claim(session, one));
}

TEST_F(RememberedRows, ALaneStaysKnownWhenOneOfItsNameThatIsOldGoes) {
  Store first = open_store(true);
  Store other = open_store(false);
  for (int reclaims = 0; reclaims < 9; ++reclaims) {
    const std::string n = std::to_string(reclaims);
    const std::string answer = reclaim_old_lanes(first, "a" + n, reclaims);
    EXPECT_EQ(answer, reclaim_old_lanes(other, "b" + n, reclaims)) << n;
  }
}

// A log that is idle moves on though nothing becomes its head.
std::string move_idle_log(Store& store, const std::string& session) {
  const std::array served{log_of("t")};
  const ClaimOptions one{.holder = "w", .ttl = 1h, .consumers = served, .limit = 1};
  const auto event = [](const char* id) { return NewEvent{.id = id, .type = "t", .payload = "1"}; };
  store.append(session, {event("1")}, {.consumers = served});
  (void)store.complete(session, store.claim(session, one).heads.at(0), {}, {.consumers = served});
  store.append(session, {event("2")});
  store.delete_consumer(session, "l");
  store.append(session, {event("3")});
  store.append(session, {event("4")}, {.consumers = served});
  return show(store.claim(session, one));
}

TEST_F(RememberedRows, ALogThatIsMovedOnPassesNothingOver) {
  Store first = open_store(true);
  Store other = open_store(false);
  const std::string answer = move_idle_log(first, "a");
  EXPECT_EQ(answer, move_idle_log(other, "b"));
  EXPECT_NE(answer.find(" l3"), std::string::npos) << answer;
}

// All is held, of which the store has seen a part, and only the types of a log change.
std::string claim_of_nothing(Store& store, Store& others, const std::string& session,
                             ManualClock& clock) {
  const std::array served{Consumer{.name = "c"}, log_of("t")};
  const auto for_ms = [&](Duration ttl, const Served& consumers) {
    return ClaimOptions{.holder = "w", .ttl = ttl, .consumers = consumers, .limit = 1};
  };
  others.append(session, {work("1", {}), work("2", {}), work("3", {})}, {.consumers = kWork});
  const Head first = others.claim(session, for_ms(10s, kWork)).heads.at(0);
  others.claim(session, for_ms(20s, kWork));
  std::string shown = show(store.claim(session, for_ms(60s, kWork)));
  store.wake_log(session, served[1]);
  shown += show(store.claim(session, for_ms(70s, served)));
  (void)store.complete(session, first);
  clock.advance(5'000);
  const std::array changed{Consumer{.name = "c"}, log_of("u")};
  return shown + show(store.claim(session, for_ms(80s, changed)));
}

TEST_F(RememberedRows, AClaimThatTakesNothingKnowsWhenThereIsSomething) {
  Store first = open_store(true);
  Store others = open_store(false);
  const std::string answer = claim_of_nothing(first, others, "a", *clock_);
  clock_->advance(-5'000);
  EXPECT_EQ(answer, claim_of_nothing(others, others, "b", *clock_));
}

}  // namespace
}  // namespace pawl::postgres::testing
