// Query -> Facts.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fronts.h"
#include "gaps.h"
#include "memory.h"
#include "pawl/backend.h"
#include "ready_keys.h"
#include "values.h"
#include "view.h"

namespace pawl::rocksdb {

// `memory` is the session's, or null.
driver::SessionRow load_row(const View& view, const std::string& session, SessionMemory* memory);
// Empty: none is stored.
Front load_front(const View& view, const std::string& session, const std::string& consumer,
                 SessionMemory* memory);

// One half of a consumer's `q` keys.
struct PlaceRange {
  std::string_view session;
  std::int64_t era = 0;
  std::string_view consumer;
  bool is_timed = false;

  // Calls visit(place) from `from` on, in order, until it returns false. `half` is what is known
  // of the range, or null; more of it may be known afterwards. `is_first`: nothing is stored
  // before `from`.
  template <class Visit>
  void visit(const View& view, Half* half, const Place& from, bool is_first,
             const Visit& visit) const;

 private:
  std::string key(const Place& place) const {
    return due_key(session, era, consumer, place.due, place.head, place.lane);
  }
};

// Ranges with fronts: `taken` are the bounds that were taken before the view.
struct Ranges {
  const View& view;
  Fronts& fronts;
  const Fronts::Taken& taken;

  // Calls visit(key, value) for the keys in [range, until), in order, until it returns false.
  template <class Visit>
  void scan(std::string_view range, std::string_view until, const Visit& visit) const {
    bool is_first = true;
    view.scan(taken.from(range), until, [&](std::string_view key, std::string_view value) {
      if (std::exchange(is_first, false)) fronts.raise(range, taken, key);
      return visit(key, value);
    });
    if (is_first) fronts.raise(range, taken, until);
  }
};

// What is known of the ranges that the query's pages are read from.
Gaps::Taken take_gaps(Gaps& gaps, const driver::Query& query);
// The bounds that the superseded rows of the query's sessions need.
Fronts::Taken take_superseded(Fronts& fronts, const driver::Query& query);

template <class Visit>
void PlaceRange::visit(const View& view, Half* half, const Place& from, bool is_first,
                       const Visit& visit) const {
  std::string start = key(from);
  // Only what comes without a gap can be added to what is known.
  bool adds = half != nullptr && half->first.empty() && is_first;
  if (half != nullptr) {
    const auto known = half->first.lower_bound(from);
    for (auto it = known; it != half->first.end(); ++it) {
      if (!visit(*it)) return;
    }
    if (half->is_all) return;
    if (known != half->first.end()) {
      start = key(*half->first.rbegin()) + '\0';
      adds = true;
    }
  }
  // Whoever comes next mostly wants what follows, and an iterator costs as much as many steps.
  int ahead = 16;
  bool is_wanted = true;
  bool is_end = true;
  const std::string prefix = Key(Tag::kDue).name(session).number(era).name(consumer).take();
  const std::string end = is_timed ? after_prefix(prefix) : Key(prefix).number(1).take();
  view.scan(start, end, [&](std::string_view key, std::string_view value) {
    KeyReader reader(key, prefix);
    Place place;
    place.due = reader.number();
    place.head = reader.number();
    place.lane = reader.lane();
    place.since = decode_number(value);
    adds = adds && half->first.size() < Half::kMost;
    if (adds) half->first.insert(half->first.end(), place);
    if (is_wanted && visit(place)) return true;
    is_wanted = false;
    is_end = adds && --ahead > 0;
    return is_end;
  });
  if (adds && is_end) half->is_all = true;
}

// Loads from one session. What may be null is done without.
class SessionLoader {
 public:
  SessionLoader(const View& view, const std::string& session, std::int64_t now,
                SessionMemory* memory, const Ranges* superseded = nullptr,
                const Gaps::Taken* gaps = nullptr);

  driver::SessionFacts load(const driver::SessionQuery& query) const;
  void load_window(const driver::Window& window, driver::SessionFacts& facts) const;

