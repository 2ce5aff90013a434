// The layout of the file.
//
//   session   one row per session that ever had an event
//   name      consumers and event types as numbers; rows are never changed or deleted
//   event     (session, idx)
//   cursor    (session, era, consumer, lane, slot)    slot: the index of an event cursor, else 0
//   work      (session, consumer, lane, idx)          queued lane entries and finished work
//   ready     (session, consumer)                     first keys, kept up by readiness.cc
//   snapshot  (session, era, reducer, idx)
//   pin       (session, era, consumer, lane, slot, head, reducer, snapshot)
//   presence  (ns, participant, field)
//
// "No lane" is the empty blob, which sorts after every text: the contract's order. A `due`
// of "never", a `failed_at` of an undead and a `finished_at` of unfinished work are NULL,
// so that the partial indexes over them hold only what their readers look for.
//
//   cursor_due    claimable heads in the order in which claim takes them; first keys
//   cursor_dead   dead letters in the order of their listing
//   cursor_log    a log cursor has one row, whatever its era
//   ready_due     sessions in the order of waiting; `since` is 0 there unless due = 0
//   session_*     what a listing and the upkeep look for
//
// A page has 2,048 bytes. Beside 4,096, SQLite's default, the append, claim and completion of an
// event of 200 bytes (or 4,000) took 0.88 times the processor time, since less is written and
// summed for every row that changes; with 1,024 payloads of 4,000 bytes and more took longer
// again (0.79 at 200 bytes, 1.0 at 4,000, 1.4 at 65,536).
//
// Everything is a plain rowid table: without rowids, the measured speed was 0.74 to 0.97.
#pragma once

#include <cstdint>

namespace pawl::sqlite {

inline constexpr std::int32_t kApplicationId = 0x5061776c;  // "Pawl"
inline constexpr std::int32_t kLayout = 1;                  // PRAGMA user_version
inline constexpr std::int32_t kPageBytes = 2'048;           // of a new file

inline constexpr const char* kSchema = R"sql(
CREATE TABLE session (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  last_index INTEGER NOT NULL,
  clear_index INTEGER NOT NULL,
  era INTEGER NOT NULL,
  first_index INTEGER NOT NULL,
  deleted_index INTEGER NOT NULL,
  deleted_era INTEGER NOT NULL,
  finished_since INTEGER NOT NULL,
  upkeep INTEGER NOT NULL,
  deleting INTEGER NOT NULL,
  listed INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX session_name ON session (name);
CREATE INDEX session_listed ON session (listed, name) WHERE listed = 1;
CREATE INDEX session_upkeep ON session (upkeep) WHERE upkeep = 1;
CREATE INDEX session_finished ON session (finished_since) WHERE finished_since > 0;

CREATE TABLE name (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX name_text ON name (text);

CREATE TABLE event (
  session INTEGER NOT NULL,
  idx INTEGER NOT NULL,
  id TEXT NOT NULL,
  type INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  era INTEGER NOT NULL,
  cause BLOB,
  targets BLOB,
  payload TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX event_idx ON event (session, idx);
CREATE UNIQUE INDEX event_id ON event (session, id);
CREATE INDEX event_type ON event (session, type, idx);

CREATE TABLE cursor (
  session INTEGER NOT NULL,
  era INTEGER NOT NULL,
  consumer INTEGER NOT NULL,
  lane ANY NOT NULL,
  slot INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  position INTEGER NOT NULL,
  head INTEGER NOT NULL,
  due INTEGER,
  since INTEGER NOT NULL,
  attempt_count INTEGER NOT NULL,
  first_claimed_at INTEGER NOT NULL,
  last_claimed_at INTEGER NOT NULL,
  claim_holder TEXT,
  failure_count INTEGER NOT NULL,
  last_failed_at INTEGER NOT NULL,
  last_failed_attempt INTEGER NOT NULL,
  last_error TEXT,
  failed_at INTEGER,
  last_released_attempt INTEGER NOT NULL,
  pins INTEGER NOT NULL,
  types BLOB,
  completion BLOB
) STRICT;
CREATE UNIQUE INDEX cursor_key ON cursor (session, era, consumer, lane, slot);
CREATE INDEX cursor_due ON cursor (session, era, consumer, due, head, lane) WHERE due IS NOT NULL;
CREATE INDEX cursor_dead ON cursor (session, era, head, consumer, lane)
  WHERE failed_at IS NOT NULL;
CREATE UNIQUE INDEX cursor_log ON cursor (session, consumer, lane) WHERE kind = 0;

CREATE TABLE work (
  session INTEGER NOT NULL,
  consumer INTEGER NOT NULL,
  lane ANY NOT NULL,
  idx INTEGER NOT NULL,
  available_at INTEGER NOT NULL,
  finished_at INTEGER,
  completion BLOB
) STRICT;
CREATE UNIQUE INDEX work_key ON work (session, consumer, lane, idx);
CREATE INDEX work_finished ON work (session, finished_at) WHERE finished_at IS NOT NULL;

CREATE TABLE ready (
  session INTEGER NOT NULL,
  consumer INTEGER NOT NULL,
  due INTEGER NOT NULL,
  since INTEGER NOT NULL,
  session_name TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX ready_key ON ready (session, consumer);
CREATE INDEX ready_due ON ready (consumer, due, since, session_name);

CREATE TABLE snapshot (
  session INTEGER NOT NULL,
  era INTEGER NOT NULL,
  reducer TEXT NOT NULL,
  idx INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  pins INTEGER NOT NULL,
  state TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX snapshot_key ON snapshot (session, era, reducer, idx);

CREATE TABLE pin (
  session INTEGER NOT NULL,
  era INTEGER NOT NULL,
  consumer INTEGER NOT NULL,
  lane ANY NOT NULL,
  slot INTEGER NOT NULL,
  head INTEGER NOT NULL,
  reducer TEXT NOT NULL,
  snapshot INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX pin_key ON pin (session, era, consumer, lane, slot, head, reducer, snapshot);

CREATE TABLE presence (
  ns TEXT NOT NULL,
  participant TEXT NOT NULL,
  field TEXT NOT NULL,
  tombstone INTEGER NOT NULL,
  seen INTEGER,
  at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  value TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX presence_key ON presence (ns, participant, field);
CREATE INDEX presence_expiry ON presence (ns, expires_at);
CREATE INDEX presence_oldest ON presence (expires_at);
)sql";

}  // namespace pawl::sqlite
