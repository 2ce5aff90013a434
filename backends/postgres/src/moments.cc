// Which numbers of a row are times.
#include "moments.h"

#include <algorithm>
#include <vector>

namespace pawl::postgres {
namespace {

using driver::CursorRow;

constexpr std::int64_t CursorRow::*kCursorTimes[] = {&CursorRow::due,
                                                     &CursorRow::since,
                                                     &CursorRow::first_claimed_at,
                                                     &CursorRow::last_claimed_at,
                                                     &CursorRow::last_failed_at,
                                                     &CursorRow::failed_at};

template <class Effects, class Visit>  // const or not
void visit_times(Effects& effects, const Visit& visit) {
  for (auto& session : effects.sessions) {
    if (session.row) visit(session.row->finished_since);
    for (auto& event : session.append) visit(event.created_at);
    for (auto& cursor : session.put) {
      for (const auto time : kCursorTimes) visit(cursor.*time);
    }
    for (auto& work : session.put_work) {
      visit(work.available_at);
      visit(work.finished_at);
    }
  }
}

std::vector<std::int64_t*> times_of(driver::Effects& effects) {
  std::vector<std::int64_t*> times;
  visit_times(effects, [&times](std::int64_t& time) { times.push_back(&time); });
  return times;
}

}  // namespace

bool make_relative(driver::Effects& effects, driver::Effects& later, std::int64_t now) {
  const std::vector<std::int64_t*> times = times_of(effects);
  const std::vector<std::int64_t*> moved = times_of(later);
  if (times.size() != moved.size()) return false;
  for (std::size_t i = 0; i < times.size(); ++i) {
    std::int64_t& time = *times[i];
    if (time == *moved[i]) continue;
    if (time + 1 != *moved[i] || time < now || time > kMaxTimeMs - kLongestWait) return false;
    time = -1 - (time - now);
  }
  return true;
}

std::int64_t deadline_of(const driver::Facts& facts, const driver::Effects& effects,
                         std::int64_t now) {
  std::int64_t deadline = now + kLongestWait;
  const auto note = [&deadline, now](std::int64_t time) {
    if (time > now) deadline = std::min(deadline, time);
  };
  for (const driver::SessionFacts& session : facts.sessions) {
    note(session.row.finished_since);
    for (const driver::FoundCursor& found : session.cursors) {
      if (found.next) note(found.next->available_at);
      if (!found.row) continue;
      for (const auto time : kCursorTimes) note((*found.row).*time);
    }
  }
  visit_times(effects, note);
  return deadline;
}

}  // namespace pawl::postgres
