// Lines in, lines out: what is refused and how it is named, and how texts keep their spelling.
// What operations do is the matter of conformance/vectors.
#include "pawl/jsonl.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "pawl/memory.h"

namespace pawl {
namespace {

class Lines : public ::testing::Test {
 protected:
  Lines() : clock_(std::make_shared<ManualClock>()), store_(open_store()), lines_(store_, clock_) {}

  Store open_store() {
    OpenOptions options;
    options.clock = clock_;
    options.ids = sequential_id_source();
    return memory::open(options);
  }

  std::string answer(std::string_view line) { return lines_.answer(line); }

  // The message of a line that is refused with invalid_argument.
  std::string refusal(std::string_view line) {
    const auto parsed = nlohmann::json::parse(answer(line));
    if (!parsed.contains("error")) return "answered: " + parsed.dump();
    EXPECT_EQ(parsed["error"]["code"], "invalid_argument") << line;
    return parsed["error"]["message"];
  }

  std::shared_ptr<ManualClock> clock_;
  Store store_;
  JsonLines lines_;
};

TEST_F(Lines, WhatIsNoOperationIsRefusedAndTheStreamGoesOn) {
  EXPECT_EQ(refusal(""), "the line is not JSON");
  EXPECT_EQ(refusal("append"), "the line is not JSON");
  EXPECT_EQ(refusal("\xEF\xBB\xBF{\"op\":\"sessions\"}"), "the line begins with a byte order mark");
  EXPECT_EQ(refusal("{\"op\":\"head\",\"session\":\"\xFF\"}"), "the line is not JSON");
  EXPECT_EQ(refusal("[]"), "the line is not an object");
  EXPECT_EQ(refusal("1"), "the line is not an object");
  EXPECT_EQ(refusal("{}"), "op is missing");
  EXPECT_EQ(refusal(R"({"op":7})"), "op must be a string");
  EXPECT_EQ(refusal(R"({"op":"frob"})"), "op \"frob\" is not known");
  EXPECT_EQ(answer(R"( {"op":"sessions"} )"), R"({"ok":[]})");
}

TEST_F(Lines, AFieldIsNamedByItsPath) {
  const std::vector<std::pair<const char*, const char*>> refusals{
      {R"({"op":"head"})", "session is missing"},
      {R"({"op":"head","session":null})", "session is missing"},
      {R"({"op":"head","session":1})", "session must be a string"},
      {R"({"op":"head","session":"s","limit":1})", "limit is not a field here"},
      {R"({"op":"head","session":"s","session":"s"})", "session is given twice"},
      {R"({"op":"head","session":"s","\u0073ession":"s"})", "session is given twice"},
      {R"({"op":"read","session":"s","limit":"1"})", "limit must be an integer"},
      {R"({"op":"read","session":"s","limit":1.0})", "limit must be an integer"},
      {R"({"op":"read","session":"s","limit":9223372036854775808})", "limit is beyond 64 bits"},
      {R"({"op":"read","session":"s","types":"t"})", "types must be a list"},
      {R"({"op":"read","session":"s","types":["t",1]})", "types[1] must be a string"},
      {R"({"op":"append","session":"s"})", "events is missing"},
      {R"({"op":"append","session":"s","events":{}})", "events must be a list"},
      {R"({"op":"append","session":"s","events":[1]})", "events[0] is not an object"},
      {R"({"op":"append","session":"s","events":[{"type":"t","payload":1},{"payload":1}]})",
       "events[1].type is missing"},
      {R"({"op":"append","session":"s","events":[{"type":"t"}]})", "events[0].payload is missing"},
      {R"({"op":"append","session":"s","events":[{"type":"t","payload":1,"payload_text":"1"}]})",
       "events[0].payload and events[0].payload_text exclude each other"},
      {R"({"op":"append","session":"s","events":[{"type":"t","payload":1,"x.y":1}]})",
       "events[0].x.y is not a field here"},
      {R"({"op":"append","session":"s","events":[{"type":"t","payload":1,"targets":[{}]}]})",
       "events[0].targets[0].consumer is missing"},
      {R"({"op":"append","session":"s","events":[],"consumers":[{"name":"c","log":{"backfill":1}}]})",
       "consumers[0].log.backfill must be true or false"},
      {R"({"op":"append","session":"s","events":[],"consumers":[{"name":"c","log":true}]})",
       "consumers[0].log is not an object"},
      {R"({"op":"append_batch","items":[{"session":"s","events":[]},{"session":"t"}]})",
       "items[1].events is missing"},
      {R"({"op":"settle","items":[{"session":"s","consumer":"c","index":1,"attempt":1}]})",
       "items[0]: complete or fail or release: exactly one is to be given"},
      {R"({"op":"settle","items":[{"session":"s","consumer":"c","index":1,"attempt":1,
          "release":{},"complete":{}}]})",
       "items[0]: complete or fail or release: exactly one is to be given"},
      {R"({"op":"settle","items":[{"session":"s","consumer":"c","index":1,"attempt":1,
          "fail":{"error":"e"}}]})",
       "items[0]: fail.max_failures is missing"},
      {R"({"op":"settle","items":[],"claim":{"holder":1}})", "claim.holder must be a string"},
      {R"({"op":"redrive","session":"s","consumer":"c","index":1,"action":"x"})",
       "action must be retry or skip"},
      {R"({"op":"wake_log","session":"s","consumer":"c"})", "consumer is not an object"},
      {R"({"op":"wait","session":"s","timeout_ms":0})", "after is missing"},
      {R"({"op":"wait","after":1,"timeout_ms":0})", "after is not a field here"},
      {R"({"op":"set_presence","namespace":"n","participant":"p","at":1,"ttl_ms":1})",
       "fields is missing"},
      {R"({"op":"set_presence","namespace":"n","participant":"p","at":1,"ttl_ms":1,
          "fields":{"f":1},"fields_text":{"f":"1"}})",
       "fields_text.f is given twice"},
      {R"({"op":"set_presence","namespace":"n","participant":"p","at":1,"ttl_ms":1,
          "fields_text":{"f":1}})",
       "fields_text.f must be a string"},
      {R"({"op":"clock","now":0})", "now is not from 1 to 2^53"},
  };
  for (const auto& [line, message] : refusals) EXPECT_EQ(refusal(line), message) << line;
}

