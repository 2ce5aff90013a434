// read_back.cc: what an answer names, as of after the batch, read before it is written: from
// the batch where it says something, else from the database.
#include <algorithm>
#include <set>

#include "writer.h"

namespace pawl::rocksdb {

driver::Readings Writer::read_back(const driver::Effects& effects, ReadyKeys& ready) const {
  const driver::ReadBack& read = effects.read;
  driver::Readings readings;
  std::int64_t bytes = 0;
  for (const driver::ReadBack::EventRef& ref : read.events) {
    driver::EventRow event = read_event(effects, ref);
    bytes += std::ssize(event.payload);
    if (bytes > read.max_bytes && !readings.events.empty()) {
      throw AnswerTooLarge(std::ssize(readings.events));
    }
    readings.events.push_back(std::move(event));
  }
  for (const driver::ReadBack::Pending& pending : read.pending) {
    readings.pending.push_back(is_pending(pending));
  }
  if (read.next_due) readings.next_due = next_due(*read.next_due, ready);
  return readings;
}

driver::EventRow Writer::read_event(const driver::Effects& effects,
                                    const driver::ReadBack::EventRef& ref) const {
  if (const std::string* known = locks_.memory(ref.session).event(ref.index)) {
    return decode_event(ref.index, *known);
  }
  if (const auto bytes = view_.get(event_key(ref.session, ref.index))) {
    return decode_event(ref.index, *bytes);
  }
  for (const driver::SessionEffects& session : effects.sessions) {
    if (session.session != ref.session) continue;
    for (const driver::EventRow& event : session.append) {
      if (event.index == ref.index) return event;
    }
  }
  throw BadEncoding("the event of a head is not stored");
}

bool Writer::has_front(const std::string& session, const std::string& consumer) const {
  if (const auto front = fronts_.find({session, consumer}); front != fronts_.end()) {
    return !front->second.empty();
  }
  return !load_front(view_, session, consumer, &locks_.memory(session)).empty();
}

bool Writer::is_pending(const driver::ReadBack::Pending& pending) const {
  if (pending.consumers) {
    return std::any_of(
        pending.consumers->begin(), pending.consumers->end(),
        [&](const std::string& consumer) { return has_front(pending.session, consumer); });
  }
  for (const auto& [key, front] : fronts_) {
    if (key.first == pending.session && !front.empty()) return true;
  }
  const std::string prefix = Key(Tag::kFirstKey).name(pending.session).take();
  bool found = false;
  view_.scan(prefix, after_prefix(prefix), [&](std::string_view key, std::string_view) {
    found = !fronts_.contains({pending.session, KeyReader(key, prefix).name()});
    return !found;
  });
  return found;
}

std::optional<std::int64_t> Writer::next_due(const driver::ConsumerNames& consumers,
                                             ReadyKeys& ready) const {
  std::set<std::string> removed;
  for (const auto& [key, is_put] : ready_changes_) {
    is_put ? (void)removed.erase(key) : (void)removed.insert(key);
  }
  std::optional<std::int64_t> least;
  const auto consider = [&](std::int64_t due) { least = least ? std::min(*least, due) : due; };
  for (const std::string& consumer : consumers ? *consumers : ready_consumers(view_, ready)) {
    if (const auto due = least_due(view_, ready, consumer, removed)) consider(*due);
  }
  for (const auto& [key, front] : fronts_) {
    const bool served =
        !consumers || std::binary_search(consumers->begin(), consumers->end(), key.second);
    if (served && !front.empty()) consider(front.first().due);
  }
  return least;
}

}  // namespace pawl::rocksdb
