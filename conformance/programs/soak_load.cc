// A random load on a store.
#include "soak_load.h"

#include <array>
#include <sstream>
#include <thread>

namespace pawl::soak {
namespace {

constexpr std::int64_t kSessions = 6;
constexpr std::int64_t kLanes = 3;
// Claims that a crash leaves behind lapse soon.
constexpr Duration kTtl{200};
constexpr std::int64_t kNever = 1'000'000;  // failures that make a dead letter

const std::array<Consumer, 2> kConsumers{
    Consumer{.name = "worker"},
    Consumer{.name = "auditor",
             .log = Log{.types = std::vector<std::string>{"job"}, .backfill = true}}};
const Served kServed{kConsumers};

std::string any_session(model::Random& random) {
  return "session " + std::to_string(random.below(kSessions));
}

}  // namespace

std::string Acknowledgement::line() const {
  std::ostringstream out;
  out << kind << '\t' << session << '\t' << index << '\t' << id << '\t' << consumer << '\t' << lane
      << '\t' << attempt << '\n';
  return out.str();
}

std::optional<Acknowledgement> Acknowledgement::parse(const std::string& line) {
  std::istringstream in(line);
  Acknowledgement parsed;
  std::string kind, index, attempt;
  for (std::string* field :
       {&kind, &parsed.session, &index, &parsed.id, &parsed.consumer, &parsed.lane, &attempt}) {
    if (!std::getline(in, *field, '\t')) return std::nullopt;
  }
  parsed.kind = kind.at(0);
  parsed.index = std::stoll(index);
  parsed.attempt = std::stoll(attempt);
  return parsed;
}

std::string payload_of(const std::string& id) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : id) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  // Now and then one that fills pages of its own.
  const std::size_t size = hash % 16 == 0 ? hash / 16 % 20'000 : hash / 16 % 300;
  return '"' + id + ' ' + std::string(size, static_cast<char>('a' + hash % 26)) + '"';
}

void Load::run(int threads, const std::stop_token& stop) {
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) {
    running.emplace_back([this, i, stop] {
      Thread thread{i, model::Random(seed_ ^ static_cast<std::uint64_t>(generation_ * 64 + i))};
      work(thread, stop);
    });
  }
  for (std::thread& thread : running) thread.join();
}

void Load::work(Thread& thread, const std::stop_token& stop) {
  try {
    while (!stop.stop_requested()) step(thread);
  } catch (const Error& error) {
    const std::lock_guard lock(mutex_);
    errors_.push_back(error);
  }
}

void Load::step(Thread& thread) {
  const std::int64_t choice = thread.random.below(20);
  if (choice < 7) {
    append(thread);
  } else if (choice < 10) {
    append_batch(thread);
  } else if (choice < 14) {
    claim_and_finish(thread);
  } else if (choice < 18) {
    claim_ready_and_settle(thread);
  } else if (choice < 19) {
    store_.maintain({.limit = 50});
  } else {
    store_.read(any_session(thread.random), {.limit = 20});
  }
}

NewEvent Load::new_event(Thread& thread, const char* side) {
  NewEvent event{.type = "job"};
  std::string kind = "n";
  Target target{.consumer = "worker"};
  switch (thread.random.below(4)) {
    case 0:
      event.type = "note";
      break;
    case 1:
      kind = "e";
      event.targets.push_back(target);
      break;
    default:
      kind = "k" + std::to_string(thread.random.below(kLanes));
      target.lane = kind;
      event.targets.push_back(target);
      break;
  }
  event.id = std::to_string(generation_) + '-' + std::to_string(thread.number) + '-' +
             std::to_string(++thread.events) + '-' + kind + side;
  event.payload = payload_of(*event.id);
  return event;
}

NewEvent Load::follow_up(Thread& thread) {
  NewEvent event{.type = "done"};
  event.id = std::to_string(generation_) + '-' + std::to_string(thread.number) + '-' +
             std::to_string(++thread.events) + "-f";
  event.payload = payload_of(*event.id);
  return event;
}

void Load::acknowledge(const std::vector<Event>& events) {
  for (const Event& event : events) {
    sink_({.kind = 'e', .session = event.session, .index = event.index, .id = event.id});
  }
}

void Load::acknowledge(char kind, const Head& head) {
  sink_({.kind = kind,
         .session = head.event.session,
         .index = head.event.index,
         .consumer = head.consumer,
         .lane = head.lane.value_or("-"),
         .attempt = head.attempt_count});
}

void Load::append(Thread& thread) {
  std::vector<NewEvent> events;
  if (thread.random.chance(50)) {
    events = {new_event(thread, "")};
  } else {
    NewEvent first = new_event(thread, "-a");
    NewEvent second = first;
    second.id->back() = 'b';
    second.payload = payload_of(*second.id);
    events = {std::move(first), std::move(second)};
  }
  acknowledge(store_.append(any_session(thread.random), events, {.consumers = kServed}).events);
}

void Load::append_batch(Thread& thread) {
  NewEvent first = new_event(thread, "-a");
  NewEvent second = first;
  second.id->back() = 'b';
  second.payload = payload_of(*second.id);
  const std::int64_t session = thread.random.below(kSessions - 1);
  const std::vector<AppendItem> items = {
      {"session " + std::to_string(session), {first}, kServed},
      {"session " + std::to_string(session + 1), {second}, kServed}};
  for (const AppendResult& result : store_.append_batch(items)) acknowledge(result.events);
}

void Load::claim_and_finish(Thread& thread) {
  const std::string session = any_session(thread.random);
  const ClaimOptions options{.holder = std::to_string(thread.number),
                             .ttl = kTtl,
                             .consumers = kServed,
                             .limit = thread.random.between(1, 4)};
  const std::vector<Head> heads = store_.claim(session, options).heads;
  for (const Head& head : heads) acknowledge('c', head);
  for (const Head& head : heads) finish(thread, session, head);
}

void Load::finish(Thread& thread, const std::string& session, const Head& head) {
  const std::int64_t choice = thread.random.below(10);
  if (choice == 0) {
    (void)store_.fail(session, head, {.error = "no", .max_failures = kNever});
  } else if (choice == 1) {
    (void)store_.release(session, head);
  } else if (choice > 2) {
    const FinishResult result =
        store_.complete(session, head, {follow_up(thread)}, {.consumers = kServed});
    if (result.superseded()) return;
    acknowledge('d', head);
    acknowledge(result.events);
  }
}

void Load::claim_ready_and_settle(Thread& thread) {
  const ClaimReadyOptions options{.holder = std::to_string(thread.number),
                                  .ttl = kTtl,
                                  .consumers = kServed,
                                  .sessions_limit = 3,
                                  .limit = 6};
  std::vector<Head> heads;
  std::vector<SettleItem> items;
  for (const SessionClaims& claims : store_.claim_ready(options).claims) {
    for (const Head& head : claims.heads) {
      acknowledge('c', head);
      heads.push_back(head);
      items.push_back({.session = claims.session, .claim = head, .events = {follow_up(thread)}});
    }
  }
  const SettleResult settled = store_.settle(items, {.consumers = kServed});
  for (std::size_t i = 0; i < heads.size(); ++i) {
    if (settled.results[i].superseded()) continue;
    acknowledge('d', heads[i]);
    acknowledge(settled.results[i].events);
  }
}

}  // namespace pawl::soak
