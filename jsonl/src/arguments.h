// Reads the fields of an operation's objects. Whatever is not as the contract says throws
// kInvalidArgument with the field's path (`events[1].type`); the values themselves are checked
// by the Store.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json.h"
#include "pawl/store.h"

namespace pawl::jsonl {

// One object of the line, which must outlive it. A field that is null is absent, but for JSON in
// place.
class Object {
 public:
  // `path` names it in messages: "" the operation, "items[3]", or "items[3]: " for a path that
  // begins anew behind it.
  Object(std::string_view value, std::string path);

  std::string text(const std::string& name);
  std::optional<std::string> optional_text(const std::string& name);
  std::int64_t integer(const std::string& name);
  std::optional<std::int64_t> optional_integer(const std::string& name);
  bool flag(const std::string& name);  // false if absent
  std::optional<std::vector<std::string>> optional_texts(const std::string& name);

  // JSON in place under `name`, or exact text under `name`_text: one of the two.
  std::string json(const std::string& name);
  // The same for many: `name` holds values in place, `name`_text exact texts, by field. An
  // absent text is null.
  std::vector<PresenceField> presence_fields(const std::string& name);

  Object object(const std::string& name);
  std::optional<Object> optional_object(const std::string& name);
  // The objects of a list. An absent list is empty, or throws if it is required.
  std::vector<Object> objects(const std::string& name);
  std::optional<std::vector<Object>> optional_objects(const std::string& name);
  // As `objects`, the paths within them beginning anew behind `items[3]: `.
  std::vector<Object> items(const std::string& name);

  std::optional<Time> optional_time(const std::string& name);
  std::optional<Duration> optional_duration(const std::string& name);
  Time time(const std::string& name) { return Time(Duration(integer(name))); }
  Duration duration(const std::string& name) { return Duration(integer(name)); }
  // Sets `value` if the field is there, else leaves the default that it has.
  void integer_into(std::int64_t& value, const std::string& name);

  [[noreturn]] void refuse(const std::string& name, const std::string& why) const;

  // To be called when all fields have been asked for: throws if there is another one.
  void end() const;

 private:
  struct Field {
    std::string_view value;
    bool asked = false;
  };

  std::string path_of(const std::string& name) const;
  std::optional<std::string_view> find(const std::string& name);  // present and not null
  std::optional<std::string_view> find(const std::string& name, Kind kind, const char* wanted);
  std::string_view require(const std::string& name, Kind kind, const char* wanted);
  std::vector<Object> list_of(const std::string& name, std::string_view list,
                              const char* behind) const;

  std::string path_;
  std::map<std::string, Field> fields_;
};

// Structures that several operations take.

// Served consumers, kept as long as the call lasts.
struct Consumers {
  std::optional<std::vector<Consumer>> list;
  Served served() const {
    if (!list) return std::nullopt;
    return *list;
  }
};
Consumers consumers(Object& from);
Consumer consumer(Object from);

HeadRef head_ref(Object& from);  // flat among other fields
HeadRef whole_head_ref(Object from);
PageOptions page_options(Object& from);
Claim claim_of(Object& from);
std::optional<Cause> optional_cause(Object& from);
std::vector<NewEvent> new_events(Object& from);           // of the field `events`
std::vector<NewEvent> optional_new_events(Object& from);  // none if absent

}  // namespace pawl::jsonl
