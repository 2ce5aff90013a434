// See arguments.h.
#include "arguments.h"

#include <charconv>
#include <utility>

#include "pawl/error.h"

namespace pawl::jsonl {

Object::Object(std::string_view value, std::string path) : path_(std::move(path)) {
  if (kind_of(value) != Kind::kObject) {
    throw Error(ErrorCode::kInvalidArgument,
                (path_.empty() ? "the line" : path_) + " is not an object");
  }
  for (Member& member : members(value)) {
    const auto [field, inserted] = fields_.try_emplace(std::move(member.name));
    if (!inserted) refuse(field->first, "is given twice");
    field->second.value = member.value;
  }
}

std::string Object::path_of(const std::string& name) const {
  return path_.empty() || path_.ends_with(' ') ? path_ + name : path_ + "." + name;
}

void Object::refuse(const std::string& name, const std::string& why) const {
  throw Error(ErrorCode::kInvalidArgument, path_of(name) + " " + why);
}

std::optional<std::string_view> Object::find(const std::string& name) {
  const auto field = fields_.find(name);
  if (field == fields_.end()) return std::nullopt;
  field->second.asked = true;
  if (kind_of(field->second.value) == Kind::kNull) return std::nullopt;
  return field->second.value;
}

std::optional<std::string_view> Object::find(const std::string& name, Kind kind,
                                             const char* wanted) {
  const auto value = find(name);
  if (value && kind_of(*value) != kind) refuse(name, std::string("must be ") + wanted);
  return value;
}

std::string_view Object::require(const std::string& name, Kind kind, const char* wanted) {
  const auto value = find(name, kind, wanted);
  if (!value) refuse(name, "is missing");
  return *value;
}

std::string Object::text(const std::string& name) {
  return text_of(require(name, Kind::kString, "a string"));
}

std::optional<std::string> Object::optional_text(const std::string& name) {
  const auto value = find(name, Kind::kString, "a string");
  if (!value) return std::nullopt;
  return text_of(*value);
}

std::optional<std::int64_t> Object::optional_integer(const std::string& name) {
  const auto value = find(name, Kind::kNumber, "an integer");
  if (!value) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(value->begin(), value->end(), number);
  if (end != value->end()) refuse(name, "must be an integer");
  if (error != std::errc()) refuse(name, "is beyond 64 bits");
  return number;
}

std::int64_t Object::integer(const std::string& name) {
  const auto value = optional_integer(name);
  if (!value) refuse(name, "is missing");
  return *value;
}

void Object::integer_into(std::int64_t& value, const std::string& name) {
  if (const auto given = optional_integer(name)) value = *given;
}

std::optional<Time> Object::optional_time(const std::string& name) {
  if (const auto ms = optional_integer(name)) return Time(Duration(*ms));
  return std::nullopt;
}

std::optional<Duration> Object::optional_duration(const std::string& name) {
  if (const auto ms = optional_integer(name)) return Duration(*ms);
  return std::nullopt;
}

bool Object::flag(const std::string& name) {
  const auto value = find(name, Kind::kBoolean, "true or false");
  return value && *value == "true";
}

std::optional<std::vector<std::string>> Object::optional_texts(const std::string& name) {
  const auto list = find(name, Kind::kArray, "a list");
  if (!list) return std::nullopt;
  std::vector<std::string> texts;
  for (const std::string_view element : elements(*list)) {
    if (kind_of(element) != Kind::kString) {
      refuse(name + "[" + std::to_string(texts.size()) + "]", "must be a string");
    }
    texts.push_back(text_of(element));
  }
  return texts;
}

std::string Object::json(const std::string& name) {
  const auto in_place = fields_.find(name);
  const auto text = optional_text(name + "_text");
  if (in_place == fields_.end()) {
    if (!text) refuse(name, "is missing");
    return *text;
  }
  if (text) refuse(name, "and " + path_of(name) + "_text exclude each other");
  in_place->second.asked = true;
  return std::string(in_place->second.value);
}

std::vector<PresenceField> Object::presence_fields(const std::string& name) {
  const std::string name_of_texts = name + "_text";
  auto values = optional_object(name);
  auto texts = optional_object(name_of_texts);
  if (!values && !texts) refuse(name, "is missing");
  std::vector<PresenceField> found;
  if (values) {
    for (const auto& [field, given] : values->fields_) {
      found.push_back({field, std::string(given.value)});
    }
  }
  if (texts) {
    for (const auto& [field, given] : texts->fields_) {
      if (values && values->fields_.contains(field)) texts->refuse(field, "is given twice");
      found.push_back({field, texts->optional_text(field)});
    }
  }
  return found;
}

std::optional<Object> Object::optional_object(const std::string& name) {
  const auto value = find(name);
  if (!value) return std::nullopt;
  return Object(*value, path_of(name));
}

Object Object::object(const std::string& name) {
  auto value = optional_object(name);
  if (!value) refuse(name, "is missing");
  return *std::move(value);
}

std::vector<Object> Object::list_of(const std::string& name, std::string_view list,
                                    const char* behind) const {
  std::vector<Object> objects;
  for (const std::string_view element : elements(list)) {
    objects.emplace_back(element,
                         path_of(name) + "[" + std::to_string(objects.size()) + "]" + behind);
  }
  return objects;
}

std::vector<Object> Object::objects(const std::string& name) {
  return list_of(name, require(name, Kind::kArray, "a list"), "");
}

std::optional<std::vector<Object>> Object::optional_objects(const std::string& name) {
  const auto list = find(name, Kind::kArray, "a list");
  if (!list) return std::nullopt;
  return list_of(name, *list, "");
}

std::vector<Object> Object::items(const std::string& name) {
  return list_of(name, require(name, Kind::kArray, "a list"), ": ");
}

void Object::end() const {
  for (const auto& [name, field] : fields_) {
    if (!field.asked) refuse(name, "is not a field here");
  }
}

Consumer consumer(Object from) {
  Consumer consumer{.name = from.text("name")};
  if (auto log = from.optional_object("log")) {
    consumer.log.emplace();
    if (auto lane = log->optional_text("lane")) consumer.log->lane = *std::move(lane);
    consumer.log->types = log->optional_texts("types");
    consumer.log->backfill = log->flag("backfill");
    log->end();
  }
  from.end();
  return consumer;
}

Consumers consumers(Object& from) {
  Consumers consumers;
  if (const auto objects = from.optional_objects("consumers")) {
    consumers.list.emplace();
    for (const Object& object : *objects) consumers.list->push_back(consumer(object));
  }
  return consumers;
}

HeadRef head_ref(Object& from) {
  return {from.text("consumer"), from.optional_text("lane"), from.integer("index")};
}

HeadRef whole_head_ref(Object from) {
  HeadRef ref = head_ref(from);
  from.end();
  return ref;
}

PageOptions page_options(Object& from) {
  PageOptions page;
  if (auto after = from.optional_object("after")) page.after = whole_head_ref(*std::move(after));
  from.integer_into(page.limit, "limit");
  return page;
}

Claim claim_of(Object& from) {
  return {from.text("consumer"), from.optional_text("lane"), from.integer("index"),
          from.integer("attempt")};
}

std::optional<Cause> optional_cause(Object& from) {
  auto object = from.optional_object("cause");
  if (!object) return std::nullopt;
  Cause cause{object->text("consumer"), object->optional_text("lane"), object->integer("index"),
              object->integer("attempt"), object->optional_integer("batch_size")};
  object->end();
  return cause;
}

namespace {

NewEvent new_event(Object from) {
  NewEvent event{.id = from.optional_text("id"),
                 .type = from.text("type"),
                 .payload = from.json("payload"),
                 .cause = optional_cause(from)};
  if (auto targets = from.optional_objects("targets")) {
    for (Object& target : *targets) {
      event.targets.push_back({target.text("consumer"), target.optional_text("lane"),
                               target.optional_time("available_at")});
      target.end();
    }
  }
  from.end();
  return event;
}

std::vector<NewEvent> new_events(const std::vector<Object>& objects) {
  std::vector<NewEvent> events;
  events.reserve(objects.size());
  for (const Object& object : objects) events.push_back(new_event(object));
  return events;
}

}  // namespace

std::vector<NewEvent> new_events(Object& from) { return new_events(from.objects("events")); }

std::vector<NewEvent> optional_new_events(Object& from) {
  const auto objects = from.optional_objects("events");
  return objects ? new_events(*objects) : std::vector<NewEvent>();
}

}  // namespace pawl::jsonl
