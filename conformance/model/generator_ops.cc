// The generator's operations.
#include <algorithm>

#include "model/generator.h"

namespace pawl::model {

const std::vector<Generator::Kind>& Generator::kinds() {
  static const std::vector<Kind> kinds = {
      {"append", 14, &Generator::append},
      {"append_batch", 3, &Generator::append_batch},
      {"append_again", 2, &Generator::append_again},
      {"wake_log", 3, &Generator::wake_log},
      {"claim", 14, &Generator::claim},
      {"claim_ready", 6, &Generator::claim_ready},
      {"renew", 4, &Generator::renew},
      {"complete", 14, &Generator::complete},
      {"fail", 7, &Generator::fail},
      {"release", 3, &Generator::release},
      {"finish_again", 3, &Generator::finish_again},
      {"settle", 8, &Generator::settle},
      {"redrive", 3, &Generator::redrive},
      {"put_snapshots", 4, &Generator::put_snapshots},
      {"load_snapshot", 1, &Generator::load_snapshot},
      {"set_presence", 3, &Generator::set_presence},
      {"presence", 1, &Generator::presence},
      {"reclaim_presence", 1, &Generator::reclaim_presence},
      {"clear", 2, &Generator::clear},
      {"reclaim", 2, &Generator::reclaim},
      {"prune", 2, &Generator::prune},
      {"delete_session", 1, &Generator::delete_session},
      {"delete_consumer", 1, &Generator::delete_consumer},
      {"maintain", 1, &Generator::maintain},
      {"ready", 2, &Generator::ready},
      {"wait", 1, &Generator::wait},
      {"read", 1, &Generator::read},
      {"cursors", 1, &Generator::cursors},
      {"dead_letters", 1, &Generator::dead_letters},
      {"sessions", 1, &Generator::list_sessions},
      {"head", 1, &Generator::head},
      {"clock", 10, &Generator::clock},
  };
  return kinds;
}

Generator::Json Generator::append_arguments(const std::string& session) {
  Json op = {{"session", session}, {"events", new_events(session, 4, false)}};
  put_served(op, served_absent_percent_);
  if (random_.chance(8)) op["origin_index"] = random_.chance(20) ? 0 : index_in(session);
  return op;
}

Generator::Json Generator::append() {
  Json op = append_arguments(session());
  op["op"] = "append";
  return op;
}

Generator::Json Generator::append_batch() {
  Json items = Json::array();
  for (const std::string& name : sessions_) {
    if (random_.chance(60)) items.push_back(append_arguments(name));
  }
  if (!items.empty() && random_.chance(2)) items.push_back(items[0]);
  return {{"op", "append_batch"}, {"items", items}};
}

// A replay: as it was, reordered, with one more event, or with another payload or type.
Generator::Json Generator::append_again() {
  if (appends_.empty()) return append();
  Json op =
      appends_[static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(appends_.size())))];
  Json& events = op["op"] == "append" ? op["events"] : op["items"];
  if (events.empty() || random_.chance(50)) return op;
  if (op["op"] == "append_batch") {
    events.erase(static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(events.size()))));
    return op;
  }
  Json& event =
      events[static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(events.size())))];
  switch (random_.below(4)) {
    case 0:
      std::reverse(events.begin(), events.end());
      break;
    case 1:
      events.push_back(new_event(op["session"], false));
      break;
    case 2:
      event.erase("payload");
      event.erase("payload_text");
      put_payload(event, "payload");
      break;
    default:
      event["type"] = random_.pick(types_);
  }
  return op;
}

Generator::Json Generator::wake_log() {
  const std::string name = consumer_name();
  Json woken = consumer(name);
  if (!woken.contains("log") && random_.chance(95)) woken["log"] = log_of(name);
  return {{"op", "wake_log"}, {"session", session()}, {"consumer", woken}};
}

