// Random histories of a small store, for tests that look at what is stored after every step.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "pawl/clock.h"
#include "pawl/error.h"
#include "pawl/store.h"

namespace pawl::testing {

class History {
 public:
  // The clock that the store is to be opened with.
  static std::shared_ptr<ManualClock> clock() { return std::make_shared<ManualClock>(1'000); }

  History(unsigned seed, Store store, std::shared_ptr<ManualClock> clock)
      : random_(seed), clock_(std::move(clock)), store_(std::move(store)) {}

  // `check` looks at the store after each step, and fails the test.
  template <class Check>
  void run(int steps, const Check& check) {
    for (int i = 0; i < steps; ++i) {
      step();
      check();
      ASSERT_FALSE(::testing::Test::HasFailure()) << "at step " << i;
    }
  }

 private:
  int draw(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  std::string session() { return "s" + std::to_string(draw(3)); }
  Duration wait() { return Duration(draw(3) * 10); }

  NewEvent event() {
    NewEvent event{.type = draw(2) == 0 ? "a" : "b"};
    for (int i = draw(3); i > 0; --i) {
      Target target{.consumer = "c" + std::to_string(i)};
      if (draw(2) == 0) target.lane = "k" + std::to_string(draw(2));
      if (draw(4) == 0) target.available_at = Time(Duration(clock_->now_ms() + draw(30)));
      event.targets.push_back(target);
    }
    return event;
  }

  void step() {
    clock_->advance(draw(8));
    switch (draw(10)) {
      case 0:
      case 1:
        store_.append(session(), {event(), event()}, {.consumers = served_});
        break;
      case 2:
      case 3:
        claim();
        break;
      case 4:
      case 5:
        finish();
        break;
      case 6:
        redrive();
        break;
      case 7:
        if (draw(4) == 0) store_.clear(session());
        store_.wake_log(session(), consumers_[3]);
        break;
      case 8:
        clean_up();
        break;
      default:
        settle();
        break;
    }
  }

  void claim() {
    const std::string name = session();
    const ClaimOptions options{.holder = "w",
                               .ttl = wait(),
                               .consumers = served_,
                               .max_failures = 2,
                               .limit = 1 + draw(3)};
    for (const Head& head : store_.claim(name, options).heads) claims_.push_back(head);
  }

  // Of a claim that may have lapsed or been taken over since.
  Head take_claim() {
    const auto at = claims_.begin() + draw(static_cast<int>(claims_.size()));
    Head head = *at;
    claims_.erase(at);
    return head;
  }

  void finish() {
    if (claims_.empty()) return;
    const Head head = take_claim();
    const std::string& name = head.event.session;
    const FailOptions fail{.error = "e", .max_failures = 2, .retry_after = wait()};
    try {
      if (draw(3) > 0) {
        (void)store_.complete(name, head, {}, {.consumers = served_});
      } else if (draw(2) == 0) {
        (void)store_.fail(name, head, fail);
      } else {
        (void)store_.release(name, head, {.delay = wait()});
      }
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ErrorCode::kUnknownEvent) << error.what();
    }
  }

  void redrive() {
    const std::string name = session();
    for (const Head& head : store_.dead_letters(name)) {
      const auto action = draw(2) == 0 ? RedriveAction::kRetry : RedriveAction::kSkip;
      store_.redrive(name, head.consumer, head.event.index, action, {.lane = head.lane});
    }
  }

  void clean_up() {
    switch (draw(4)) {
      case 0:
        store_.reclaim(session(), 3);
        break;
      case 1:
        store_.delete_consumer(session(), "c1", 2);
        break;
      case 2:
        store_.delete_session(session(), 4);
        break;
      default:
        store_.maintain({.limit = 5, .finished_before = Time(Duration(clock_->now_ms()))});
        break;
    }
  }

  void settle() {
    std::vector<SettleItem> items;
    if (!claims_.empty()) {
      const Head head = take_claim();
      items.push_back({.session = head.event.session, .claim = head});
      items.back().action = draw(2) == 0 ? SettleAction::kComplete : SettleAction::kRelease;
    }
    const ClaimReadyOptions options{.holder = "w",
                                    .ttl = wait(),
                                    .consumers = served_,
                                    .max_failures = 2,
                                    .sessions_limit = 1 + draw(3),
                                    .limit = 4};
    try {
      const auto result = store_.settle(items, {.consumers = served_, .claim = options});
      for (const SessionClaims& claims : *result.claims) {
        claims_.insert(claims_.end(), claims.heads.begin(), claims.heads.end());
      }
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ErrorCode::kUnknownEvent) << error.what();
    }
  }

  std::mt19937 random_;
  std::shared_ptr<ManualClock> clock_;
  const std::array<Consumer, 4> consumers_{
      Consumer{.name = "c1"}, Consumer{.name = "c2"},
      Consumer{.name = "all", .log = Log{.backfill = true}},
      Consumer{.name = "some", .log = Log{.types = std::vector<std::string>{"a"}}}};
  const Served served_{consumers_};
  Store store_;
  std::vector<Head> claims_;
};

}  // namespace pawl::testing
