// The generator's profile and memory.
#include "model/generator.h"

#include <algorithm>

namespace pawl::model {
namespace {

constexpr std::size_t kMemory = 48;

// Quotes, separators, wildcards, controls, prefixes of each other, and texts whose order by bytes
// is not that by UTF-16 units or by any language.
const std::vector<std::string>& hostile_names() {
  static const std::vector<std::string> names = {"a'b",
                                                 "a\"b",
                                                 "a/b",
                                                 "a%b",
                                                 "a_b",
                                                 "a\\b",
                                                 "a\nb",
                                                 "a\x01",
                                                 "a",
                                                 "ab",
                                                 "a:b",
                                                 "A",
                                                 "\xC3\xA4",
                                                 "\xEF\xBD\x9E",
                                                 "\xF0\x9F\x98\x80",
                                                 "z\x7F",
                                                 " ",
                                                 "x'; DROP TABLE event;--",
                                                 "$1",
                                                 "null",
                                                 "\xF4\x8F\xBF\xBF",
                                                 "pawl.clear",
                                                 "id-3",
                                                 "..",
                                                 std::string(512, 'n')};
  return names;
}

template <typename T>
void remember(std::deque<T>& memory, T value) {
  memory.push_back(std::move(value));
  if (memory.size() > kMemory) memory.pop_front();
}

}  // namespace

Generator::Generator(std::uint64_t seed) : random_(seed) { draw_profile(); }

std::vector<std::string> Generator::draw_names(const std::string& prefix, std::int64_t most) {
  const bool hostile = random_.chance(25);
  std::vector<std::string> names;
  for (std::int64_t i = random_.between(1, most); i > 0; --i) {
    std::string name = prefix + std::to_string(i);
    if (hostile && random_.chance(70)) name = random_.pick(hostile_names());
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

void Generator::draw_profile() {
  bool deletes_sessions = false;
  for (const Kind& kind : kinds()) {
    const std::vector<int> factors = {0, 1, 2, 4, 4, 4, 8, 16};
    const bool needed = std::string(kind.name) == "append" || std::string(kind.name) == "claim";
    weights_.push_back(kind.weight * std::max(random_.pick(factors), needed ? 4 : 0));
    if (kind.make == &Generator::delete_session) deletes_sessions = weights_.back() > 0;
  }
  sessions_ = draw_names("s", 4);
  consumers_ = draw_names("c", 4);
  lanes_ = draw_names("k", 3);
  log_lanes_ = random_.chance(70) ? std::vector<std::string>{"log"} : draw_names("g", 2);
  types_ = draw_names("t", 4);
  std::erase_if(types_, [](const std::string& type) { return type.starts_with("pawl."); });
  if (types_.empty()) types_ = {"t"};
  holders_ = draw_names("h", 3);
  reducers_ = draw_names("r", 2);
  namespaces_ = draw_names("n", 2);
  participants_ = draw_names("p", 2);
  fields_ = draw_names("f", 3);
  for (int i = 0; i < 12; ++i) shared_ids_.push_back("e" + std::to_string(i));
  // Whether a deletion's marker, which nobody sees, passes over a taken id is not specified, and
  // the ids generated afterwards would tell.
  if (!deletes_sessions) {
    shared_ids_.insert(shared_ids_.end(), {"id-1", "id-2", "id-9", "id-20"});
  }
  longest_ = random_.pick(std::vector<std::int64_t>{3, 20, 20, 200});
  max_failures_percent_ = random_.pick(std::vector<int>{0, 50, 90});
  spoiled_percent_ = random_.pick(std::vector<int>{0, 2, 5});
  backward_percent_ = random_.pick(std::vector<int>{0, 0, 10});
  served_absent_percent_ = random_.pick(std::vector<int>{5, 30, 80});
  for (const std::string& name : consumers_) {
    logs_.push_back(random_.chance(55) ? log_of(name) : Json());
  }
}

bool Generator::makes(const std::string& verb) {
  return std::any_of(kinds().begin(), kinds().end(),
                     [&](const Kind& kind) { return kind.name == verb; });
}

Generator::Json Generator::next() {
  std::int64_t total = 0;
  for (const int weight : weights_) total += weight;
  std::int64_t drawn = random_.below(total);
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    drawn -= weights_[i];
    if (drawn >= 0) continue;
    Json op = (this->*kinds()[i].make)();
    return random_.chance(spoiled_percent_) ? spoiled(std::move(op)) : op;
  }
  return append();
}

void Generator::observe(const Json& op, const Json& answer) {
  const auto ok = answer.find("ok");
  if (ok == answer.end() || !op.is_object()) return;
  const std::string verb = op.value("op", "");
  if (verb == "append" || verb == "append_batch") remember(appends_, op);
  if (verb == "complete" || verb == "fail" || verb == "release" || verb == "settle") {
    remember(finishes_, op);
  }
  if (verb == "clock") now_ = op["now"];
  note_answer(op, *ok);
}

void Generator::note_answer(const Json& op, const Json& ok) {
  if (ok.is_array()) {
    for (const Json& item : ok) {
      if (item.is_object()) note_answer(op, item);
    }
    return;
  }
  for (const char* key : {"heads", "dead_lettered"}) {
    if (ok.contains(key)) note_heads(ok[key]);
  }
  for (const char* key : {"claims", "results"}) {
    if (ok.contains(key)) note_answer(op, ok[key]);
  }
  if (ok.contains("events")) note_events(ok["events"]);
  if (ok.contains("clear_index") && op.contains("session") && op["session"].is_string()) {
    Indexes& known = indexes(op["session"]);
    known.clear = ok["clear_index"];
    known.last = std::max(known.last, known.clear);
  }
  if (ok.value("outcome", "") == "dead_lettered" && op.contains("consumer")) {
    Known dead{
        op["session"], {{"consumer", op["consumer"]}, {"index", op["index"]}}, op["attempt"], ""};
    if (op.contains("lane")) dead.ref["lane"] = op["lane"];
    remember(dead_, dead);
  }
}

void Generator::note_heads(const Json& heads) {
  for (const Json& head : heads) {
    Known seen{head["session"],
               {{"consumer", head["consumer"]}, {"index", head["index"]}},
               head["attempt_count"],
               head.value("claim_holder", "")};
    if (head.contains("lane")) seen.ref["lane"] = head["lane"];
    remember(head.contains("failed_at") ? dead_ : claims_, seen);
  }
}

void Generator::note_events(const Json& events) {
  for (const Json& event : events) {
    Indexes& known = indexes(event["session"]);
    known.last = std::max(known.last, event["index"].get<std::int64_t>());
  }
}

}  // namespace pawl::model
