// What a store remembers of sessions: rows as they were when it last committed to them.
//
// They are facts for the next decision on the session if nobody has written there since. Whether
// somebody has is not known here: every transaction that writes anything of a session gives its row
// a new revision, drawn at random, and the server compares that under the session's lock
// (Writer::send_guarded). Drawn at random, it does not come back when a failover has lost commits.
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

#include "known_heads.h"
#include "pawl/driver/effects.h"
#include "pawl/driver/facts.h"
#include "pawl/driver/query.h"

namespace pawl::postgres {

// What is known to answer a query, and the time before which it is all that there is to know.
struct KnownFacts {
  driver::Facts facts;
  std::int64_t before = driver::kNever;
};

class KnownSession {
 public:
  // As a load has found it: a session that is not stored has nothing that could be unknown.
  KnownSession(std::string name, const driver::SessionRow& row, std::int64_t revision)
      : name_(std::move(name)), row_(row), revision_(revision), heads_(row.last_index == 0) {}

  const std::string& name() const { return name_; }
  const driver::SessionRow& row() const { return row_; }
  std::int64_t revision() const { return revision_; }
  const KnownHeads& heads() const { return heads_; }

  // The facts of the query, which is for this session, or nothing where some are not known.
  // `now` has come.
  std::optional<KnownFacts> facts(const driver::Query& query, std::int64_t now) const;

  // Notes what a load has found: it was asked for by `query`.
  void note(const driver::CursorQuery& query, const driver::FoundCursor& found);
  void note(const driver::Window& window, const std::vector<driver::FoundCursor>& found,
            std::int64_t now) {
    heads_.note(window, found, now);
  }
  // Follows a write, which gave the session this revision.
  void apply(const driver::SessionEffects& effects, std::int64_t revision);
  // Keeps what is useful.
  void trim() { heads_.trim(); }

  std::size_t bytes() const;

  // False after others were found to write there, too, until a load has found the session as it
  // was left: a guard that fails costs a round trip.
  bool trusted = true;

 private:
  bool covers(const driver::CursorQuery& query) const;
  std::optional<driver::NextWork> next_of(const KnownCursor& cursor,
                                          const driver::CursorQuery& query) const;
  std::int64_t place_of(const driver::CursorRow& row) const;
  void follow(KnownCursor& now, const KnownCursor* before,
              const driver::SessionEffects& effects) const;
  bool is_of_era(const driver::CursorRow& row) const { return row.era == row_.era; }

  std::string name_;
  driver::SessionRow row_;
  std::int64_t revision_;
  KnownHeads heads_;
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
