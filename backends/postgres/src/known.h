// What a store remembers of sessions: rows as they were when it last committed to them.
//
// They are facts for the next decision on the session if nobody has written there since. Whether
// somebody has is not known here: the server compares every row that a decision used, under the
// session's lock (Writer::send_guard). What follows a cursor is not compared. It need not be: work
// and events are added only with a new last_index, taken away from above the clear index only
// with a new era or with their cursor, so that equal rows of session and cursor mean an equal next.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "pawl/driver/effects.h"
#include "pawl/driver/facts.h"
#include "pawl/driver/query.h"

namespace pawl::postgres {

struct KnownCursor {
  driver::CursorRow row;  // of the present era
  bool knows_next = false;
  std::optional<driver::NextWork> next;  // what follows by the row's own types
};

class KnownSession {
 public:
  KnownSession(std::string name, const driver::SessionRow& row)
      : name_(std::move(name)), row_(row) {}

  const std::string& name() const { return name_; }
  const driver::SessionRow& row() const { return row_; }

  // The facts of the query, which is for this session, or nothing where some are not known.
  std::optional<driver::Facts> facts(const driver::Query& query) const;

  // Notes what a load has found: it was asked for by `query`.
  void note(const driver::CursorQuery& query, const driver::FoundCursor& found);
  // Whether what is known of a cursor is what was found.
  bool agrees(const driver::CursorQuery& query, const driver::FoundCursor& found) const;
  // Follows a write.
  void apply(const driver::SessionEffects& effects);
  // Keeps what is useful, and at most so many cursors.
  void trim();
  const KnownCursor* find(const driver::CursorKey& key) const;

  std::size_t bytes() const;

  // False after others were found to write there, too, until a load has found the session as it
  // was left: a guard that fails costs a round trip.
  bool trusted = true;

 private:
  bool covers(const driver::CursorQuery& query) const;
  std::optional<driver::NextWork> next_of(const KnownCursor& cursor,
                                          const driver::CursorQuery& query) const;
  bool is_of_era(const driver::CursorRow& row) const { return row.era == row_.era; }

  std::string name_;
  driver::SessionRow row_;
  std::map<driver::CursorKey, KnownCursor> cursors_;
  // Of the events that were appended last: who appends them again is to be answered by a load.
  std::vector<std::string> ids_;
};

// The sessions that were used last, as many as fit in `most_bytes`. From any thread.
class KnownSessions {
 public:
  explicit KnownSessions(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  bool remembers() const { return most_bytes_ > 0; }
  // Takes it out: while somebody decides on it, nobody else does, and what fails is forgotten.
  std::optional<KnownSession> take(const std::string& name);
  void put(KnownSession&& session);

  // The server's clock as it was told, and a time that it has passed since.
  void hear(std::int64_t now);
  std::int64_t now() const;

 private:
  struct Kept {
    KnownSession session;
    std::size_t bytes;
  };
  void drop(std::list<Kept>::iterator kept);

  const std::size_t most_bytes_;
  mutable std::mutex mutex_;
  std::list<Kept> kept_;  // the one used last comes first
  std::unordered_map<std::string_view, std::list<Kept>::iterator> places_;
  std::size_t bytes_ = 0;
  std::int64_t heard_ = 0;
  std::chrono::steady_clock::time_point heard_at_;
};

}  // namespace pawl::postgres
