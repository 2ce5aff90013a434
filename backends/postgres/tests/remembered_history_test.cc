// Random histories of stores that remember, beside those of one that does not: every answer and
// every state is the same, whoever of them was last to write.
#include <array>
#include <random>
#include <sstream>

#include "tests/support/fixture.h"

namespace pawl::postgres::testing {
namespace {

using namespace std::chrono_literals;

const std::array kServed{
    Consumer{.name = "c"}, Consumer{.name = "d"},
    Consumer{.name = "l", .log = Log{.types = std::vector<std::string>{"t"}, .backfill = true}},
    Consumer{.name = "m", .log = Log{.lane = "all"}}};

std::int64_t ms_of(const std::optional<Time>& time) {
  return time ? time->time_since_epoch().count() : 0;
}

std::string show(const std::vector<Event>& events) {
  std::ostringstream out;
  for (const Event& event : events) {
    out << " " << event.index << event.type;
    if (!event.type.starts_with("pawl.")) out << event.id;
  }
  return out.str();
}

std::string show(const std::vector<Head>& heads) {
  std::ostringstream out;
  for (const Head& head : heads) {
    out << " " << head.consumer << head.event.index << head.event.id << "#" << head.attempt_count
        << "@" << ms_of(head.claim_expires_at) << "f" << head.failure_count;
  }
  return out.str();
}

std::string show(const FinishResult& result) {
  return std::to_string(static_cast<int>(result.outcome)) + " " +
         std::to_string(result.failure_count) + show(result.events);
}

std::string show_state(Store& store, const std::string& session) {
  std::ostringstream out;
  for (const Cursor& cursor : store.cursors(session)) {
    out << "\n  " << cursor.consumer << "/" << cursor.lane.value_or("-") << " " << cursor.position
        << " -> " << cursor.head.value_or(0) << " try " << cursor.attempt_count << " by "
        << cursor.claim_holder.value_or("-") << " until " << ms_of(cursor.claim_expires_at)
        << " failed " << cursor.failure_count << " " << ms_of(cursor.failed_at);
  }
  for (const Consumer& consumer : kServed) {
    const ReadyResult ready = store.ready({.consumers = std::array{consumer}});
    out << "\n  " << consumer.name << " ready";
    for (const ReadyEntry& one : ready.sessions) {
      if (one.session == session) out << " at " << one.ready_at.time_since_epoch().count();
    }
  }
  return out.str();
}

// What happens next, drawn before either side does it.
struct Step {
  std::array<std::uint32_t, 8> draws;

