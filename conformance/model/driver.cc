// The driver: performing and comparing.
#include "model/driver.h"

#include <algorithm>
#include <utility>

#include "model/compare.h"

namespace pawl::model {
namespace {

using Json = nlohmann::json;

constexpr int kMostCalls = 200'000;
constexpr std::int64_t kAll = 10'000;
constexpr int kPagesEvery = 8;

const std::set<std::string>& upkeep_verbs() {
  static const std::set<std::string> verbs = {"reclaim",         "prune",    "delete_session",
                                              "delete_consumer", "maintain", "reclaim_presence"};
  return verbs;
}

bool only_reads(const std::string& verb) {
  static const std::set<std::string> verbs = {"read",         "head",          "cursors",
                                              "dead_letters", "sessions",      "ready",
                                              "wait",         "load_snapshot", "presence"};
  return verbs.count(verb) > 0;
}

std::string verb_of(const Json& op) {
  const auto verb = op.is_object() ? op.find("op") : op.end();
  return verb != op.end() && verb->is_string() ? verb->get<std::string>() : "";
}

bool called_once(const Json& op) {
  const std::string verb = verb_of(op);
  return (verb == "reclaim" || verb == "delete_session") && op.contains("limit");
}

bool is_ok(const Json& answer) { return answer.is_object() && answer.contains("ok"); }

}  // namespace

Driver::Driver(Party expected, Party actual, int full_every)
    : expected_(std::move(expected)), actual_(std::move(actual)), full_every_(full_every) {}

std::optional<Difference> Driver::step(const Json& op) {
  const std::string verb = verb_of(op);
  if (verb == "clock") {
    const auto now = op.find("now");
    const bool valid = now != op.end() && now->is_number_integer();
    if (valid && now->get<std::int64_t>() < now_) sweep_presence();
  }
  if (verb == "maintain") {
    for (const auto& [session, deletion] : std::map(deletions_)) finish_deletion(session);
  } else if (verb == "delete_session" && op.value("session", Json()).is_string()) {
    finish_deletion(op["session"]);
  }
  if (difference_) return difference_;
  perform(op);
  if (difference_) return difference_;
  if (verb == "clock" && is_ok(answer_)) now_ = op["now"];
  ++steps_;
  if (steps_ % full_every_ == 0) {
    collect(op, nullptr, nullptr);
    compare_everything();
  } else if (!only_reads(verb)) {
    compare_touched(op);
  }
  return difference_;
}

std::optional<Difference> Driver::finish() {
  for (const auto& [session, deletion] : std::map(deletions_)) finish_deletion(session);
  steps_ = 0;  // with pages
  if (!difference_) compare_everything();
  return difference_;
}

// ---- performing

void Driver::perform(const Json& op) {
  if (called_once(op)) {
    perform_once(op);
  } else if (upkeep_verbs().count(verb_of(op))) {
    perform_upkeep(op);
  } else {
    answer_ = expected_(op);
    same(op, answer_, ask_actual(op));
  }
}

// Until done on both sides. What is deleted in all must be the same; how much of presence had been
// swept before, and so what maintain finds, may differ.
void Driver::perform_upkeep(const Json& op) {
  const Upkeep expected = until_done(expected_, op, false);
  const Upkeep actual = until_done(actual_, op, true);
  answer_ = expected.last;
  if (!same(op, expected.last, actual.last)) return;
  const std::string verb = verb_of(op);
  if (verb == "maintain" || verb == "reclaim_presence") return;
  same(op, {{"deleted in all", expected.deleted}}, {{"deleted in all", actual.deleted}});
}

// One call, that may leave something to do. How much is left besides events is nobody's promise.
void Driver::perform_once(const Json& op) {
  answer_ = expected_(op);
  const Json actual = ask_actual(op);
  if (!is_ok(answer_) || !is_ok(actual)) {
    same(op, answer_, actual);
    return;
  }
  same(op, {{"deleted", answer_["ok"]["deleted"]}}, {{"deleted", actual["ok"]["deleted"]}});
  if (verb_of(op) == "delete_session") {
    deletions_[op["session"]] = {answer_["ok"]["done"] == false, actual["ok"]["done"] == false};
  }
}

void Driver::finish_deletion(const std::string& session) {
  const auto found = deletions_.find(session);
  if (found == deletions_.end()) return;
  const Deletion begun = found->second;
  deletions_.erase(found);
  const Json op = {{"op", "delete_session"}, {"session", session}};
  Upkeep expected;
  Upkeep actual;
  if (begun.expected_begun) expected = until_done(expected_, op, false);
  if (begun.actual_begun) actual = until_done(actual_, op, true);
  same(op, {{"deleted in all", expected.deleted}}, {{"deleted in all", actual.deleted}});
}

void Driver::sweep_presence() {
  for (const std::string& name : namespaces_) {
    const Json op = {{"op", "reclaim_presence"}, {"namespace", name}};
    until_done(expected_, op, false);
    until_done(actual_, op, true);
  }
}

Driver::Upkeep Driver::until_done(const Party& party, const Json& op, bool record) {
  Upkeep result;
  for (int calls = 0; calls < kMostCalls; ++calls) {
    if (record) sent_.push_back(op);
    result.last = party(op);
    if (!is_ok(result.last)) return result;
    const Json& ok = result.last["ok"];
    result.deleted += ok["deleted"].get<std::int64_t>();
    if (ok["done"] == true) {
      result.last = {{"ok", {{"done", true}}}};
      return result;
    }
  }
  result.last = {{"ok", {{"done", "never"}}}};
  return result;
}

Json Driver::ask_actual(const Json& op) {
  sent_.push_back(op);
  return actual_(op);
}

bool Driver::same(const Json& asked, const Json& expected, const Json& actual) {
  if (difference_) return false;
  if (same_answer(expected, actual)) return true;
  difference_ = Difference{asked, expected, actual};
  return false;
}

// ---- comparing

Json Driver::compare(const Json& read) {
  if (difference_) return Json();
  Json expected = expected_(read);
  same(read, expected, actual_(read));
  return is_ok(expected) ? expected["ok"] : Json();
}

// Remembers the names that stand anywhere in an operation or an answer.
void Driver::collect(const Json& value, std::set<std::string>* touched_sessions,
                     std::set<std::string>* touched_namespaces) {
  if (value.is_array()) {
    for (const Json& item : value) collect(item, touched_sessions, touched_namespaces);
    return;
  }
  if (!value.is_object()) return;
  for (const auto& [key, item] : value.items()) {
    if (item.is_structured()) {
      if (key != "payload" && key != "state" && key != "fields") {
        collect(item, touched_sessions, touched_namespaces);
      }
      continue;
    }
    if (!item.is_string()) continue;
    const std::string& name = item.get_ref<const std::string&>();
    if (name.empty() || name.size() > 512 || name.find('\0') != std::string::npos) continue;
    if (key == "session") {
      sessions_.insert(name);
      if (touched_sessions) touched_sessions->insert(name);
    } else if (key == "namespace") {
      namespaces_.insert(name);
      if (touched_namespaces) touched_namespaces->insert(name);
    } else if (key == "consumer" || key == "name") {
      consumers_.insert(name);
    } else if (key == "reducer") {
      reducers_.insert(name);
    }
  }
}

void Driver::compare_touched(const Json& op) {
  std::set<std::string> sessions;
  std::set<std::string> namespaces;
  collect(op, &sessions, &namespaces);
  collect(answer_, &sessions, &namespaces);
  if (verb_of(op) == "maintain") {
    sessions = sessions_;
    namespaces = namespaces_;
  }
  for (const std::string& session : sessions) compare_session(session);
  for (const std::string& name : namespaces) compare({{"op", "presence"}, {"namespace", name}});
  compare({{"op", "ready"}});
}

void Driver::compare_session(const std::string& session) {
  const Json head = compare({{"op", "head"}, {"session", session}});
  compare({{"op", "cursors"}, {"session", session}, {"limit", kAll}});
  compare({{"op", "dead_letters"}, {"session", session}, {"limit", kAll}});
  if (difference_) return;
  const std::int64_t last = head["last_index"];
  const std::int64_t after = std::max<std::int64_t>(0, last - 8);
  compare({{"op", "read"}, {"session", session}, {"after", after}});
  for (const std::string& reducer : reducers_) {
    compare({{"op", "load_snapshot"}, {"session", session}, {"reducer", reducer}, {"limit", 2}});
  }
}

void Driver::compare_everything() {
  for (const std::string& session : sessions_) compare_session_fully(session);
  for (const std::string& name : namespaces_) compare({{"op", "presence"}, {"namespace", name}});
  compare({{"op", "ready"}});
  for (const std::string& consumer : consumers_) {
    compare({{"op", "ready"}, {"consumers", {{{"name", consumer}}}}});
  }
  const Json sessions = compare({{"op", "sessions"}});
  if (difference_ || sessions.size() < 2) return;
  compare({{"op", "ready"}, {"limit", 1}});
  compare({{"op", "sessions"}, {"limit", 1}, {"after", sessions[0]["session"]}});
}

void Driver::compare_session_fully(const std::string& session) {
  const Json head = compare({{"op", "head"}, {"session", session}});
  compare({{"op", "read"}, {"session", session}, {"limit", kAll}});
  for (const char* verb : {"cursors", "dead_letters"}) {
    if (steps_ % kPagesEvery == 0) {
      compare_pages(verb, session);
    } else {
      compare({{"op", verb}, {"session", session}, {"limit", kAll}});
    }
  }
  if (difference_) return;
  // Snapshots that are kept lie anywhere from the clear index on: each place has its turn.
  const std::int64_t last = head["last_index"];
  const std::int64_t clear = head["clear_index"];
  const std::int64_t through = clear + steps_ % (last - clear + 1);
  for (const std::string& reducer : reducers_) {
    Json load = {{"op", "load_snapshot"}, {"session", session}, {"reducer", reducer}};
    load["limit"] = 2;
    compare(load);
    load["through"] = through;
    compare(load);
  }
}

void Driver::compare_pages(const char* verb, const std::string& session) {
  Json op = {{"op", verb}, {"session", session}, {"limit", 7}};
  while (true) {
    const Json page = compare(op);
    if (difference_ || page.empty()) return;
    const Json& last = page.back();
    Json after = {{"consumer", last["consumer"]}};
    if (last.contains("lane")) after["lane"] = last["lane"];
    // An idle cursor has no head to name, and needs none: its lane says all.
    after["index"] = last.contains("index")  ? last["index"]
                     : last.contains("head") ? last["head"]
                                             : Json(1);
    op["after"] = after;
  }
}

}  // namespace pawl::model
