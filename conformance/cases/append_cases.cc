// append: replays, ids, origins, causes and targets.
#include <gtest/gtest.h>

#include "cases/case.h"
#include "cases/fixture.h"

namespace pawl::conformance {
namespace {

constexpr CaseRow kCases[] = {
    {"Append.NoEventsWriteNothing", "append.1 append.9",
     [](Fixture& f) {
       EXPECT_EQ(f.add("", "l+!"), "settled");
       EXPECT_EQ(f.sessions(), "");
       f.add("a>c");
       EXPECT_EQ(f.add("", "c l+!"), "pending");
       EXPECT_EQ(f.add("", ""), "settled");
       EXPECT_EQ(f.cursors(), "c event pos=0 head=1");
       f.clear();
       EXPECT_EQ(f.add("", "*", 1), "settled");  // before the origin is looked at
     }},

    {"Append.AnIdTwiceIsAPartialDuplicate", "append.2",
     [](Fixture& f) {
       EXPECT_EQ(f.refused([&] { f.add("a b a"); }), "partial_duplicate_batch");
       f.add("a");
       EXPECT_EQ(f.refused([&] { f.add("a a"); }), "partial_duplicate_batch");
     }},

    {"Append.IndexesAreDense", "append.6 head.1",
     [](Fixture& f) {
       EXPECT_EQ(f.add("a"), "a#1 settled");
       EXPECT_EQ(f.add("b c"), "b#2 c#3 settled");
       EXPECT_EQ(f.refused([&] { f.add("a d"); }), "partial_duplicate_batch");
       EXPECT_EQ(f.add("d"), "d#4 settled");
       EXPECT_EQ(f.head(), "last 4 clear 0");
     }},

    {"Append.OneTimeForTheBatch", "append.6",
     [](Fixture& f) {
       f.at(7);
       const AppendResult result = f->append("s", parse_events("a:x=1 b:y=2"));
       ASSERT_EQ(result.events.size(), 2u);
       EXPECT_EQ(show_full(result.events[0]), "1 a x 1 at=7");
       EXPECT_EQ(show_full(result.events[1]), "2 b y 2 at=7");
       EXPECT_EQ(result.events[0].session, "s");
       EXPECT_EQ(f->read("s"), result.events);
     }},

    // Engines write rows of a batch by the dozen: no length may lose one or mix two up.
    {"Append.BatchesOfEveryLengthAreStoredWhole", "append.6 settle.1",
     [](Fixture& f) {
       for (Int length = 1; length <= 40; ++length) {
         const std::string session = "s" + std::to_string(length);
         SCOPED_TRACE(session);
         std::vector<NewEvent> events;
         for (Int i = 1; i <= length; ++i) {
           NewEvent event{.type = "t" + std::to_string(i % 3), .payload = std::to_string(i)};
           if (i % 2 == 0) event.targets.push_back({.consumer = "c"});
           if (i % 3 == 0) event.targets.push_back({.consumer = "d", .lane = "k"});
           events.push_back(event);
         }
         const AppendResult result = f->append(session, events);
         ASSERT_EQ(std::ssize(result.events), length);
         EXPECT_EQ(f->read(session), result.events);
         EXPECT_EQ(result.events.back().payload, std::to_string(length));
         const ClaimResult claimed =
             f->claim(session, {.holder = "w", .ttl = Duration(60'000), .limit = 100});
         EXPECT_EQ(std::ssize(claimed.heads), length / 2 + (length >= 3 ? 1 : 0));
         std::vector<SettleItem> items;
         for (const Head& head : claimed.heads) {
           EXPECT_EQ(head.event, result.events[static_cast<std::size_t>(head.event.index - 1)]);
           const std::string id = "done-" + std::to_string(items.size());
           items.push_back(
               {.session = session, .claim = head, .events = {{.id = id, .type = "done"}}});
         }
         if (items.empty()) continue;
         for (const FinishResult& done : f->settle(items).results) {
           EXPECT_EQ(done.outcome, FinishOutcome::kCompleted);
           EXPECT_TRUE(done.events.at(0).cause);
         }
         Int left = 0;
         for (const Cursor& cursor : f->cursors(session)) left += cursor.head ? 1 : 0;
         EXPECT_EQ(left, length >= 6 ? 1 : 0);  // the lane's second entry
       }
     }},

    {"Append.SessionsAreIndependent", "append.6 append.3",
     [](Fixture& f) {
       EXPECT_EQ(f.add("a=1>c"), "a#1 pending");
       EXPECT_EQ(f.on("u").add("a=2"), "a#1 settled");
       EXPECT_EQ(f.on("u").read(), "a#1");
       EXPECT_EQ(f.on("u").claim(), "settled");
     }},

    {"Append.ReplayGivesTheStoredEventsInTheOrderOfTheCall", "append.3",
     [](Fixture& f) {
       const auto events = parse_events("a=1 b=2");
       const AppendResult first = f->append("s", events);
       f.at(9);
       EXPECT_EQ(f->append("s", events).events, first.events);
       EXPECT_EQ(f.add("b=2 a=1"), "b#2 a#1 settled");
       EXPECT_EQ(f.add("b=2"), "b#2 settled");
       EXPECT_EQ(f.read(), "a#1 b#2");
     }},

    {"Append.ReplayQueuesNothing", "append.3",
     [](Fixture& f) {
       f.add("a>c,c/k");
       f.claim();
       f.complete("c#1@1");
       f.complete("c/k#1@1");
       const std::string before = f.state();
       EXPECT_EQ(f.add("a>c,c/k"), "a#1 settled");
       EXPECT_EQ(f.claim(), "settled");
       EXPECT_EQ(f.state(), before);
     }},

    {"Append.ReplayWakesNothing", "append.3",
     [](Fixture& f) {
       f.add("a");
       EXPECT_EQ(f.add("a", "l+!"), "a#1 settled");
       EXPECT_EQ(f.cursors(), "");
     }},

    {"Append.ReplayComparesNeitherCausesNorTargets", "append.3",
     [](Fixture& f) {
       f.add("a>c");
       EXPECT_EQ(f.add("a<z#9@9>d,e/k"), "a#1 pending");
       EXPECT_EQ(f.cursors(), "c event pos=0 head=1");
     }},

    {"Append.ReplayOfEqualJsonGivesTheStoredText", "append.3",
     [](Fixture& f) {
       f.add(R"(a={"x":1,"y":[2]} b={"x":1,"x":2})");
       const AppendResult replay =
           f->append("s", {{.id = "a", .type = "t", .payload = "{ \"y\" : [2.0], \"x\" : 1 }"},
                           {.id = "b", .type = "t", .payload = "{\"x\":2}"}});
       EXPECT_EQ(replay.events.at(0).payload, R"({"x":1,"y":[2]})");
       EXPECT_EQ(replay.events.at(1).payload, R"({"x":1,"x":2})");
     }},

    {"Append.ReplayWithOtherContentsIsAMismatch", "append.3 errors.1",
     [](Fixture& f) {
       f.add("a:x=1 b:y=2");
       EXPECT_EQ(f.refused([&] { f.add("a:x=2"); }), "replay_mismatch");
       EXPECT_EQ(f.refused([&] { f.add("a:y=1"); }), "replay_mismatch");
       EXPECT_EQ(f.refused([&] { f.add("a:x=1 b:y=3"); }), "replay_mismatch");
       EXPECT_EQ(f.refused([&] { f.add("a:x=\"1\""); }), "replay_mismatch");
     }},

    {"Append.SomeOfTheBatchThereIsAPartialDuplicate", "append.3",
     [](Fixture& f) {
       f.add("a b");
       EXPECT_EQ(f.refused([&] { f.add("a c"); }), "partial_duplicate_batch");
       EXPECT_EQ(f.refused([&] { f.add("c b"); }), "partial_duplicate_batch");
       EXPECT_EQ(f.refused([&] { f.add("a b -"); }), "partial_duplicate_batch");
     }},

    {"Append.ReplayIsAnsweredBeforeOriginAndCause", "append.3 append.4 append.5",
     [](Fixture& f) {
       f.add("x");
       f.clear();
       f.add("a");
       EXPECT_EQ(f.add("a", "*", 1), "a#3 settled");
       EXPECT_EQ(f.add("a<c#1@1"), "a#3 settled");
       EXPECT_EQ(f.refused([&] { f.add("a:other", "*", 1); }), "replay_mismatch");
     }},

    {"Append.AnIdBelowTheClearIndexIsFree", "append.3 clear.6",
     [](Fixture& f) {
       f.add("a=1>c b=1>c/k");
       f.clear();
       EXPECT_EQ(f.add("a=2>c"), "a#4 pending");
       EXPECT_EQ(f.add("a=2"), "a#4 pending");
       EXPECT_EQ(f.refused([&] { f.add("a=1"); }), "replay_mismatch");
       EXPECT_EQ(f.add("b=2 d=2"), "b#5 d#6 pending");
       EXPECT_EQ(f.read(), "pawl.clear#3 a#4 b#5 d#6");
       EXPECT_EQ(f.claim(), "claimed c#4@1");
     }},

    {"Append.AFreedIdOutlivesTheReclaimOfItsOldEvent", "append.3 reclaim.1",
     [](Fixture& f) {
       f.add("a=1 b=1");
       f.clear();
       f.add("a=2");
       while (f.reclaim(1).ends_with("more")) {
       }
       EXPECT_EQ(f.add("a=2"), "a#4 settled");
       EXPECT_EQ(f.add("b=2"), "b#5 settled");
       EXPECT_EQ(f.read(), "pawl.clear#3 a#4 b#5");
     }},

    {"Append.TheClearMarkerOwnsItsId", "append.3",
     [](Fixture& f) {
       f.add("a");
       f.clear();  // its id is id-1
       EXPECT_EQ(f->read("s").at(0).id, "id-1");
       EXPECT_EQ(f.refused([&] { f.add("id-1"); }), "replay_mismatch");
       EXPECT_EQ(f.refused([&] { f.add("id-1 b"); }), "partial_duplicate_batch");
     }},

    {"Append.OriginAtTheClearIndexIsCleared", "append.4 errors.1",
     [](Fixture& f) {
       EXPECT_EQ(f.add("a", "*", 1), "a#1 settled");
       f.clear();
       EXPECT_EQ(f.refused([&] { f.add("b", "*", 1); }), "session_cleared");
       EXPECT_EQ(f.refused([&] { f.add("b", "*", 2); }), "session_cleared");
       EXPECT_EQ(f.add("b", "*", 3), "b#3 settled");
       EXPECT_EQ(f.add("c", "*", 0), "c#4 settled");
     }},

    {"Append.OriginIsCheckedBeforeTheCause", "append.4",
     [](Fixture& f) {
       f.add("a>c");
       f.clear();
       EXPECT_EQ(f.refused([&] { f.add("b<c#1@1", "*", 1); }), "session_cleared");
     }},

    {"Append.CauseOfTheCurrentAttemptIsKept", "append.5",
     [](Fixture& f) {
       f.add("a>c,c/k", "l+!");
       f.claim();
       NewEvent event{.id = "b", .type = "t"};
       event.cause = Cause{.consumer = "c", .index = 1, .attempt = 1, .batch_size = 3};
       EXPECT_EQ(f->append("s", {event}).events.at(0).cause, event.cause);
       EXPECT_EQ(f.add("d<c/k#1@1 e<l/log#1@1"), "d#3 e#4 pending");
       EXPECT_EQ(show_full(f->read("s").at(1)), "2 b t null at=1 cause=c#1@1*3");
       EXPECT_EQ(show_full(f->read("s").at(2)), "3 d t null at=1 cause=c/k#1@1");
     }},

    {"Append.CauseOfAnotherAttemptIsSuperseded", "append.5 errors.1",
     [](Fixture& f) {
       f.add("a>c,c/k b>d");
       f.claim("c");
       for (const char* event : {"x<c#1@2", "x<c/k#1@2", "x<c/k#2@1", "x<c#2@1", "x<d#2@1",
                                 "x<e#1@1", "x<c/z#1@1", "x<c#9@1", "y<c#1@1 x<c#1@2"}) {
         EXPECT_EQ(f.refused([&] { f.add(event); }), "superseded_attempt") << event;
       }
     }},

    {"Append.CauseMayBeAnExpiredClaim", "append.5",
     [](Fixture& f) {
       f.add("a>c");
       f.claim();
       f.at(500);
       EXPECT_EQ(f.add("b<c#1@1"), "b#2 pending");
       f.claim();  // taken over
       EXPECT_EQ(f.refused([&] { f.add("d<c#1@1"); }), "superseded_attempt");
       EXPECT_EQ(f.add("d<c#1@2"), "d#3 pending");
     }},

    {"Append.CauseMayHaveFailedOrBeenReleased", "append.5",
     [](Fixture& f) {
       f.add("a>c,d");
       f.claim();
       f.fail("c#1@1");
       f.release("d#1@1");
       EXPECT_EQ(f.add("b<c#1@1 e<d#1@1"), "b#2 e#3 pending");
     }},

    {"Append.CauseThatIsFinishedDeadOrClearedIsSuperseded", "append.5",
     [](Fixture& f) {
       f.add("a>c,d,e/k");
       f.claim();
       f.complete("c#1@1");
       f.fail("d#1@1", 1);
       f.complete("e/k#1@1");
       for (const char* event : {"x<c#1@1", "x<d#1@1", "x<e/k#1@1"}) {
         EXPECT_EQ(f.refused([&] { f.add(event); }), "superseded_attempt") << event;
       }
       f.add("b>c");
       f.claim();
       f.clear();
       EXPECT_EQ(f.refused([&] { f.add("x<c#2@1"); }), "superseded_attempt");
       EXPECT_EQ(f.refused([&] { f.add("x<c#3@1"); }), "superseded_attempt");  // the marker
     }},

    {"Append.IdsAreGeneratedWhereAbsent", "append.6",
     [](Fixture& f) {
       EXPECT_EQ(f.add("- a -"), "id-1#1 a#2 id-2#3 settled");
       EXPECT_EQ(f.add("id-1"), "id-1#1 settled");
     }},

    {"Append.AGeneratedIdThatIsTakenIsMadeAnew", "append.6",
     [](Fixture& f) {
       f.add("id-1 id-2");
       EXPECT_EQ(f.add("- -"), "id-3#3 id-4#4 settled");
       EXPECT_EQ(f.add("id-5 -"), "id-5#5 id-6#6 settled");
       EXPECT_EQ(f.add("- id-7"), "id-8#7 id-7#8 settled");
     }},

    {"Append.IdsAreGeneratedOnlyWhenItIsCarriedOut", "append.10",
     [](Fixture& f) {
       f.add("a");
       EXPECT_EQ(f.refused([&] { f.add("- a"); }), "partial_duplicate_batch");
       EXPECT_EQ(f.refused([&] { f.add("-<c#1@1"); }), "superseded_attempt");
       EXPECT_EQ(f.refused([&] { f.add("- b>c,c"); }), "invalid_argument");
       f.clear();
       EXPECT_EQ(f.refused([&] { f.add("-", "*", 1); }), "session_cleared");
       EXPECT_EQ(f.add("-"), "id-2#3 settled");  // id-1 is the marker's
     }},

    {"Append.GeneratedIdsAreUniqueAndOrdered", "append.6",
     [](Fixture& f) {
       f.options().ids = nullptr;  // the library's own
       f.add("- - -");
       f.add("-");
       const std::vector<Event> events = f->read("s");
       ASSERT_EQ(events.size(), 4u);
       for (size_t i = 1; i < events.size(); ++i) EXPECT_LT(events[i - 1].id, events[i].id);
     }},

    {"Append.ATargetWithoutLaneIsAnEventCursor", "append.7 vocabulary.3",
     [](Fixture& f) {
       f.add("a>c b>c,d");
       EXPECT_EQ(f.cursors(),
                 "c event pos=0 head=1\n"
                 "c event pos=1 head=2\n"
                 "d event pos=1 head=2");
       EXPECT_EQ(f.claim(), "claimed c#1@1 c#2@1 d#2@1");
     }},

    {"Append.ATargetWithALaneQueues", "append.7 vocabulary.2",
     [](Fixture& f) {
       f.add("a>c/k,c/m b>c/k");
       EXPECT_EQ(f.cursors(), "c/k lane pos=0 head=1\nc/m lane pos=0 head=1");
       EXPECT_EQ(f.claim(), "claimed c/k#1@1 c/m#1@1");
       f.add("d>c/k,c/m");
       EXPECT_EQ(f.claim(), "busy 101");  // the heads keep their claims
       f.complete("c/m#1@1");
       EXPECT_EQ(f.claim(), "claimed c/m#3@1");
     }},

    {"Append.AnIdleLaneTakesTheEventAsItsHead", "append.7",
     [](Fixture& f) {
       f.add("a>c/k");
       f.claim();
       f.fail("c/k#1@1");
       f.claim();
       f.complete("c/k#1@2");
       EXPECT_EQ(f.cursor("c/k"), "c/k lane pos=1");
       f.add("b d>c/k");
       EXPECT_EQ(f.cursor("c/k"), "c/k lane pos=1 head=3");
     }},

    {"Append.ALaneFromBeforeAClearStartsFresh", "append.7 clear.6",
     [](Fixture& f) {
       f.add("a>c/k,d/k,e/k b>c/k x>d/k");
       f.claim();
       f.fail("c/k#1@1", 1);
       f.complete("e/k#1@1");
       f.clear();  // 4; of a dead letter, a claimed head and an idle lane
       f.add("g>c/k,d/k,e/k");
       EXPECT_EQ(f.cursors(),
                 "c/k lane pos=4 head=5\n"
                 "d/k lane pos=4 head=5\n"
                 "e/k lane pos=4 head=5");
       EXPECT_EQ(f.claim("c"), "claimed c/k#5@1");
       EXPECT_EQ(f.complete("c/k#5@1"), "completed");
       EXPECT_EQ(f.cursor("c/k"), "c/k lane pos=5");  // nothing old comes after it
     }},

    {"Append.TheSameTargetTwiceIsInvalid", "append.7 structures.7",
     [](Fixture& f) {
       EXPECT_EQ(f.refused([&] { f.add("a>c,c"); }, "targets"), "invalid_argument");
       EXPECT_EQ(f.refused([&] { f.add("a b>c/k,d,c/k"); }, "events[1].targets"),
                 "invalid_argument");
       EXPECT_EQ(f.refused([&] { f.add("a>c/k+5,c/k"); }, "targets"), "invalid_argument");
       EXPECT_EQ(f.add("a>c,c/k,c/m b>c,c/k"), "a#1 b#2 pending");
     }},

    {"Append.ManyEventsOnOneLaneInOneBatch", "append.7 advance.2",
     [](Fixture& f) {
       f.add("a>c/k b>c/k d>c/k e>d/k g>c/k");
       std::string order;
       for (;;) {
         const ClaimResult claim = f->claim("s", {.holder = "w", .ttl = Duration(9)});
         if (claim.outcome != ClaimOutcome::kClaimed) break;
         for (const Head& head : claim.heads) {
           order += show(HeadRef(head.ref())) + " ";
           EXPECT_EQ(f.complete(show(static_cast<Claim>(head))), "completed");
         }
       }
       EXPECT_EQ(order, "c/k#1 d/k#4 c/k#2 c/k#3 c/k#5 ");
     }},

    {"Append.ALogAndALaneOfOneNameExclude", "vocabulary.5",
     [](Fixture& f) {
       f.add("a>c/k", "d+%k!");
       EXPECT_EQ(f.refused([&] { f.add("b", "c+%k!"); }), "invalid_argument");
       EXPECT_EQ(f.refused([&] { f.wake("c+%k"); }), "invalid_argument");
       EXPECT_EQ(f.refused([&] { f.add("b>d/k"); }), "invalid_argument");
       EXPECT_EQ(f.refused([&] { f.add("b>e/k", "e+%k"); }), "invalid_argument");
       EXPECT_EQ(f.add("b>c/log,d/log"), "b#2 pending");  // other names
       EXPECT_EQ(f.on("u").add("a>d/k"), "a#1 pending");  // another session
     }},

    {"Append.AnIdleLaneStillExcludesALog", "vocabulary.5",
     [](Fixture& f) {
       f.add("a>c/k");
       f.claim();
       f.complete("c/k#1@1");
       EXPECT_EQ(f.refused([&] { f.add("b", "c+%k!"); }), "invalid_argument");
     }},

    {"Append.AClearedLaneIsReplacedByALog", "vocabulary.5 clear.6",
     [](Fixture& f) {
       f.add("a>c/k,d/k", "l+%k!");
       f.clear();
       f.add("b", "c+%k!");
       EXPECT_EQ(f.cursor("c/k"), "c/k log pos=2 head=3");
       EXPECT_EQ(f.refused([&] { f.add("x>c/k"); }), "invalid_argument");
       // A log cursor outlives a clear, so the other way round it stays excluded.
       EXPECT_EQ(f.refused([&] { f.add("x>l/k"); }), "invalid_argument");
       EXPECT_EQ(f.claim("c"), "claimed c/k#3@1");
       EXPECT_EQ(f.complete("c/k#3@1"), "completed");
       EXPECT_EQ(f.cursor("c/k"), "c/k log pos=3");
     }},

    {"Append.HasPendingIsOfTheServedConsumers", "append.9 structures.2 structures.3",
     [](Fixture& f) {
       EXPECT_EQ(f.add("a>c"), "a#1 pending");
       EXPECT_EQ(f.add("b", "c"), "b#2 pending");
       EXPECT_EQ(f.add("d", "x y"), "d#3 settled");
       EXPECT_EQ(f.add("e", ""), "e#4 settled");
       f.claim();
       EXPECT_EQ(f.add("g", "c x"), "g#5 pending");  // claimed is pending
       f.fail("c#1@1", 1);
       EXPECT_EQ(f.add("h"), "h#6 settled");       // dead is not
       EXPECT_EQ(f.add("i>d+50"), "i#7 pending");  // scheduled is
       f.clear();
       EXPECT_EQ(f.add("j"), "j#9 settled");
     }},
};

}  // namespace

std::span<const CaseRow> append_cases() { return kCases; }

}  // namespace pawl::conformance
