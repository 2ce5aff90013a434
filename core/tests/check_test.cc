// The limits and forms of arguments, and the paths by which messages name them.
#include "check.h"

#include <gtest/gtest.h>

#include <functional>

#include "pawl/error.h"
#include "tests/support/rows.h"

namespace pawl::core {
namespace {

using namespace std::string_literals;
using testing::event;
using testing::ms;
using testing::reads;

using Call = std::function<void(Check&)>;

// What a check refuses, or nothing.
std::string fault(const Call& call, const StoreOptions& limits = {}) {
  Check check(limits);
  try {
    call(check);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    return error.what();
  }
  return "";
}

TEST(Check, Names) {
  struct Case {
    std::string name;
    const char* fault;
  };
  const std::vector<Case> cases{
      {"a", ""},
      {std::string(512, 'a'), ""},
      {"\xC3\xA4 / % ' \" \n \x01 \x7F : | \\", ""},
      {"pawl.clear", ""},
      {" ", ""},
      {"", "f is empty"},
      {std::string(513, 'a'), "f is longer than 512 bytes"},
      {std::string(511, 'a').append("\xC3\xA4"), "f is longer than 512 bytes"},
      {std::string(510, 'a').append("\xC3\xA4"), ""},
      {"\0"s, "f holds the character U+0000"},
      {"a\0b"s, "f holds the character U+0000"},
      {"a\xFF", "f is not UTF-8"},
      {"\xC0\x80", "f is not UTF-8"},
      {"\xED\xA0\x80", "f is not UTF-8"},
      {"\xE2\x82", "f is not UTF-8"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(fault([&](Check& check) { check.name(c.name, {"f"}); }), c.fault)
        << ::testing::PrintToString(c.name);
    EXPECT_EQ(fault([&](Check& check) { check.optional_name(c.name, {"f"}); }), c.fault);
  }
  EXPECT_EQ(fault([](Check& check) { check.optional_name({}, {"f"}); }), "");
}

TEST(Check, Numbers) {
  const auto limit = [](std::int64_t value) {
    return fault([&](Check&) { Check::limit(value, {"f"}); });
  };
  EXPECT_EQ(limit(0), "f is less than 1");
  EXPECT_EQ(limit(-1), "f is less than 1");
  EXPECT_EQ(limit(1), "");
  EXPECT_EQ(limit(10'000), "");
  EXPECT_EQ(limit(10'001), "f is more than 10000");
  EXPECT_EQ(limit(INT64_MAX), "f is more than 10000");
  const auto at_least = [](std::int64_t value, std::int64_t least) {
    return fault([&](Check&) { Check::at_least(value, least, {"f"}); });
  };
  EXPECT_EQ(at_least(0, 0), "");
  EXPECT_EQ(at_least(-1, 0), "f is less than 0");
  EXPECT_EQ(at_least(INT64_MAX, 1), "");
  EXPECT_EQ(at_least(INT64_MIN, 1), "f is less than 1");
  const auto list = [](std::size_t size, std::int64_t most) {
    return fault([&](Check&) { Check::list(size, most, {"f"}); });
  };
  EXPECT_EQ(list(0, 256), "");
  EXPECT_EQ(list(256, 256), "");
  EXPECT_EQ(list(257, 256), "f lists more than 256");
}

TEST(Check, TimesAndDurations) {
  const auto time = [](std::int64_t value) {
    return fault([&](Check&) { EXPECT_EQ(Check::time(ms(value), {"f"}), value); });
  };
  const char* const no_time = "f is not a time from 1 to 2^53 ms";
  EXPECT_EQ(time(1), "");
  EXPECT_EQ(time(kMaxTimeMs), "");
  for (const std::int64_t value : {std::int64_t{0}, std::int64_t{-1}, kMaxTimeMs + 1, INT64_MAX}) {
    EXPECT_EQ(time(value), no_time) << value;
  }
  const auto duration = [](std::int64_t value) {
    return fault([&](Check&) { EXPECT_EQ(Check::duration(Duration(value), {"f"}), value); });
  };
  EXPECT_EQ(duration(0), "");
  EXPECT_EQ(duration(kMaxTimeMs), "");
  for (const std::int64_t value : {std::int64_t{-1}, kMaxTimeMs + 1, INT64_MAX, INT64_MIN}) {
    EXPECT_EQ(duration(value), "f is not a duration from 0 to 2^53 ms") << value;
  }
}

TEST(Check, Leases) {
  const auto lease = [](std::optional<Duration> ttl, std::optional<Time> expires_at,
                        const Field* parent = nullptr) {
    return fault([&](Check&) { Check::lease(ttl, expires_at, parent); });
  };
  EXPECT_EQ(lease(Duration(0), {}), "");
  EXPECT_EQ(lease({}, ms(1)), "");
  EXPECT_EQ(lease({}, {}), "ttl_ms or expires_at: exactly one is to be given");
  EXPECT_EQ(lease(Duration(1), ms(1)), "ttl_ms or expires_at: exactly one is to be given");
  EXPECT_EQ(lease(Duration(-1), {}), "ttl_ms is not a duration from 0 to 2^53 ms");
  EXPECT_EQ(lease({}, ms(0)), "expires_at is not a time from 1 to 2^53 ms");
  const Field claim{"claim"};
  EXPECT_EQ(lease({}, ms(0), &claim), "claim.expires_at is not a time from 1 to 2^53 ms");
}

TEST(Check, JsonTextsAndTheirLength) {
  StoreOptions limits;
  limits.max_payload_bytes = 5;
  const auto json = [&](const std::string& text) {
    return fault([&](Check& check) { check.json(text, {"f"}); }, limits);
  };
  EXPECT_EQ(json("12345"), "");
  EXPECT_EQ(json("123456"), "f is longer than max_payload_bytes");
  EXPECT_EQ(json("\xC3\xA4"), "f is not valid JSON");
  EXPECT_EQ(json("[1"), "f is not valid JSON");
  EXPECT_EQ(json("\xEF\xBB\xBF"
                 "1"),
            "f begins with a byte order mark");
  EXPECT_EQ(fault([](Check& check) { check.json(std::string(513, '['), {"f"}); }),
            "f is nested deeper than 512");
}

TEST(Check, AddsUpTheTextOfACall) {
  StoreOptions limits;
  limits.max_call_bytes = 10;
  const char* const too_long = "g makes the call longer than max_call_bytes";
  const auto call = [&](const std::string& g) {
    return fault(
        [&](Check& check) {
          check.name("1234", {"n"});
          check.json("[1]", {"j"});
          check.text(g, {"g"});
        },
        limits);
  };
  EXPECT_EQ(call("123"), "");
  EXPECT_EQ(call("1234"), too_long);
  EXPECT_EQ(fault([](Check& check) { check.name("12345678901", {"g"}); }, limits), too_long);
  EXPECT_EQ(fault([](Check& check) { check.json("12345678901", {"g"}); }, limits), too_long);
}

NewEvent with_cause(Cause cause) {
  NewEvent given = event("x");
  given.cause = std::move(cause);
  return given;
}

TEST(Check, Events) {
  const auto events = [](std::vector<NewEvent> list) {
    return fault([&](Check& check) { check.append_events(list, {"events"}); });
  };
  const auto targets = [&](std::vector<Target> list) {
    return events({event("a"), event("x", "t", "1", std::move(list))});
  };
  EXPECT_EQ(events({}), "");
  EXPECT_EQ(events({event({}), event("x")}), "");
  EXPECT_EQ(events({event("a"), event("")}), "events[1].id is empty");
  EXPECT_EQ(events({event("a", "")}), "events[0].type is empty");
  EXPECT_EQ(events({event("a", "pawl.x")}),
            "events[0].type begins with `pawl.`, which is reserved");
  EXPECT_EQ(events({event("a", "pawl.")}), "events[0].type begins with `pawl.`, which is reserved");
  EXPECT_EQ(events({event("a", "pawl"), event("b", "Pawl.x"), event("c", " pawl.x")}), "");
  EXPECT_EQ(events({event("a", "t", "")}), "events[0].payload is not valid JSON");
  EXPECT_EQ(events({with_cause({"", {}, 1, 1})}), "events[0].cause.consumer is empty");
  EXPECT_EQ(events({with_cause({"c", "", 1, 1})}), "events[0].cause.lane is empty");
  EXPECT_EQ(events({with_cause({"c", {}, 0, 1})}), "events[0].cause.index is less than 1");
  EXPECT_EQ(events({with_cause({"c", {}, 1, 0})}), "events[0].cause.attempt is less than 1");
  EXPECT_EQ(events({with_cause({"c", {}, 1, 1, 0})}), "events[0].cause.batch_size is less than 1");
  EXPECT_EQ(events({with_cause({"c", "k", 1, 1, 1})}), "");
  EXPECT_EQ(targets({{"c"}, {""}}), "events[1].targets[1].consumer is empty");
  EXPECT_EQ(targets({{"c", ""}}), "events[1].targets[0].lane is empty");
  EXPECT_EQ(targets({{"c", {}, ms(0)}}),
            "events[1].targets[0].available_at is not a time from 1 to 2^53 ms");
  EXPECT_EQ(targets({{"c"}, {"c", "k"}, {"c", "l"}, {"d"}}), "");
  EXPECT_EQ(targets({{"c"}, {"d"}, {"c"}}), "events[1].targets[2] stands twice in the list");
  EXPECT_EQ(targets({{"c", "k"}, {"c", "k", ms(7)}}),
            "events[1].targets[1] stands twice in the list");
  std::vector<Target> many;
  for (int i = 0; i < 256; ++i) many.push_back({"c", std::to_string(i)});
  EXPECT_EQ(targets(many), "");
  many.push_back({"c"});
  EXPECT_EQ(targets(many), "events[1].targets lists more than 256");
  EXPECT_EQ(events(std::vector<NewEvent>(10'000, event({}))), "");
  EXPECT_EQ(events(std::vector<NewEvent>(10'001, event({}))), "events lists more than 10000");
}

TEST(Check, FollowUps) {
  const auto follow_ups = [](std::vector<NewEvent> list) {
    return fault([&](Check& check) { check.follow_ups(list, {"events"}); });
  };
  EXPECT_EQ(follow_ups({event("x"), event("y")}), "");
  EXPECT_EQ(follow_ups({event("x"), event({})}), "events[1].id is missing: a follow-up needs one");
  EXPECT_EQ(follow_ups({with_cause({"c", {}, 1, 1})}),
            "events[0].cause may not be given: it is the finished head");
  EXPECT_EQ(follow_ups({event("x", "pawl.x")}),
            "events[0].type begins with `pawl.`, which is reserved");
}

TEST(Check, ServedConsumers) {
  const auto served = [](const std::vector<Consumer>& list) {
    return fault([&](Check& check) { check.served(std::span(list), {"consumers"}); });
  };
  EXPECT_EQ(fault([](Check& check) { check.served(std::nullopt, {"consumers"}); }), "");
  EXPECT_EQ(served({}), "");
  EXPECT_EQ(served({{"a"}, reads("b", {{}}), reads("c", {{"t", "t"}})}), "");
  EXPECT_EQ(served({{"a"}, {""}}), "consumers[1].name is empty");
  EXPECT_EQ(served({{"a"}, {"b"}, {"a"}}), "consumers[2].name stands twice in the list");
  EXPECT_EQ(served({reads("b", {}, false, "")}), "consumers[0].log.lane is empty");
  EXPECT_EQ(served({reads("b", {{"t", ""}})}), "consumers[0].log.types[1] is empty");
  EXPECT_EQ(served({reads("b", {{"pawl.clear"}})}), "");
  EXPECT_EQ(served({reads("b", std::vector<std::string>(1'000, "t"))}), "");
  EXPECT_EQ(served({reads("b", std::vector<std::string>(1'001, "t"))}),
            "consumers[0].log.types lists more than 1000");
  std::vector<Consumer> many;
  for (int i = 0; i < 1'000; ++i) many.push_back({std::to_string(i)});
  EXPECT_EQ(served(many), "");
  many.push_back({"c"});
  EXPECT_EQ(served(many), "consumers lists more than 1000");
}

TEST(Check, HeadReferencesAndClaims) {
  const auto claim = [](const Claim& given, const Field& field) {
    return fault([&](Check& check) { check.claim(given, field); });
  };
  const Field list{"claims"};
  EXPECT_EQ(claim({"c", "k", 1, 1}, list[3]), "");
  EXPECT_EQ(claim({"", "k", 1, 1}, list[3]), "claims[3].consumer is empty");
  EXPECT_EQ(claim({"c", "", 1, 1}, list[3]), "claims[3].lane is empty");
  EXPECT_EQ(claim({"c", {}, 0, 1}, list[3]), "claims[3].index is less than 1");
  EXPECT_EQ(claim({"c", {}, 1, 0}, list[3]), "claims[3].attempt is less than 1");
  EXPECT_EQ(claim({"", {}, 1, 1}, {""}), "consumer is empty") << "flat among the arguments";
  EXPECT_EQ(claim({"c", {}, 1, 0}, {""}), "attempt is less than 1");
  EXPECT_EQ(claim({"c", {}, INT64_MAX, INT64_MAX}, {""}), "");
}

}  // namespace
}  // namespace pawl::core
