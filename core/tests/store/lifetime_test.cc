// A store that is moved, closed, waited on and followed.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <stdexcept>
#include <thread>

#include "tests/store/support.h"

namespace pawl::testing {
namespace {

// ---- moving and closing

TEST(Store, MovesWithWhatItHolds) {
  const Memory memory;
  Store first = memory.open();
  first.append("s", {event("x")});
  Store second = std::move(first);
  EXPECT_EQ(second.head("s").last_index, 1);
  Store third = memory.open();
  third.append("s", {event("x"), event("y")});
  third = std::move(second);
  EXPECT_EQ(third.head("s").last_index, 1) << "assigned: the old one is gone";
  second = memory.open();
  EXPECT_EQ(second.head("s").last_index, 0) << "moved from, and assigned anew";
}  // first is destroyed as moved from

TEST(Store, ClosesWhatItHoldsWhenDestroyed) {
  const Memory memory;
  { memory.open("Destroyed").append("s", {event("x")}); }
  EXPECT_EQ(memory.open("Destroyed").head("s").last_index, 0) << "the last handle was closed";
}

TEST(Store, WhenClosedRefusesEveryOperation) {
  const Memory memory;
  Store store = memory.open();
  store.append("s", {event("x", {{"c"}})});
  const Head head = store.claim("s", {.holder = "w", .ttl = Duration(50)}).heads.at(0);
  store.close();
  store.close();  // repeating it does nothing
  const std::vector<std::function<void()>> calls{
      [&] { store.append("s", {event("y")}); },
      [&] { store.append("s", {}); },
      [&] { store.append_batch({}); },
      [&] {
        store.wake_log("s", {"c", Log{}});
      },
      [&] { store.cursors("s"); },
      [&] { store.read("s"); },
      [&] { store.head("s"); },
      [&] { store.sessions(); },
      [&] { store.claim("s", {.holder = "w", .ttl = Duration(1)}); },
      [&] { store.renew("s", {head}, {.holder = "w", .ttl = Duration(1)}); },
      [&] { store.claim_ready({.holder = "w", .ttl = Duration(1)}); },
      [&] { (void)store.complete("s", head); },
      [&] { (void)store.fail("s", head, {.error = "e", .max_failures = 1}); },
      [&] { (void)store.release("s", head); },
      [&] { (void)store.settle({}); },
      [&] { store.dead_letters("s"); },
      [&] { store.redrive("s", "c", 1, RedriveAction::kRetry); },
      [&] { store.put_snapshots("s", "r", {}); },
      [&] { store.load_snapshot("s", "r"); },
      [&] { store.set_presence("n", "p", {}, {.at = ms(1), .ttl = Duration(1)}); },
      [&] { store.presence("n"); },
      [&] { store.reclaim_presence("n"); },
      [&] { store.clear("s"); },
      [&] { store.reclaim("s"); },
      [&] { store.prune("s", ms(1)); },
      [&] { store.delete_session("s"); },
      [&] { store.delete_consumer("s", "c"); },
      [&] { store.maintain(); },
      [&] { store.ready(); },
      [&] { store.stats(); },
      [&] { store.wait(std::nullopt, Duration(0)); },
      [&] { store.wait("s", 0, Duration(0)); },
      [&] { store.tail("s", 0, [](const Event&) { return true; }); },
  };
  for (std::size_t i = 0; i < calls.size(); ++i) {
    EXPECT_EQ(thrown(calls[i]), ErrorCode::kClosed) << "open.4: call " << i;
  }
}

// ---- waiting. The timeouts are never reached where something is there; they only end a test
// that fails.

constexpr Duration kLong{60'000};

TEST(Wait, ReturnsAtOnceWhenAHeadIsClaimable) {
  const Memory memory;
  Store store = memory.open();
  store.append("s", {event("x", {{"c"}})});
  store.wait(std::nullopt, kLong);
  const std::vector<Consumer> consumers{{"c"}};
  store.wait(std::span(consumers), kLong);
  store.claim("s", {.holder = "w", .ttl = Duration(50)});
  memory.clock->advance(50);
  store.wait(std::nullopt, kLong);  // by time
}

TEST(Wait, ReturnsAtOnceWhenTheSessionHasAnIndexAbove) {
  const Memory memory;
  Store store = memory.open();
  store.append("s", {event("x")});
  store.wait("s", 0, kLong);
  store.clear("s");
  store.wait("s", 1, kLong);
}

TEST(Wait, ReturnsAtItsTimeout) {
  const Memory memory;
  Store store = memory.open();
  store.append("s", {event("x", {{"c"}})});
  store.wait("s", 1, Duration(0));
  store.wait("unknown", 0, Duration(1));
  const std::vector<Consumer> others{{"d"}};
  store.wait(std::span(others), Duration(1));
  store.wait(std::span<const Consumer>(), Duration(0));
  store.claim("s", {.holder = "w", .ttl = Duration(50)});
  store.wait(std::nullopt, Duration(1));
}

TEST(Wait, IsWokenByACommit) {
  const Memory memory;
  Store store = memory.open();
  std::atomic<int> woken{0};
  std::thread for_work([&] {
    store.wait(std::nullopt, kLong);
    ++woken;
  });
  std::thread for_index([&] {
    store.wait("s", 0, kLong);
    ++woken;
  });
  store.append("s", {event("x", {{"c"}})});
  for_work.join();
  for_index.join();
  EXPECT_EQ(woken, 2) << "wait.2: before or after the commit";
}

TEST(Wait, IsWokenByClose) {
  const Memory memory;
  Store store = memory.open();
  std::optional<ErrorCode> code;
  std::thread waiting([&] { code = thrown([&] { store.wait(std::nullopt, kLong); }); });
  store.close();
  waiting.join();
  EXPECT_EQ(code, ErrorCode::kClosed);
}

// ---- following

TEST(Tail, DeliversInOrderAndOverAClear) {
  const Memory memory;
  Store store = memory.open();
  store.append("s", {event("a"), event("b"), event("c")});
  std::vector<std::string> seen;
  // What is appended from within is delivered by the same call.
  const auto on_event = [&](const Event& one) {
    seen.push_back(std::to_string(one.index) + one.id);
    if (one.id == "b") {
      store.append("s", {event("d")});
      store.clear("s");
      store.append("s", {event("e")});
    }
    return one.id != "e";
  };
  EXPECT_EQ(store.tail("s", 1, on_event), 6);
  EXPECT_EQ(seen, (std::vector<std::string>{"2b", "3c", "5id-1", "6e"}))
      << "tail.1: 3 was read before the clear, 4 lies below the marker";
}

TEST(Tail, BeginsAtTheMarkerWhereItsPlaceWasCleared) {
  const Memory memory;
  Store store = memory.open();
  store.append("s", {event("a"), event("b")});
  store.clear("s");
  store.append("s", {event("c")});
  std::string seen;
  store.tail("s", 0, [&](const Event& one) {
    seen += std::to_string(one.index) + ":" + one.type + " ";
    return one.index < 4;
  });
  EXPECT_EQ(seen, "3:pawl.clear 4:t ");
}

TEST(Tail, GoesOnOverPages) {
  const Memory memory;
  Store store = memory.open();
  constexpr int kEvents = 2'500;
  store.append("s", std::vector<NewEvent>(kEvents, event({})));
  std::int64_t next = 1;
  EXPECT_EQ(store.tail("s", 0,
                       [&](const Event& one) {
                         EXPECT_EQ(one.index, next++);
                         return one.index < kEvents;
                       }),
            kEvents);
  EXPECT_EQ(next, kEvents + 1);
}

TEST(Tail, StopsWhenItIsAsked) {
  const Memory memory;
  Store store = memory.open();
  store.append("s", {event("a"), event("b"), event("c")});
  std::stop_source stop;
  EXPECT_EQ(store.tail(
                "s", 0,
                [&](const Event& one) {
                  if (one.index == 2) stop.request_stop();
                  return true;
                },
                stop.get_token()),
            2);
  const auto never = [](const Event&) -> bool { throw std::logic_error("delivered"); };
  EXPECT_EQ(store.tail("s", 2, never, stop.get_token()), 2) << "asked before it began";
}

TEST(Tail, WaitsForWhatIsToCome) {
  const Memory memory;
  Store store = memory.open();
  std::int64_t after = -1;
  std::thread following(
      [&] { after = store.tail("s", 0, [](const Event& one) { return one.index < 3; }); });
  store.append("s", {event("a")});
  store.append("s", {event("b"), event("c")});
  following.join();
  EXPECT_EQ(after, 3);
}

TEST(Tail, LetsThroughWhatItsCallbackThrows) {
  const Memory memory;
  Store store = memory.open();
  store.append("s", {event("a"), event("b")});
  int calls = 0;
  const auto throws = [&](const Event&) -> bool {
    ++calls;
    throw std::runtime_error("mine");
  };
  EXPECT_THROW(store.tail("s", 0, throws), std::runtime_error);
  EXPECT_EQ(calls, 1);
}

TEST(Tail, ShowsNothingOfADeletedLife) {
  const Memory memory;
  Store store = memory.open();
  store.append("s", {event("a"), event("b")});
  EXPECT_FALSE(store.delete_session("s", 1).done);
  std::int64_t first = 0;
  std::thread following([&] {
    store.tail("s", 0, [&](const Event& one) {
      first = one.index;
      return false;
    });
  });
  store.append("s", {event("c")});
  following.join();
  EXPECT_EQ(first, 4);
}

}  // namespace
}  // namespace pawl::testing
