// decide/presence.cc: see presence.h.
#include "decide/presence.h"

#include <algorithm>

#include "json_text.h"

namespace pawl::core {
namespace {

// A write sweeps at most so many expired rows of its namespace: more than it adds, so that
// they do not pile up, and few enough to stay cheap.
constexpr std::int64_t kSwept = 64;

}  // namespace

driver::Query plan_set_presence(const SetPresenceRequest& request) {
  driver::Query query;
  query.presence.emplace();
  query.presence->name_space = request.name_space;
  query.presence->expired = kSwept;
  for (const PresenceField& field : *request.fields) {
    query.presence->fields.emplace_back(request.participant, field.field);
  }
  return query;
}

driver::Effects decide_set_presence(const SetPresenceRequest& request, driver::Facts&& facts) {
  driver::Effects effects;
  const std::int64_t expires_at = time_after(facts.now, request.ttl_ms, "ttl_ms");
  for (std::size_t i = 0; i < request.fields->size(); ++i) {
    const PresenceField& field = (*request.fields)[i];
    const std::optional<driver::PresenceRow>& stored = facts.presence.fields[i];
    if (stored && stored->expires_at > facts.now && stored->at > request.at) continue;
    driver::PresenceRow row;
    row.participant = request.participant;
    row.field = field.field;
    row.value = field.value.value_or("null");
    row.tombstone = !field.value || json_is_null(*field.value);
    row.seen = request.seen;
    row.at = request.at;
    row.expires_at = expires_at;
    effects.presence.put.push_back({request.name_space, std::move(row)});
  }
  for (driver::PresenceRow& expired : facts.presence.expired) {
    const bool written =
        std::any_of(effects.presence.put.begin(), effects.presence.put.end(), [&](const auto& put) {
          return put.row.participant == expired.participant && put.row.field == expired.field;
        });
    if (!written) effects.presence.drop.push_back({request.name_space, std::move(expired)});
  }
  return effects;
}

}  // namespace pawl::core