  std::uint32_t of(std::size_t at, std::uint32_t most) const { return draws[at] % most; }
};

// One side: a session, and the heads that were claimed there.
struct Side {
  std::string session;
  std::vector<Head> heads;
  int events = 0;
};

std::string append(Store& store, Side& side, const Step& step, Time now) {
  std::vector<NewEvent> events;
  for (std::uint32_t i = 0; i <= step.of(1, 3); ++i) {
    const std::uint32_t draw = step.draws[2 + i];
    NewEvent& event = events.emplace_back();
    event.id = "e" + std::to_string(++side.events);
    event.type = draw % 2 == 0 ? "t" : "u";
    event.payload = std::to_string(draw);
    pawl::Target target{.consumer = draw % 3 == 0 ? "d" : "c"};
    if (draw % 5 < 3) target.lane = draw % 7 < 4 ? "k" : "j";
    if (draw % 11 == 0) target.available_at = now + 700ms;
    event.targets = {target};
  }
  AppendOptions options;
  if (step.of(7, 5) > 0) options.consumers = kServed;
  const AppendResult result = store.append(side.session, events, options);
  return show(result.events) + (result.has_pending ? " pending" : "");
}

std::string claim(Store& store, Side& side, const Step& step) {
  ClaimOptions options{.holder = "w", .ttl = 1s * (1 + step.of(1, 4))};
  const std::array some{kServed[step.of(2, 4)]};
  if (step.of(3, 4) == 1) options.consumers = some;
  if (step.of(3, 4) > 1) options.consumers = kServed;
  if (step.of(4, 3) > 0) options.max_failures = 3;
  if (step.of(5, 3) > 0) options.limit = 1 + step.of(6, 3);
  if (step.of(7, 9) == 0) options.through = step.of(6, 40);
  if (step.of(7, 9) == 1 && !side.heads.empty()) options.exclude = {side.heads.back().ref()};
  ClaimResult result = store.claim(side.session, options);
  std::string shown = std::to_string(static_cast<int>(result.outcome)) + " " +
                      std::to_string(ms_of(result.retry_at)) + show(result.heads) + " dead" +
                      show(result.dead_lettered);
  for (Head& head : result.heads) side.heads.push_back(std::move(head));
  return shown;
}

std::string finish(Store& store, Side& side, const Step& step) {
  if (side.heads.empty()) return "";
  // Mostly one that is claimed still.
  const std::size_t back = std::min<std::size_t>(side.heads.size(), 1 + step.of(1, 5));
  const Head& head = side.heads[side.heads.size() - back];
  std::vector<NewEvent> events;
  switch (step.of(2, 7)) {
    case 0:
      return show(store.fail(side.session, head,
                             {.error = "e", .max_failures = 3, .retry_after = 1s * step.of(3, 3)}));
    case 1:
      return show(store.release(side.session, head, {.delay = 1s * step.of(3, 2)}));
    case 2: {
      const RenewResult result = store.renew(side.session, {head}, {.holder = "w", .ttl = 3s});
      return std::to_string(result.renewed.size()) + std::to_string(result.superseded.size());
    }
    case 3:
      return show(store.fail(side.session, head, {.error = "e", .max_failures = 1}));
    case 4:
      events.push_back({.id = "e" + std::to_string(++side.events),
                        .type = "t",
                        .targets = {{.consumer = "d", .lane = "k"}}});
      [[fallthrough]];
    default:
      return show(store.complete(side.session, head, events, {.consumers = kServed}));
  }
}

std::string maintain(Store& store, Side& side, const Step& step, Time now) {
  switch (step.of(1, 6)) {
    case 0:
      return std::to_string(store.clear(side.session).clear_index);
    case 1:
      return std::to_string(store.reclaim(side.session, 1 + step.of(2, 3)).deleted);
    case 2:
      return std::to_string(store.prune(side.session, now).deleted);
    case 3:
      return std::to_string(
          store.delete_consumer(side.session, kServed[step.of(2, 4)].name).deleted);
    case 4:
      store.put_snapshots(side.session, "r", {{store.head(side.session).last_index, "1"}});
      return "";
    default: {
      std::string shown;
      for (const Head& head : store.dead_letters(side.session)) {
        const auto action = step.of(2, 2) == 0 ? RedriveAction::kRetry : RedriveAction::kSkip;
        shown += std::to_string(
            store.redrive(side.session, head.consumer, head.event.index, action).redriven);
      }
      return shown;
    }
  }
}

std::string run(Store& store, Side& side, const Step& step, Time now) {
  try {
    const std::uint32_t kind = step.of(0, 40);
    if (kind < 11) return append(store, side, step, now);
    if (kind < 23) return claim(store, side, step);
    if (kind < 39) return finish(store, side, step);
    return maintain(store, side, step, now);
  } catch (const Error& error) {
    return std::string(to_string(error.code())) + ": " + error.what();
  }
}

class RememberedHistory : public PostgresTest {};

TEST_F(RememberedHistory, IsThatOfAStoreThatForgets) {
  constexpr int kSteps = 250;
  const auto clock = std::make_shared<ManualClock>(1'000'000);
  OpenOptions remembering = options();
  OpenOptions forgetting = forgetful();
  remembering.clock = forgetting.clock = clock;
  Store first = open(uri_, remembering);
  Store second = open(uri_, remembering);
  Store other = open(uri_, forgetting);
  for (const std::uint32_t seed : {1u, 2u, 3u}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    Side a{.session = "a" + std::to_string(seed), .heads = {}};
    Side b{.session = "b" + std::to_string(seed), .heads = {}};
    for (int i = 0; i < kSteps; ++i) {
      Step step{};
      for (std::uint32_t& draw : step.draws) draw = static_cast<std::uint32_t>(random());
      if (random() % 4 == 0) clock->advance(static_cast<std::int64_t>(random() % 900));
      // The second one writes now and then.
      Store& store = random() % 12 == 0 ? second : first;
      const std::string answer = run(store, a, step, Time(Duration(clock->now_ms())));
      ASSERT_EQ(answer, run(other, b, step, Time(Duration(clock->now_ms())))) << "step " << i;
      ASSERT_EQ(show_state(other, a.session), show_state(other, b.session))
          << "step " << i << ": " << answer;
    }
  }
  const auto numbers = first.stats().numbers;
  EXPECT_GT(numbers.at("guarded"), 200);
  EXPECT_GT(numbers.at("guards_failed"), 10);
}

}  // namespace
}  // namespace pawl::postgres::testing