// Each operation's least arguments, and each of them left out in turn.
TEST_F(Lines, EveryOperationSaysWhichFieldItMisses) {
  const std::vector<nlohmann::json> operations = {
      {{"op", "append"}, {"session", "s"}, {"events", nlohmann::json::array()}},
      {{"op", "append_batch"}, {"items", nlohmann::json::array()}},
      {{"op", "wake_log"},
       {"session", "s"},
       {"consumer", {{"name", "c"}, {"log", {{"lane", "l"}}}}}},
      {{"op", "cursors"}, {"session", "s"}},
      {{"op", "read"}, {"session", "s"}},
      {{"op", "head"}, {"session", "s"}},
      {{"op", "sessions"}},
      {{"op", "claim"}, {"session", "s"}, {"holder", "w"}, {"ttl_ms", 1}},
      {{"op", "renew"},
       {"session", "s"},
       {"holder", "w"},
       {"ttl_ms", 1},
       {"claims", nlohmann::json::array()}},
      {{"op", "claim_ready"}, {"holder", "w"}, {"ttl_ms", 1}},
      {{"op", "ready"}},
      {{"op", "wait"}, {"timeout_ms", 0}},
      {{"op", "settle"}, {"items", nlohmann::json::array()}},
      {{"op", "dead_letters"}, {"session", "s"}},
      {{"op", "redrive"}, {"session", "s"}, {"consumer", "c"}, {"index", 1}, {"action", "skip"}},
      {{"op", "put_snapshots"},
       {"session", "s"},
       {"reducer", "r"},
       {"writes", nlohmann::json::array()}},
      {{"op", "load_snapshot"}, {"session", "s"}, {"reducer", "r"}},
      {{"op", "set_presence"},
       {"namespace", "n"},
       {"participant", "p"},
       {"fields", {{"f", 1}}},
       {"at", 1},
       {"ttl_ms", 1}},
      {{"op", "presence"}, {"namespace", "n"}},
      {{"op", "reclaim_presence"}, {"namespace", "n"}},
      {{"op", "clear"}, {"session", "s"}},
      {{"op", "reclaim"}, {"session", "s"}},
      {{"op", "prune"}, {"session", "s"}, {"finished_before", 1}},
      {{"op", "delete_session"}, {"session", "s"}},
      {{"op", "delete_consumer"}, {"session", "s"}, {"consumer", "c"}},
      {{"op", "maintain"}},
      {{"op", "clock"}, {"now", 1}},
  };
  for (const nlohmann::json& operation : operations) {
    EXPECT_TRUE(nlohmann::json::parse(answer(operation.dump())).contains("ok")) << operation;
    for (const auto& [field, value] : operation.items()) {
      nlohmann::json without = operation;
      without.erase(field);
      EXPECT_TRUE(refusal(without.dump()).starts_with(field)) << without;
    }
    nlohmann::json with = operation;
    with["neverheardof"] = 1;
    EXPECT_EQ(refusal(with.dump()), "neverheardof is not a field here") << operation;
  }
  for (const char* op : {"complete", "fail", "release"}) {
    nlohmann::json operation = {
        {"op", op}, {"session", "s"}, {"consumer", "c"}, {"index", 1}, {"attempt", 1}};
    if (op == std::string("fail")) operation.update({{"error", "e"}, {"max_failures", 1}});
    EXPECT_EQ(nlohmann::json::parse(answer(operation.dump()))["error"]["code"], "unknown_event");
    for (const auto& [field, value] : operation.items()) {
      nlohmann::json without = operation;
      without.erase(field);
      EXPECT_TRUE(refusal(without.dump()).starts_with(field)) << without;
    }
  }
}

