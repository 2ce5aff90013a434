// load_store.cc: what is not of one session: first keys, presence, listings of sessions.
#include <algorithm>

#include "loader.h"

namespace pawl::rocksdb {

using driver::PresenceRow;
using driver::ReadyRow;

namespace {

// Returns whether the first that is not due yet is among them, or there is none.
bool add_ready(ReadyKeys::Known& keys, const std::string& consumer, const driver::ReadyQuery& query,
               std::int64_t now, std::vector<ReadyRow>& rows) {
  std::int64_t left = query.limit;
  keys.scan(false, [&](std::int64_t due, std::int64_t since, std::string session) {
    rows.push_back({std::move(session), consumer, due, since});
    return --left > 0;
  });
  left = query.limit;
  bool is_whole = true;
  keys.scan(true, [&](std::int64_t due, std::int64_t since, std::string session) {
    rows.push_back({std::move(session), consumer, due, since});
    is_whole = due > now;
    return !is_whole && --left > 0;
  });
  return is_whole || left > 0;
}

// Behind as many that are due as are asked for: to know all of those would take long.
void add_later(const View& view, const std::string& consumer, std::int64_t now,
               std::vector<ReadyRow>& rows) {
  const std::string prefix = Key(Tag::kReady).name(consumer).take();
  view.of_now().scan(Key(prefix).number(now + 1).take(), after_prefix(prefix),
                     [&](std::string_view key, std::string_view) {
                       KeyReader reader(key, prefix);
                       const std::int64_t due = reader.number();
                       const std::int64_t since = reader.number();
                       rows.push_back({reader.name(), consumer, due, since});
                       return false;
                     });
}

}  // namespace

Fronts::Taken take_fronts(Fronts& fronts, const driver::Query& query) {
  Fronts::Taken taken;
  const auto take = [&](const std::string& range) { fronts.take(range, taken); };
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

// Where a consumer is known, its keys are not sought.
std::vector<std::string> ready_consumers(const View& view, const ReadyKeys& keys) {
  const std::string prefix = range_of(Tag::kReady);
  std::vector<std::string> consumers;
  std::string from = prefix;
  // Those of whom nothing is known as yet, before `until`.
  const auto add_unknown = [&](const std::string& until) {
    bool is_found = true;
    while (std::exchange(is_found, false)) {
      view.scan(from, until, [&](std::string_view key, std::string_view) {
        consumers.push_back(KeyReader(key, prefix).name());
        is_found = true;
        return false;
      });
      if (is_found) from = after_prefix(Key(Tag::kReady).name(consumers.back()));
    }
  };
  for (std::string& known : keys.consumers()) {
    const std::string start = Key(Tag::kReady).name(known).take();
    add_unknown(start);
    consumers.push_back(std::move(known));
    from = after_prefix(start);
  }
  add_unknown(after_prefix(prefix));
  return consumers;
}

std::vector<ReadyRow> load_ready(const View& view, ReadyKeys& keys, const driver::ReadyQuery& query,
                                 std::int64_t now, bool with_later) {
  std::vector<ReadyRow> rows;
  for (const std::string& consumer :
       query.consumers ? *query.consumers : ready_consumers(view, keys)) {
    const std::size_t before = rows.size();
    bool is_whole = true;
    keys.read(view, consumer, [&](ReadyKeys::Known& known) {
      rows.resize(before);
      is_whole = add_ready(known, consumer, query, now, rows);
    });
    if (with_later && !is_whole) add_later(view, consumer, now, rows);
  }
  return rows;
}

std::optional<std::int64_t> least_due(const View& view, ReadyKeys& keys,
                                      const std::string& consumer,
                                      const std::set<std::string>& removed) {
  std::optional<std::int64_t> least;
  keys.read(view, consumer, [&](ReadyKeys::Known& known) {
    least.reset();
    for (const bool is_timed : {false, true}) {
      if (least) break;
      known.scan(is_timed, [&](std::int64_t due, std::int64_t since, const std::string& session) {
        if (removed.contains(ready_key(consumer, due, since, session))) return true;
        least = due;
        return false;
      });
    }
  });
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