Generator::Json Generator::claim() {
  Json op = {{"op", "claim"}, {"session", session()}};
  put_lease(op);
  put_served(op, served_absent_percent_);
  if (random_.chance(10)) {
    Json exclude = Json::array();
    for (std::int64_t i = random_.between(0, 3); i > 0; --i) {
      exclude.push_back(head_ref(op["session"]));
    }
    op["exclude"] = exclude;
  }
  if (random_.chance(10)) op["through"] = random_.chance(10) ? 0 : index_in(op["session"]);
  if (random_.chance(max_failures_percent_)) op["max_failures"] = random_.between(1, 3);
  put_limit(op, "limit", 40);
  return op;
}

Generator::Json Generator::claim_ready_arguments() {
  Json claim = Json::object();
  put_lease(claim);
  put_served(claim, served_absent_percent_);
  if (random_.chance(max_failures_percent_)) claim["max_failures"] = random_.between(1, 3);
  put_limit(claim, "sessions_limit", 30);
  put_limit(claim, "limit", 50);
  return claim;
}

Generator::Json Generator::claim_ready() {
  Json op = claim_ready_arguments();
  op["op"] = "claim_ready";
  return op;
}

Generator::Json Generator::renew() {
  Json op = {{"op", "renew"}, {"session", session()}};
  put_lease(op);
  const auto first = known();
  if (first && random_.chance(85)) {
    op["session"] = first->session;
    if (random_.chance(90) && !first->holder.empty()) op["holder"] = first->holder;
  }
  Json claims = Json::array();
  for (std::int64_t i = random_.between(0, 4); i > 0; --i) {
    const auto seen = known(op["session"]);
    Json claim = seen ? seen->ref : head_ref(op["session"]);
    const bool twice = std::any_of(claims.begin(), claims.end(), [&](const Json& other) {
      return other["consumer"] == claim["consumer"] && other["index"] == claim["index"];
    });
    claim["attempt"] = attempt_near(seen ? seen->attempt : 1);
    if (!twice || random_.chance(2)) claims.push_back(claim);
  }
  op["claims"] = claims;
  return op;
}

// The flat part: session, head reference, attempt; `action`'s details under its name.
Generator::Json Generator::finish(const Known& seen, const char* action) {
  Json item = seen.ref;
  item["session"] = seen.session;
  item["attempt"] = attempt_near(seen.attempt);
  if (random_.chance(3)) item["index"] = index_in(seen.session) + random_.below(2);
  Json details = Json::object();
  if (action == std::string("complete")) {
    details["events"] = new_events(seen.session, 3, true);
  } else if (action == std::string("fail")) {
    static const std::vector<std::string> errors = {
        "boom", "", "\xC3\xA4\n", std::string("a\0b", 3), std::string(16'383, 'e') + "\xC3\xA4"};
    details["error"] = random_.pick(errors);
    details["max_failures"] = random_.between(1, 4);
    if (random_.chance(50)) details["retry_after_ms"] = duration();
  } else if (random_.chance(50)) {
    details["delay_ms"] = duration();
  }
  item[action] = details;
  return item;
}

namespace {

nlohmann::json flattened(nlohmann::json item, const char* action) {
  const nlohmann::json details = item[action];
  item.erase(action);
  item.update(details);
  item["op"] = action;
  return item;
}

}  // namespace

Generator::Json Generator::complete() {
  const auto seen = known();
  if (!seen) return claim_ready();
  Json op = flattened(finish(*seen, "complete"), "complete");
  put_served(op, served_absent_percent_);
  return op;
}

Generator::Json Generator::fail() {
  const auto seen = known();
  return seen ? flattened(finish(*seen, "fail"), "fail") : claim_ready();
}

Generator::Json Generator::release() {
  const auto seen = known();
  return seen ? flattened(finish(*seen, "release"), "release") : claim_ready();
}

Generator::Json Generator::finish_again() {
  if (finishes_.empty()) return claim();
  Json op = finishes_[static_cast<std::size_t>(
      random_.below(static_cast<std::int64_t>(finishes_.size())))];
  if (random_.chance(10) && op.contains("attempt")) {
    op["attempt"] = op["attempt"].get<std::int64_t>() + 1;
  }
  if (random_.chance(15) && op.contains("events")) {
    op["events"] = new_events(op["session"], 2, true);
  }
  return op;
}

Generator::Json Generator::settle() {
  Json items = Json::array();
  for (std::int64_t i = random_.between(0, 4); i > 0; --i) {
    const auto seen = known();
    if (!seen) break;
    const bool twice = std::any_of(items.begin(), items.end(), [&](const Json& other) {
      return other["session"] == seen->session && other["consumer"] == seen->ref["consumer"] &&
             (other["index"] == seen->ref["index"] || seen->ref.contains("lane"));
    });
    if (twice && random_.chance(98)) continue;
    static const std::vector<const char*> actions = {"complete", "complete", "fail", "release"};
    items.push_back(finish(*seen, random_.pick(actions)));
  }
  Json op = {{"op", "settle"}, {"items", items}};
  put_served(op, served_absent_percent_);
  if (random_.chance(60)) {
    op["claim"] = claim_ready_arguments();
    if (random_.chance(60)) op["claim"].erase("consumers");
  }
  return op;
}

Generator::Json Generator::redrive() {
  Json op = {{"op", "redrive"}, {"session", session()}, {"consumer", consumer_name()}};
  op["index"] = index_in(op["session"]);
  if (!dead_.empty() && random_.chance(90)) {
    const Known& dead =
        dead_[static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(dead_.size())))];
    op.update(dead.ref);
    op["session"] = dead.session;
    if (random_.chance(50)) op.erase("lane");
  }
  op["action"] = random_.chance(60) ? "retry" : "skip";
  put_served(op, 50);
  return op;
}

