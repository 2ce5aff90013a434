// Every statement that runs on a store, but for those that make the layout.
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace pawl::postgres {

enum class Sql {
  // The frame of a transaction
  kBegin,
  kBeginRead,
  kBeginWrite,
  kSettings,
  kAdoptSession,
  kClock,
  kCommit,
  kRollback,
  // Sessions
  kFindSessions,
  kLockSessions,
  kLockSessionsAndClock,
  kPick,
  kPickedSessions,
  kListSessions,
  kUpkeepSessions,
  kFinishedSessions,
  // Look-ups of many keys at once
  kCursors,
  kPickedCursors,
  kWindows,
  kPickedWindows,
  kWork,
  kIds,
  kDead,
  kSnapshots,
  kHasPins,
  // Ranges of one session
  kEvents,
  kEventsOfTypes,
  kListCursors,
  kListDead,
  kFinishedWork,
  kFinishedLanes,
  kLogsOfConsumer,
  kCursorsOfConsumer,
  kWorkOfConsumer,
  kSupersededEvents,
  kSupersededEventCursors,
  kSupersededCursors,
  kSupersededSnapshots,
  kSupersededPins,
  // First keys and presence
  kReady,
  kLockPresence,
  kPresenceFields,
  kPresenceAll,
  kPresenceExpired,
  kPresenceOldest,
  // Writes
  kGuardSession,
  kInsertSessions,
  kUpdateSessions,
  kReviseSessions,
  kDeleteReadyOfSessions,
  kDeleteEvents,
  kDeleteCursors,
  kDeleteWork,
  kDeleteSnapshots,
  kDeletePins,
  kInsertEvents,
  kInsertEventCursors,
  kPutLogs,
  kPutCursors,
  kChangeCursors,
  kPutWork,
  kPutSnapshots,
  kKeepStates,
  kPutPins,
  kOfferReady,
  kKeepReady,
  kPutReady,
  kSetReady,
  kDropReady,
  kDeletePresence,
  kPutPresence,
  // Reading back
  kReadBack,
  kReadBackOne,
  kPayloadSizes,
  kPending,
  kNextDue,
  kCount  // not a statement
};

inline constexpr std::size_t kStatementCount = static_cast<std::size_t>(Sql::kCount);

struct StatementText {
  Sql id;
  const char* name;
  const char* text;  // '@' stands for the schema and a dot
};

// `pawl.now` as a statement reads it.
inline constexpr const char* kNow = "current_setting('pawl.now')::bigint";

extern const std::array<StatementText, kStatementCount> kStatements;

// The event $4 of session $3, joined to a composed statement: a missing one divides by zero.
extern const char* const kReadEvent;
extern const char* const kReadEventColumns;

// A name as an identifier: in double quotes.
std::string quote_identifier(const std::string& name);

// The text for one row: with the elements in place of the arrays of its parameters, which the
// server takes apart at a cost. Empty where there is no other text.
std::string for_one_row(const std::string& text);

// The text for a schema.
std::string in_schema(const std::string& text, const std::string& schema);

}  // namespace pawl::postgres
