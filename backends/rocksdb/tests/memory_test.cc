// What is remembered of sessions against what is stored: long queues, of which it holds the first
// part only, and writes that do not come to be.
#include <gtest/gtest.h>

#include <random>

#include "backend.h"
#include "check_keys.h"
#include "pawl/clock.h"
#include "scratch.h"

namespace pawl::rocksdb {
namespace {

using std::chrono::milliseconds;

class Memory : public testing::TestWithParam<std::string> {
 protected:
  Memory() {
    OpenOptions options;
    options.durability = Durability::kRelaxed;
    options.clock = clock_;
    options.engine["remember_kib"] = GetParam();
    auto backend = std::make_unique<RocksBackend>(scratch_.path(), options);
    backend_ = backend.get();
    store_.emplace(std::move(backend), StoreOptions{});
  }

  int upto(int most) { return std::uniform_int_distribution<int>(1, most)(random_); }

  void append(int count) {
    const NewEvent event{.type = "t", .payload = "1", .targets = {{.consumer = "c"}}};
    const std::vector<NewEvent> events(static_cast<std::size_t>(count), event);
    store_->append("s", events, {.consumers = served_});
  }
  void claim(int limit) {
    const ClaimOptions options{
        .holder = "w", .ttl = milliseconds(upto(400)), .consumers = served_, .limit = limit};
    for (Head& head : store_->claim("s", options).heads) claims_.push_back(std::move(head));
  }
  void finish() {
    std::vector<SettleItem> items;
    for (int left = upto(60); left > 0 && !claims_.empty(); --left) {
      const auto which = static_cast<std::size_t>(upto(static_cast<int>(claims_.size())) - 1);
      SettleItem item{.session = "s", .claim = claims_[which]};
      claims_.erase(claims_.begin() + static_cast<std::ptrdiff_t>(which));
      const int action = upto(4);
      if (action == 1) item.action = SettleAction::kRelease;
      if (action == 2) {
        item.action = SettleAction::kFail;
        item.fail = {.error = "e", .max_failures = 3, .retry_after = milliseconds(upto(300))};
      }
      const auto is_same = [&](const SettleItem& other) {
        return other.claim.index == item.claim.index;
      };
      if (std::none_of(items.begin(), items.end(), is_same)) items.push_back(std::move(item));
    }
    if (!items.empty()) (void)store_->settle(items, {.consumers = served_});
  }

  const Scratch scratch_;
  const std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>(1'000);
  const std::vector<Consumer> consumers_{{.name = "c"}};
  const Served served_{consumers_};
  RocksBackend* backend_ = nullptr;
  std::optional<Store> store_;
  std::vector<Claim> claims_;
  std::mt19937 random_{7};
};

TEST_P(Memory, OfALongQueueIsWhatIsStored) {
  append(2 * static_cast<int>(Half::kMost));
  for (int step = 0; step < 400; ++step) {
    switch (upto(4)) {
      case 1:
        append(upto(40));
        break;
      case 2:
        claim(upto(90));
        break;
      case 3:
        finish();
        break;
      default:
        clock_->advance(upto(50));
    }
    if (step % 50 != 0) continue;
    ASSERT_EQ(KeyCheck(backend_->db()).faults(), "") << "step " << step;
  }
}

TEST_P(Memory, IsOfNoUseAfterAWriteThatWasUndone) {
  append(3);
  driver::Query query;
  query.sessions.resize(1);
  query.sessions[0].session = "s";
  const auto refuse = [](driver::Facts&& facts) {
    driver::Effects effects;
    driver::SessionEffects& session = effects.sessions.emplace_back();
    session.session = "s";
    session.row = facts.sessions[0].row;
    session.row->last_index += 1;
    driver::EventRow event;
    event.index = session.row->last_index;
    event.id = "x";
    event.type = "t";
    event.payload = "1";
    session.append = {event, event};  // the event that is read back is too long twice
    session.append[1].index = ++session.row->last_index;
    session.append[1].id = "y";
    effects.read.events = {{"s", event.index}, {"s", event.index + 1}};
    effects.read.max_bytes = 1;
    return effects;
  };
  EXPECT_THROW(backend_->transact(query, refuse), AnswerTooLarge);
  append(1);
  EXPECT_EQ(store_->read("s").size(), 4U);
  EXPECT_EQ(KeyCheck(backend_->db()).faults(), "");
}

INSTANTIATE_TEST_SUITE_P(, Memory, testing::Values("16384", "256", "0"));

}  // namespace
}  // namespace pawl::rocksdb
