// Names: hostile ones in every name field are kept apart and given back, others are refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cases/case.h"
#include "cases/fixture.h"
#include "cases/hostile_names.h"

namespace pawl::conformance {
namespace {

struct NameField {
  const char* name;   // of the case: the operation and the argument
  const char* field;  // as the message names it
  void (*call)(Fixture& f, const std::string& name);
};

const Duration kTtl{9};

void tail(Fixture& f, const std::string& session) {
  std::stop_source stop;
  stop.request_stop();
  f->tail(
      session, 0, [](const Event&) { return false; }, stop.get_token());
}

Consumer with_types(const std::string& type) {
  return {.name = "l", .log = Log{.types = {{"t", type}}}};
}

SettleItem item(const std::string& session, const Claim& claim) {
  return {.session = session, .claim = claim};
}

constexpr NameField kFields[] = {
    {"AppendSession", "session",
     [](Fixture& f, const std::string& n) { f->append(n, {{.type = "t"}}); }},
    {"AppendId", "events[1].id",
     [](Fixture& f, const std::string& n) { f->append("s", {{.type = "t"}, {.id = n, .type = "t"}}); }},
    {"AppendType", "events[1].type",
     [](Fixture& f, const std::string& n) {
       f->append("s", {{.type = "t"}, {.type = n.starts_with("pawl.") ? "x" : n}});
     }},
    {"AppendCauseConsumer", "events[0].cause.consumer",
     [](Fixture& f, const std::string& n) {
       f->append("s", {{.type = "t", .cause = Cause{n, {}, 1, 1, {}}}});
     }},
    {"AppendCauseLane", "events[0].cause.lane",
     [](Fixture& f, const std::string& n) {
       f->append("s", {{.type = "t", .cause = Cause{"c", n, 1, 1, {}}}});
     }},
    {"AppendTargetConsumer", "events[0].targets[1].consumer",
     [](Fixture& f, const std::string& n) {
       f->append("s", {{.type = "t", .targets = {{.consumer = "zz"}, {.consumer = n}}}});
     }},
    {"AppendTargetLane", "events[0].targets[1].lane",
     [](Fixture& f, const std::string& n) {
       f->append("s", {{.type = "t", .targets = {{.consumer = "c"}, {.consumer = "c", .lane = n}}}});
     }},
    {"AppendConsumer", "consumers[0].name",
     [](Fixture& f, const std::string& n) {
       const std::vector<Consumer> served{{.name = n, .log = Log{}}};
       f->append("s", {{.type = "t"}}, {.consumers = served});
     }},
    {"AppendLogLane", "consumers[0].log.lane",
     [](Fixture& f, const std::string& n) {
       const std::vector<Consumer> served{{.name = "l", .log = Log{.lane = n}}};
       f->append("s", {{.type = "t"}}, {.consumers = served});
     }},
    {"AppendLogType", "consumers[0].log.types[1]",
     [](Fixture& f, const std::string& n) {
       const std::vector<Consumer> served{with_types(n)};
       f->append("s", {{.type = "t"}}, {.consumers = served});
     }},
    {"AppendBatchSession", "items[1].session",
     [](Fixture& f, const std::string& n) { f->append_batch({{.session = "zz", .events = {}}, {.session = n, .events = {}}}); }},
    {"AppendBatchId", "items[0].events[0].id",
     [](Fixture& f, const std::string& n) {
       f->append_batch({{.session = "s", .events = {{.id = n, .type = "t"}}}});
     }},
    {"WakeLogSession", "session",
     [](Fixture& f, const std::string& n) { f->wake_log(n, {.name = "l", .log = Log{}}); }},
    {"WakeLogConsumer", "consumer.name",
     [](Fixture& f, const std::string& n) { f->wake_log("s", {.name = n, .log = Log{}}); }},
    {"WakeLogLane", "consumer.log.lane",
     [](Fixture& f, const std::string& n) { f->wake_log("s", {.name = "l", .log = Log{.lane = n}}); }},
    {"WakeLogType", "consumer.log.types[1]",
     [](Fixture& f, const std::string& n) { f->wake_log("s", with_types(n)); }},
    {"CursorsSession", "session", [](Fixture& f, const std::string& n) { f->cursors(n); }},
    {"CursorsAfterConsumer", "after.consumer",
     [](Fixture& f, const std::string& n) { f->cursors("s", {HeadRef{n, {}, 1}}); }},
    {"CursorsAfterLane", "after.lane",
     [](Fixture& f, const std::string& n) { f->cursors("s", {HeadRef{"c", n, 1}}); }},
    {"ReadSession", "session", [](Fixture& f, const std::string& n) { f->read(n); }},
    {"ReadType", "types[1]",
     [](Fixture& f, const std::string& n) { f->read("s", {.types = {{"t", n}}}); }},
    {"HeadSession", "session", [](Fixture& f, const std::string& n) { f->head(n); }},
    {"SessionsAfter", "after", [](Fixture& f, const std::string& n) { f->sessions({.after = n}); }},

    {"ClaimSession", "session",
     [](Fixture& f, const std::string& n) { f->claim(n, {.holder = "w", .ttl = kTtl}); }},
    {"ClaimHolder", "holder",
     [](Fixture& f, const std::string& n) { f->claim("s", {.holder = n, .ttl = kTtl}); }},
    {"ClaimConsumer", "consumers[0].name",
     [](Fixture& f, const std::string& n) {
       const std::vector<Consumer> served{{.name = n}};
       f->claim("s", {.holder = "w", .ttl = kTtl, .consumers = served});
     }},
    {"ClaimLogType", "consumers[0].log.types[1]",
     [](Fixture& f, const std::string& n) {
       const std::vector<Consumer> served{with_types(n)};
       f->claim("s", {.holder = "w", .ttl = kTtl, .consumers = served});
     }},
    {"ClaimExcludeConsumer", "exclude[0].consumer",
     [](Fixture& f, const std::string& n) {
       f->claim("s", {.holder = "w", .ttl = kTtl, .exclude = {{n, {}, 1}}});
     }},
    {"ClaimExcludeLane", "exclude[0].lane",
     [](Fixture& f, const std::string& n) {
       f->claim("s", {.holder = "w", .ttl = kTtl, .exclude = {{"c", n, 1}}});
     }},
    {"RenewSession", "session",
     [](Fixture& f, const std::string& n) { f->renew(n, {}, {.holder = "w", .ttl = kTtl}); }},
    {"RenewHolder", "holder",
     [](Fixture& f, const std::string& n) { f->renew("s", {}, {.holder = n, .ttl = kTtl}); }},
    {"RenewConsumer", "claims[0].consumer",
     [](Fixture& f, const std::string& n) {
       f->renew("s", {{n, {}, 1, 1}}, {.holder = "w", .ttl = kTtl});
     }},
    {"RenewLane", "claims[0].lane",
     [](Fixture& f, const std::string& n) {
       f->renew("s", {{"c", n, 1, 1}}, {.holder = "w", .ttl = kTtl});
     }},
    {"ClaimReadyHolder", "holder",
     [](Fixture& f, const std::string& n) { f->claim_ready({.holder = n, .ttl = kTtl}); }},
    {"ClaimReadyConsumer", "consumers[0].name",
     [](Fixture& f, const std::string& n) {
       const std::vector<Consumer> served{{.name = n}};
       f->claim_ready({.holder = "w", .ttl = kTtl, .consumers = served});
     }},

    {"CompleteSession", "session",
     [](Fixture& f, const std::string& n) { (void)f->complete(n, {"c", {}, 1, 1}); }},
    {"CompleteConsumer", "consumer",
     [](Fixture& f, const std::string& n) { (void)f->complete("s", {n, {}, 1, 1}); }},
    {"CompleteLane", "lane",
     [](Fixture& f, const std::string& n) { (void)f->complete("s", {"c", n, 1, 1}); }},
    {"CompleteId", "events[0].id",
     [](Fixture& f, const std::string& n) {
       (void)f->complete("s", {"c", {}, 1, 1}, {{.id = n, .type = "t"}});
     }},
    {"CompleteServed", "consumers[0].name",
     [](Fixture& f, const std::string& n) {
       const std::vector<Consumer> served{{.name = n}};
       (void)f->complete("s", {"c", {}, 1, 1}, {}, {.consumers = served});
     }},
    {"FailSession", "session",
     [](Fixture& f, const std::string& n) { (void)f->fail(n, {"c", {}, 1, 1}, {"e", 1}); }},
    {"FailConsumer", "consumer",
     [](Fixture& f, const std::string& n) { (void)f->fail("s", {n, {}, 1, 1}, {"e", 1}); }},
    {"FailLane", "lane",
     [](Fixture& f, const std::string& n) { (void)f->fail("s", {"c", n, 1, 1}, {"e", 1}); }},
    {"ReleaseSession", "session",
     [](Fixture& f, const std::string& n) { (void)f->release(n, {"c", {}, 1, 1}); }},
    {"ReleaseConsumer", "consumer",
     [](Fixture& f, const std::string& n) { (void)f->release("s", {n, {}, 1, 1}); }},
    {"ReleaseLane", "lane",
     [](Fixture& f, const std::string& n) { (void)f->release("s", {"c", n, 1, 1}); }},
    {"SettleSession", "items[0]: session",
     [](Fixture& f, const std::string& n) { (void)f->settle({item(n, {"c", {}, 1, 1})}); }},
    {"SettleConsumer", "items[0]: consumer",
     [](Fixture& f, const std::string& n) { (void)f->settle({item("s", {n, {}, 1, 1})}); }},
    {"SettleLane", "items[0]: lane",
     [](Fixture& f, const std::string& n) { (void)f->settle({item("s", {"c", n, 1, 1})}); }},
    {"SettleClaimHolder", "claim.holder",
     [](Fixture& f, const std::string& n) {
       (void)f->settle({}, {.claim = ClaimReadyOptions{.holder = n, .ttl = kTtl}});
     }},
    {"DeadLettersSession", "session",
     [](Fixture& f, const std::string& n) { f->dead_letters(n); }},
    {"DeadLettersAfterConsumer", "after.consumer",
     [](Fixture& f, const std::string& n) { f->dead_letters("s", {HeadRef{n, {}, 1}}); }},
    {"DeadLettersAfterLane", "after.lane",
     [](Fixture& f, const std::string& n) { f->dead_letters("s", {HeadRef{"c", n, 1}}); }},
    {"RedriveSession", "session",
     [](Fixture& f, const std::string& n) { f->redrive(n, "c", 1, RedriveAction::kSkip); }},
    {"RedriveConsumer", "consumer",
     [](Fixture& f, const std::string& n) { f->redrive("s", n, 1, RedriveAction::kSkip); }},
    {"RedriveLane", "lane",
     [](Fixture& f, const std::string& n) {
       f->redrive("s", "c", 1, RedriveAction::kSkip, {.lane = n});
     }},

    {"PutSnapshotsSession", "session",
     [](Fixture& f, const std::string& n) { f->put_snapshots(n, "r", {}); }},
    {"PutSnapshotsReducer", "reducer",
     [](Fixture& f, const std::string& n) { f->put_snapshots("s", n, {{1, "1"}}); }},
    {"PutSnapshotsPinConsumer", "writes[0].pins[0].consumer",
     [](Fixture& f, const std::string& n) { f->put_snapshots("s", "r", {{1, "1", {{n, {}, 1}}}}); }},
    {"PutSnapshotsPinLane", "writes[0].pins[0].lane",
     [](Fixture& f, const std::string& n) { f->put_snapshots("s", "r", {{1, "1", {{"c", n, 1}}}}); }},
    {"LoadSnapshotSession", "session",
     [](Fixture& f, const std::string& n) { f->load_snapshot(n, "r"); }},
    {"LoadSnapshotReducer", "reducer",
     [](Fixture& f, const std::string& n) { f->load_snapshot("s", n); }},
    {"SetPresenceNamespace", "namespace",
     [](Fixture& f, const std::string& n) {
       f->set_presence(n, "p", {{"f", "1"}}, {.at = ms(1), .ttl = kTtl});
     }},
    {"SetPresenceParticipant", "participant",
     [](Fixture& f, const std::string& n) {
       f->set_presence("n", n, {{"f", "1"}}, {.at = ms(1), .ttl = kTtl});
     }},
    {"SetPresenceField", "fields",
     [](Fixture& f, const std::string& n) {
       f->set_presence("n", "p", {{n, "1"}}, {.at = ms(1), .ttl = kTtl});
     }},
    {"PresenceNamespace", "namespace", [](Fixture& f, const std::string& n) { f->presence(n); }},
    {"ReclaimPresenceNamespace", "namespace",
     [](Fixture& f, const std::string& n) { f->reclaim_presence(n); }},

    {"ClearSession", "session", [](Fixture& f, const std::string& n) { f->clear(n); }},
    {"ClearCauseConsumer", "cause.consumer",
     [](Fixture& f, const std::string& n) {
       f->clear("s", {.cause = Cause{n, {}, 1, 1, {}}});
     }},
    {"ClearCauseLane", "cause.lane",
     [](Fixture& f, const std::string& n) {
       f->clear("s", {.cause = Cause{"c", n, 1, 1, {}}});
     }},
    {"ReclaimSession", "session", [](Fixture& f, const std::string& n) { f->reclaim(n); }},
    {"PruneSession", "session", [](Fixture& f, const std::string& n) { f->prune(n, ms(9)); }},
    {"DeleteSessionSession", "session",
     [](Fixture& f, const std::string& n) { f->delete_session(n); }},
    {"DeleteConsumerSession", "session",
     [](Fixture& f, const std::string& n) { f->delete_consumer(n, "c"); }},
    {"DeleteConsumerConsumer", "consumer",
     [](Fixture& f, const std::string& n) { f->delete_consumer("s", n); }},
    {"ReadyConsumer", "consumers[0].name",
     [](Fixture& f, const std::string& n) {
       const std::vector<Consumer> served{{.name = n}};
       f->ready({.consumers = served});
     }},
    {"WaitConsumer", "consumers[0].name",
     [](Fixture& f, const std::string& n) {
       const std::vector<Consumer> served{{.name = n}};
       f->wait(Served(served), Duration(0));
     }},
    {"WaitSession", "session",
     [](Fixture& f, const std::string& n) { f->wait(n, 0, Duration(0)); }},
    {"TailSession", "session", tail},
};

// Every illegal name is refused, every hostile one is not.
void check_field(Fixture& f, const NameField& field) {
  f.add("a>c");
  f.claim();
  for (const std::string& name : illegal_names()) {
    EXPECT_EQ(f.refused([&] { field.call(f, name); }, field.field), "invalid_argument")
        << testing::PrintToString(name.substr(0, 20));
  }
  for (const std::string& name : hostile_names()) {
    try {
      field.call(f, name);
    } catch (const Error& error) {
      EXPECT_NE(error.code(), ErrorCode::kInvalidArgument)
          << testing::PrintToString(name.substr(0, 20)) << ": " << error.what();
    }
  }
}

// ---- hostile names come back, each for itself, in the order of their bytes

void check_sessions(Fixture& f) {
  const std::vector<std::string> names = hostile_names();
  for (size_t i = names.size(); i-- > 0;) {
    f->append(
        names[i],
        {{.id = "a", .type = "t", .payload = std::to_string(i), .targets = {{.consumer = "c"}}}});
  }
  std::vector<std::string> listed;
  for (const SessionInfo& info : f->sessions()) listed.push_back(info.session);
  EXPECT_EQ(listed, names);
  EXPECT_EQ(f->ready().sessions.size(), names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    const std::vector<Event> events = f->read(names[i]);
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].session, names[i]);
    EXPECT_EQ(events[0].payload, std::to_string(i));
    const ClaimResult claim = f->claim(names[i], {.holder = "w", .ttl = kTtl});
    EXPECT_EQ(claim.heads.at(0).event.payload, std::to_string(i));
    EXPECT_FALSE(f->complete(names[i], claim.heads.at(0)).superseded());
    if (i % 2 == 0) f->clear(names[i]);
  }
  f.maintain_all();
  for (size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(f->read(names[i]).at(0).type, i % 2 == 0 ? "pawl.clear" : "t");
  }
}

