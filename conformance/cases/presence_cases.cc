// Presence: last writer wins, tombstones, expiry.
#include <gtest/gtest.h>

#include <limits>

#include "cases/case.h"
#include "cases/fixture.h"

namespace pawl::conformance {
namespace {

// Sets one field of the participant p in the namespace n; "" is absent.
void set(Fixture& f, const char* field, const std::string& value, Int at, Int ttl = 100,
         MaybeInt seen = {}) {
  PresenceField entry{field};
  if (!value.empty()) entry.value = value;
  f->set_presence("n", "p", {entry}, {.at = ms(at), .ttl = Duration(ttl), .seen = seen});
}

std::string reclaim(Fixture& f, Int limit = 1'000) { return show(f->reclaim_presence("n", limit)); }

constexpr CaseRow kCases[] = {
    {"Presence.IsListedByParticipantAndField", "presence.1 values.3",
     [](Fixture& f) {
       const PresenceOptions options{.at = ms(5), .ttl = Duration(100)};
       f->set_presence("n", "q", {{"f", "1"}, {"B", "2"}, {"a", "3"}}, options);
       f->set_presence("n", "Q", {{"z", "4"}}, options);
       f->set_presence("m", "p", {{"f", "5"}}, options);
       EXPECT_EQ(f.presence("n"), "Q.z=4@5..101 q.B=2@5..101 q.a=3@5..101 q.f=1@5..101");
       EXPECT_EQ(f.presence("m"), "p.f=5@5..101");
       EXPECT_EQ(f.presence("x"), "");
     }},

    {"Presence.ANewerSetWins", "set_presence.1",
     [](Fixture& f) {
       set(f, "f", "1", 10);
       set(f, "f", "2", 11);
       EXPECT_EQ(f.presence("n"), "p.f=2@11..101");
       set(f, "f", "3", 9);
       EXPECT_EQ(f.presence("n"), "p.f=2@11..101");
     }},

    {"Presence.AtEqualTimesTheIncomingWins", "set_presence.1",
     [](Fixture& f) {
       set(f, "f", "1", 10);
       set(f, "f", "2", 10);
       EXPECT_EQ(f.presence("n"), "p.f=2@10..101");
     }},

    {"Presence.EachFieldByItself", "set_presence.1",
     [](Fixture& f) {
       set(f, "f", "1", 10);
       f->set_presence("n", "p", {{"f", "2"}, {"g", "3"}}, {.at = ms(9), .ttl = Duration(50)});
       EXPECT_EQ(f.presence("n"), "p.f=1@10..101 p.g=3@9..51");
     }},

    {"Presence.ExpiresByTheStorageClock", "set_presence.1 presence.1",
     [](Fixture& f) {
       f.at(1'000);
       set(f, "f", "1", 5, 10);  // by the caller's clock long ago
       EXPECT_EQ(f.presence("n"), "p.f=1@5..1010");
       f.at(1'009);
       EXPECT_EQ(f.presence("n"), "p.f=1@5..1010");
       f.at(1'010);
       EXPECT_EQ(f.presence("n"), "");
     }},

    {"Presence.ATimeToLiveOfZeroIsGoneAtOnce", "presence.1 values.6",
     [](Fixture& f) {
       set(f, "f", "1", 5, 0);
       EXPECT_EQ(f.presence("n"), "");
     }},

    {"Presence.AnExpiredFieldLoses", "set_presence.1",
     [](Fixture& f) {
       set(f, "f", "1", 500, 10);
       f.at(11);
       set(f, "f", "2", 3);
       EXPECT_EQ(f.presence("n"), "p.f=2@3..111");
     }},

    {"Presence.AHeartbeatMovesTheExpiry", "set_presence.1",
     [](Fixture& f) {
       set(f, "f", "1", 10, 10);
       f.at(8);
       set(f, "f", "1", 20, 10);
       f.at(15);
       EXPECT_EQ(f.presence("n"), "p.f=1@20..18");
     }},

    {"Presence.TombstoneBeatsAnOlderSet", "set_presence.2",
     [](Fixture& f) {
       set(f, "f", "1", 10);
       set(f, "f", "", 20);
       EXPECT_EQ(f.presence("n"), "");
       set(f, "f", "2", 15);  // arrives late
       EXPECT_EQ(f.presence("n"), "");
       set(f, "f", "3", 20);  // ties go to the incoming one
       EXPECT_EQ(f.presence("n"), "p.f=3@20..101");
     }},

    {"Presence.AnOlderTombstoneLoses", "set_presence.2",
     [](Fixture& f) {
       set(f, "f", "1", 10);
       set(f, "f", "", 9);
       EXPECT_EQ(f.presence("n"), "p.f=1@10..101");
     }},

    {"Presence.ATombstoneExpires", "set_presence.2",
     [](Fixture& f) {
       set(f, "f", "", 20, 10);
       f.at(11);
       set(f, "f", "1", 5);
       EXPECT_EQ(f.presence("n"), "p.f=1@5..111");
     }},

    {"Presence.ATextOfNullIsATombstone", "set_presence.2 presence.1",
     [](Fixture& f) {
       set(f, "f", "1", 10);
       set(f, "g", "1", 10);
       set(f, "h", "1", 10);
       set(f, "f", "null", 10);
       set(f, "g", " \n null\t", 10);
       set(f, "h", "\"null\"", 10);
       EXPECT_EQ(f.presence("n"), "p.h=\"null\"@10..101");
       set(f, "g", "2", 9);
       EXPECT_EQ(f.presence("n"), "p.h=\"null\"@10..101");
     }},

    {"Presence.SeenIsKeptWithTheField", "set_presence.3 presence.1 values.8",
     [](Fixture& f) {
       set(f, "a", "1", 10, 100, 7);
       set(f, "b", "1", 10, 100, 0);
       set(f, "c", "1", 10, 100, -5);
       set(f, "d", "1", 10, 100, std::numeric_limits<Int>::max());
       set(f, "e", "1", 10);
       EXPECT_EQ(f.presence("n"),
                 "p.a=1@10..101(7) p.b=1@10..101(0) p.c=1@10..101(-5) "
                 "p.d=1@10..101(9223372036854775807) p.e=1@10..101");
       set(f, "a", "2", 10);
       EXPECT_EQ(f->presence("n").at(0).seen, std::nullopt);
     }},

    {"Presence.OfNoFields", "set_presence.1",
     [](Fixture& f) {
       f->set_presence("n", "p", {}, {.at = ms(5), .ttl = Duration(100)});
       EXPECT_EQ(f.presence("n"), "");
     }},

    {"Presence.ReclaimDeletesWhatHasExpired", "reclaim_presence.1",
     [](Fixture& f) {
       for (const char* field : {"a", "b", "c"}) set(f, field, "1", 10, 10);
       set(f, "d", "", 10, 10);
       set(f, "e", "1", 10, 500);
       EXPECT_EQ(reclaim(f), "0 done");
       f.at(11);
       EXPECT_EQ(reclaim(f, 3), "3 more");
       EXPECT_EQ(reclaim(f, 3), "1 done");
       EXPECT_EQ(reclaim(f, 3), "0 done");
       EXPECT_EQ(f.presence("n"), "p.e=1@10..501");
     }},

    {"Presence.ReclaimKnowsExactlyWhenItIsDone", "reclaim_presence.1",
     [](Fixture& f) {
       for (const char* field : {"a", "b"}) set(f, field, "1", 10, 10);
       f.at(11);
       EXPECT_EQ(reclaim(f, 2), "2 done");
       EXPECT_EQ(show(f->reclaim_presence("unknown")), "0 done");
     }},

    {"Presence.WritesSweepWhatHasExpired", "reclaim_presence.1",
     [](Fixture& f) {
       set(f, "a", "1", 10, 10);
       f.at(11);
       set(f, "b", "1", 10);
       EXPECT_EQ(reclaim(f), "0 done");
       EXPECT_EQ(f.presence("n"), "p.b=1@10..111");
     }},

    {"Presence.IsApartFromSessions", "presence.1",
     [](Fixture& f) {
       f->set_presence("s", "p", {{"f", "1"}}, {.at = ms(5), .ttl = Duration(100)});
       EXPECT_EQ(f.sessions(), "");
       f.add("a");
       f.clear();
       f.delete_session();
       EXPECT_EQ(f.presence("s"), "p.f=1@5..101");
     }},
};

}  // namespace

std::span<const CaseRow> presence_cases() { return kCases; }

}  // namespace pawl::conformance
