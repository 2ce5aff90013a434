// Facts from memory.
#include "known.h"

#include <algorithm>

namespace pawl::postgres {
namespace {

using driver::CursorRow;
using driver::NextWork;

// What is done to more cursors of a session at once is done in batches, which are not worth
// following.
constexpr std::size_t kMostAtOnce = 256;
constexpr std::size_t kMostIds = 16;

bool takes(const CursorRow& row, const std::string& type) {
  return !row.types || std::binary_search(row.types->begin(), row.types->end(), type);
}

// Whether the next is known without a look-up, or there is none to know.
bool needs_no_look_up(const CursorRow& row) {
  return row.kind == CursorKind::kEvent || (row.kind == CursorKind::kLog && !row.types);
}

// The first above `place` of what these effects give the cursor to do, and whether the event at
// `place` is among that.
struct Added {
  bool has_place = false;
  std::optional<NextWork> next;

  void add(std::int64_t index, std::int64_t available_at, std::int64_t place) {
    if (index == place) has_place = true;
    if (index > place && (!next || index < next->index)) next = NextWork{index, available_at};
  }
};

Added added_to(const CursorRow& row, std::int64_t place, const driver::SessionEffects& effects) {
  Added added;
  if (row.kind == CursorKind::kLane) {
    for (const driver::WorkRow& work : effects.put_work) {
      const bool is_its =
          work.finished_at == 0 && work.lane == row.key.lane && work.consumer == row.key.consumer;
      if (is_its) added.add(work.index, work.available_at, place);
    }
  } else {
    for (const driver::EventRow& event : effects.append) {
      if (takes(row, event.type)) added.add(event.index, 0, place);
    }
  }
  return added;
}

std::size_t bytes_of(const std::string& text) { return sizeof(std::string) + text.size(); }

// Whether work and events go that are not finished: what follows is to be looked up then.
bool takes_work_away(const driver::SessionEffects& effects) {
  return effects.new_era || !effects.erase.empty() || !effects.drop_work.empty();
}

}  // namespace

// The place behind which a cursor looks for its next.
std::int64_t KnownSession::place_of(const CursorRow& row) const {
  return row.head > 0 ? row.head : std::max(row.position, row_.clear_index);
}

// What follows a cursor after a write, from what followed it before.
void KnownSession::follow(KnownCursor& now, const KnownCursor* before,
                          const driver::SessionEffects& effects) const {
  const Added added = added_to(now.row, place_of(now.row), effects);
  const bool was_known = before != nullptr && before->row.types == now.row.types;
  if (added.has_place) {
    // Its head came with this call, so all behind it did.
    now.knows_next = true;
    now.next = added.next;
  } else if (was_known && before->row.head == now.row.head &&
             place_of(before->row) == place_of(now.row)) {
    now.knows_next = before->knows_next;
    now.next = before->next ? before->next : added.next;
  } else if (was_known && before->row.head > 0 && now.row.head == 0) {
    // It has finished its head, and found nothing.
    now.knows_next = true;
    now.next = added.next;
  } else {
    now.knows_next = false;
    now.next.reset();
  }
}

bool KnownSession::covers(const driver::CursorQuery& query) const {
  const KnownCursor* cursor = heads_.find(query.key);
  if (cursor == nullptr || (query.pins && cursor->row.pins > 0)) return false;
  const CursorRow& row = cursor->row;
  if (!query.next || row.kind == CursorKind::kEvent) return true;
  if (query.next->if_idle && row.head > 0) return true;
  const std::optional<driver::LogTypes>& log = query.next->log;
  // Other types would have another next.
  if (log && row.kind == CursorKind::kLog && log->types != row.types) return false;
  return cursor->knows_next || needs_no_look_up(row);
}

std::optional<NextWork> KnownSession::next_of(const KnownCursor& cursor,
                                              const driver::CursorQuery& query) const {
  const CursorRow& row = cursor.row;
  if (!query.next || row.kind == CursorKind::kEvent) return std::nullopt;
  if (query.next->if_idle && row.head > 0) return std::nullopt;
  if (!needs_no_look_up(row)) return cursor.next;
  const std::int64_t place = place_of(row);
  return place < row_.last_index ? std::optional(NextWork{place + 1, 0}) : std::nullopt;
}

std::optional<KnownFacts> KnownSession::facts(const driver::Query& query, std::int64_t now) const {
  const driver::SessionQuery& asked = query.sessions.front();
  const bool asks_more = asked.dead || !asked.snapshots.empty() || !asked.pins.empty() ||
                         asked.events || asked.list_cursors || asked.list_dead || asked.finished ||
                         asked.of_consumer || asked.superseded;
  if (asks_more) return std::nullopt;
  std::optional<KnownFacts> known(std::in_place);
  driver::SessionFacts& session = known->facts.sessions.emplace_back();
  session.session = name_;
  session.row = row_;
  if (asked.window) {
    auto window = heads_.window(*asked.window, now, known->before);
    if (!window) return std::nullopt;
    session.window = *std::move(window);
    session.windowed = true;
  }
  for (const driver::CursorQuery& cursor : asked.cursors) {
    if (!covers(cursor)) return std::nullopt;
    const KnownCursor& is = *heads_.find(cursor.key);
    driver::FoundCursor& found = session.cursors.emplace_back();
    found.row = is.row;
    found.next = next_of(is, cursor);
  }
  // What stands at a cursor's head is not finished. Other records are looked up.
  for (const driver::WorkKey& work : asked.work) {
    const KnownCursor* is = heads_.find({work.consumer, work.lane, work.lane ? 0 : work.index});
    if (is == nullptr || is->row.head != work.index) return std::nullopt;
  }
  session.work.resize(asked.work.size());
  // Ids are taken to be new: the unique index refuses what is not.
  if (asked.draws_ids && !asked.ids.empty()) return std::nullopt;
  const bool is_repeat = std::any_of(asked.ids.begin(), asked.ids.end(), [this](const auto& id) {
    return std::find(ids_.begin(), ids_.end(), id) != ids_.end();
  });
  if (is_repeat) return std::nullopt;
  session.ids.resize(asked.ids.size());
  return known;
}

void KnownSession::note(const driver::CursorQuery& query, const driver::FoundCursor& found) {
  if (!found.row || !is_of_era(*found.row)) {
    heads_.cursors().erase(query.key);
    return;
  }
  KnownCursor& known = heads_.found(*found.row);
  if (!query.next || (query.next->if_idle && found.row->head > 0)) return;
  const std::optional<driver::LogTypes>& log = query.next->log;
  if (log && found.row->kind == CursorKind::kLog && log->types != found.row->types) return;
  known.knows_next = true;
  known.next = found.next;
}

void KnownSession::apply(const driver::SessionEffects& effects, std::int64_t revision) {
  revision_ = revision;
  if (effects.row) row_ = *effects.row;
  if (!effects.append.empty()) ids_.clear();
  for (const driver::EventRow& event : effects.append) {
    if (ids_.size() < kMostIds) ids_.push_back(event.id);
  }
  const bool is_batch =
      std::max({effects.put.size(), effects.append.size(), effects.put_work.size()}) > kMostAtOnce;
  if (takes_work_away(effects) || is_batch) return heads_.forget_all();
  KnownHeads::Cursors& cursors = heads_.cursors();
  for (const CursorRow& row : effects.drop) {
    if (is_of_era(row)) cursors.erase(row.key);
  }
  // What nobody changes may have got something to do.
  for (auto& [key, known] : cursors) {
    if (!needs_no_look_up(known.row)) follow(known, &known, effects);
  }
  for (const CursorRow& row : effects.put) {
    if (row.key.is_floor()) continue;
    KnownCursor now{row, false, {}};
    if (!needs_no_look_up(row)) follow(now, heads_.find(row.key), effects);
    cursors[row.key] = std::move(now);
  }
}

std::size_t KnownSession::bytes() const {
  std::size_t bytes = sizeof(KnownSession) + 128 + name_.size() + heads_.bytes();
  for (const std::string& id : ids_) bytes += bytes_of(id);
  return bytes;
}

std::optional<KnownSession> KnownSessions::take(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto found = places_.find(name);
  if (found == places_.end()) return std::nullopt;
  const auto kept = found->second;
  places_.erase(found);  // it points into what is moved
  std::optional<KnownSession> session = std::move(kept->session);
  bytes_ -= kept->bytes;
  kept_.erase(kept);
  return session;
}

void KnownSessions::put(KnownSession&& session) {
  session.trim();
  const std::size_t bytes = session.bytes();
  const std::lock_guard lock(mutex_);
  if (const auto found = places_.find(session.name()); found != places_.end()) drop(found->second);
  // One that is large would drive out many.
  if (session.row().last_index == 0 || bytes > most_bytes_ / 16) return;
  kept_.push_front({std::move(session), bytes});
  places_.emplace(kept_.front().session.name(), kept_.begin());
  bytes_ += bytes;
  while (bytes_ > most_bytes_) drop(std::prev(kept_.end()));
}

void KnownSessions::drop(std::list<Kept>::iterator kept) {
  places_.erase(kept->session.name());
  bytes_ -= kept->bytes;
  kept_.erase(kept);
}

void KnownSessions::hear(std::int64_t now) {
  const std::lock_guard lock(mutex_);
  heard_ = now;
  heard_at_ = std::chrono::steady_clock::now();
}

// A little less than what has passed, since the two clocks may run differently.
std::int64_t KnownSessions::now() const {
  const std::lock_guard lock(mutex_);
  const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - heard_at_);
  return heard_ + passed.count() * 999 / 1'000;
}

}  // namespace pawl::postgres
