// Argument checking of the model.
#include "model/arguments.h"

#include <algorithm>
#include <utility>

namespace pawl::model {
namespace {

constexpr std::size_t kMaxName = 512;
constexpr std::size_t kMaxDepth = 512;
constexpr std::size_t kMaxError = 16 * 1024;

// Without recursion: a line may nest deeper than the stack is.
bool too_deep(const Json& value) {
  std::vector<std::pair<const Json*, std::size_t>> open{{&value, 1}};
  while (!open.empty()) {
    const auto [node, depth] = open.back();
    open.pop_back();
    if (!node->is_structured()) continue;
    if (depth > kMaxDepth) return true;
    for (const Json& child : *node) open.emplace_back(&child, depth + 1);
  }
  return false;
}

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

}  // namespace

void refuse(const std::string& message) { throw ModelError{"invalid_argument", message}; }

Arguments::Arguments(const Json& object, std::string path)
    : object_(&object), path_(std::move(path)) {
  if (!object.is_object()) refuse(path_ + " must be an object");
}

std::string Arguments::path(const std::string& key) const {
  return path_.empty() ? key : path_ + "." + key;
}

const Json* Arguments::find(const std::string& key) {
  known_.insert(key);
  const auto found = object_->find(key);
  return found == object_->end() || found->is_null() ? nullptr : &*found;
}

const Json& Arguments::require(const std::string& key) {
  const Json* found = find(key);
  if (!found) refuse(path(key) + " is missing");
  return *found;
}

bool Arguments::has(const std::string& key) const {
  const auto found = object_->find(key);
  return found != object_->end() && !found->is_null();
}

void Arguments::nothing_else() const {
  for (const auto& [key, value] : object_->items()) {
    if (!known_.count(key)) refuse(path(key) + " is not a field of this operation");
  }
}

std::string Arguments::string(const std::string& key) {
  const Json& value = require(key);
  if (!value.is_string()) refuse(path(key) + " must be a string");
  return value.get<std::string>();
}

std::string Arguments::name(const std::string& key) {
  std::string text = string(key);
  check_name(text, path(key));
  return text;
}

std::optional<std::string> Arguments::optional_name(const std::string& key) {
  if (!find(key)) return std::nullopt;
  return name(key);
}

std::optional<std::vector<std::string>> Arguments::optional_names(const std::string& key,
                                                                  std::size_t most) {
  const Json* list = find(key);
  if (!list) return std::nullopt;
  if (!list->is_array()) refuse(path(key) + " must be a list");
  if (list->size() > most) refuse(path(key) + " is too long");
  std::vector<std::string> names;
  for (const Json& item : *list) {
    const std::string item_path = path(key) + "[" + std::to_string(names.size()) + "]";
    if (!item.is_string()) refuse(item_path + " must be a string");
    names.push_back(item.get<std::string>());
    check_name(names.back(), item_path);
  }
  return names;
}

bool Arguments::flag(const std::string& key) {
  const Json* value = find(key);
  if (!value) return false;
  if (!value->is_boolean()) refuse(path(key) + " must be true or false");
  return value->get<bool>();
}

std::int64_t Arguments::integer(const std::string& key, std::int64_t low, std::int64_t high) {
  const Json& value = require(key);
  if (!value.is_number_integer()) refuse(path(key) + " must be an integer");
  const bool too_large = value.is_number_unsigned() &&
                         value.get<std::uint64_t>() > static_cast<std::uint64_t>(kMaxCount);
  if (too_large || value.get<std::int64_t>() < low || value.get<std::int64_t>() > high) {
    refuse(path(key) + " must be from " + std::to_string(low) + " to " + std::to_string(high));
  }
  return value.get<std::int64_t>();
}

std::optional<std::int64_t> Arguments::optional_integer(const std::string& key, std::int64_t low,
                                                        std::int64_t high) {
  if (!find(key)) return std::nullopt;
  return integer(key, low, high);
}

std::int64_t Arguments::limit(const std::string& key, std::int64_t fallback) {
  return optional_integer(key, 1, static_cast<std::int64_t>(kMaxListed)).value_or(fallback);
}

Text Arguments::text(const std::string& key, std::int64_t max_bytes) {
  const bool in_place = object_->contains(key);
  known_.insert(key);
  const Json* exact = find(key + "_text");
  if (in_place && exact) refuse(path(key) + " and " + path(key) + "_text exclude each other");
  if (in_place) return checked_value((*object_)[key], max_bytes, path(key));
  if (!exact) refuse(path(key) + " is missing");
  return checked_text(string(key + "_text"), max_bytes, path(key) + "_text");
}

std::map<std::string, Text> Arguments::texts(const std::string& key, std::int64_t max_bytes) {
  std::map<std::string, Text> result;
  const auto add = [&](const std::string& name, const std::string& where, Text text) {
    check_name(name, where);
    if (!result.emplace(name, std::move(text)).second) refuse(where + " is given twice");
  };
  const Json* in_place = find(key);
  const Json* exact = find(key + "_text");
  if (!in_place && !exact) refuse(path(key) + " is missing");
  if (in_place && !in_place->is_object()) refuse(path(key) + " must be an object");
  if (exact && !exact->is_object()) refuse(path(key) + "_text must be an object");
  const Json none = Json::object();
  for (const auto& [name, value] : (in_place ? *in_place : none).items()) {
    const std::string where = path(key) + "." + name;
    add(name, where, checked_value(value, max_bytes, where));
  }
  for (const auto& [name, value] : (exact ? *exact : none).items()) {
    const std::string where = path(key) + "_text." + name;
    if (!value.is_string() && !value.is_null()) refuse(where + " must be a string");
    add(name, where,
        checked_text(value.is_null() ? "null" : value.get<std::string>(), max_bytes, where));
  }
  if (result.size() > kMaxListed) refuse(path(key) + " is too long");
  return result;
}

Arguments Arguments::object(const std::string& key) { return Arguments(require(key), path(key)); }

std::optional<Arguments> Arguments::optional_object(const std::string& key) {
  if (!find(key)) return std::nullopt;
  return object(key);
}

std::vector<Arguments> Arguments::objects(const std::string& key, std::size_t most) {
  const Json& list = require(key);
  if (!list.is_array()) refuse(path(key) + " must be a list");
  if (list.size() > most) refuse(path(key) + " is too long");
  std::vector<Arguments> result;
  for (const Json& item : list) {
    result.emplace_back(item, path(key) + "[" + std::to_string(result.size()) + "]");
  }
  return result;
}

std::vector<Arguments> Arguments::optional_objects(const std::string& key, std::size_t most) {
  if (!find(key)) return {};
  return objects(key, most);
}

void check_name(const std::string& text, const std::string& path) {
  if (text.empty() || text.size() > kMaxName) refuse(path + " must have 1 to 512 bytes");
  if (text.find('\0') != std::string::npos) refuse(path + " may not hold U+0000");
}

Text checked_value(const Json& value, std::int64_t max_bytes, const std::string& path) {
  if (too_deep(value)) refuse(path + " is nested deeper than 512");
  std::string text = value.dump();
  if (static_cast<std::int64_t>(text.size()) > max_bytes) refuse(path + " is too long");
  return std::make_shared<TextValue>(TextValue{std::move(text), value});
}

Text checked_text(const std::string& text, std::int64_t max_bytes, const std::string& path) {
  if (static_cast<std::int64_t>(text.size()) > max_bytes) refuse(path + " is too long");
  if (text.starts_with("\xEF\xBB\xBF")) refuse(path + " begins with a byte order mark");
  if (text.find('\0') != std::string::npos) refuse(path + " holds a byte 0");
  Json value = Json::parse(text, nullptr, false);
  if (value.is_discarded()) refuse(path + " is not JSON");
  if (too_deep(value)) refuse(path + " is nested deeper than 512");
  return std::make_shared<TextValue>(TextValue{text, std::move(value)});
}

HeadRef head_ref(Arguments& arguments) {
  return {arguments.name("consumer"), arguments.optional_name("lane"),
          arguments.integer("index", 1)};
}

Consumer consumer(Arguments& arguments) {
  Consumer result{arguments.name("name"), std::nullopt};
  if (auto log = arguments.optional_object("log")) {
    Log parsed;
    parsed.lane = log->optional_name("lane").value_or(parsed.lane);
    if (const auto types = log->optional_names("types", 1'000)) {
      parsed.types.emplace(types->begin(), types->end());
    }
    parsed.backfill = log->flag("backfill");
    log->nothing_else();
    result.log = parsed;
  }
  arguments.nothing_else();
  return result;
}

Served served(Arguments& arguments) {
  if (!arguments.has("consumers")) {
    arguments.optional_objects("consumers", 0);
    return std::nullopt;
  }
  std::vector<Consumer> result;
  std::set<std::string> names;
  for (Arguments& item : arguments.objects("consumers", 1'000)) {
    result.push_back(consumer(item));
    if (!names.insert(result.back().name).second) {
      refuse(item.path("name") + " stands twice in consumers");
    }
  }
  return result;
}

Cause cause(Arguments arguments) {
  Cause result{head_ref(arguments), arguments.integer("attempt", 1),
               arguments.optional_integer("batch_size", 1)};
  arguments.nothing_else();
  return result;
}

std::vector<NewEvent> new_events(Arguments& arguments, std::int64_t max_payload_bytes) {
  std::vector<NewEvent> result;
  for (Arguments& item : arguments.objects("events", kMaxListed)) {
    NewEvent event;
    event.id = item.optional_name("id");
    event.type = item.name("type");
    if (event.type.starts_with("pawl.")) refuse(item.path("type") + " is reserved to the store");
    event.payload = item.text("payload", max_payload_bytes);
    if (const auto given = item.optional_object("cause")) event.cause = cause(*given);
    for (Arguments& place : item.optional_objects("targets", 256)) {
      event.targets.push_back({place.name("consumer"), place.optional_name("lane"),
                               place.optional_integer("available_at", 1, kMaxTime)});
      place.nothing_else();
      const auto same = [&](const Target& other) {
        return other.consumer == event.targets.back().consumer &&
               other.lane == event.targets.back().lane;
      };
      if (std::count_if(event.targets.begin(), event.targets.end(), same) > 1) {
        refuse(place.path("consumer") + " is the same target twice on one event");
      }
    }
    item.nothing_else();
    result.push_back(std::move(event));
  }
  return result;
}

std::int64_t later(std::int64_t now, std::int64_t duration, const std::string& path) {
  if (duration > kMaxTime - now) refuse(path + " would pass the largest time");
  return now + duration;
}

std::string error_text(const std::string& text) {
  std::string result;
  for (const char byte : text) {
    if (byte == '\0') {
      result += "\xEF\xBF\xBD";
    } else {
      result += byte;
    }
  }
  if (result.size() > kMaxError) {
    std::size_t end = kMaxError;
    while (is_continuation(result[end])) --end;
    result.resize(end);
  }
  return result;
}

}  // namespace pawl::model
