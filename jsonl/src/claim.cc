// Operations: claiming and finding work.
#include "operations.h"

namespace pawl::jsonl {

void claim(Call& call) {
  Object& arguments = call.arguments;
  const std::string session = arguments.text("session");
  ClaimOptions options;
  options.holder = arguments.text("holder");
  options.ttl = arguments.optional_duration("ttl_ms");
  options.expires_at = arguments.optional_time("expires_at");
  const Consumers keep = consumers(arguments);
  options.consumers = keep.served();
  if (const auto exclude = arguments.optional_objects("exclude")) {
    for (const Object& ref : *exclude) options.exclude.push_back(whole_head_ref(ref));
  }
  options.through = arguments.optional_integer("through");
  options.max_failures = arguments.optional_integer("max_failures");
  arguments.integer_into(options.limit, "limit");
  arguments.end();
  write(call.out, call.store.claim(session, options));
}

void renew(Call& call) {
  Object& arguments = call.arguments;
  const std::string session = arguments.text("session");
  RenewOptions options;
  options.holder = arguments.text("holder");
  options.ttl = arguments.optional_duration("ttl_ms");
  options.expires_at = arguments.optional_time("expires_at");
  std::vector<Claim> claims;
  for (Object& object : arguments.objects("claims")) {
    claims.push_back(claim_of(object));
    object.end();
  }
  arguments.end();
  write(call.out, call.store.renew(session, claims, options));
}

ClaimReadyOptions claim_ready_options(Object& from) {
  ClaimReadyOptions options;
  options.holder = from.text("holder");
  options.ttl = from.optional_duration("ttl_ms");
  options.expires_at = from.optional_time("expires_at");
  options.max_failures = from.optional_integer("max_failures");
  from.integer_into(options.sessions_limit, "sessions_limit");
  from.integer_into(options.limit, "limit");
  return options;
}

void claim_ready(Call& call) {
  ClaimReadyOptions options = claim_ready_options(call.arguments);
  const Consumers keep = consumers(call.arguments);
  options.consumers = keep.served();
  call.arguments.end();
  write(call.out, call.store.claim_ready(options));
}

void ready(Call& call) {
  ReadyOptions options;
  const Consumers keep = consumers(call.arguments);
  options.consumers = keep.served();
  call.arguments.integer_into(options.limit, "limit");
  call.arguments.end();
  write(call.out, call.store.ready(options));
}

void wait(Call& call) {
  Object& arguments = call.arguments;
  const Duration timeout = arguments.duration("timeout_ms");
  if (const auto session = arguments.optional_text("session")) {
    const std::int64_t after = arguments.integer("after");
    arguments.end();
    call.store.wait(*session, after, timeout);
  } else {
    const Consumers keep = consumers(arguments);
    arguments.end();
    call.store.wait(keep.served(), timeout);
  }
  call.out += "{}";
}

}  // namespace pawl::jsonl
