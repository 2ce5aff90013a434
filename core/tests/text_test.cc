// The contract's spelling of codes and kinds, its order of cursors, and what an Error answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "pawl/driver/rows.h"
#include "pawl/error.h"
#include "pawl/types.h"

namespace pawl {
namespace {

TEST(Error, SpellsItsCodeAsTheContractDoes) {
  struct Case {
    ErrorCode code;
    const char* text;
    bool retryable;
  };
  const std::vector<Case> cases{
      {ErrorCode::kInvalidArgument, "invalid_argument", false},
      {ErrorCode::kNotConfigured, "not_configured", false},
      {ErrorCode::kPartialDuplicateBatch, "partial_duplicate_batch", false},
      {ErrorCode::kReplayMismatch, "replay_mismatch", false},
      {ErrorCode::kSupersededAttempt, "superseded_attempt", false},
      {ErrorCode::kSessionCleared, "session_cleared", false},
      {ErrorCode::kUnknownEvent, "unknown_event", false},
      {ErrorCode::kBusy, "busy", true},
      {ErrorCode::kUnavailable, "unavailable", true},
      {ErrorCode::kInDoubt, "in_doubt", true},
      {ErrorCode::kCorrupt, "corrupt", false},
      {ErrorCode::kClosed, "closed", false},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(to_string(c.code), c.text);
    const Error error(c.code, "what happened", "SQLITE_FULL");
    EXPECT_EQ(error.code(), c.code);
    EXPECT_EQ(error.retryable(), c.retryable) << c.text;
    EXPECT_STREQ(error.what(), "what happened");
    EXPECT_EQ(error.native(), "SQLITE_FULL");
  }
  EXPECT_EQ(Error(ErrorCode::kBusy, "").native(), "");
}

TEST(CursorKind, IsSpelledAsInTheContract) {
  EXPECT_EQ(to_string(CursorKind::kLog), "log");
  EXPECT_EQ(to_string(CursorKind::kLane), "lane");
  EXPECT_EQ(to_string(CursorKind::kEvent), "event");
}

TEST(CursorKey, IsOrderedByConsumerThenLaneNoneLastThenIndex) {
  const std::vector<driver::CursorKey> ordered{
      {"A", "z", 0}, {"a", "a", 0},  {"a", "a\x01", 0}, {"a", "b", 0},       {"a", "\xC3\xA4", 0},
      {"a", {}, 1},  {"a", {}, 2},   {"a", {}, 10},     {"a\x01", "a", 0},   {"ab", {}, 1},
      {"b", "a", 0}, {"z", {}, 999}, {"\x7F", {}, 1},   {"\xC3\xA4", "a", 0}};
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    for (std::size_t j = 0; j < ordered.size(); ++j) {
      EXPECT_EQ(ordered[i] < ordered[j], i < j) << i << " and " << j;
      EXPECT_EQ(ordered[i] == ordered[j], i == j) << i << " and " << j;
    }
  }
}

TEST(SessionRow, TellsWhatIsVisible) {
  driver::SessionRow row;
  EXPECT_FALSE(row.listed());
  EXPECT_EQ(row.visible_from(), 1);
  row.last_index = 5;
  EXPECT_TRUE(row.listed());
  row.clear_index = 3;
  EXPECT_EQ(row.visible_from(), 3) << "the marker is visible";
  row.deleted_index = 3;
  EXPECT_EQ(row.visible_from(), 4) << "that of a deletion is not";
  EXPECT_TRUE(row.listed()) << "there is a newer event";
  row.last_index = 3;
  EXPECT_FALSE(row.listed());
  row.last_index = row.clear_index = 7;
  EXPECT_EQ(row.visible_from(), 7) << "the new life has been cleared";
}

}  // namespace
}  // namespace pawl
