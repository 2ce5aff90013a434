// The layout's statements.
#include "schema.h"

namespace pawl::postgres {
namespace {

// One statement each. fillfactor: a row that moves on within its page needs no new entries in
// the indexes.
constexpr const char* kSession[] = {
    R"sql(CREATE TABLE @session (
  name text COLLATE "C" NOT NULL,
  last_index bigint NOT NULL,
  clear_index bigint NOT NULL,
  era bigint NOT NULL,
  first_index bigint NOT NULL,
  deleted_index bigint NOT NULL,
  deleted_era bigint NOT NULL,
  finished_since bigint NOT NULL,
  upkeep boolean NOT NULL,
  deleting boolean NOT NULL,
  listed boolean NOT NULL,
  revision bigint NOT NULL,
  CONSTRAINT session_key PRIMARY KEY (name)
) WITH (fillfactor = 60))sql",
    // Their first columns say nothing. They give an order that no other index has, so that the
    // planner takes these where all sessions are listed, or seem to be.
    "CREATE INDEX session_listed ON @session (listed, name) WHERE listed",
    "CREATE INDEX session_upkeep ON @session (upkeep, name) WHERE upkeep",
    "CREATE INDEX session_finished ON @session (finished_since, name) WHERE finished_since > 0",
};

constexpr const char* kEvent[] = {
    R"sql(CREATE TABLE @event (
  session text COLLATE "C" NOT NULL,
  idx bigint NOT NULL,
  created_at bigint NOT NULL,
  era bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  cause_consumer text COLLATE "C",
  cause_lane text COLLATE "C",
  cause_index bigint,
  cause_attempt bigint,
  cause_batch_size bigint,
  target_consumers text[] COLLATE "C",
  target_lanes text[] COLLATE "C",
  payload text COLLATE "C" NOT NULL,
  CONSTRAINT event_key PRIMARY KEY (session, idx)
))sql",
    "CREATE UNIQUE INDEX event_id ON @event (session, id)",
    "CREATE INDEX event_type ON @event (session, type, idx)",
};

constexpr const char* kCursor[] = {
    R"sql(CREATE TABLE @cursor (
  session text COLLATE "C" NOT NULL,
  era bigint NOT NULL,
  slot bigint NOT NULL,
  position bigint NOT NULL,
  head bigint NOT NULL,
  due bigint,
  since bigint NOT NULL,
  attempt_count bigint NOT NULL,
  first_claimed_at bigint NOT NULL,
  last_claimed_at bigint NOT NULL,
  failure_count bigint NOT NULL,
  last_failed_at bigint NOT NULL,
  last_failed_attempt bigint NOT NULL,
  failed_at bigint,
  last_released_attempt bigint NOT NULL,
  pins bigint NOT NULL,
  kind smallint NOT NULL,
  consumer text COLLATE "C" NOT NULL,
  lane text COLLATE "C" NOT NULL,
  claim_holder text COLLATE "C",
  last_error text COLLATE "C",
  types text[] COLLATE "C",
  completion_index bigint,
  completion_attempt bigint,
  completion_ids text[] COLLATE "C",
  CONSTRAINT cursor_key PRIMARY KEY (session, era, consumer, slot, lane)
) WITH (fillfactor = 80))sql",
    R"sql(CREATE INDEX cursor_due ON @cursor (session, era, consumer, due, head, slot, lane)
WHERE due IS NOT NULL)sql",
    R"sql(CREATE INDEX cursor_dead ON @cursor (session, era, head, consumer, slot, lane)
WHERE failed_at IS NOT NULL)sql",
    "CREATE UNIQUE INDEX cursor_log ON @cursor (session, consumer, lane) WHERE kind = 0",
};

constexpr const char* kWork[] = {
    R"sql(CREATE TABLE @work (
  session text COLLATE "C" NOT NULL,
  idx bigint NOT NULL,
  available_at bigint NOT NULL,
  finished_at bigint,
  kind smallint NOT NULL,
  consumer text COLLATE "C" NOT NULL,
  lane text COLLATE "C" NOT NULL,
  completion_attempt bigint,
  completion_index bigint,
  completion_ids text[] COLLATE "C",
  CONSTRAINT work_key PRIMARY KEY (session, consumer, kind, lane, idx)
))sql",
    "CREATE INDEX work_finished ON @work (session, finished_at) WHERE finished_at IS NOT NULL",
};

constexpr const char* kReady[] = {
    R"sql(CREATE TABLE @ready (
  session text COLLATE "C" NOT NULL,
  consumer text COLLATE "C" NOT NULL,
  due bigint NOT NULL,
  since bigint NOT NULL,
  CONSTRAINT ready_key PRIMARY KEY (session, consumer)
) WITH (fillfactor = 80))sql",
    "CREATE INDEX ready_due ON @ready (consumer, due, since, session)",
};

constexpr const char* kSnapshot[] = {
    R"sql(CREATE TABLE @snapshot (
  session text COLLATE "C" NOT NULL,
  era bigint NOT NULL,
  reducer text COLLATE "C" NOT NULL,
  idx bigint NOT NULL,
  updated_at bigint NOT NULL,
  pins bigint NOT NULL,
  state text COLLATE "C" NOT NULL,
  CONSTRAINT snapshot_key PRIMARY KEY (session, era, reducer, idx)
))sql",
};

constexpr const char* kPin[] = {
    R"sql(CREATE TABLE @pin (
  session text COLLATE "C" NOT NULL,
  era bigint NOT NULL,
  consumer text COLLATE "C" NOT NULL,
  slot bigint NOT NULL,
  lane text COLLATE "C" NOT NULL,
  head bigint NOT NULL,
  reducer text COLLATE "C" NOT NULL,
  snapshot bigint NOT NULL,
  CONSTRAINT pin_key PRIMARY KEY (session, era, consumer, slot, lane, head, reducer, snapshot)
))sql",
};

constexpr const char* kPresence[] = {
    R"sql(CREATE TABLE @presence (
  ns text COLLATE "C" NOT NULL,
  participant text COLLATE "C" NOT NULL,
  field text COLLATE "C" NOT NULL,
  tombstone boolean NOT NULL,
  seen bigint,
  at bigint NOT NULL,
  expires_at bigint NOT NULL,
  value text COLLATE "C" NOT NULL,
  CONSTRAINT presence_key PRIMARY KEY (ns, participant, field)
))sql",
    "CREATE INDEX presence_expiry ON @presence (ns, expires_at)",
    "CREATE INDEX presence_oldest ON @presence (expires_at)",
};

}  // namespace

std::vector<std::string> layout_statements() {
  std::vector<std::string> statements;
  const auto add = [&](const auto& table) {
    statements.insert(statements.end(), std::begin(table), std::end(table));
  };
  add(kSession);
  add(kEvent);
  add(kCursor);
  add(kWork);
  add(kReady);
  add(kSnapshot);
  add(kPin);
  add(kPresence);
  statements.emplace_back("CREATE TABLE @layout (version integer NOT NULL)");
  statements.push_back("INSERT INTO @layout (version) VALUES (" + std::to_string(kLayout) + ")");
  return statements;
}

}  // namespace pawl::postgres
