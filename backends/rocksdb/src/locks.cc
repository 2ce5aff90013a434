// locks.cc: see locks.h.
#include "locks.h"

#include <utility>

namespace pawl::rocksdb {

void Stripes::count(Stripe& stripe, Sessions::iterator session, bool kept) {
  Remembered& remembered = session->second;
  remembered.memory.trim();
  const std::int64_t bytes = remembered.memory.bytes();
  if (!kept || bytes > most_bytes_ / 4) {
    bytes_ -= remembered.counted;
    stripe.sessions.erase(session);
    return;
  }
  bytes_ += bytes - std::exchange(remembered.counted, bytes);
  remembered.is_used = false;
}

void Stripes::trim() {
  for (std::size_t tries = 0; tries < kStripes && bytes_ > most_bytes_; ++tries) {
    Stripe& stripe = stripes_[next_++ % kStripes];
    if (!stripe.lock.try_lock()) continue;
    for (const auto& [name, remembered] : stripe.sessions) bytes_ -= remembered.counted;
    stripe.sessions.clear();
    stripe.lock.unlock();
  }
}

StripeLocks::StripeLocks(Stripes& stripes, std::vector<std::size_t> held)
    : stripes_(stripes), held_(std::move(held)) {
  std::sort(held_.begin(), held_.end());
  held_.erase(std::unique(held_.begin(), held_.end()), held_.end());
  for (const std::size_t stripe : held_) stripes_.stripes_[stripe].lock.lock();
}

StripeLocks::~StripeLocks() {
  for (const auto& [stripe, session] : used_) {
    stripes_.count(stripes_.stripes_[stripe], session, kept_);
  }
  for (const std::size_t stripe : held_) stripes_.stripes_[stripe].lock.unlock();
  if (!used_.empty()) stripes_.trim();
}

bool StripeLocks::try_lock(std::size_t stripe) {
  if (std::find(held_.begin(), held_.end(), stripe) != held_.end()) return true;
  if (!stripes_.stripes_[stripe].lock.try_lock()) return false;
  held_.push_back(stripe);
  return true;
}

SessionMemory& StripeLocks::memory(const std::string& session) {
  const std::size_t stripe = Stripes::stripe_of(session);
  const auto found = stripes_.stripes_[stripe].sessions.try_emplace(session).first;
  if (!std::exchange(found->second.is_used, true)) used_.emplace_back(stripe, found);
  return found->second.memory;
}

}  // namespace pawl::rocksdb
