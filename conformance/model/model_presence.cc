// Contract section 8: presence.
#include "model/rules.h"

namespace pawl::model {

Json Rules::set_presence(Arguments& arguments) {
  const std::string name_space = arguments.name("namespace");
  const std::string participant = arguments.name("participant");
  const std::int64_t at = arguments.integer("at", 1, kMaxTime);
  const std::int64_t ttl = arguments.integer("ttl_ms", 0, kMaxTime);
  const auto seen = arguments.optional_integer("seen", INT64_MIN);
  const std::int64_t expires_at = later(now_, ttl, "ttl_ms");
  const std::map<std::string, Text> fields = arguments.texts("fields", options_.max_payload_bytes);
  arguments.nothing_else();
  for (const auto& [field, value] : fields) {
    const auto key = std::tuple(name_space, participant, field);
    const auto stored = presence_.find(key);
    const bool stored_wins =
        stored != presence_.end() && stored->second.expires_at > now_ && stored->second.at > at;
    if (!stored_wins) presence_[key] = {value, seen, at, expires_at};
  }
  return Json::object();
}

Json Rules::presence(Arguments& arguments) {
  const std::string name_space = arguments.name("namespace");
  arguments.nothing_else();
  Json result = Json::array();
  for (const auto& [key, row] : presence_) {
    const auto& [of, participant, field] = key;
    if (of != name_space || row.expires_at <= now_ || row.value->value.is_null()) continue;
    Json entry = {{"participant", participant},
                  {"field", field},
                  {"at", row.at},
                  {"expires_at", row.expires_at}};
    put_text(entry, "value", row.value);
    put_optional(entry, "seen", row.seen);
    result.push_back(entry);
  }
  return result;
}

Json Rules::reclaim_presence(Arguments& arguments) {
  const std::string name_space = arguments.name("namespace");
  const std::int64_t limit = arguments.limit("limit", 1'000);
  arguments.nothing_else();
  std::int64_t expired = 0;
  std::int64_t deleted = 0;
  for (auto row = presence_.begin(); row != presence_.end();) {
    const bool is_expired = std::get<0>(row->first) == name_space && row->second.expires_at <= now_;
    expired += is_expired;
    const bool goes = is_expired && deleted < limit;
    deleted += goes;
    row = goes ? presence_.erase(row) : std::next(row);
  }
  return {{"deleted", deleted}, {"done", deleted == expired}};
}

}  // namespace pawl::model