Generator::Json Generator::put_snapshots() {
  const std::string name = session();
  Json writes = Json::array();
  for (std::int64_t i = random_.between(0, 3); i > 0; --i) {
    Json write = {{"index", index_in(name)}};
    put_payload(write, "state");
    Json pins = Json::array();
    for (std::int64_t j = random_.below(4); j > 0; --j) pins.push_back(head_ref(name));
    if (!pins.empty()) write["pins"] = pins;
    writes.push_back(write);
  }
  return {{"op", "put_snapshots"},
          {"session", name},
          {"reducer", random_.pick(reducers_)},
          {"writes", writes}};
}

Generator::Json Generator::load_snapshot() {
  Json op = {{"op", "load_snapshot"}, {"session", session()}, {"reducer", random_.pick(reducers_)}};
  if (random_.chance(60)) op["through"] = index_in(op["session"]);
  put_limit(op, "limit", 30);
  return op;
}

Generator::Json Generator::set_presence() {
  Json op = {{"op", "set_presence"},
             {"namespace", random_.pick(namespaces_)},
             {"participant", random_.pick(participants_)},
             {"at", std::max<std::int64_t>(1, around_now())},
             {"ttl_ms", duration()}};
  op["fields"] = Json::object();
  for (const std::string& field : fields_) {
    if (random_.chance(60)) {
      op["fields"][field] = random_.chance(25) ? Json() : payload();
    } else if (random_.chance(30)) {
      op["fields_text"][field] = random_.chance(30) ? " null" : "[1,\n2]";
    }
  }
  if (random_.chance(40)) op["seen"] = random_.between(-2, 9);
  return op;
}

Generator::Json Generator::presence() {
  return {{"op", "presence"}, {"namespace", random_.pick(namespaces_)}};
}

Generator::Json Generator::reclaim_presence() {
  Json op = {{"op", "reclaim_presence"}, {"namespace", random_.pick(namespaces_)}};
  put_limit(op, "limit", 50);
  return op;
}

Generator::Json Generator::clear() {
  Json op = {{"op", "clear"}, {"session", session()}};
  const Indexes& known = indexes(op["session"]);
  if (random_.chance(40)) {
    op["if_last_index"] = random_.chance(70) ? known.last : random_.below(known.last + 2);
  }
  if (random_.chance(25)) op["cause"] = cause(op["session"]);
  return op;
}

Generator::Json Generator::reclaim() {
  Json op = {{"op", "reclaim"}, {"session", session()}};
  put_limit(op, "limit", 50);
  return op;
}

