// check.cc: see check.h.
#include "check.h"

#include <set>
#include <string_view>
#include <tuple>
#include <unordered_set>

#include "decide/decision.h"
#include "json_text.h"
#include "utf8.h"

namespace pawl::core {

std::string Field::text() const {
  std::string path = parent ? parent->text() + "." : std::string();
  path += name;
  if (index >= 0) path += "[" + std::to_string(index) + "]";
  return path;
}

void Check::count_bytes(std::string_view text, const Field& field) {
  bytes_ += std::ssize(text);
  if (bytes_ > limits_.max_call_bytes) {
    refuse_argument(field.text(), "makes the call longer than max_call_bytes");
  }
}

void Check::text(std::string_view text, const Field& field) { count_bytes(text, field); }

void Check::name(std::string_view value, const Field& field) {
  if (value.empty()) refuse_argument(field.text(), "is empty");
  if (std::ssize(value) > kMaxNameBytes) refuse_argument(field.text(), "is longer than 512 bytes");
  if (value.find('\0') != std::string_view::npos) {
    refuse_argument(field.text(), "holds the character U+0000");
  }
  if (!is_utf8(value)) refuse_argument(field.text(), "is not UTF-8");
  count_bytes(value, field);
}

void Check::optional_name(const std::optional<std::string>& value, const Field& field) {
  if (value) name(*value, field);
}

void Check::json(std::string_view text, const Field& field) {
  if (std::ssize(text) > limits_.max_payload_bytes) {
    refuse_argument(field.text(), "is longer than max_payload_bytes");
  }
  count_bytes(text, field);
  if (const char* fault = json_fault(text)) refuse_argument(field.text(), fault);
}

void Check::at_least(std::int64_t value, std::int64_t least, const Field& field) {
  if (value < least) refuse_argument(field.text(), "is less than " + std::to_string(least));
}

void Check::limit(std::int64_t value, const Field& field) {
  at_least(value, 1, field);
  if (value > kMaxListEntries) refuse_argument(field.text(), "is more than 10000");
}

void Check::list(std::size_t size, std::int64_t most, const Field& field) {
  if (static_cast<std::int64_t>(size) > most) {
    refuse_argument(field.text(), "lists more than " + std::to_string(most));
  }
}

std::int64_t Check::time(Time value, const Field& field) {
  const std::int64_t ms = value.time_since_epoch().count();
  if (ms < 1 || ms > kMaxTimeMs) refuse_argument(field.text(), "is not a time from 1 to 2^53 ms");
  return ms;
}

std::int64_t Check::duration(Duration value, const Field& field) {
  const std::int64_t ms = value.count();
  if (ms < 0 || ms > kMaxTimeMs) {
    refuse_argument(field.text(), "is not a duration from 0 to 2^53 ms");
  }
  return ms;
}

void Check::types(const std::optional<std::vector<std::string>>& types, const Field& field) {
  if (!types) return;
  list(types->size(), kMaxTypesPerLog, field);
  for (std::size_t i = 0; i < types->size(); ++i) name((*types)[i], field[i]);
}

void Check::consumer(const Consumer& consumer, const Field& field) {
  name(consumer.name, field.at("name"));
  if (!consumer.log) return;
  const Field log = field.at("log");
  name(consumer.log->lane, log.at("lane"));
  types(consumer.log->types, log.at("types"));
}

void Check::served(const Served& consumers, const Field& field) {
  if (!consumers) return;
  list(consumers->size(), kMaxServedConsumers, field);
  std::unordered_set<std::string_view> seen;
  for (std::size_t i = 0; i < consumers->size(); ++i) {
    consumer((*consumers)[i], field[i]);
    if (!seen.insert((*consumers)[i].name).second) {
      refuse_argument(field[i].at("name").text(), "stands twice in the list");
    }
  }
}

void Check::head_ref(const std::string& consumer, const std::optional<std::string>& lane,
                     std::int64_t index, const Field& field) {
  const Field* parent = field.name.empty() ? nullptr : &field;
  name(consumer, Field{"consumer", parent});
  optional_name(lane, Field{"lane", parent});
  at_least(index, 1, Field{"index", parent});
}

void Check::claim(const Claim& claim, const Field& field) {
  head_ref(claim.consumer, claim.lane, claim.index, field);
  at_least(claim.attempt, 1, Field{"attempt", field.name.empty() ? nullptr : &field});
}

void Check::cause(const Cause& cause, const Field& field) {
  head_ref(cause.consumer, cause.lane, cause.index, field);
  at_least(cause.attempt, 1, field.at("attempt"));
  if (cause.batch_size) at_least(*cause.batch_size, 1, field.at("batch_size"));
}

void Check::targets(const std::vector<Target>& targets, const Field& field) {
  list(targets.size(), kMaxTargetsPerEvent, field);
  std::set<std::tuple<std::string_view, bool, std::string_view>> seen;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const Target& target = targets[i];
    name(target.consumer, field[i].at("consumer"));
    optional_name(target.lane, field[i].at("lane"));
    if (target.available_at) time(*target.available_at, field[i].at("available_at"));
    const std::string_view lane = target.lane ? *target.lane : std::string_view();
    if (targets.size() > 1 &&
        !seen.emplace(target.consumer, target.lane.has_value(), lane).second) {
      refuse_argument(field[i].text(), "stands twice in the list");
    }
  }
}

void Check::event(const NewEvent& event, const Field& field) {
  optional_name(event.id, field.at("id"));
  name(event.type, field.at("type"));
  if (event.type.starts_with("pawl.")) {
    refuse_argument(field.at("type").text(), "begins with `pawl.`, which is reserved");
  }
  json(event.payload, field.at("payload"));
  if (event.cause) cause(*event.cause, field.at("cause"));
  targets(event.targets, field.at("targets"));
}

void Check::append_events(const std::vector<NewEvent>& events, const Field& field) {
  list(events.size(), kMaxListEntries, field);
  for (std::size_t i = 0; i < events.size(); ++i) event(events[i], field[i]);
}

void Check::follow_ups(const std::vector<NewEvent>& events, const Field& field) {
  append_events(events, field);
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (!events[i].id)
      refuse_argument(field[i].at("id").text(), "is missing: a follow-up needs one");
    if (events[i].cause) {
      refuse_argument(field[i].at("cause").text(), "may not be given: it is the finished head");
    }
  }
}

void Check::lease(const std::optional<Duration>& ttl, const std::optional<Time>& expires_at,
                  const Field* parent) {
  if (ttl.has_value() == expires_at.has_value()) {
    refuse_argument(Field{"ttl_ms", parent}.text(), "or expires_at: exactly one is to be given");
  }
  if (ttl) duration(*ttl, Field{"ttl_ms", parent});
  if (expires_at) time(*expires_at, Field{"expires_at", parent});
}

}  // namespace pawl::core
