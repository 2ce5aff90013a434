// Operations: finishing, and what has failed too often.
#include "operations.h"

namespace pawl::jsonl {
namespace {

FailOptions fail_options(Object& from) {
  return {.error = from.text("error"),
          .max_failures = from.integer("max_failures"),
          .retry_after = from.optional_duration("retry_after_ms")};
}

ReleaseOptions release_options(Object& from) {
  return {.delay = from.optional_duration("delay_ms")};
}

SettleItem settle_item(Object& from) {
  SettleItem item{.session = from.text("session"), .claim = claim_of(from)};
  auto complete = from.optional_object("complete");
  auto fail = from.optional_object("fail");
  auto release = from.optional_object("release");
  from.end();
  if (complete.has_value() + fail.has_value() + release.has_value() != 1) {
    from.refuse("complete", "or fail or release: exactly one is to be given");
  }
  Object* action = nullptr;
  if (complete) {
    action = &*complete;
    item.action = SettleAction::kComplete;
    item.events = optional_new_events(*action);
  } else if (fail) {
    action = &*fail;
    item.action = SettleAction::kFail;
    item.fail = fail_options(*action);
  } else {
    action = &*release;
    item.action = SettleAction::kRelease;
    item.release = release_options(*action);
  }
  action->end();
  return item;
}

}  // namespace

void complete(Call& call) {
  Object& arguments = call.arguments;
  const std::string session = arguments.text("session");
  const Claim claim = claim_of(arguments);
  const std::vector<NewEvent> events = optional_new_events(arguments);
  const Consumers keep = consumers(arguments);
  arguments.end();
  write(call.out, call.store.complete(session, claim, events, {.consumers = keep.served()}),
        SettleAction::kComplete);
}

void fail(Call& call) {
  const std::string session = call.arguments.text("session");
  const Claim claim = claim_of(call.arguments);
  const FailOptions options = fail_options(call.arguments);
  call.arguments.end();
  write(call.out, call.store.fail(session, claim, options), SettleAction::kFail);
}

void release(Call& call) {
  const std::string session = call.arguments.text("session");
  const Claim claim = claim_of(call.arguments);
  const ReleaseOptions options = release_options(call.arguments);
  call.arguments.end();
  write(call.out, call.store.release(session, claim, options), SettleAction::kRelease);
}

void settle(Call& call) {
  Object& arguments = call.arguments;
  std::vector<SettleItem> items;
  for (Object& object : arguments.items("items")) items.push_back(settle_item(object));
  SettleOptions options;
  const Consumers keep = consumers(arguments);
  options.consumers = keep.served();
  Consumers keep_for_claim;
  if (auto claim = arguments.optional_object("claim")) {
    options.claim = claim_ready_options(*claim);
    keep_for_claim = consumers(*claim);
    options.claim->consumers = keep_for_claim.served();
    claim->end();
  }
  arguments.end();
  write(call.out, call.store.settle(items, options), items);
}

void dead_letters(Call& call) {
  const std::string session = call.arguments.text("session");
  const PageOptions options = page_options(call.arguments);
  call.arguments.end();
  write(call.out, call.store.dead_letters(session, options));
}

void redrive(Call& call) {
  Object& arguments = call.arguments;
  const std::string session = arguments.text("session");
  const std::string consumer = arguments.text("consumer");
  const std::int64_t index = arguments.integer("index");
  const std::string action = arguments.text("action");
  RedriveOptions options;
  options.lane = arguments.optional_text("lane");
  const Consumers keep = consumers(arguments);
  options.consumers = keep.served();
  arguments.end();
  if (action != "retry" && action != "skip") arguments.refuse("action", "must be retry or skip");
  write(call.out, call.store.redrive(
                      session, consumer, index,
                      action == "retry" ? RedriveAction::kRetry : RedriveAction::kSkip, options));
}

}  // namespace pawl::jsonl
