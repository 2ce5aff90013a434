// check.h: the arguments of a call, checked before anything is looked up.
//
// Every limit and every form that the contract's section "Values" asks for stands here.
// What is wrong is thrown as kInvalidArgument, naming the field by its path.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/store.h"

namespace pawl::core {

// A path such as `events[1].targets[0].lane`, spelled out only when it is needed.
struct Field {
  std::string_view name;
  const Field* parent = nullptr;
  std::int64_t index = -1;

  Field operator[](std::size_t i) const { return {name, parent, static_cast<std::int64_t>(i)}; }
  Field at(std::string_view child) const { return {child, this, -1}; }
  std::string text() const;
};

// Checks one call, adding up its text against max_call_bytes.
class Check {
 public:
  explicit Check(const StoreOptions& limits) : limits_(limits) {}

  void name(std::string_view value, const Field& field);
  void optional_name(const std::optional<std::string>& value, const Field& field);
  void json(std::string_view text, const Field& field);
  void text(std::string_view text, const Field& field);  // counted, not checked
  static void at_least(std::int64_t value, std::int64_t least, const Field& field);
  static void limit(std::int64_t value, const Field& field);
  static void list(std::size_t size, std::int64_t most, const Field& field);
  static std::int64_t time(Time value, const Field& field);
  static std::int64_t duration(Duration value, const Field& field);

  void served(const Served& consumers, const Field& field);
  void consumer(const Consumer& consumer, const Field& field);
  void types(const std::optional<std::vector<std::string>>& types, const Field& field);
  void cause(const Cause& cause, const Field& field);
  void head_ref(const std::string& consumer, const std::optional<std::string>& lane,
                std::int64_t index, const Field& field);
  void claim(const Claim& claim, const Field& field);
  void append_events(const std::vector<NewEvent>& events, const Field& field);
  void follow_ups(const std::vector<NewEvent>& events, const Field& field);
  static void lease(const std::optional<Duration>& ttl, const std::optional<Time>& expires_at,
                    const Field* parent);

 private:
  void event(const NewEvent& event, const Field& field);
  void targets(const std::vector<Target>& targets, const Field& field);
  void count_bytes(std::string_view text, const Field& field);

  const StoreOptions& limits_;
  std::int64_t bytes_ = 0;
};

}  // namespace pawl::core
