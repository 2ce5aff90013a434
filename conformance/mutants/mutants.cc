// The mutants, and the backend that carries a mutation out.
#include "mutants/mutants.h"

#include <algorithm>
#include <stdexcept>

#include "pawl/registry.h"

namespace pawl::conformance {
namespace {

using namespace driver;

const SessionFacts* facts_of(const Facts& facts, const std::string& session) {
  for (const SessionFacts& s : facts.sessions) {
    if (s.session == session) return &s;
  }
  return nullptr;
}

// The row of that key as it was loaded, if it was.
const CursorRow* loaded(const Facts& facts, const std::string& session, const CursorKey& key) {
  const SessionFacts* s = facts_of(facts, session);
  if (s == nullptr) return nullptr;
  for (const auto* list : {&s->cursors, &s->window}) {
    for (const FoundCursor& found : *list) {
      if (found.row && found.row->key == key) return &*found.row;
    }
  }
  return nullptr;
}

// A takeover leaves the attempt count as it is, so the attempt it should fence still matches.
void stale_attempt_completes(const Facts& facts, Effects& effects) {
  for (SessionEffects& s : effects.sessions) {
    for (CursorRow& row : s.put) {
      const CursorRow* old = loaded(facts, s.session, row.key);
      const bool taken = old != nullptr && old->head == row.head && old->attempt_count > 0;
      if (taken && row.attempt_count > old->attempt_count) row.attempt_count = old->attempt_count;
    }
  }
}

// Decisions see a clear index that is one too low.
void clear_index_too_low(Facts& facts) {
  for (SessionFacts& s : facts.sessions) {
    if (s.row.clear_index > 0) --s.row.clear_index;
  }
}

// ... and what they write of it is put right again, so that nothing else is wrong.
void clear_index_restored(const Facts& facts, Effects& effects) {
  for (SessionEffects& s : effects.sessions) {
    const SessionFacts* old = facts_of(facts, s.session);
    const bool kept = old != nullptr && s.row && s.row->clear_index == old->row.clear_index;
    if (kept && s.row->clear_index > 0) ++s.row->clear_index;
  }
}

void not_claimable_at_its_expiry(Facts& facts) {
  for (SessionFacts& s : facts.sessions) {
    for (FoundCursor& found : s.window) {
      if (found.row && found.row->due == facts.now) ++found.row->due;
    }
  }
}

// What is queued on a lane with an unclaimed head passes it.
void last_in_first_out(const Facts& facts, Effects& effects) {
  for (SessionEffects& s : effects.sessions) {
    for (const WorkRow& work : s.put_work) {
      if (!work.lane || work.finished_at != 0) continue;
      const CursorRow* lane = loaded(facts, s.session, {work.consumer, work.lane, 0});
      if (lane == nullptr || lane->head == 0 || lane->attempt_count > 0) continue;
      CursorRow passed = *lane;
      passed.head = work.index;
      s.put.push_back(passed);
    }
  }
}

CursorRow event_cursor(const SessionFacts& s, const std::string& consumer, std::int64_t index) {
  CursorRow row;
  row.key = {consumer, {}, index};
  row.kind = CursorKind::kEvent;
  row.era = s.row.era;
  row.position = index - 1;
  row.head = index;
  row.due = 0;
  return row;
}

// A batch that is there already, and changes nothing, queues its independent targets once more.
void replay_queues_again(const Facts& facts, Effects& effects) {
  if (effects.writes()) return;
  for (SessionEffects& s : effects.sessions) {
    const SessionFacts* old = facts_of(facts, s.session);
    for (const auto& event : old->ids) {
      if (!event) return;
      for (const TargetRow& target : event->targets) {
        if (!target.lane) s.put.push_back(event_cursor(*old, target.consumer, event->index));
      }
    }
  }
}

// An idle log whose types are written takes the next event as its head.
void refresh_wakes(const Facts& facts, Effects& effects) {
  for (SessionEffects& s : effects.sessions) {
    const SessionFacts* old = facts_of(facts, s.session);
    for (CursorRow& row : s.put) {
      const bool idle_log = row.kind == CursorKind::kLog && row.head == 0;
      if (!idle_log || old == nullptr || row.position >= old->row.last_index) continue;
      row.head = row.position + 1;
      row.due = 0;
      row.since = facts.now;
    }
  }
}

void pins_are_not_released(const Facts&, Effects& effects) {
  for (SessionEffects& s : effects.sessions) {
    if (s.drop_pins.empty()) continue;
    s.drop_pins.clear();
    s.drop_snapshots.clear();
    s.put_snapshots.clear();
  }
}

void tombstones_are_ignored(const Facts&, Effects& effects) {
  PresenceEffects& presence = effects.presence;
  for (const PresenceEffects::Row& put : presence.put) {
    if (put.row.tombstone) presence.drop.push_back(put);
  }
  std::erase_if(presence.put, [](const auto& put) { return put.row.tombstone; });
}

// As a collation that ignores case would have it.
void order_ignores_case(Facts& facts) {
  const auto folded = [](std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
  };
  std::stable_sort(facts.list.begin(), facts.list.end(),
                   [&](const auto& a, const auto& b) { return folded(a.first) < folded(b.first); });
}

// A cursor that has finished its head does not find what the same call appended.
void follow_up_is_not_seen(const Facts& facts, Effects& effects) {
  for (SessionEffects& s : effects.sessions) {
    for (CursorRow& row : s.put) {
      const CursorRow* old = loaded(facts, s.session, row.key);
      const bool advanced = old != nullptr && old->head > 0 && old->head < row.head;
      const bool appended =
          std::any_of(s.append.begin(), s.append.end(),
                      [&](const EventRow& event) { return event.index == row.head; });
      if (!advanced || !appended) continue;
      row.head = 0;
      row.due = kNever;
    }
  }
}

constexpr Mutation kMutations[] = {
    {"AStaleAttemptCompletes", "Complete.AfterTakeoverIsSuperseded", nullptr,
     stale_attempt_completes},
    {"OffByOneAtTheClearIndex", "Append.OriginAtTheClearIndexIsCleared", clear_index_too_low,
     clear_index_restored},
    {"ExpiryAtEqualTime", "Claim.ExpiryAtEqualTimeIsClaimable", not_claimable_at_its_expiry},
    {"LaneOrderLost", "Advance.ALaneIsFirstInFirstOut", nullptr, last_in_first_out},
    {"AReplayQueuesAgain", "Append.ReplayQueuesNothing", nullptr, replay_queues_again},
    {"ARefreshWakes", "TypeRefresh.DoesNotWakeAnIdleCursor", nullptr, refresh_wakes},
    {"PinsNotReleased", "Advance.ReleasesThePins", nullptr, pins_are_not_released},
    {"TombstonesIgnored", "Presence.TombstoneBeatsAnOlderSet", nullptr, tombstones_are_ignored},
    {"TextOrderByLocale", "Sessions.OrderedByBytesInPages", order_ignores_case},
    {"FollowUpNotSeenByTheAdvance", "Advance.FollowUpOfTheSameLaneIsFound", nullptr,
     follow_up_is_not_seen},
};

class Mutant final : public Backend {
 public:
  Mutant(std::unique_ptr<Backend> sound, const Mutation* mutation)
      : sound_(std::move(sound)), mutation_(mutation) {}

