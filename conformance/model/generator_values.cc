// The generator's values: names, times, heads, events.
#include <algorithm>

#include "model/generator.h"

namespace pawl::model {

std::string Generator::fresh_id() { return "f" + std::to_string(++ids_); }

std::string Generator::id() { return random_.chance(25) ? random_.pick(shared_ids_) : fresh_id(); }

// Now and then a lane that a log has: opening both is refused.
std::string Generator::lane() { return random_.pick(random_.chance(4) ? log_lanes_ : lanes_); }

Generator::Json Generator::payload() {
  static const std::vector<Json> values = {0,
                                           1,
                                           1.0,
                                           -7,
                                           1.5,
                                           9007199254740993,
                                           18446744073709551615U,
                                           "text",
                                           "\xC3\xA4\x01",
                                           true,
                                           nullptr,
                                           Json::array(),
                                           Json::object(),
                                           {{"n", 1}},
                                           {{"n", 1}, {"m", {1, 2, nullptr}}}};
  return random_.pick(values);
}

// In place, or as exact text with spelling of its own.
void Generator::put_payload(Json& object, const std::string& key) {
  static const std::vector<std::string> texts = {" 1",
                                                 "1.0",
                                                 "1e0",
                                                 "{\"n\":1}",
                                                 "{ \"n\" : 1 }",
                                                 "{\"n\":1,\n\"n\":2}",
                                                 "null",
                                                 " null\n",
                                                 "[1,\r\n2]",
                                                 "\"\\u0000\"",
                                                 "123456789012345678901234567890",
                                                 "\"a\\/b\""};
  if (random_.chance(70)) {
    object[key] = payload();
  } else {
    object[key + "_text"] = random_.pick(texts);
  }
}

Generator::Json Generator::target() {
  Json target = {{"consumer", consumer_name()}};
  if (random_.chance(60)) target["lane"] = lane();
  if (random_.chance(15)) target["available_at"] = std::max<std::int64_t>(1, around_now());
  return target;
}

Generator::Json Generator::types(int absent_percent) {
  if (random_.chance(absent_percent)) return nullptr;
  Json list = Json::array();
  for (std::int64_t i = random_.below(4); i > 0; --i) list.push_back(random_.pick(types_));
  if (random_.chance(3)) list.push_back("pawl.clear");
  return list;
}

Generator::Json Generator::log_of(const std::string&) {
  Json log = Json::object();
  if (const Json some = types(40); !some.is_null()) log["types"] = some;
  if (random_.chance(40)) log["backfill"] = random_.chance(80);
  if (log_lanes_ != std::vector<std::string>{"log"} || random_.chance(5)) {
    log["lane"] = random_.chance(4) ? random_.pick(lanes_) : random_.pick(log_lanes_);
  }
  return log;
}

// Mostly the consumer's usual log.
Generator::Json Generator::consumer(const std::string& name) {
  Json consumer = {{"name", name}};
  for (std::size_t i = 0; i < consumers_.size() && i < logs_.size(); ++i) {
    if (consumers_[i] == name && !logs_[i].is_null()) consumer["log"] = logs_[i];
  }
  if (random_.chance(12)) consumer["log"] = log_of(name);
  return consumer;
}

void Generator::put_served(Json& object, int absent_percent) {
  if (random_.chance(absent_percent)) return;
  Json list = Json::array();
  const int share = random_.chance(50) ? 90 : 50;
  for (const std::string& name : consumers_) {
    if (random_.chance(share)) list.push_back(consumer(name));
  }
  object["consumers"] = list;
}

void Generator::put_lease(Json& object) {
  object["holder"] = random_.pick(holders_);
  if (random_.chance(80)) {
    object["ttl_ms"] = duration();
  } else {
    object["expires_at"] = std::max<std::int64_t>(1, around_now());
  }
}

void Generator::put_limit(Json& object, const char* key, int percent) {
  if (random_.chance(percent)) object[key] = random_.between(1, random_.chance(70) ? 3 : 10'000);
}

std::int64_t Generator::duration() {
  if (random_.chance(1)) return (std::int64_t{1} << 53) - random_.below(3);
  return random_.below(longest_ + 1);
}

std::int64_t Generator::around_now() { return now_ + random_.between(-longest_ / 4, longest_); }

std::int64_t Generator::index_in(const std::string& session) {
  const Indexes& known = indexes(session);
  if (random_.chance(10)) return random_.between(1, known.last + 3);
  return random_.between(std::max<std::int64_t>(1, known.clear),
                         std::max<std::int64_t>(1, known.last));
}

std::optional<Generator::Known> Generator::known(const std::string& session) {
  std::vector<const Known*> fitting;
  for (const Known& one : claims_) {
    if (one.session == session) fitting.push_back(&one);
  }
  if (fitting.empty()) return std::nullopt;
  if (random_.chance(60)) {  // one of the latest
    const std::size_t latest = std::min<std::size_t>(fitting.size(), 4);
    return *fitting[fitting.size() - 1 -
                    static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(latest)))];
  }
  return *random_.pick(fitting);
}

