// Reads the arguments of an operation, and refuses what the contract refuses (sections 2 and 12).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/state.h"

namespace pawl::model {

inline constexpr std::int64_t kMaxTime = std::int64_t{1} << 53;
inline constexpr std::int64_t kMaxCount = INT64_MAX;
inline constexpr std::size_t kMaxListed = 10'000;

[[noreturn]] void refuse(const std::string& message);

// One JSON object among the arguments. Every getter throws invalid_argument with the field's path.
// A field that is null counts as left out, except where JSON stands in place.
class Arguments {
 public:
  Arguments(const Json& object, std::string path);

  bool has(const std::string& key) const;
  std::string path(const std::string& key) const;
  // The same object, its paths beginning here.
  Arguments relative() const { return Arguments(*object_, ""); }

  std::string name(const std::string& key);
  std::optional<std::string> optional_name(const std::string& key);
  std::optional<std::vector<std::string>> optional_names(const std::string& key, std::size_t most);
  std::string string(const std::string& key);
  bool flag(const std::string& key);

  std::int64_t integer(const std::string& key, std::int64_t low, std::int64_t high = kMaxCount);
  std::optional<std::int64_t> optional_integer(const std::string& key, std::int64_t low,
                                               std::int64_t high = kMaxCount);
  std::int64_t limit(const std::string& key, std::int64_t fallback);

  // JSON in place under `key`, or exact text under `key`_text.
  Text text(const std::string& key, std::int64_t max_bytes);

  // The same for many fields: `key` holds JSON in place, `key`_text exact texts, by name.
  std::map<std::string, Text> texts(const std::string& key, std::int64_t max_bytes);

  Arguments object(const std::string& key);
  std::optional<Arguments> optional_object(const std::string& key);
  std::vector<Arguments> objects(const std::string& key, std::size_t most);
  std::vector<Arguments> optional_objects(const std::string& key, std::size_t most);

  // To be called last: throws when there is a field that nobody asked for.
  void nothing_else() const;

 private:
  const Json* find(const std::string& key);
  const Json& require(const std::string& key);

  const Json* object_;
  std::string path_;
  std::set<std::string> known_;
};

void check_name(const std::string& text, const std::string& path);

// Values 4 and 5: what nlohmann/json parses, without a byte order mark, nested at most 512 deep.
Text checked_text(const std::string& text, std::int64_t max_bytes, const std::string& path);
Text checked_value(const Json& value, std::int64_t max_bytes, const std::string& path);

// Structures.
HeadRef head_ref(Arguments& arguments);
Served served(Arguments& arguments);
Consumer consumer(Arguments& arguments);
Cause cause(Arguments arguments);
std::vector<NewEvent> new_events(Arguments& arguments, std::int64_t max_payload_bytes);

// Values 6: now + duration, which may not pass the largest time.
std::int64_t later(std::int64_t now, std::int64_t duration, const std::string& path);

// Values 7.
std::string error_text(const std::string& text);

}  // namespace pawl::model
