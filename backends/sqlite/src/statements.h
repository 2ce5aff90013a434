// Every statement that runs on a store, by name. Tests look at the plan of each.
#pragma once

#include <array>
#include <cstddef>

namespace pawl::sqlite {

enum class Sql {
  kBegin,
  kBeginImmediate,
  kCommit,
  kRollback,

  kFindSession,
  kInsertSession,
  kUpdateSession,
  kMoveLastIndex,
  kListSessions,
  kUpkeepSessions,
  kFinishedSessions,

  kFindName,
  kTextOfName,
  kInsertName,

  kEventAt,
  kEventById,
  kEventRange,
  kTypeRange,
  kNextOfType,
  kSupersededEvents,
  kInsertEvent,
  kInsertEvents4,
  kInsertEvents16,
  kDeleteEvent,

  kCursorByKey,
  kLogCursor,
  kWindow,
  kDeadAt,
  kDeadAtLane,
  kDeadFrom,
  kNextConsumer,
  kNextLogConsumer,
  kCursorsOfConsumer,
  kLogsOfConsumer,
  kSupersededCursors,
  kFirstKey,
  kPutCursor,
  kPutCursors4,
  kPutCursors16,
  kUpdateCursor,
  kDeleteCursor,

  kWorkByKey,
  kNextWork,
  kLaneEntries,
  kFinishedWork,
  kWorkOfConsumer,
  kPutWork,
  kPutWorks4,
  kPutWorks16,
  kDeleteWork,

  kReadyRange,
  kReadyConsumers,
  kReadyConsumersOfSession,
  kHasReady,
  kHasAnyReady,
  kFirstDue,
  kPutReady,
  kDeleteReady,
  kDeleteReadyOfSession,

  kSnapshotAt,
  kNewestSnapshot,
  kSnapshotThrough,
  kSupersededSnapshots,
  kPutSnapshot,
  kKeepState,
  kDeleteSnapshot,

  kPinsOfHead,
  kHasPin,
  kSupersededPins,
  kPutPin,
  kDeletePin,

  kPresenceField,
  kPresenceAll,
  kPresenceExpired,
  kPresenceOldest,
  kPutPresence,
  kDeletePresence,

  kCount
};

struct StatementText {
  Sql id;
  const char* name;
  const char* text;
};

inline constexpr std::size_t kStatementCount = static_cast<std::size_t>(Sql::kCount);

// In the order of the enumeration.
extern const std::array<StatementText, kStatementCount> kStatements;

}  // namespace pawl::sqlite
