// Consumers and event types as numbers.
//
// Rows of `name` are never changed or deleted, so that what has been committed may be
// remembered for ever. What a transaction adds is its own until it commits.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "connection.h"

namespace pawl::sqlite {

// Committed names, shared by all connections of a store.
class NameCache {
 public:
  std::optional<std::int64_t> find(std::string_view text) const;
  std::optional<std::string> text(std::int64_t id) const;
  void add(std::int64_t id, const std::string& text);

 private:
  // Names are few. Whoever makes them without end is served from the file.
  static constexpr std::size_t kMost = 65'536;

  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the standard library's
  };

  mutable std::shared_mutex mutex_;
  std::unordered_map<std::string, std::int64_t, Hash, std::equal_to<>> ids_;
  std::unordered_map<std::int64_t, std::string> texts_;
};

// The names as one transaction sees them.
class Names {
 public:
  Names(Connection& connection, NameCache& cache) : connection_(connection), cache_(cache) {}

  std::optional<std::int64_t> find(std::string_view text);
  // Adds it if it is new.
  std::int64_t intern(std::string_view text);
  std::string text(std::int64_t id);

  // To be called once the transaction has committed.
  void publish() noexcept;

 private:
  Connection& connection_;
  NameCache& cache_;
  std::vector<std::pair<std::int64_t, std::string>> added_;
};

}  // namespace pawl::sqlite
