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

const SessionCache::OfConsumer* SessionCache::Known::find(std::int64_t consumer) const {
  for (const OfConsumer& known : consumers) {
    if (known.consumer == consumer) return &known;
  }
  return nullptr;
}

SessionCache::OfConsumer& SessionCache::Known::get(std::int64_t consumer) {
  for (OfConsumer& known : consumers) {
    if (known.consumer == consumer) return known;
  }
  if (consumers.size() >= kMostConsumers) consumers.clear();
  return consumers.emplace_back(OfConsumer{consumer});
}

const SessionCache::OfConsumer* SessionCache::known(const Session& session,
                                                    std::int64_t consumer) const {
  const auto found = sessions_.find(session.name);
  return found == sessions_.end() ? nullptr : found->second.find(consumer);
}

bool SessionCache::has(const Session& session, const FirstKey& key) const {
  const OfConsumer* consumer = known(session, key.consumer);
  return consumer != nullptr && consumer->first_key == key;
}

std::int64_t SessionCache::least_due(const Session& session, std::int64_t consumer) const {
  const OfConsumer* known_consumer = known(session, consumer);
  return known_consumer == nullptr ? 1 : known_consumer->least_due;
}

void SessionCache::note(const Session& session) {
  if (sessions_.size() >= kMost) sessions_.clear();
  sessions_[session.name].session = session;
}

void SessionCache::write(const Session& session) { note(session); }

void SessionCache::write(const Session& session, const FirstKey& key) {
  const auto found = sessions_.find(session.name);
  if (found != sessions_.end()) found->second.get(key.consumer).first_key = key;
}

void SessionCache::note_least_due(const Session& session, std::int64_t consumer, std::int64_t due) {
  const auto found = sessions_.find(session.name);
  if (found != sessions_.end()) found->second.get(consumer).least_due = due;
}

void SessionCache::lower_least_due(const Session& session, std::int64_t consumer,
                                   std::int64_t due) {
  if (due >= least_due(session, consumer) || due == 0) return;
  is_written_ = true;
  note_least_due(session, consumer, due);
}

void SessionCache::forget_consumers(const Session& session) {
  const auto found = sessions_.find(session.name);
  if (found != sessions_.end()) found->second.consumers.clear();
}

void SessionCache::clear() {
  sessions_.clear();
  is_written_ = false;
}

}  // namespace pawl::sqlite