Generator::Json Generator::prune() {
  Json op = {{"op", "prune"}, {"session", session()}};
  op["finished_before"] = std::max<std::int64_t>(1, around_now());
  put_limit(op, "limit", 50);
  return op;
}

Generator::Json Generator::delete_session() {
  Json op = {{"op", "delete_session"}, {"session", session()}};
  put_limit(op, "limit", 60);
  return op;
}

Generator::Json Generator::delete_consumer() {
  Json op = {{"op", "delete_consumer"}, {"session", session()}, {"consumer", consumer_name()}};
  put_limit(op, "limit", 50);
  return op;
}

Generator::Json Generator::maintain() {
  Json op = {{"op", "maintain"}};
  if (random_.chance(50)) op["finished_before"] = std::max<std::int64_t>(1, around_now());
  put_limit(op, "limit", 50);
  return op;
}

Generator::Json Generator::ready() {
  Json op = {{"op", "ready"}};
  put_served(op, 30);
  put_limit(op, "limit", 30);
  return op;
}

Generator::Json Generator::wait() {
  Json op = {{"op", "wait"}, {"timeout_ms", 0}};
  if (random_.chance(50)) {
    op["session"] = session();
    op["after"] = random_.below(5);
  } else {
    put_served(op, 50);
  }
  return op;
}

Generator::Json Generator::read() {
  Json op = {{"op", "read"}, {"session", session()}};
  if (random_.chance(50)) op["after"] = index_in(op["session"]) - 1;
  if (random_.chance(30)) op["through"] = index_in(op["session"]);
  if (random_.chance(40)) op["types"] = types(10);
  put_limit(op, "limit", 40);
  return op;
}

Generator::Json Generator::cursors() {
  Json op = {{"op", "cursors"}, {"session", session()}};
  if (random_.chance(60)) op["after"] = head_ref(op["session"]);
  put_limit(op, "limit", 50);
  return op;
}

Generator::Json Generator::dead_letters() {
  Json op = cursors();
  op["op"] = "dead_letters";
  return op;
}

Generator::Json Generator::list_sessions() {
  Json op = {{"op", "sessions"}};
  if (random_.chance(60)) op["after"] = session();
  put_limit(op, "limit", 50);
  return op;
}

Generator::Json Generator::head() { return {{"op", "head"}, {"session", session()}}; }

Generator::Json Generator::clock() {
  std::int64_t now = now_ + random_.between(1, 2 * longest_);
  if (random_.chance(50)) now = now_ + random_.between(0, 3);
  if (random_.chance(2)) now = now_ + 1'000'000;
  if (random_.chance(backward_percent_)) now = now_ - random_.between(0, longest_);
  return {{"op", "clock"}, {"now", std::max<std::int64_t>(1, now)}};
}

// Something is wrong with it, probably: both sides have to say so, or not.
Generator::Json Generator::spoiled(Json op) {
  static const std::vector<Json> values = {nullptr,
                                           0,
                                           -1,
                                           1.5,
                                           "",
                                           std::string(513, 'x'),
                                           std::string("a\0", 2),
                                           Json::array(),
                                           Json::object(),
                                           true,
                                           (std::int64_t{1} << 53) + 1,
                                           10'001,
                                           {1, 2}};
  if (random_.chance(15)) {
    op[random_.chance(50) ? "surplus" : "consumer"] = random_.pick(values);
    return op;
  }
  std::vector<std::string> keys;
  for (const auto& [key, value] : op.items()) {
    if (key != "timeout_ms") keys.push_back(key);
  }
  if (keys.empty()) return op;
  const std::string key = random_.pick(keys);
  Json& value = op[key];
  if (value.is_structured() && !value.empty() && random_.chance(60)) {
    Json* part = &*std::next(value.begin(), random_.below(static_cast<std::int64_t>(value.size())));
    *part = part->is_object() ? spoiled(*part) : random_.pick(values);
  } else if (random_.chance(30)) {
    op.erase(key);
  } else {
    value = random_.pick(values);
  }
  return op;
}

}  // namespace pawl::model
