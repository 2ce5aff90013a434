// A session that comes into being while another operation loads it: it was not there to be locked,
// so nothing that is found of it may be used.
#include "tests/support/fixture.h"

namespace pawl::postgres::testing {
namespace {

using namespace std::chrono_literals;

// Read between the lock and the look-ups. What is to happen there happens once.
class InterruptingClock final : public Clock {
 public:
  std::int64_t now_ms() override {
    if (const auto interrupt = std::exchange(interrupt_, nullptr)) interrupt();
    return 1'000;
  }
  void interrupt_by(std::function<void()> interrupt) { interrupt_ = std::move(interrupt); }

 private:
  std::function<void()> interrupt_;
};

class Creation : public PostgresTest {
 protected:
  void SetUp() override {
    PostgresTest::SetUp();
    if (IsSkipped()) return;
    OpenOptions interrupted = options();
    interrupted.clock = clock_;
    store_ = std::make_unique<Store>(open(uri_, interrupted));
    other_ = std::make_unique<Store>(open());
  }

  static std::vector<Head> claim(Store& store) {
    return store.claim("s", {.holder = "w", .ttl = 60s}).heads;
  }
  void append() { other_->append("s", {{.id = "a", .type = "t", .targets = {{"c", {}, {}}}}}); }

  const std::shared_ptr<InterruptingClock> clock_ = std::make_shared<InterruptingClock>();
  std::unique_ptr<Store> store_;
  std::unique_ptr<Store> other_;
};

// Others may be claiming it at the same moment, with the same attempt.
TEST_F(Creation, AHeadOfANewSessionIsNotClaimedWithoutItsLock) {
  clock_->interrupt_by([&] { append(); });
  EXPECT_TRUE(claim(*store_).empty());
  EXPECT_EQ(claim(*store_).size(), 1u);
}

TEST_F(Creation, ANewSessionsEventsAreNotOverwritten) {
  clock_->interrupt_by([&] { append(); });
  EXPECT_EQ(store_->append("s", {{.id = "b", .type = "t"}}).events[0].index, 2);
  clock_->interrupt_by([&] { other_->append("t", {{.id = "a", .type = "t"}}); });
  EXPECT_EQ(store_->append("t", {{.id = "a", .type = "t"}}).events[0].index, 1) << "a replay";
}

}  // namespace
}  // namespace pawl::postgres::testing