  Facts look(const Query& query) override {
    Facts facts = sound_->look(query);
    if (mutation_ != nullptr && mutation_->facts != nullptr) mutation_->facts(facts);
    return facts;
  }

  Readings transact(const Query& query, const Decide& decide) override {
    if (mutation_ == nullptr) return sound_->transact(query, decide);
    return sound_->transact(query, [&](Facts&& facts) {
      if (mutation_->facts != nullptr) mutation_->facts(facts);
      const Facts seen = facts;
      Effects effects = decide(std::move(facts));
      if (mutation_->effects != nullptr) mutation_->effects(seen, effects);
      return effects;
    });
  }

  std::uint64_t changes() override { return sound_->changes(); }
  void wait(std::uint64_t seen, std::chrono::steady_clock::time_point until) override {
    sound_->wait(seen, until);
  }
  void close() override { sound_->close(); }
  Info info() const override { return sound_->info(); }

 private:
  std::unique_ptr<Backend> sound_;
  const Mutation* mutation_;
};

}  // namespace

std::span<const Mutation> mutations() { return kMutations; }

Store open_mutant(const Mutation* mutation, const std::string& uri, const OpenOptions& options) {
  const size_t colon = uri.find(':');
  const BackendRegistration* sound = find_backend(uri.substr(0, colon));
  if (sound == nullptr) throw std::logic_error("no backend for " + uri);
  return Store(std::make_unique<Mutant>(sound->open(uri.substr(colon + 1), options), mutation),
               {.max_payload_bytes = options.max_payload_bytes,
                .max_call_bytes = options.max_call_bytes,
                .ids = options.ids});
}

}  // namespace pawl::conformance
