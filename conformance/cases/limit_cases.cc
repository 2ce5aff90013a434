// How much one call may carry.
#include <gtest/gtest.h>

#include "cases/case.h"
#include "cases/fixture.h"

namespace pawl::conformance {
namespace {

constexpr char kInvalid[] = "invalid_argument";

std::vector<Consumer> consumers(int n) {
  std::vector<Consumer> list;
  for (int i = 0; i < n; ++i) list.push_back({.name = "c" + std::to_string(i)});
  return list;
}

std::vector<std::string> types(int n) {
  std::vector<std::string> list;
  for (int i = 0; i < n; ++i) list.push_back("t" + std::to_string(i));
  return list;
}

std::vector<NewEvent> events(int n, const char* prefix = "e") {
  std::vector<NewEvent> list;
  for (int i = 0; i < n; ++i) list.push_back({.id = prefix + std::to_string(i), .type = "t"});
  return list;
}

constexpr CaseRow kCases[] = {
    {"Limits.OfServedConsumers", "values.10",
     [](Fixture& f) {
       const std::vector<Consumer> most = consumers(1'000);
       const std::vector<Consumer> more = consumers(1'001);
       f.add("a>c7,c999");
       EXPECT_TRUE(f->append("s", {}, {.consumers = most}).has_pending);
       EXPECT_EQ(show(f->claim("s", {.holder = "w", .ttl = Duration(9), .consumers = most})),
                 "claimed c7#1@1 c999#1@1");
       EXPECT_EQ(f.refused([&] { f->append("s", {}, {.consumers = more}); }, "consumers"),
                 kInvalid);
       EXPECT_EQ(
           f.refused([&] { f->claim("s", {.holder = "w", .ttl = Duration(9), .consumers = more}); },
                     "consumers"),
           kInvalid);
       EXPECT_EQ(f.refused([&] { f->ready({.consumers = more}); }, "consumers"), kInvalid);
     }},

    {"Limits.OfTypesOfALog", "values.10",
     [](Fixture& f) {
       f.add("a:t999");
       Consumer log{.name = "l", .log = Log{.types = types(1'000), .backfill = true}};
       EXPECT_EQ(f->wake_log("s", log).cursor.head, 1);
       log.log->types = types(1'001);
       EXPECT_EQ(f.refused([&] { f->wake_log("s", log); }, "types"), kInvalid);
     }},

    {"Limits.OfTargetsOfAnEvent", "values.10",
     [](Fixture& f) {
       NewEvent event{.id = "a", .type = "t"};
       for (int i = 0; i < 256; ++i) {
         event.targets.push_back({.consumer = "c", .lane = "k" + std::to_string(i)});
       }
       f->append("s", {event});
       EXPECT_EQ(f->claim("s", {.holder = "w", .ttl = Duration(9), .limit = 1'000}).heads.size(),
                 256u);
       event.id = "b";
       event.targets.push_back({.consumer = "c"});
       EXPECT_EQ(f.refused([&] { f->append("s", {event}); }, "events[0].targets"), kInvalid);
     }},

    {"Limits.OfEvents", "values.10",
     [](Fixture& f) {
       EXPECT_EQ(f->append("s", events(10'000)).events.back().index, 10'000);
       EXPECT_EQ(f->append("s", events(10'000)).events.front().index, 1);  // a replay
       EXPECT_EQ(f.refused([&] { f->append("s", events(10'001)); }, "events"), kInvalid);
     }},

    {"Limits.OfOtherLists", "values.10",
     [](Fixture& f) {
       f.add("a>c");
       const std::vector<HeadRef> exclude(10'001, {"c", {}, 1});
       EXPECT_EQ(
           f.refused(
               [&] { f->claim("s", {.holder = "w", .ttl = Duration(9), .exclude = exclude}); },
               "exclude"),
           kInvalid);
       std::vector<Claim> claims;
       for (Int i = 1; i <= 10'001; ++i) claims.push_back({"c", {}, i, 1});
       EXPECT_EQ(
           f.refused([&] { f->renew("s", claims, {.holder = "w", .ttl = Duration(9)}); }, "claims"),
           kInvalid);
       claims.pop_back();
       EXPECT_EQ(show(f->renew("s", claims, {.holder = "w", .ttl = Duration(9)})), "");
       const std::vector<SnapshotWrite> writes(10'001, {1, "1"});
       EXPECT_EQ(f.refused([&] { f->put_snapshots("s", "r", writes); }, "writes"), kInvalid);
       std::vector<PresenceField> fields;
       for (int i = 0; i <= 10'000; ++i) fields.push_back({"f" + std::to_string(i), "1"});
       EXPECT_EQ(
           f.refused([&] { f->set_presence("n", "p", fields, {.at = ms(1), .ttl = Duration(9)}); },
                     "fields"),
           kInvalid);
       EXPECT_EQ(f.presence("n"), "");
     }},

    {"Limits.OfItems", "values.10 settle.6 append_batch.2",
     [](Fixture& f) {
       std::vector<SettleItem> settles;
       std::vector<AppendItem> appends;
       for (int i = 0; i < 1'001; ++i) {
         const std::string session = "s" + std::to_string(i);
         settles.push_back({.session = session, .claim = {"c", {}, 1, 1}});
         appends.push_back({.session = session, .events = events(1)});
       }
       EXPECT_EQ(f.refused([&] { f->append_batch(appends); }, "items"), kInvalid);
       EXPECT_EQ(f.refused([&] { (void)f->settle(settles); }, "items"), kInvalid);
       settles.pop_back();
       appends.pop_back();
       EXPECT_EQ(f->append_batch(appends).size(), 1'000u);
       EXPECT_EQ(f->settle(settles).results.size(), 1'000u);  // superseded, all of them
     }},

    {"Limits.OfEventsOfACall", "append_batch.2 settle.1",
     [](Fixture& f) {
       f.add("a>c,d");
       f.claim();
       const std::vector<NewEvent> half = events(5'000);
       const std::vector<NewEvent> more = events(5'001, "m");
       EXPECT_EQ(f.refused([&] {
         f->append_batch({{.session = "u", .events = half}, {.session = "v", .events = more}});
       }),
                 kInvalid);
       SettleItem one{.session = "s", .claim = parse_claim("c#1@1"), .events = half};
       SettleItem two{.session = "s", .claim = parse_claim("d#1@1"), .events = more};
       EXPECT_EQ(f.refused([&] { (void)f->settle({one, two}); }), kInvalid);
       two.events.pop_back();
       EXPECT_EQ(f->settle({one, two}).results.at(1).events.back().index, 10'001);
     }},

    {"Limits.OfPinsOfAHead", "values.10",
     [](Fixture& f) {
       f.add("a>c,d b>c");
       f.claim();
       for (int i = 0; i < 256; ++i) f.put("r" + std::to_string(i), "1=1<c#1");
       EXPECT_EQ(f.refused([&] { f.put("more", "1=1<d#1,c#1"); }), kInvalid);
       EXPECT_EQ(f.load("more"), "none events a#1 b#2 (clear 0 last 2)");
       f.put("r7", "1=2<c#1");  // not one more
       f.put("more", "1=1<c#2,d#1");
       f.complete("c#1@1");
     }},

    {"Limits.OfTheWholeCall", "values.10 open.2",
     [](Fixture& f) {
       f.options().max_call_bytes = 5'000;
       const std::string payload = "\"" + std::string(998, 'x') + "\"";
       std::vector<NewEvent> list(4, {.type = "t", .payload = payload});
       f->append("s", list);
       list.resize(6, list[0]);
       EXPECT_EQ(f.refused([&] { f->append("s", list); }, "max_call_bytes"), kInvalid);
       EXPECT_EQ(
           f.refused(
               [&] {
                 f->append_batch({{.session = "u", .events = {list.begin(), list.begin() + 3}},
                                  {.session = "v", .events = {list.begin(), list.begin() + 3}}});
               },
               "max_call_bytes"),
           kInvalid);
       const std::vector<SnapshotWrite> writes(6, {1, payload});
       EXPECT_EQ(f.refused([&] { f->put_snapshots("s", "r", writes); }, "max_call_bytes"),
                 kInvalid);
     }},

    {"Limits.OfClaimsByTheirLength", "values.12",
     [](Fixture& f) {
       f.options().max_call_bytes = 5'000;
       const std::string payload = "\"" + std::string(1'998, 'x') + "\"";
       for (const char* id : {"a", "b", "d", "e", "g"}) {
         f->append("s",
                   {{.id = id, .type = "t", .payload = payload, .targets = {{.consumer = "c"}}}});
       }
       // What does not fit is not claimed either.
       size_t claimed = 0;
       for (int call = 0; call < 5 && claimed < 5; ++call) {
         const ClaimResult claim = f->claim("s", {.holder = "w", .ttl = Duration(9)});
         ASSERT_EQ(claim.outcome, ClaimOutcome::kClaimed);
         EXPECT_LT(claim.heads.size(), 4u);
         for (const Head& head : claim.heads) {
           EXPECT_EQ(head.attempt_count, 1);
           EXPECT_EQ(head.event.index, static_cast<Int>(++claimed));
         }
       }
       EXPECT_EQ(claimed, 5u);
       EXPECT_EQ(f.claim(), "busy 10");
     }},

    {"Limits.OneEntryComesWhateverItsLength", "values.12",
     [](Fixture& f) {
       f.options().max_call_bytes = 5'000;
       const std::string payload = "\"" + std::string(4'900, 'x') + "\"";
       for (const char* id : {"a", "b"}) {
         f->append("s",
                   {{.id = id, .type = "t", .payload = payload, .targets = {{.consumer = "c"}}}});
       }
       f.options().max_call_bytes = 100;
       f.reopen();
       EXPECT_EQ(f.read(), "a#1");
       EXPECT_EQ(f.read({.after = 1}), "b#2");
       EXPECT_EQ(f.claim(), "claimed c#1@1");
       EXPECT_EQ(f.claim_ready(), "s: c#2@1; next 101");
       f.fail("c#1@1", 1);
       f.fail("c#2@1", 1);
       EXPECT_EQ(f.dead(), "c#1@1");
     }},

    {"Limits.NamesUpTo512Bytes", "values.1",
     [](Fixture& f) {
       const std::string most(512, 'x');
       const std::string more(513, 'x');
       f->append(most, {{.id = most, .type = most, .targets = {{.consumer = most, .lane = most}}}});
       const ClaimResult claim = f->claim(most, {.holder = most, .ttl = Duration(9)});
       EXPECT_EQ(claim.heads.at(0).event.id, most);
       EXPECT_EQ(f.refused([&] { f->append(more, {{.type = "t"}}); }, "session"), kInvalid);
       EXPECT_EQ(f.refused([&] { f->append("s", {{.id = more, .type = "t"}}); }, "events[0].id"),
                 kInvalid);
     }},
};

}  // namespace

std::span<const CaseRow> limit_cases() { return kCases; }

}  // namespace pawl::conformance
