// Operations: clearing, upkeep, and the clock.
#include "operations.h"

namespace pawl::jsonl {

void clear(Call& call) {
  const std::string session = call.arguments.text("session");
  ClearOptions options;
  options.cause = optional_cause(call.arguments);
  options.if_last_index = call.arguments.optional_integer("if_last_index");
  call.arguments.end();
  write(call.out, call.store.clear(session, options));
}

void reclaim(Call& call) {
  const std::string session = call.arguments.text("session");
  const auto limit = call.arguments.optional_integer("limit");
  call.arguments.end();
  write(call.out, limit ? call.store.reclaim(session, *limit) : call.store.reclaim(session));
}

void prune(Call& call) {
  const std::string session = call.arguments.text("session");
  const Time before = call.arguments.time("finished_before");
  const auto limit = call.arguments.optional_integer("limit");
  call.arguments.end();
  write(call.out,
        limit ? call.store.prune(session, before, *limit) : call.store.prune(session, before));
}

void delete_session(Call& call) {
  const std::string session = call.arguments.text("session");
  const auto limit = call.arguments.optional_integer("limit");
  call.arguments.end();
  write(call.out,
        limit ? call.store.delete_session(session, *limit) : call.store.delete_session(session));
}

void delete_consumer(Call& call) {
  const std::string session = call.arguments.text("session");
  const std::string consumer = call.arguments.text("consumer");
  const auto limit = call.arguments.optional_integer("limit");
  call.arguments.end();
  write(call.out, limit ? call.store.delete_consumer(session, consumer, *limit)
                        : call.store.delete_consumer(session, consumer));
}

void maintain(Call& call) {
  MaintainOptions options;
  call.arguments.integer_into(options.limit, "limit");
  options.finished_before = call.arguments.optional_time("finished_before");
  call.arguments.end();
  write(call.out, call.store.maintain(options));
}

void set_clock(Call& call) {
  const std::int64_t now = call.arguments.integer("now");
  call.arguments.end();
  if (now < 1 || now > kMaxTimeMs) call.arguments.refuse("now", "is not from 1 to 2^53");
  call.clock->set(now);
  call.out += "{}";
}

}  // namespace pawl::jsonl