void check_ids_and_types(Fixture& f) {
  const std::vector<std::string> names = hostile_names();
  std::vector<NewEvent> events;
  for (const std::string& name : names) {
    events.push_back({.id = name, .type = name.starts_with("pawl.") ? "x" : name});
  }
  f->append("s", events);
  const std::vector<Event> read = f->read("s");
  ASSERT_EQ(read.size(), names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(read[i].id, names[i]);
    EXPECT_EQ(read[i].type, events[i].type);
    EXPECT_EQ(f->append("s", {events[i]}).events.at(0).index, read[i].index);
    const std::vector<Event> typed = f->read("s", {.types = {{events[i].type}}});
    EXPECT_EQ(typed.at(0).index, read[i].index);
    EXPECT_EQ(typed.size(), 1u);
    const Consumer log{.name = "l" + std::to_string(i),
                       .log = Log{.types = {{events[i].type}}, .backfill = true}};
    EXPECT_EQ(f->wake_log("s", log).cursor.head, read[i].index);
  }
}

void check_consumers(Fixture& f) {
  const std::vector<std::string> names = hostile_names();
  NewEvent event{.type = "t"};
  for (const std::string& name : std::vector(names.rbegin(), names.rend())) {
    event.targets.push_back({.consumer = name});
    event.targets.push_back({.consumer = name, .lane = "k"});
  }
  f->append("s", {event});
  const ClaimResult claim = f->claim("s", {.holder = "w", .ttl = kTtl, .limit = 10'000});
  ASSERT_EQ(claim.heads.size(), 2 * names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(claim.heads[2 * i].consumer, names[i]);
    EXPECT_EQ(claim.heads[2 * i + 1].consumer, names[i]);
    const std::vector<Consumer> served{{.name = names[i]}};
    EXPECT_EQ(f->claim("s", {.holder = "w", .ttl = kTtl, .consumers = served}).outcome,
              ClaimOutcome::kBusy);
    EXPECT_FALSE(f->complete("s", claim.heads[2 * i]).superseded());
    EXPECT_FALSE(f->complete("s", claim.heads[2 * i + 1]).superseded());
    EXPECT_EQ(f->claim("s", {.holder = "w", .ttl = kTtl, .consumers = served}).outcome,
              ClaimOutcome::kSettled);
  }
}

void check_lanes(Fixture& f) {
  const std::vector<std::string> names = hostile_names();
  NewEvent event{.type = "t"};
  for (const std::string& name : std::vector(names.rbegin(), names.rend())) {
    event.targets.push_back({.consumer = "c", .lane = name});
  }
  f->append("s", {event, event});
  std::vector<std::string> listed;
  for (const Cursor& cursor : f->cursors("s")) listed.push_back(cursor.lane.value_or("absent"));
  EXPECT_EQ(listed, names);
  for (const Int index : {1, 2}) {
    const ClaimResult claim = f->claim("s", {.holder = "w", .ttl = kTtl, .limit = 10'000});
    ASSERT_EQ(claim.heads.size(), names.size());
    for (size_t i = 0; i < names.size(); ++i) {
      EXPECT_EQ(claim.heads[i].lane, names[i]);
      EXPECT_EQ(claim.heads[i].event.index, index);
      EXPECT_FALSE(f->complete("s", claim.heads[i]).superseded());
    }
  }
}

void check_log_lanes(Fixture& f) {
  const std::vector<std::string> names = hostile_names();
  f.add("a b");
  for (const std::string& name : names) {
    f->wake_log("s", {.name = "l", .log = Log{.lane = name, .backfill = true}});
  }
  const ClaimResult claim = f->claim("s", {.holder = "w", .ttl = kTtl, .limit = 10'000});
  ASSERT_EQ(claim.heads.size(), names.size());
  for (size_t i = 0; i < names.size(); ++i) EXPECT_EQ(claim.heads[i].lane, names[i]);
}

void check_holders(Fixture& f) {
  f.add("a>c");
  Int attempt = 0;
  for (const std::string& name : hostile_names()) {
    f->claim("s", {.holder = name, .ttl = Duration(0)});
    ++attempt;
    EXPECT_EQ(f->cursors("s").at(0).claim_holder, name);
    f->claim("s", {.holder = name, .ttl = kTtl});
    ++attempt;
    const RenewOptions other{.holder = name + "x", .ttl = kTtl};
    if (other.holder.size() <= 512) {
      EXPECT_EQ(show(f->renew("s", {{"c", {}, 1, attempt}}, other)), "");
    }
    const RenewOptions same{.holder = name, .ttl = Duration(0)};
    EXPECT_EQ(show(f->renew("s", {{"c", {}, 1, attempt}}, same)), "renewed c#1");
  }
}

void check_reducers(Fixture& f) {
  const std::vector<std::string> names = hostile_names();
  f.add("a");
  for (size_t i = 0; i < names.size(); ++i) {
    f->put_snapshots("s", names[i], {{1, std::to_string(i)}});
  }
  for (size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(f->load_snapshot("s", names[i]).snapshot.value().state, std::to_string(i));
  }
}

void check_presence(Fixture& f) {
  const std::vector<std::string> names = hostile_names();
  const PresenceOptions options{.at = ms(1), .ttl = kTtl};
  std::vector<PresenceField> fields;
  for (size_t i = 0; i < names.size(); ++i) {
    f->set_presence(names[i], "p", {{"f", std::to_string(i)}}, options);
    f->set_presence("participants", names[i], {{"f", "1"}}, options);
    fields.push_back({names[i], std::to_string(i)});
  }
  f->set_presence("fields", "p", fields, options);
  const std::vector<PresenceEntry> participants = f->presence("participants");
  const std::vector<PresenceEntry> listed = f->presence("fields");
  ASSERT_EQ(participants.size(), names.size());
  ASSERT_EQ(listed.size(), names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(f->presence(names[i]).at(0).value, std::to_string(i));
    EXPECT_EQ(participants[i].participant, names[i]);
    EXPECT_EQ(listed[i].field, names[i]);
    EXPECT_EQ(listed[i].value, std::to_string(i));
  }
}

// Pairs of names whose concatenations agree are not the same: ("ab", "c") and ("a", "bc").
void check_pairs(Fixture& f) {
  const std::vector<std::string> parts{"a",     "ab",   "abc",   "b", "bc", "c",   "a:b",     "a/b",
                                       "a\x01", "\x01", "a\x1F", ":", "/",  "b:c", "\xC3\xA4"};
  for (const std::string& session : parts) {
    std::vector<NewEvent> events;
    for (const std::string& consumer : parts) {
      NewEvent event{.id = consumer, .type = "t"};
      for (const std::string& lane : parts) event.targets.push_back({consumer, lane});
      events.push_back(event);
    }
    f->append(session, events);
  }
  for (const std::string& session : parts) {
    const ClaimResult claim = f->claim(session, {.holder = "w", .ttl = kTtl, .limit = 10'000});
    std::set<std::pair<std::string, std::string>> seen;
    for (const Head& head : claim.heads) {
      EXPECT_EQ(head.event.session, session);
      EXPECT_EQ(head.event.id, head.consumer);
      EXPECT_EQ(head.attempt_count, 1);
      EXPECT_TRUE(seen.emplace(head.consumer, head.lane.value_or("")).second);
    }
    EXPECT_EQ(seen.size(), parts.size() * parts.size());
  }
}

}  // namespace

std::vector<Case> name_cases() {
  std::vector<Case> cases;
  for (const NameField& field : kFields) {
    cases.push_back({std::string("Names.") + field.name, "values.1 structures.6 errors.2",
                     [&field](Fixture& f) { check_field(f, field); }});
  }
  cases.push_back(
      {"Names.HostileSessionsComeBack", "values.1 values.3 sessions.1", check_sessions});
  cases.push_back({"Names.HostileIdsAndTypesComeBack", "values.1", check_ids_and_types});
  cases.push_back({"Names.HostileConsumersComeBack", "values.1 values.3", check_consumers});
  cases.push_back({"Names.HostileLanesComeBack", "values.1 values.3", check_lanes});
  cases.push_back({"Names.HostileLogLanesComeBack", "values.1 values.3", check_log_lanes});
  cases.push_back({"Names.HostileHoldersComeBack", "values.1", check_holders});
  cases.push_back({"Names.HostileReducersComeBack", "values.1", check_reducers});
  cases.push_back({"Names.HostilePresenceComesBack", "values.1 values.3", check_presence});
  cases.push_back({"Names.PairsOfNamesDoNotRunTogether", "values.1", check_pairs});
  return cases;
}

}  // namespace pawl::conformance
