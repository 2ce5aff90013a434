// settle: many finishes in one transaction, and claiming right after them.
#include <gtest/gtest.h>

#include "cases/case.h"
#include "cases/fixture.h"

namespace pawl::conformance {
namespace {

SettleItem done(const char* session, const char* claim, const char* events = "") {
  return {session, parse_claim(claim), SettleAction::kComplete, parse_events(events)};
}

SettleItem failed(const char* session, const char* claim, Int max_failures = 3) {
  SettleItem item{session, parse_claim(claim), SettleAction::kFail};
  item.fail = {.error = "e", .max_failures = max_failures};
  return item;
}

SettleItem given(const char* session, const char* claim, Int delay) {
  SettleItem item{session, parse_claim(claim), SettleAction::kRelease};
  item.release.delay = Duration(delay);
  return item;
}

struct SettleArgs {
  std::string served = "*";
  bool claim = false;
  std::string claim_served = "*";
  Int limit = 100;
  Int sessions_limit = 100;
  MaybeInt max_failures = {};
};

// "completed x#2; failed 1; claims s: c#3@1; next 101".
std::string settle(Fixture& f, const std::vector<SettleItem>& items, const SettleArgs& args = {}) {
  const ServedList served(args.served);
  const ServedList claim_served(args.claim_served);
  SettleOptions options{.consumers = served.get()};
  if (args.claim) {
    options.claim = ClaimReadyOptions{.holder = "w",
                                      .ttl = Duration(100),
                                      .consumers = claim_served.get(),
                                      .max_failures = args.max_failures,
                                      .sessions_limit = args.sessions_limit,
                                      .limit = args.limit};
  }
  const SettleResult result = f->settle(items, options);
  EXPECT_EQ(result.results.size(), items.size());
  EXPECT_EQ(result.claims.has_value(), args.claim);
  std::string text;
  for (size_t i = 0; i < result.results.size(); ++i) {
    if (i > 0) text += "; ";
    text += show(result.results[i], items[i].action == SettleAction::kFail);
  }
  if (result.claims) text += (text.empty() ? "claims " : "; claims ") + show(*result.claims);
  if (result.next_at) text += "; next " + std::to_string(ms(*result.next_at));
  return text;
}

constexpr CaseRow kCases[] = {
    {"Settle.EachItemHasTheOutcomeOfTheSingleOperation", "settle.1",
     [](Fixture& f) {
       f.add("a>c,c/k,d,e b>c/k", "l+!");
       f.on("u").add("a>c,d");
       f.claim();
       f.on("u").claim();
       f.at(5);
       EXPECT_EQ(settle(f, {done("s", "c#1@1", "x>g"), failed("u", "c#1@1", 1),
                            given("s", "d#1@1", 10), failed("s", "e#1@1"), done("u", "d#1@9"),
                            done("s", "l/log#1@1"), done("s", "c/k#1@1", "y")}),
                 "completed x#3; dead_lettered 1; released; failed 1; superseded; completed; "
                 "completed y#4");
       EXPECT_EQ(f.cursors(),
                 "c/k lane pos=1 head=2\n"
                 "d event pos=0 head=1 attempts=1 first=1 last=1 until=15\n"
                 "e event pos=0 head=1 attempts=1 first=1 last=1 failures=1 failed=5@1:e\n"
                 "g event pos=2 head=3\n"
                 "l/log log pos=1 head=2");
       EXPECT_EQ(f.on("u").dead(), "c#1@1");
       EXPECT_EQ(show_full(f->read("s", {.after = 2}).at(0)), "3 x t null at=5 cause=c#1@1");
     }},

    {"Settle.AnItemSeesWhatTheOnesBeforeItDid", "settle.1",
     [](Fixture& f) {
       f.add("a>c,c/k,d,l/k b>c/k");
       f.claim();
       EXPECT_EQ(settle(f, {done("s", "c#1@1", "x>c/k,l/k"), done("s", "c/k#1@1", "y"),
                            done("s", "l/k#1@1", "z>l/k")}),
                 "completed x#3; completed y#4; completed z#5");
       EXPECT_EQ(f.cursor("l/k"), "l/k lane pos=1 head=3");
       EXPECT_EQ(f.cursor("c/k"), "c/k lane pos=1 head=2");
       f.claim();
       f.complete("c/k#2@1");
       EXPECT_EQ(f.cursor("c/k"), "c/k lane pos=2 head=3");
     }},

    {"Settle.IdsOfEarlierItemsAreTaken", "settle.1 settle.2 complete.6",
     [](Fixture& f) {
       f.add("a>c,d");
       f.claim();
       EXPECT_EQ(f.refused(
                     [&] {
                       settle(f, {done("s", "c#1@1", "x"), done("s", "d#1@1", "x")});
                     },
                     "items[1]: "),
                 "partial_duplicate_batch");
     }},

    {"Settle.ALogWokenByAnEarlierItemGoesOn", "settle.1 advance.4",
     [](Fixture& f) {
       f.add("a:x>c", "l+x!");
       f.claim();
       EXPECT_EQ(
           settle(f, {done("s", "l/log#1@1"), done("s", "c#1@1", "b:x")}, {.served = "l+x m+x!"}),
           "completed; completed b#2");
       EXPECT_EQ(f.cursors(), "l/log log pos=1 head=2\nm/log log pos=0 head=1");
     }},

    {"Settle.AnItemThatThrowsUndoesAll", "settle.2 atomicity.1",
     [](Fixture& f) {
       f.add("a>c,d b");
       f.on("u").add("a>c");
       f.claim();
       f.on("u").claim();
       const auto with = [&](const SettleItem& item, const char* names) {
         return f.refused(
             [&] {
               settle(f, {done("u", "c#1@1", "x"), failed("s", "d#1@1"), item});
             },
             names);
       };
       EXPECT_EQ(with(done("s", "c#9@1"), "items[2]: "), "unknown_event");
       EXPECT_EQ(with(failed("s", "c#9@1"), "items[2]: "), "unknown_event");
       EXPECT_EQ(with(given("v", "c#1@1", 0), "items[2]: "), "unknown_event");
       EXPECT_EQ(with(done("s", "c#1@1", "b"), "items[2]: "), "partial_duplicate_batch");
       EXPECT_EQ(with(done("s", "c#1@1", "y y"), "items[2]: "), "partial_duplicate_batch");
       EXPECT_EQ(with(done("s", "c#1@1", "-"), "items[2]"), "invalid_argument");
       EXPECT_EQ(settle(f, {done("u", "c#1@1", "x"), failed("s", "d#1@1"), done("s", "c#1@1")}),
                 "completed x#2; failed 1; completed");
     }},

    {"Settle.TheSameCursorTwiceIsInvalid", "settle.3 structures.7",
     [](Fixture& f) {
       f.add("a>c,c/k b>c,c/k", "l+!");
       f.on("u").add("a>c,c/k");
       f.claim();
       f.on("u").claim();
       for (const auto& [one, other] :
            {std::pair{"c#1@1", "c#1@1"}, {"c/k#1@1", "c/k#2@1"}, {"l/log#1@1", "l/log#2@1"}}) {
         const std::vector<SettleItem> items{done("s", one), failed("s", other)};
         EXPECT_EQ(f.refused([&] { settle(f, items); }, "items"), "invalid_argument") << one;
       }
       EXPECT_EQ(settle(f, {done("s", "c#1@1"), done("s", "c#2@1"), done("s", "c/k#1@1"),
                            done("u", "c/k#1@1"), done("u", "c#1@1")}),
                 "completed; completed; completed; completed; completed");
     }},

    {"Settle.OnlyCompleteRefreshesTypes", "settle.4 structures.4",
     [](Fixture& f) {
       for (const char* session : {"s", "u", "v"}) {
         f.on(session).add("a:x>c b:x c:y", "l+x!");
         f.on(session).claim();
       }
       settle(f, {done("s", "c#1@9"), failed("u", "c#1@1"), given("v", "c#1@1", 0)},
              {.served = "l+y"});
       for (const char* session : {"s", "u", "v"}) f.on(session).complete("l/log#1@1");
       EXPECT_EQ(f.cursor("l/log"), "l/log log pos=1 head=3");
       EXPECT_EQ(f.on("u").cursor("l/log"), "l/log log pos=1 head=2");
       EXPECT_EQ(f.on("v").cursor("l/log"), "l/log log pos=1 head=2");
     }},

    {"Settle.ClaimsWhatTheItemsMadeClaimable", "settle.5",
     [](Fixture& f) {
       f.add("a>c/k b>c/k");
       f.on("u").add("a>d");
       f.claim();
       EXPECT_EQ(settle(f, {done("s", "c/k#1@1", "x>e")}, {.claim = true}),
                 "completed x#3; claims s: c/k#2@1 e#3@1; u: d#1@1; next 101");
       EXPECT_EQ(settle(f, {failed("s", "c/k#2@1"), given("s", "e#3@1", 50)}, {.claim = true}),
                 "failed 1; released; claims s: c/k#2@2; next 51");
     }},

    {"Settle.AnItemsSessionWaitsAsLongAsItsHeadsDo", "settle.5 ready.2",
     [](Fixture& f) {
       f.on("z").add("a>c");
       f.on("z").claim();
       f.at(200);
       f.on("x").add("a>c");
       f.on("y").add("a>c");
       f.on("z").add("b>c");
       EXPECT_EQ(settle(f, {failed("z", "c#1@9")}, {.claim = true, .sessions_limit = 1}),
                 "superseded 0; claims x: c#1@1; next 200");
     }},

    {"Settle.ConsumersServeBothUnlessTheClaimHasItsOwn", "settle.5",
     [](Fixture& f) {
       f.add("a>c,d,e b>d,e");
       f.claim({.through = 1});
       EXPECT_EQ(settle(f, {done("s", "c#1@1")}, {.served = "d", .claim = true}),
                 "completed; claims s: d#2@1; next 101");
       EXPECT_EQ(
           settle(f, {done("s", "d#1@1")}, {.served = "d", .claim = true, .claim_served = "e"}),
           "completed; claims s: e#2@1; next 101");
       EXPECT_EQ(
           settle(f, {done("s", "d#2@1")}, {.served = "d", .claim = true, .claim_served = ""}),
           "completed; claims ");
     }},

    {"Settle.ClaimsThereWhenNothingIsClaimed", "settle.5",
     [](Fixture& f) {
       f.add("a>c");
       f.claim();
       EXPECT_EQ(settle(f, {done("s", "c#1@1")}, {.claim = true}), "completed; claims ");
       EXPECT_EQ(settle(f, {}, {.claim = true}), "claims ");
     }},

    {"Settle.WithoutItemsClaimsAsClaimReady", "settle.6 settle.5",
     [](Fixture& f) {
       EXPECT_EQ(settle(f, {}), "");
       f.add("a>c b>c+50");
       f.on("u").add("a>c");
       EXPECT_EQ(settle(f, {}, {.claim = true, .limit = 1}), "claims s: c#1@1; next 1");
       EXPECT_EQ(settle(f, {}, {.claim = true}), "claims u: c#1@1; next 50");
     }},

    {"Settle.LapsedHeadsDieInItsClaim", "settle.5 claim_ready.1",
     [](Fixture& f) {
       f.add("a>c,d");
       f.claim({.ttl = 0});
       EXPECT_EQ(settle(f, {done("s", "c#1@1")}, {.claim = true, .max_failures = 1}),
                 "completed; claims s: dead d#1@2");
     }},

    {"Settle.AnItemThatThrowsClaimsNothing", "settle.2 settle.5",
     [](Fixture& f) {
       f.add("a>c b>d");
       f.claim("c");
       EXPECT_EQ(f.refused([&] { settle(f, {done("s", "c#9@1")}, {.claim = true}); }, "items[0]: "),
                 "unknown_event");
     }},

    {"Settle.ARepeatGivesTheSameResults", "settle.1 atomicity.5",
     [](Fixture& f) {
       f.add("a>c,d,e");
       f.claim();
       const std::vector<SettleItem> items{done("s", "c#1@1", "x"), failed("s", "d#1@1"),
                                           given("s", "e#1@1", 50)};
       const std::string first = settle(f, items);
       const std::string before = f.state();
       EXPECT_EQ(settle(f, items), first);
       EXPECT_EQ(f.state(), before);
     }},

    {"Settle.OverManySessions", "settle.1",
     [](Fixture& f) {
       std::vector<SettleItem> items;
       std::vector<std::string> names;
       for (int i = 0; i < 100; ++i) names.push_back("u" + std::to_string(i));
       for (const std::string& name : names) {
         f.on(name).add("a>c");
         f.on(name).claim();
         items.push_back(done(name.c_str(), "c#1@1", "x>d"));
       }
       const SettleResult result = f->settle(items);
       for (const FinishResult& one : result.results) {
         EXPECT_EQ(show(one, false), "completed x#2");
       }
       EXPECT_EQ(f->ready().sessions.size(), 100u);
     }},
};

}  // namespace

std::span<const CaseRow> settle_cases() { return kCases; }

}  // namespace pawl::conformance
