// load_store.cc: what is not of one session: first keys, presence, listings of sessions.
#include <algorithm>

#include "loader.h"

namespace pawl::rocksdb {

using driver::kNever;
using driver::PresenceRow;
using driver::ReadyRow;

namespace {

// Seeks the first keys of a consumer from a zone's bound on. `visit` is (due, since, session)
// -> whether to go on; since is 0 where due is not.
template <class Visit>
void scan_zone(const View& view, ReadyFronts& fronts, const ReadyFronts::Bound& bound,
               const std::string& consumer, int zone, const Visit& visit) {
  const std::string prefix = Key(Tag::kReady).name(consumer).bytes();
  const std::string end =
      zone == 0 ? Key(Tag::kReady).name(consumer).number(1).bytes() : after_prefix(prefix);
  bool first = true;
  view.scan(bound.key, end, [&](std::string_view key, std::string_view) {
    if (first) fronts.raise(consumer, zone, bound, key);
    first = false;
    KeyReader reader(key, prefix);
    const std::int64_t due = reader.number();
    const std::int64_t since = reader.number();
    return visit(due, since, reader.name());
  });
  if (first) fronts.raise(consumer, zone, bound, end);
}

void add_ready(const View& view, ReadyFronts& fronts, const std::string& consumer,
               const driver::ReadyQuery& query, std::int64_t now, std::vector<ReadyRow>& rows) {
  std::int64_t left = query.limit;
  scan_zone(view, fronts, fronts.get(consumer, 0), consumer, 0,
            [&](std::int64_t due, std::int64_t since, std::string session) {
              rows.push_back({std::move(session), consumer, due, since});
              return --left > 0;
            });
  left = query.limit;
  bool passed_now = false;
  scan_zone(view, fronts, fronts.get(consumer, 1), consumer, 1,
            [&](std::int64_t due, std::int64_t since, std::string session) {
              passed_now = due > now;
              rows.push_back({std::move(session), consumer, due, since});
              return !passed_now && --left > 0;
            });
  if (passed_now || left > 0) return;
  // The limit cut the range before the first time to come.
  const std::string prefix = Key(Tag::kReady).name(consumer).bytes();
  view.scan(Key(Tag::kReady).name(consumer).number(now + 1).bytes(), after_prefix(prefix),
            [&](std::string_view key, std::string_view) {
              KeyReader reader(key, prefix);
              const std::int64_t due = reader.number();
              reader.number();
              rows.push_back({reader.name(), consumer, due, 0});
              return false;
            });
}

}  // namespace

std::vector<std::string> ready_consumers(const View& view) {
  std::vector<std::string> consumers;
  const std::string prefix(1, static_cast<char>(Tag::kReady));
  std::string from = prefix;
  const std::string end = after_prefix(prefix);
  bool found = true;
  while (found) {
    found = false;
    view.scan(from, end, [&](std::string_view key, std::string_view) {
      consumers.push_back(KeyReader(key, prefix).name());
      found = true;
      return false;
    });
    if (found) from = after_prefix(Key(Tag::kReady).name(consumers.back()));
  }
  return consumers;
}

std::vector<ReadyRow> load_ready(const View& view, ReadyFronts& fronts,
                                 const driver::ReadyQuery& query, std::int64_t now) {
  std::vector<ReadyRow> rows;
  for (const std::string& consumer : query.consumers ? *query.consumers : ready_consumers(view)) {
    add_ready(view, fronts, consumer, query, now, rows);
  }
  return rows;
}

std::optional<std::int64_t> least_due(const View& view, ReadyFronts& fronts,
                                      const std::string& consumer,
                                      const std::set<std::string>& removed) {
  std::optional<std::int64_t> least;
  for (int zone = 0; zone < 2 && !least; ++zone) {
    scan_zone(view, fronts, fronts.get(consumer, zone), consumer, zone,
              [&](std::int64_t due, std::int64_t since, const std::string& session) {
                if (removed.contains(ready_key(consumer, due, since, session))) return true;
                least = due;
                return false;
              });
  }
  return least;
}

driver::PresenceFacts load_presence(const View& view, const driver::PresenceQuery& query,
                                    std::int64_t now) {
  driver::PresenceFacts facts;
  const auto field_key = [&](const std::string& participant, const std::string& field) {
    return Key(Tag::kPresence).name(query.name_space).name(participant).name(field).bytes();
  };
  for (const auto& [participant, field] : query.fields) {
    const auto bytes = view.get(field_key(participant, field));
    facts.fields.push_back(bytes ? std::optional(decode_presence(participant, field, *bytes))
                                 : std::nullopt);
  }
  const std::string prefix = Key(Tag::kPresence).name(query.name_space).bytes();
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
  const std::string expiry = Key(Tag::kExpiry).name(query.name_space).bytes();
  std::vector<std::pair<std::string, std::string>> expired;
  if (query.expired > 0) {
    view.scan(expiry, Key(Tag::kExpiry).name(query.name_space).number(now + 1).bytes(),
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
  const std::string from = page.after ? Key(Tag::kListed).name(*page.after).bytes() + '\0' : prefix;
  std::vector<std::pair<std::string, driver::SessionRow>> found;
  view.scan(from, after_prefix(prefix), [&](std::string_view key, std::string_view) {
    found.emplace_back(KeyReader(key, prefix).name(), driver::SessionRow{});
    return std::ssize(found) < page.limit;
  });
  for (auto& [session, row] : found) row = load_row(view, session);
  return found;
}

driver::UpkeepFacts load_upkeep(const View& view, const driver::UpkeepQuery& query,
                                std::int64_t now) {
  driver::UpkeepFacts facts;
  const std::string upkeep(1, static_cast<char>(Tag::kUpkeep));
  view.scan(upkeep, after_prefix(upkeep), [&](std::string_view key, std::string_view) {
    facts.superseded.emplace_back(KeyReader(key, upkeep).name(), driver::SessionRow{});
    return std::ssize(facts.superseded) < query.limit;
  });
  for (auto& [session, row] : facts.superseded) row = load_row(view, session);
  const std::string finished(1, static_cast<char>(Tag::kFinishedSince));
  view.scan(finished, Key(Tag::kFinishedSince).number(query.finished_before).bytes(),
            [&](std::string_view key, std::string_view) {
              KeyReader reader(key, finished);
              reader.number();
              facts.finished.push_back(reader.name());
              return std::ssize(facts.finished) < query.limit;
            });
  const std::string expiry(1, static_cast<char>(Tag::kExpiryOfAll));
  view.scan(expiry, Key(Tag::kExpiryOfAll).number(now + 1).bytes(),
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