 private:
  std::optional<driver::CursorRow> row_at(std::int64_t era, const driver::CursorKey& key) const;
  std::optional<driver::CursorRow> cursor(const driver::CursorKey& key) const;
  driver::CursorRow cursor_of_entry(const driver::CursorKey& key) const;
  driver::FoundCursor find_cursor(const driver::CursorQuery& query) const;
  std::optional<driver::NextWork> next(const driver::CursorKey& key,
                                       const std::optional<driver::CursorRow>& row,
                                       std::int64_t floor, const driver::NextQuery& query) const;
  std::int64_t floor_of(const std::string& consumer) const;
  std::optional<driver::NextWork> next_work(const std::string& consumer, const Lane& lane,
                                            std::int64_t above) const;
  std::optional<driver::NextWork> next_event(const driver::Types& types, std::int64_t above) const;
  bool is_head(const driver::WorkKey& key, const driver::SessionQuery& query,
               const driver::SessionFacts& facts) const;
  std::optional<driver::EventRow> event_at(std::int64_t index) const;
  driver::EventRow head_event(std::int64_t index) const;
  std::vector<driver::PinFact> pins(const driver::CursorRow& row) const;
  std::vector<driver::CursorKey> due_range(const std::string& consumer, const Place& from,
                                           bool is_first, std::int64_t until, std::int64_t limit,
                                           std::int64_t through) const;
  void add_window(const std::string& consumer, const Front& front, const driver::Window& window,
                  driver::SessionFacts& facts) const;
  std::optional<driver::FoundCursor> find_dead(const driver::DeadQuery& query) const;
  std::optional<driver::SnapshotRow> snapshot_at(const std::string& reducer,
                                                 std::int64_t index) const;
  std::optional<driver::SnapshotRow> newest_snapshot(const std::string& reducer,
                                                     std::int64_t through) const;
  driver::FoundSnapshots snapshots(const driver::SnapshotQuery& query) const;
  std::vector<driver::EventRow> events(const driver::EventRange& range,
                                       const driver::SessionFacts& facts) const;
  void events_of_types(const driver::EventRange& range, std::int64_t above,
                       std::vector<driver::EventRow>& found) const;
  std::vector<driver::CursorRow> list_cursors(const driver::HeadPage& page) const;
  void list_dead(const driver::HeadPage& page, driver::SessionFacts& facts) const;
  driver::FinishedFacts finished(const driver::FinishedQuery& query) const;
  driver::OfConsumerFacts of_consumer(const driver::OfConsumerQuery& query) const;
  driver::SupersededFacts superseded(const driver::SupersededQuery& query) const;
  void superseded_rows(std::int64_t below_era, std::int64_t limit,
                       driver::SupersededFacts& facts) const;

  const View& view_;
  const std::string& session_;
  const std::int64_t now_;
  SessionMemory* const memory_;
  const Ranges* const superseded_;
  const Gaps::Taken& gaps_;
  const driver::SessionRow row_;
};

// ---- what is not of one session

// The bounds that such a query needs.
Fronts::Taken take_fronts(Fronts& fronts, const driver::Query& query);

// `with_later`: also the first that is not due yet, where as many are due as are asked for.
std::vector<driver::ReadyRow> load_ready(const View& view, ReadyKeys& keys,
                                         const driver::ReadyQuery& query, std::int64_t now,
                                         bool with_later);
// The consumers that may have a first key anywhere, in order.
std::vector<std::string> ready_consumers(const View& view, const ReadyKeys& keys);
// The least `due` of the consumer's first keys, without those that `removed` names.
std::optional<std::int64_t> least_due(const View& view, ReadyKeys& keys,
                                      const std::string& consumer,
                                      const std::set<std::string>& removed);

driver::PresenceFacts load_presence(const Ranges& ranges, const driver::PresenceQuery& query,
                                    std::int64_t now);
std::vector<std::pair<std::string, driver::SessionRow>> load_list(const View& view,
                                                                  const driver::SessionPage& page);
driver::UpkeepFacts load_upkeep(const Ranges& ranges, const driver::UpkeepQuery& query,
                                std::int64_t now);

}  // namespace pawl::rocksdb