std::optional<Generator::Known> Generator::known() {
  if (claims_.empty() || random_.chance(2)) return known(session());
  const std::size_t latest = std::min<std::size_t>(claims_.size(), random_.chance(70) ? 6 : 48);
  return claims_[claims_.size() - 1 -
                 static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(latest)))];
}

std::int64_t Generator::attempt_near(std::int64_t attempt) {
  if (random_.chance(90)) return std::max<std::int64_t>(1, attempt);
  return std::max<std::int64_t>(1, attempt + random_.between(-1, 1));
}

Generator::Json Generator::head_ref(const std::string& session) {
  if (const auto seen = known(session); seen && random_.chance(75)) return seen->ref;
  Json ref = {{"consumer", consumer_name()}, {"index", index_in(session)}};
  if (random_.chance(30)) {
    ref["lane"] = lane();
  } else if (random_.chance(40)) {
    ref["lane"] = random_.pick(log_lanes_);
  }
  return ref;
}

Generator::Json Generator::cause(const std::string& session) {
  const auto seen = known(session);
  Json cause = seen && random_.chance(90) ? seen->ref : head_ref(session);
  cause["attempt"] = attempt_near(seen ? seen->attempt : 1);
  if (random_.chance(30)) cause["batch_size"] = random_.between(1, 5);
  return cause;
}

Generator::Json Generator::new_event(const std::string& session, bool follow_up) {
  Json event = {{"type", random_.pick(types_)}};
  if (follow_up || random_.chance(75)) {
    event["id"] = follow_up && random_.chance(92) ? fresh_id() : id();
  }
  put_payload(event, "payload");
  Json targets = Json::array();
  for (std::int64_t i = random_.below(4); i > 0; --i) {
    const Json one = target();
    const bool twice = std::any_of(targets.begin(), targets.end(), [&](const Json& other) {
      return other["consumer"] == one["consumer"] &&
             other.value("lane", "") == one.value("lane", "");
    });
    if (!twice || random_.chance(1)) targets.push_back(one);
  }
  if (!targets.empty() || random_.chance(10)) event["targets"] = targets;
  if (random_.chance(follow_up ? 1 : 6)) event["cause"] = cause(session);
  return event;
}

Generator::Json Generator::new_events(const std::string& session, std::int64_t most,
                                      bool follow_up) {
  Json events = Json::array();
  for (std::int64_t i = random_.between(follow_up ? 0 : 1, most); i > 0; --i) {
    events.push_back(new_event(session, follow_up));
  }
  if (random_.chance(2)) events = Json::array();
  if (!events.empty() && random_.chance(1)) events.push_back(events[0]);
  return events;
}

}  // namespace pawl::model
