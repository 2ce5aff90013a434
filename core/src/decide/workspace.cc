// decide/workspace.cc: see workspace.h.
#include "decide/workspace.h"

#include <algorithm>
#include <stdexcept>

namespace pawl::core {

using driver::CursorKey;
using driver::CursorRow;
using driver::EventRow;
using driver::FoundCursor;
using driver::NextWork;
using driver::PinFact;
using driver::SessionRow;
using driver::WorkRow;

std::optional<CursorRow> as_of(const CursorRow& row, const SessionRow& session) {
  if (row.era == session.era) return row;
  if (row.kind != CursorKind::kLog || session.is_deleted(row.era)) return std::nullopt;
  CursorRow cleared;
  cleared.key = row.key;
  cleared.kind = CursorKind::kLog;
  cleared.era = session.era;
  cleared.position = session.clear_index;
  cleared.types = row.types;
  return cleared;
}

void make_idle(CursorRow& row) {
  CursorRow idle;
  idle.key = std::move(row.key);
  idle.kind = row.kind;
  idle.era = row.era;
  idle.position = row.position;
  idle.types = std::move(row.types);
  idle.completion = std::move(row.completion);
  idle.handle = row.handle;
  row = std::move(idle);
}

void take_head(CursorRow& row, std::int64_t index, std::int64_t available_at, std::int64_t now) {
  make_idle(row);
  row.head = index;
  row.due = available_at > now ? available_at : 0;
  row.since = row.due == 0 ? now : 0;
}

CursorRow floor_row(const std::string& consumer, const SessionRow& session) {
  CursorRow row;
  row.key = driver::floor_key(consumer);
  row.kind = CursorKind::kEvent;
  row.era = session.era;
  row.position = session.last_index;
  return row;
}

CursorKey key_of(const std::string& consumer, const std::optional<std::string>& lane,
                 std::int64_t index) {
  return {consumer, lane, lane ? 0 : index};
}

Workspace::Workspace(driver::SessionFacts&& facts, const std::vector<driver::CursorQuery>& keys,
                     std::int64_t now)
    : facts_(std::make_unique<const driver::SessionFacts>(std::move(facts))),
      now_(now),
      row_(facts_->row) {
  effects_.session = facts_->session;
  for (std::size_t i = 0; i < keys.size(); ++i) remember(keys[i].key, facts_->cursors[i]);
  for (const FoundCursor& found : facts_->window) remember(found.row->key, found);
  for (const std::optional<EventRow>& event : facts_->ids) {
    if (event) stored_ids_.emplace(event->id, &*event);
  }
  for (const std::optional<WorkRow>& work : facts_->work) {
    if (work) work_.emplace(CursorKey{work->consumer, work->lane, work->index}, &*work);
  }
}

void Workspace::remember(const CursorKey& key, const FoundCursor& found) {
  Slot& slot = slots_[key];
  if (!slot.stored && found.row) {
    slot.stored = &*found.row;
    slot.row = as_of(*found.row, row_);
  }
  if (found.next) slot.next = found.next;
  if (!found.pins.empty()) slot.pins = found.pins;
  if (found.floor > 0) slot.floor = found.floor;
}

SessionRow& Workspace::change_row() {
  if (!effects_.row) effects_.row.emplace();
  return row_;
}

const Workspace::Slot* Workspace::find(const CursorKey& key) const {
  const auto found = slots_.find(key);
  return found == slots_.end() ? nullptr : &found->second;
}

Workspace::Slot& Workspace::slot(const CursorKey& key) {
  const auto found = slots_.find(key);
  if (found == slots_.end() || !found->second.row) {
    throw std::logic_error("pawl: a cursor is changed that was not loaded");
  }
  return found->second;
}

const CursorRow* Workspace::cursor(const CursorKey& key) const {
  const Slot* found = find(key);
  return found && found->row ? &*found->row : nullptr;
}

CursorRow& Workspace::change(const CursorKey& key) {
  Slot& changed = slot(key);
  changed.changed = true;
  return *changed.row;
}

std::int64_t Workspace::opening_place(const CursorKey& key) const {
  const Slot* found = find(key);
  return std::max(row_.clear_index, found ? found->floor : 0);
}

CursorRow& Workspace::put(CursorRow row) {
  row.era = row_.era;
  Slot& slot = slots_[row.key];
  slot.row = std::move(row);
  slot.changed = true;
  return *slot.row;
}

void Workspace::drop(const CursorKey& key) {
  Slot& dropped = slot(key);
  dropped.row.reset();
  dropped.changed = true;
}

std::vector<const CursorRow*> Workspace::cursors() const {
  std::vector<const CursorRow*> rows;
  for (const auto& [key, slot] : slots_) {
    if (slot.row) rows.push_back(&*slot.row);
  }
  return rows;
}

std::optional<NextWork> Workspace::next_after(const CursorRow& row, std::int64_t place) const {
  const Slot* found = find(row.key);
  if (found && found->next && found->next->index > place) return found->next;
  if (row.kind == CursorKind::kLane) {
    // Above every head that this call may finish.
    if (const auto queued = queued_.find(row.key); queued != queued_.end()) return queued->second;
  } else if (row.kind == CursorKind::kLog) {
    for (const EventRow& event : effects_.append) {
      if (event.index > place && takes(row.types, event.type)) return NextWork{event.index, 0};
    }
  }
  return std::nullopt;
}

const EventRow* Workspace::owner(const std::string& id) const {
  if (const auto found = appended_.find(id); found != appended_.end()) {
    return &effects_.append[found->second];
  }
  const auto found = stored_ids_.find(id);
  if (found == stored_ids_.end()) return nullptr;
  return found->second->index >= row_.visible_from() ? found->second : nullptr;
}

const EventRow* Workspace::disowned(const std::string& id) const {
  const auto found = stored_ids_.find(id);
  if (found == stored_ids_.end()) return nullptr;
  return found->second->index < row_.visible_from() ? found->second : nullptr;
}

void Workspace::erase(const EventRow& event) {
  effects_.erase.push_back({event.index, event.id, event.type});
  for (const driver::TargetRow& target : event.targets) {
    WorkRow key;
    key.consumer = target.consumer;
    key.lane = target.lane;
    key.index = event.index;
    effects_.drop_work.push_back(std::move(key));
  }
}

void Workspace::expect(std::size_t events) {
  // Not for each item of a settle: exact room for one more event would move all of them each time.
  if (!effects_.append.empty()) return;
  effects_.append.reserve(events);
  appended_.reserve(events);
}

EventRow& Workspace::append(EventRow event) {
  event.index = ++change_row().last_index;
  event.era = row_.era;
  event.created_at = now_;
  const EventRow& appended = effects_.append.emplace_back(std::move(event));
  if (!appended.id.empty()) name(appended.index, appended.id);
  return effects_.append.back();
}

void Workspace::name(std::int64_t index, const std::string& id) {
  if (const EventRow* old = disowned(id)) erase(*old);
  const auto place = static_cast<std::size_t>(index - effects_.append.front().index);
  effects_.append[place].id = id;
  appended_.emplace(id, place);
}

const WorkRow* Workspace::work(const CursorKey& key, std::int64_t index) const {
  const auto found = work_.find({key.consumer, key.lane, index});
  return found == work_.end() ? nullptr : found->second;
}

void Workspace::put_work(WorkRow work) {
  if (work.lane && work.finished_at == 0) {
    queued_.try_emplace({work.consumer, work.lane, 0}, NextWork{work.index, work.available_at});
  }
  effects_.put_work.push_back(std::move(work));
}

void Workspace::note_finished(std::int64_t at) {
  if (row_.finished_since == 0 || at < row_.finished_since) change_row().finished_since = at;
}

void Workspace::release_pins(const CursorKey& key) {
  Slot& released = slot(key);
  for (const PinFact& fact : released.pins) {
    effects_.drop_pins.push_back(fact.pin);
    if (!fact.snapshot) continue;
    const auto [held, first] = pinned_.try_emplace(
        {fact.pin.reducer, fact.pin.snapshot}, PinnedSnapshot{*fact.snapshot, fact.newest_index});
    --held->second.row.pins;
  }
  released.pins.clear();
  if (released.row->pins > 0) {
    released.row->pins = 0;
    released.changed = true;
  }
}

driver::SessionEffects Workspace::take() {
  if (effects_.row) {
    if (row_ == facts_->row) {
      effects_.row.reset();
    } else {
      effects_.row = row_;
    }
  }
  for (auto& [key, slot] : slots_) {
    if (!slot.changed) continue;
    if (slot.row) {
      const bool is_new = !slot.stored || *slot.row != *slot.stored;
      if (is_new) effects_.put.push_back(std::move(*slot.row));
    } else if (slot.stored) {
      effects_.drop.push_back(*slot.stored);
    }
  }
  for (auto& [key, snapshot] : pinned_) {
    const bool free = snapshot.row.pins == 0 && snapshot.row.index != snapshot.newest_index;
    (free ? effects_.drop_snapshots : effects_.put_snapshots).push_back(std::move(snapshot.row));
  }
  return std::move(effects_);
}

}  // namespace pawl::core
