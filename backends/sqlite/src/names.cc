// Consumers and event types as numbers.
#include "names.h"

#include <mutex>
#include <new>

namespace pawl::sqlite {

std::optional<std::int64_t> NameCache::find(std::string_view text) const {
  const std::shared_lock lock(mutex_);
  const auto found = ids_.find(text);
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

std::optional<std::string> NameCache::text(std::int64_t id) const {
  const std::shared_lock lock(mutex_);
  const auto found = texts_.find(id);
  if (found == texts_.end()) return std::nullopt;
  return found->second;
}

void NameCache::add(std::int64_t id, const std::string& text) {
  const std::unique_lock lock(mutex_);
  if (ids_.size() >= kMost) return;
  ids_.emplace(text, id);
  texts_.emplace(id, text);
}

std::optional<std::int64_t> Names::find(std::string_view text) {
  if (const auto id = cache_.find(text)) return id;
  for (const auto& [id, added] : added_) {
    if (added == text) return id;
  }
  Statement statement = connection_.use(Sql::kFindName, text);
  if (!statement.next()) return std::nullopt;
  const std::int64_t id = statement.count(0);
  cache_.add(id, std::string(text));
  return id;
}

std::int64_t Names::intern(std::string_view text) {
  if (const auto id = find(text)) return *id;
  connection_.run(Sql::kInsertName, text);
  added_.emplace_back(connection_.last_row_id(), text);
  return added_.back().first;
}

std::string Names::text(std::int64_t id) {
  if (auto text = cache_.text(id)) return *std::move(text);
  for (const auto& [added_id, added] : added_) {
    if (added_id == id) return added;
  }
  Statement statement = connection_.use(Sql::kTextOfName, id);
  if (!statement.next()) statement.corrupt("a number without a name");
  std::string text = statement.text(0);
  cache_.add(id, text);
  return text;
}

void Names::publish() noexcept {
  try {
    for (const auto& [id, text] : added_) cache_.add(id, text);
  } catch (const std::bad_alloc&) {
    // What is committed stays so. The names are looked up again.
  }
  added_.clear();
}

}  // namespace pawl::sqlite
