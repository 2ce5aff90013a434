// See session_cache.h.
#include "session_cache.h"

#include <algorithm>

namespace pawl::sqlite {

SessionCache::Use::Use(SessionCache& cache, const Connection& connection)
    : cache_(cache), connection_(connection) {
  const std::uint32_t version = connection.data_version();
  if (version != cache_.version_) cache_.clear();
  cache_.version_ = version;
}

SessionCache::Use::~Use() {
  if (cache_.is_written_) cache_.clear();
}

void SessionCache::Use::committed() {
  cache_.version_ = connection_.data_version();
  cache_.is_written_ = false;
}

const Session* SessionCache::find(std::string_view name) const {
  const auto found = sessions_.find(name);
  return found == sessions_.end() ? nullptr : &found->second.session;
}

bool SessionCache::has(const Session& session, const FirstKey& key) const {
  const auto found = sessions_.find(session.name);
  if (found == sessions_.end()) return false;
  const auto& keys = found->second.first_keys;
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

void SessionCache::note(const Session& session) {
  if (sessions_.size() >= kMost) sessions_.clear();
  sessions_[session.name].session = session;
}

void SessionCache::write(const Session& session) {
  is_written_ = true;
  note(session);
}

void SessionCache::write(const Session& session, const FirstKey& key) {
  is_written_ = true;
  const auto found = sessions_.find(session.name);
  if (found == sessions_.end()) return;
  auto& keys = found->second.first_keys;
  const auto same = std::find_if(keys.begin(), keys.end(), [&](const FirstKey& known) {
    return known.consumer == key.consumer;
  });
  if (same == keys.end()) {
    if (keys.size() >= kMostFirstKeys) keys.clear();
    keys.push_back(key);
  } else {
    *same = key;
  }
}

void SessionCache::forget_first_keys(const Session& session) {
  const auto found = sessions_.find(session.name);
  if (found != sessions_.end()) found->second.first_keys.clear();
}

void SessionCache::clear() {
  sessions_.clear();
  is_written_ = false;
}

}  // namespace pawl::sqlite
