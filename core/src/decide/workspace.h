// decide/workspace.h: one session's facts with the effects of a decision laid over them.
//
// Everything that a decision does to a session it does here, and sees at once: an event
// appended by one item of a settle is there for the next. The rule of eras (what a row of
// an older era means) stands in as_of and nowhere else.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "decide/served.h"
#include "pawl/driver/effects.h"
#include "pawl/driver/facts.h"
#include "pawl/driver/query.h"

namespace pawl::core {

// What a stored cursor row means in the session as it is now: nothing, if a clear or a
// deletion has superseded it; a log cursor that was cleared is idle at the marker.
std::optional<driver::CursorRow> as_of(const driver::CursorRow& row,
                                       const driver::SessionRow& session);

// Empties the row's dispatch state, head included: idle.
void make_idle(driver::CursorRow& row);
// Makes `index` the head, with a fresh dispatch state.
void take_head(driver::CursorRow& row, std::int64_t index, std::int64_t available_at,
               std::int64_t now);

// The row that keeps log cursors of the consumer from opening below the present last index,
// where a lane cursor that has been deleted may have handed out heads.
driver::CursorRow floor_row(const std::string& consumer, const driver::SessionRow& session);

driver::CursorKey key_of(const std::string& consumer, const std::optional<std::string>& lane,
                         std::int64_t index);

class Workspace {
 public:
  // `keys` are those of facts.cursors, in order.
  Workspace(driver::SessionFacts&& facts, const std::vector<driver::CursorQuery>& keys,
            std::int64_t now);
  // It points into its facts and effects: moving keeps that, copying would not.
  Workspace(Workspace&&) = default;
  Workspace(const Workspace&) = delete;

  // Adds a cursor that the facts hold elsewhere (a redriven dead letter). `found` is borrowed.
  void remember(const driver::CursorKey& key, const driver::FoundCursor& found);

  const std::string& session() const { return facts_->session; }
  const driver::SessionFacts& facts() const { return *facts_; }
  std::int64_t now() const { return now_; }
  const driver::SessionRow& row() const { return row_; }
  driver::SessionRow& change_row();

  // ---- cursors. The key must be among those loaded, or have been put.
  const driver::CursorRow* cursor(const driver::CursorKey& key) const;
  driver::CursorRow& change(const driver::CursorKey& key);  // of one that exists
  driver::CursorRow& put(driver::CursorRow row);
  void drop(const driver::CursorKey& key);
  // How far back a log cursor that is not there reaches if it opens with backfill.
  std::int64_t opening_place(const driver::CursorKey& key) const;
  // All cursors loaded or put that exist now, in the contract's order.
  std::vector<const driver::CursorRow*> cursors() const;
  // Whether the types of these logs are still to be refreshed: once in a call is enough.
  bool first_refresh(const ServedSet& served) {
    return std::exchange(refreshed_, &served) != &served;
  }

  // What the cursor has to do after `place`: stored work first, then what this call added.
  std::optional<driver::NextWork> next_after(const driver::CursorRow& row,
                                             std::int64_t place) const;

  // ---- events and work
  // The event that owns the id now, if it was looked up or appended by this call.
  const driver::EventRow* owner(const std::string& id) const;
  // The stored event that bears the id but, lying below the clear index, does not own it.
  const driver::EventRow* disowned(const std::string& id) const;
  void erase(const driver::EventRow& event);             // with its work records
  void expect(std::size_t events);                       // room for the first of them
  driver::EventRow& append(driver::EventRow event);      // which may have no id yet
  void name(std::int64_t index, const std::string& id);  // gives an appended event its id
  // The work record as loaded.
  const driver::WorkRow* work(const driver::CursorKey& key, std::int64_t index) const;
  void put_work(driver::WorkRow work);
  void note_finished(std::int64_t at);

  // ---- pins
  // Releases the pins of the cursor's head; history that nothing holds then goes.
  void release_pins(const driver::CursorKey& key);

  driver::SessionEffects& effects() { return effects_; }
  // The effects gathered. The workspace is spent.
  driver::SessionEffects take();

 private:
  struct Slot {
    std::optional<driver::CursorRow> row;       // as of now
    const driver::CursorRow* stored = nullptr;  // as loaded, into the facts
    std::optional<driver::NextWork> next;
    std::vector<driver::PinFact> pins;
    std::int64_t floor = 0;
    bool changed = false;
  };
  struct PinnedSnapshot {
    driver::SnapshotRow row;
    std::int64_t newest_index;
  };

  Slot& slot(const driver::CursorKey& key);
  const Slot* find(const driver::CursorKey& key) const;

  std::unique_ptr<const driver::SessionFacts> facts_;  // which stays where it is
  std::int64_t now_;
  driver::SessionRow row_;
  std::map<driver::CursorKey, Slot> slots_;
  std::unordered_map<std::string, const driver::EventRow*> stored_ids_;  // into facts_.ids
  std::unordered_map<std::string, std::size_t> appended_;     // id -> place in effects_.append
  std::map<driver::CursorKey, const driver::WorkRow*> work_;  // by consumer, lane and index
  std::map<driver::CursorKey, driver::NextWork> queued_;      // the first that this call queues
  std::map<std::pair<std::string, std::int64_t>, PinnedSnapshot> pinned_;
  const ServedSet* refreshed_ = nullptr;
  driver::SessionEffects effects_;
};

}  // namespace pawl::core