TEST_F(Lines, APayloadInPlaceIsKeptAsItIsSpelled) {
  const std::string payload =
      R"({ "n" : 1.50E+1,"n":123456789012345678901234567890, "é":"\u00e9\/"})";
  EXPECT_EQ(
      answer(R"({"op":"append","session":"s","events":[{"type":"t","payload":)" + payload + "}]}"),
      R"({"ok":{"events":[{"session":"s","index":1,"id":"id-1","type":"t","payload":)" + payload +
          R"(,"created_at":1}],"has_pending":false}})");
}

TEST_F(Lines, ATextIsKeptToTheByteAndGoesOutAsAStringOnlyIfItBreaksTheLine) {
  const auto payload_of = [&](const std::string& text) {
    const std::string line =
        R"({"op":"append","session":"s","events":[{"type":"t","payload_text":)" +
        nlohmann::json(text).dump() + "}]}";
    const std::string answered = answer(line);
    const auto begin = answered.find("\"payload");
    return answered.substr(begin, answered.rfind(",\"created_at\"") - begin);
  };
  EXPECT_EQ(payload_of(" [1 ,\t2]"), "\"payload\": [1 ,\t2]");
  EXPECT_EQ(payload_of("[1,\n2]"), R"("payload_text":"[1,\n2]")");
  EXPECT_EQ(payload_of("[1,\r2]"), R"("payload_text":"[1,\r2]")");
  EXPECT_EQ(refusal(R"({"op":"append","session":"s","events":[{"type":"t","payload_text":"["}]})")
                .find("events[0].payload"),
            0U);
}

TEST_F(Lines, NullInPlaceIsAPayloadAndElsewhereAbsence) {
  EXPECT_EQ(answer(R"({"op":"append","session":"s","origin_index":null,"consumers":null,
                       "events":[{"id":null,"type":"t","payload":null,"payload_text":null,
                                  "cause":null,"targets":null}]})"),
            R"({"ok":{"events":[{"session":"s","index":1,"id":"id-1","type":"t","payload":null,)"
            R"("created_at":1}],"has_pending":false}})");
  EXPECT_EQ(answer(R"({"op":"set_presence","namespace":"n","participant":"p","at":1,"ttl_ms":1,
                       "fields":{"a":1,"b":null},"fields_text":{"c":" 2","d":"null","e":null}})"),
            R"({"ok":{}})");
  EXPECT_EQ(answer(R"({"op":"presence","namespace":"n"})"),
            R"({"ok":[{"participant":"p","field":"a","value":1,"at":1,"expires_at":2},)"
            R"({"participant":"p","field":"c","value": 2,"at":1,"expires_at":2}]})");
}

TEST_F(Lines, APayloadMayNestToTheLimitWhereverItStands) {
  const auto line = [](int depth) {
    return R"({"op":"append","session":"s","events":[{"type":"t","payload":)" +
           std::string(depth, '[') + std::string(depth, ']') + "}]}";
  };
  EXPECT_TRUE(nlohmann::json::parse(answer(line(512))).contains("ok"));
  EXPECT_EQ(refusal(line(513)).find("events[0].payload"), 0U);
  EXPECT_EQ(refusal(line(1'000'000)), "the line is nested too deep");
}

TEST_F(Lines, NamesOfAnyCharactersComeBackEscaped) {
  EXPECT_EQ(
      answer(R"({"op":"append","session":"a\"\\\n\u0001/é","events":[{"type":"t","payload":1}]})"),
      R"({"ok":{"events":[{"session":"a\"\\\n\u0001/é","index":1,"id":"id-1","type":"t",)"
      R"("payload":1,"created_at":1}],"has_pending":false}})");
}

TEST_F(Lines, TheClockIsThereOnlyIfItIsManual) {
  EXPECT_EQ(answer(R"({"op":"clock","now":9007199254740992})"), R"({"ok":{}})");
  EXPECT_EQ(clock_->now_ms(), std::int64_t{1} << 53);
  JsonLines without(store_);
  EXPECT_EQ(without.answer(R"({"op":"clock","now":1})"),
            R"({"error":{"code":"invalid_argument","message":"op \"clock\" is not known"}})");
}

TEST_F(Lines, AClosedStoreAnswersSo) {
  store_.close();
  EXPECT_EQ(nlohmann::json::parse(answer(R"({"op":"sessions"})"))["error"]["code"], "closed");
}

// A line must never take the process down, whatever it is made of.
TEST_F(Lines, CutAndMangledLinesAreAnswered) {
  const std::string line =
      R"({"op":"append","session":"s","events":[{"id":"a","type":"t","payload":{"n":[1,"x\u0041"]},)"
      R"("targets":[{"consumer":"c","lane":"k"}]}],"consumers":[{"name":"c","log":{"types":["t"]}}]})";
  for (std::size_t i = 0; i < line.size(); ++i) {
    EXPECT_TRUE(answer(line.substr(0, i)).starts_with(R"({"error":)")) << i;
    for (const char c : {'"', '{', ']', ',', '\\', '0', '\xFF', ' '}) {
      std::string mangled = line;
      mangled[i] = c;
      EXPECT_TRUE(nlohmann::json::accept(answer(mangled))) << mangled;
    }
  }
}

}  // namespace
}  // namespace pawl
