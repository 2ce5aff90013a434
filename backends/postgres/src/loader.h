// Query -> Facts: which statements a query becomes, and what their answers fill.
//
// Everything is sent at once, and every answer is a handler's that fills its part of the facts;
// so the facts are whole only when the connection has fetched the answers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "connection.h"
#include "pawl/driver/facts.h"
#include "pawl/driver/query.h"

namespace pawl::postgres {

class Loader {
 public:
  // `query` must outlive the loader.
  Loader(Connection& connection, const driver::Query& query)
      : connection_(connection), query_(query) {}
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;

  // Sends what finds the query's sessions, or, with `lock`, locks them and what is picked. What
  // locks sessions may read the server's clock, too.
  void send_sessions(bool lock, bool may_read_clock);
  // Sends what reads the clock, if it was not read: `now` if it is given, else the server's. Locks
  // are held then.
  void send_clock(const std::optional<std::int64_t>& now);
  // Sends the rest.
  void send_facts();

  // Before send_facts(): the windows of named sessions are to have so many more heads.
  void look_ahead(std::int64_t heads) { ahead_ = heads; }

  // After fetch().
  driver::Facts take();
  // The sessions that are stored, and their eras, for the writer.
  const std::map<std::string, std::int64_t>& stored() const { return stored_; }
  std::int64_t revision_of(const std::string& session) const;

 private:
  using Handler = Connection::Handler;

  // Look-ups of many keys (load_keys.cc)
  void send_cursors();
  void send_work();
  void send_ids();
  void send_dead();
  void send_snapshots();
  void send_has_pins();
  void send_windows();
  void send_pick();
  // Ranges of one session (load_ranges.cc)
  void send_events(std::size_t at);
  void send_lists(std::size_t at);
  void send_finished(std::size_t at);
  void send_of_consumer(std::size_t at);
  void send_superseded(std::size_t at);
  // What belongs to no session
  void send_ready();
  void send_presence();
  void send_upkeep();

  driver::SessionFacts& facts_of(const std::string& session);

  Connection& connection_;
  const driver::Query& query_;
  driver::Facts facts_;
  std::map<std::string, std::int64_t> stored_;
  std::map<std::string, std::int64_t> revisions_;
  std::int64_t ahead_ = 0;
  std::map<std::string, std::size_t> places_;  // of sessions in facts_.sessions
  std::size_t named_ = 0;                      // the first of them are named by the query
  bool has_time_ = false;
};

// Adds the pin that stands beside a cursor's row to the cursor.
void add_pin(const Row& row, int first, driver::FoundCursor& found);

// Appends the cursor of the row (from `first` on, pins behind its columns) to `found`; a further
// pin of the last one is added to that.
void add_with_pins(const Row& row, int first, std::vector<driver::FoundCursor>& found);

}  // namespace pawl::postgres
