// load_store.cc: what is not of one session: first keys, presence, listings of sessions.
#include <algorithm>

#include "loader.h"

namespace pawl::rocksdb {

using driver::PresenceRow;
using driver::ReadyRow;

namespace {

// The first keys of a consumer that wait for no time, or those that do, in order. `visit` is
// (due, since, session) -> whether to go on; since is 0 where due is not.
template <class Visit>
void scan_ready(const Ranges& ranges, const std::string& consumer, bool timed, const Visit& visit) {
  const std::string prefix = Key(Tag::kReady).name(consumer).take();
  const std::string until = timed ? after_prefix(prefix) : ready_range(consumer, true);
  ranges.scan(ready_range(consumer, timed), until, [&](std::string_view key, std::string_view) {
    KeyReader reader(key, prefix);
    const std::int64_t due = reader.number();
    const std::int64_t since = reader.number();
    return visit(due, since, reader.name());
  });
}

void add_ready(const Ranges& ranges, const std::string& consumer, const driver::ReadyQuery& query,
               std::int64_t now, std::vector<ReadyRow>& rows) {
  std::int64_t left = query.limit;
  scan_ready(ranges, consumer, false,
             [&](std::int64_t due, std::int64_t since, std::string session) {
               rows.push_back({std::move(session), consumer, due, since});
               return --left > 0;
             });
  left = query.limit;
  bool has_passed_now = false;
  scan_ready(ranges, consumer, true,
             [&](std::int64_t due, std::int64_t since, std::string session) {
               has_passed_now = due > now;
               rows.push_back({std::move(session), consumer, due, since});
               return !has_passed_now && --left > 0;
             });
  if (has_passed_now || left > 0) return;
  // The limit cut the range before the first time to come.
  const std::string prefix = Key(Tag::kReady).name(consumer).take();
  ranges.view.scan(Key(Tag::kReady).name(consumer).number(now + 1).take(), after_prefix(prefix),
                   [&](std::string_view key, std::string_view) {
                     KeyReader reader(key, prefix);
                     const std::int64_t due = reader.number();
                     reader.number();
                     rows.push_back({reader.name(), consumer, due, 0});
                     return false;
                   });
}

}  // namespace

Fronts::Taken take_fronts(Fronts& fronts, const driver::Query& query) {
  Fronts::Taken taken;
  const auto take = [&](const std::string& prefix) {
    fronts.take(prefix, after_prefix(prefix), taken);
  };
  const auto take_ready = [&](const driver::ConsumerNames& consumers) {
    if (!consumers) return take(range_of(Tag::kReady));
    for (const std::string& consumer : *consumers) {
      take(Key(Tag::kReady).name(consumer).take());
    }
  };
  if (query.pick) take_ready(query.pick->consumers);
  if (query.ready) take_ready(query.ready->consumers);
  if (query.presence && query.presence->expired > 0) {
    take(Key(Tag::kExpiry).name(query.presence->name_space).take());
  }
  if (query.upkeep) {
    for (const Tag tag : {Tag::kUpkeep, Tag::kFinishedSince, Tag::kExpiryOfAll}) {
      take(range_of(tag));
    }
  }
  return taken;
}

// Where a consumer is known, its keys are not sought from their beginning.
std::vector<std::string> ready_consumers(const Ranges& ranges) {
  const std::string prefix = range_of(Tag::kReady);
  const std::string end = after_prefix(prefix);
  std::vector<std::string> consumers;
  std::string from = prefix;
  // Those of whom nothing is known as yet, before `until`.
  const auto add_unknown = [&](const std::string& until) {
    bool is_found = true;
    while (std::exchange(is_found, false)) {
      ranges.view.scan(from, until, [&](std::string_view key, std::string_view) {
        consumers.push_back(KeyReader(key, prefix).name());
        is_found = true;
        return false;
      });
      if (is_found) from = after_prefix(Key(Tag::kReady).name(consumers.back()));
    }
  };
  for (const auto& [range, key] : ranges.taken.keys()) {
    if (!range.starts_with(prefix)) continue;
    const std::string known = KeyReader(range, prefix).name();
    if (!consumers.empty() && consumers.back() == known) continue;
    const std::string start = Key(Tag::kReady).name(known).take();
    add_unknown(start);
    consumers.push_back(known);
    from = after_prefix(start);
  }
  add_unknown(end);
  return consumers;
}

std::vector<ReadyRow> load_ready(const Ranges& ranges, const driver::ReadyQuery& query,
                                 std::int64_t now) {
  std::vector<ReadyRow> rows;
  for (const std::string& consumer : query.consumers ? *query.consumers : ready_consumers(ranges)) {
    add_ready(ranges, consumer, query, now, rows);
  }
  return rows;
}

std::optional<std::int64_t> least_due(const Ranges& ranges, const std::string& consumer,
                                      const std::set<std::string>& removed) {
  std::optional<std::int64_t> least;
  for (const bool timed : {false, true}) {
    if (least) break;
    scan_ready(ranges, consumer, timed,
               [&](std::int64_t due, std::int64_t since, const std::string& session) {
                 if (removed.contains(ready_key(consumer, due, since, session))) return true;
                 least = due;
                 return false;
               });
  }
  return least;
}

driver::PresenceFacts load_presence(const Ranges& ranges, const driver::PresenceQuery& query,
                                    std::int64_t now) {
  const View& view = ranges.view;
  driver::PresenceFacts facts;
  const auto field_key = [&](const std::string& participant, const std::string& field) {
    return Key(Tag::kPresence).name(query.name_space).name(participant).name(field).take();
  };
  for (const auto& [participant, field] : query.fields) {
    const auto bytes = view.get(field_key(participant, field));
    facts.fields.push_back(bytes ? std::optional(decode_presence(participant, field, *bytes))
                                 : std::nullopt);
  }
  const std::string prefix = Key(Tag::kPresence).name(query.name_space).take();
  if (query.all) {
    std::int64_t bytes = 0;
    view.scan(prefix, after_prefix(prefix), [&](std::string_view key, std::string_view value) {
      KeyReader reader(key, prefix);
      std::string participant = reader.name();
      PresenceRow row = decode_presence(std::move(participant), reader.name(), value);
      if (row.expires_at <= now) return true;
      bytes += std::ssize(row.value);
      if (bytes > query.max_bytes && !facts.rows.empty()) return false;
      facts.rows.push_back(std::move(row));
      return true;
    });
  }
  const std::string expiry = Key(Tag::kExpiry).name(query.name_space).take();
  std::vector<std::pair<std::string, std::string>> expired;
  if (query.expired > 0) {
    ranges.scan(expiry, Key(Tag::kExpiry).name(query.name_space).number(now + 1).take(),
                [&](std::string_view key, std::string_view) {
                  KeyReader reader(key, expiry);
                  reader.number();
                  std::string participant = reader.name();
                  expired.emplace_back(std::move(participant), reader.name());
                  return std::ssize(expired) < query.expired;
                });
  }
  for (const auto& [participant, field] : expired) {
    const auto bytes = view.get(field_key(participant, field));
    if (!bytes) throw BadEncoding("an index names a presence row that is not stored");
    facts.expired.push_back(decode_presence(participant, field, *bytes));
  }
  return facts;
}

std::vector<std::pair<std::string, driver::SessionRow>> load_list(const View& view,
                                                                  const driver::SessionPage& page) {
  const std::string prefix(1, static_cast<char>(Tag::kListed));
  const std::string from = page.after ? Key(Tag::kListed).name(*page.after).take() + '\0' : prefix;
  std::vector<std::pair<std::string, driver::SessionRow>> found;
  view.scan(from, after_prefix(prefix), [&](std::string_view key, std::string_view) {
    found.emplace_back(KeyReader(key, prefix).name(), driver::SessionRow{});
    return std::ssize(found) < page.limit;
  });
  for (auto& [session, row] : found) row = load_row(view, session, nullptr);
  return found;
}

driver::UpkeepFacts load_upkeep(const Ranges& ranges, const driver::UpkeepQuery& query,
                                std::int64_t now) {
  driver::UpkeepFacts facts;
  const std::string upkeep = range_of(Tag::kUpkeep);
  ranges.scan(upkeep, after_prefix(upkeep), [&](std::string_view key, std::string_view) {
    facts.superseded.emplace_back(KeyReader(key, upkeep).name(), driver::SessionRow{});
    return std::ssize(facts.superseded) < query.limit;
  });
  for (auto& [session, row] : facts.superseded) row = load_row(ranges.view, session, nullptr);
  const std::string finished = range_of(Tag::kFinishedSince);
  ranges.scan(finished, Key(Tag::kFinishedSince).number(query.finished_before).take(),
              [&](std::string_view key, std::string_view) {
                KeyReader reader(key, finished);
                reader.number();
                facts.finished.push_back(reader.name());
                return std::ssize(facts.finished) < query.limit;
              });
  const std::string expiry = range_of(Tag::kExpiryOfAll);
  ranges.scan(expiry, Key(Tag::kExpiryOfAll).number(now + 1).take(),
              [&](std::string_view key, std::string_view) {
                KeyReader reader(key, expiry);
                PresenceRow row;
                row.expires_at = reader.number();
                std::string name_space = reader.name();
                row.participant = reader.name();
                row.field = reader.name();
                facts.expired.emplace_back(std::move(name_space), std::move(row));
                return std::ssize(facts.expired) < query.limit;
              });
  return facts;
}

}  // namespace pawl::rocksdb
