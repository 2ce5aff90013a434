// Arguments out of their bounds: one case for every argument of every operation.
#include <gtest/gtest.h>

#include <limits>

#include "cases/case.h"
#include "cases/fixture.h"

namespace pawl::conformance {
namespace {

constexpr Int kTooLate = kMaxTimeMs + 1;
const Duration kTtl{9};

struct BadArgument {
  const char* name;   // of the case
  const char* field;  // that the message names
  void (*call)(Fixture& f);
};

Cause cause(Int index, Int attempt, MaybeInt batch_size = {}) {
  return {"c", {}, index, attempt, batch_size};
}

void append(Fixture& f, const NewEvent& event) { f->append("s", {{.type = "t"}, event}); }

void claim(Fixture& f, const ClaimArgs& args) { f.claim(args); }

// The consumer c twice.
const std::vector<Consumer> kTwice{{.name = "c"}, {.name = "d"}, {.name = "c", .log = Log{}}};

constexpr BadArgument kBad[] = {
    {"AppendOriginIndex", "origin_index", [](Fixture& f) { f.add("x", "*", -1); }},
    {"AppendReservedType", "events[1].type", [](Fixture& f) { append(f, {.type = "pawl.clear"}); }},
    {"AppendReservedPrefix", "events[1].type", [](Fixture& f) { append(f, {.type = "pawl."}); }},
    {"AppendAvailableAtZero", "events[1].targets[0].available_at",
     [](Fixture& f) {
       append(f, {.type = "t", .targets = {{.consumer = "c", .available_at = ms(0)}}});
     }},
    {"AppendAvailableAtTooLate", "events[1].targets[0].available_at",
     [](Fixture& f) {
       append(f, {.type = "t", .targets = {{.consumer = "c", .available_at = ms(kTooLate)}}});
     }},
    {"AppendCauseIndex", "events[1].cause.index",
     [](Fixture& f) { append(f, {.type = "t", .cause = cause(0, 1)}); }},
    {"AppendCauseAttempt", "events[1].cause.attempt",
     [](Fixture& f) { append(f, {.type = "t", .cause = cause(1, 0)}); }},
    {"AppendCauseBatchSize", "events[1].cause.batch_size",
     [](Fixture& f) { append(f, {.type = "t", .cause = cause(1, 1, 0)}); }},
    {"AppendConsumersTwice", "consumers[2]",
     [](Fixture& f) { f->append("s", {}, {.consumers = kTwice}); }},
    {"AppendBatchOriginIndex", "items[0].origin_index",
     [](Fixture& f) { f->append_batch({{.session = "v", .events = {}, .origin_index = -1}}); }},
    {"AppendBatchEvent", "items[1].events[0].type",
     [](Fixture& f) {
       f->append_batch(
           {{.session = "u", .events = {}}, {.session = "v", .events = {{.type = "pawl.x"}}}});
     }},
    {"AppendBatchConsumersTwice", "items[0].consumers[2]",
     [](Fixture& f) { f->append_batch({{.session = "u", .events = {}, .consumers = kTwice}}); }},

    {"ReadAfter", "after", [](Fixture& f) { f.read({.after = -1}); }},
    {"ReadThrough", "through", [](Fixture& f) { f.read({.through = -1}); }},
    {"ReadLimitZero", "limit", [](Fixture& f) { f.read({.limit = 0}); }},
    {"ReadLimitTooLarge", "limit", [](Fixture& f) { f.read({.limit = 10'001}); }},
    {"CursorsLimitZero", "limit", [](Fixture& f) { f->cursors("s", {.limit = 0}); }},
    {"CursorsLimitTooLarge", "limit", [](Fixture& f) { f->cursors("s", {.limit = 10'001}); }},
    {"DeadLettersLimitZero", "limit", [](Fixture& f) { f->dead_letters("s", {.limit = 0}); }},
    {"DeadLettersLimitTooLarge", "limit",
     [](Fixture& f) { f->dead_letters("s", {.limit = 10'001}); }},
    {"SessionsLimitZero", "limit", [](Fixture& f) { f->sessions({.limit = 0}); }},
    {"SessionsLimitTooLarge", "limit", [](Fixture& f) { f->sessions({.limit = 10'001}); }},

    {"ClaimWithoutExpiry", "ttl_ms", [](Fixture& f) { f->claim("s", {.holder = "w"}); }},
    {"ClaimWithTwoExpiries", "ttl_ms",
     [](Fixture& f) { f->claim("s", {.holder = "w", .ttl = kTtl, .expires_at = ms(9)}); }},
    {"ClaimTtl", "ttl_ms", [](Fixture& f) { claim(f, {.ttl = -1}); }},
    {"ClaimTtlTooLong", "ttl_ms", [](Fixture& f) { claim(f, {.ttl = kTooLate}); }},
    {"ClaimTtlPastAllTime", "ttl_ms", [](Fixture& f) { claim(f, {.ttl = kMaxTimeMs}); }},
    {"ClaimExpiresAtZero", "expires_at", [](Fixture& f) { claim(f, {.expires_at = 0}); }},
    {"ClaimExpiresAtTooLate", "expires_at", [](Fixture& f) { claim(f, {.expires_at = kTooLate}); }},
    {"ClaimThrough", "through", [](Fixture& f) { claim(f, {.through = -1}); }},
    {"ClaimMaxFailures", "max_failures", [](Fixture& f) { claim(f, {.max_failures = 0}); }},
    {"ClaimLimitZero", "limit", [](Fixture& f) { claim(f, {.limit = 0}); }},
    {"ClaimLimitTooLarge", "limit", [](Fixture& f) { claim(f, {.limit = 10'001}); }},
    {"ClaimExcludeIndex", "exclude[1].index", [](Fixture& f) { claim(f, {.exclude = "c#1 c#0"}); }},
    {"ClaimConsumersTwice", "consumers[2]",
     [](Fixture& f) { f->claim("s", {.holder = "w", .ttl = kTtl, .consumers = kTwice}); }},

    {"RenewWithoutExpiry", "ttl_ms", [](Fixture& f) { f->renew("s", {}, {.holder = "w"}); }},
    {"RenewWithTwoExpiries", "ttl_ms",
     [](Fixture& f) { f->renew("s", {}, {.holder = "w", .ttl = kTtl, .expires_at = ms(9)}); }},
    {"RenewTtl", "ttl_ms", [](Fixture& f) { f.renew("c#1@1", -1); }},
    {"RenewTtlPastAllTime", "ttl_ms", [](Fixture& f) { f.renew("c#1@1", kMaxTimeMs); }},
    {"RenewIndex", "claims[1].index", [](Fixture& f) { f.renew("c#1@1 c#0@1"); }},
    {"RenewAttempt", "claims[1].attempt", [](Fixture& f) { f.renew("c#1@1 c#2@0"); }},

    {"CompleteIndex", "index", [](Fixture& f) { f.complete("c#0@1"); }},
    {"CompleteAttempt", "attempt", [](Fixture& f) { f.complete("c#1@0"); }},
    {"CompleteConsumersTwice", "consumers[2]",
     [](Fixture& f) { (void)f->complete("s", parse_claim("c#1@1"), {}, {.consumers = kTwice}); }},
    {"FailIndex", "index", [](Fixture& f) { f.fail("c#0@1"); }},
    {"FailAttempt", "attempt", [](Fixture& f) { f.fail("c#1@0"); }},
    {"FailMaxFailures", "max_failures", [](Fixture& f) { f.fail("c#1@1", 0); }},
    {"FailRetryAfter", "retry_after_ms", [](Fixture& f) { f.fail("c#1@1", 3, -1); }},
    {"FailRetryAfterTooLong", "retry_after_ms",
     [](Fixture& f) { f.fail("c#1@1", 3, std::numeric_limits<Int>::max()); }},
    {"FailRetryAfterPastAllTime", "retry_after_ms",
     [](Fixture& f) { f.fail("c#1@1", 3, kMaxTimeMs); }},
    {"ReleaseIndex", "index", [](Fixture& f) { f.release("c#0@1"); }},
    {"ReleaseAttempt", "attempt", [](Fixture& f) { f.release("c#1@0"); }},
    {"ReleaseDelay", "delay_ms", [](Fixture& f) { f.release("c#1@1", -1); }},
    {"ReleaseDelayPastAllTime", "delay_ms", [](Fixture& f) { f.release("c#1@1", kMaxTimeMs); }},
    {"RedriveIndex", "index", [](Fixture& f) { f.redrive("c#0", RedriveAction::kRetry); }},
    {"RedriveConsumersTwice", "consumers[2]",
     [](Fixture& f) {
       f->redrive("s", "c", 1, RedriveAction::kSkip, {.lane = {}, .consumers = kTwice});
     }},

    {"SettleIndex", "items[0]: index",
     [](Fixture& f) { (void)f->settle({{.session = "s", .claim = parse_claim("c#0@1")}}); }},
    {"SettleAttempt", "items[0]: attempt",
     [](Fixture& f) { (void)f->settle({{.session = "s", .claim = parse_claim("c#1@0")}}); }},
    {"SettleMaxFailures", "max_failures",
     [](Fixture& f) {
       (void)f->settle(
           {{.session = "s", .claim = parse_claim("c#1@1"), .action = SettleAction::kFail}});
     }},
    {"SettleDelay", "delay_ms",
     [](Fixture& f) {
       (void)f->settle({{.session = "s",
                         .claim = parse_claim("c#1@1"),
                         .action = SettleAction::kRelease,
                         .release = {Duration(-1)}}});
     }},
    {"SettleClaimWithoutExpiry", "claim.ttl_ms",
     [](Fixture& f) { (void)f->settle({}, {.claim = ClaimReadyOptions{.holder = "w"}}); }},
    {"SettleClaimLimit", "claim.limit",
     [](Fixture& f) {
       (void)f->settle({}, {.claim = ClaimReadyOptions{.holder = "w", .ttl = kTtl, .limit = 0}});
     }},
    {"SettleConsumersTwice", "consumers[2]",
     [](Fixture& f) { (void)f->settle({}, {.consumers = kTwice}); }},
    {"ClaimReadyWithoutExpiry", "ttl_ms", [](Fixture& f) { f->claim_ready({.holder = "w"}); }},
    {"ClaimReadyTtlPastAllTime", "ttl_ms", [](Fixture& f) { f.claim_ready({.ttl = kMaxTimeMs}); }},
    {"ClaimReadyMaxFailures", "max_failures",
     [](Fixture& f) { f.claim_ready({.max_failures = 0}); }},
    {"ClaimReadyLimitZero", "limit", [](Fixture& f) { f.claim_ready({.limit = 0}); }},
    {"ClaimReadyLimitTooLarge", "limit", [](Fixture& f) { f.claim_ready({.limit = 10'001}); }},
    {"ClaimReadySessionsLimitZero", "sessions_limit",
     [](Fixture& f) { f.claim_ready({.sessions_limit = 0}); }},
    {"ClaimReadySessionsLimitTooLarge", "sessions_limit",
     [](Fixture& f) { f.claim_ready({.sessions_limit = 10'001}); }},
    {"ClaimReadyConsumersTwice", "consumers[2]",
     [](Fixture& f) { f->claim_ready({.holder = "w", .ttl = kTtl, .consumers = kTwice}); }},

    {"PutSnapshotsPinIndex", "writes[0].pins[0].index", [](Fixture& f) { f.put("r", "1=1<c#0"); }},
    {"PutSnapshotsIndex", "writes[1].index", [](Fixture& f) { f.put("r", "1=1 -1=1"); }},
    {"LoadSnapshotThrough", "through", [](Fixture& f) { f.load("r", -1); }},
    {"LoadSnapshotLimitZero", "limit", [](Fixture& f) { f.load("r", {}, 0); }},
    {"LoadSnapshotLimitTooLarge", "limit", [](Fixture& f) { f.load("r", {}, 10'001); }},
    {"SetPresenceAtZero", "at",
     [](Fixture& f) { f->set_presence("n", "p", {}, {.at = ms(0), .ttl = kTtl}); }},
    {"SetPresenceAtTooLate", "at",
     [](Fixture& f) { f->set_presence("n", "p", {}, {.at = ms(kTooLate), .ttl = kTtl}); }},
    {"SetPresenceTtl", "ttl_ms",
     [](Fixture& f) { f->set_presence("n", "p", {}, {.at = ms(1), .ttl = Duration(-1)}); }},
    {"SetPresenceTtlPastAllTime", "ttl_ms",
     [](Fixture& f) {
       f->set_presence("n", "p", {{"f", "1"}}, {.at = ms(1), .ttl = Duration(kMaxTimeMs)});
     }},
    {"ReclaimPresenceLimit", "limit", [](Fixture& f) { f->reclaim_presence("n", 0); }},
    {"ReclaimPresenceLimitTooLarge", "limit", [](Fixture& f) { f->reclaim_presence("n", 10'001); }},

    {"ClearIfLastIndex", "if_last_index", [](Fixture& f) { f.clear({.if_last_index = -1}); }},
    {"ClearCauseIndex", "cause.index", [](Fixture& f) { f.clear({.cause = cause(0, 1)}); }},
    {"ClearCauseAttempt", "cause.attempt", [](Fixture& f) { f.clear({.cause = cause(1, 0)}); }},
    {"ReclaimLimit", "limit", [](Fixture& f) { f.reclaim(0); }},
    {"ReclaimLimitTooLarge", "limit", [](Fixture& f) { f.reclaim(10'001); }},
    {"PruneLimit", "limit", [](Fixture& f) { f.prune(9, 0); }},
    {"PruneLimitTooLarge", "limit", [](Fixture& f) { f.prune(9, 10'001); }},
    {"PruneFinishedBefore", "finished_before", [](Fixture& f) { f.prune(0); }},
    {"DeleteSessionLimit", "limit", [](Fixture& f) { f.delete_session(0); }},
    {"DeleteSessionLimitTooLarge", "limit", [](Fixture& f) { f.delete_session(10'001); }},
    {"DeleteConsumerLimit", "limit", [](Fixture& f) { f.delete_consumer("c", 0); }},
    {"DeleteConsumerLimitTooLarge", "limit", [](Fixture& f) { f.delete_consumer("c", 10'001); }},
    {"MaintainLimit", "limit", [](Fixture& f) { f.maintain(0); }},
    {"MaintainLimitTooLarge", "limit", [](Fixture& f) { f.maintain(10'001); }},
    {"MaintainFinishedBefore", "finished_before", [](Fixture& f) { f.maintain(9, 0); }},

    {"ReadyLimit", "limit", [](Fixture& f) { f.ready("*", 0); }},
    {"ReadyLimitTooLarge", "limit", [](Fixture& f) { f.ready("*", 10'001); }},
    {"ReadyConsumersTwice", "consumers[2]", [](Fixture& f) { f->ready({.consumers = kTwice}); }},
    {"WaitTimeout", "timeout_ms", [](Fixture& f) { f->wait(Served(), Duration(-1)); }},
    {"WaitConsumersTwice", "consumers[2]", [](Fixture& f) { f->wait(Served(kTwice), kTtl); }},
    {"WaitAfter", "after", [](Fixture& f) { f->wait("s", -1, kTtl); }},
    {"WaitSessionTimeout", "timeout_ms", [](Fixture& f) { f->wait("s", 0, Duration(-1)); }},
    {"TailAfter", "after",
     [](Fixture& f) { f->tail("s", -1, [](const Event&) { return false; }); }},
};

void check(Fixture& f, const BadArgument& bad) {
  f.add("a>c b>c");
  f.claim();  // so that a call with good arguments would do something
  EXPECT_EQ(f.refused([&] { bad.call(f); }, bad.field), "invalid_argument");
}

}  // namespace

std::vector<Case> argument_cases() {
  std::vector<Case> cases;
  for (const BadArgument& bad : kBad) {
    cases.push_back({std::string("Arguments.") + bad.name,
                     "structures.6 values.2 values.6 values.9 values.10 structures.7 errors.2",
                     [&bad](Fixture& f) { check(f, bad); }});
  }
  return cases;
}

}  // namespace pawl::conformance
