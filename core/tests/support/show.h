// Rows, effects and answers as text, for tables of tests. Everything is shown that is not as it
// is by default, so that two texts are the same only if what they show is.
//
// A cursor is named c/k (of a lane or log) or c@3 (of an event); a head c/k#3 or c#3.
#pragma once

#include <string>
#include <vector>

#include "pawl/driver/effects.h"
#include "pawl/driver/rows.h"
#include "pawl/types.h"

namespace pawl::core::testing {

std::string show(const driver::CursorKey& key);
std::string show(const HeadRef& ref);
std::string show(const driver::CursorRow& row);
std::string show(const driver::WorkRow& row);
std::string show(const driver::EventRow& row);
std::string show(const driver::SnapshotRow& row);
std::string show(const driver::PinRow& row);
std::string show(const driver::PresenceRow& row);
// The fields in which `row` differs from `before`.
std::string show(const driver::SessionRow& row, const driver::SessionRow& before);

// What an operation writes, joined by " | ", in a fixed order; `before` is the session's row.
// Empty: nothing.
std::string show(const driver::SessionEffects& effects, const driver::SessionRow& before);

template <class T>
std::string show_all(const std::vector<T>& list, std::string (*text)(const T&)) {
  std::string out = "[";
  for (const T& entry : list) {
    if (out.size() > 1) out += ' ';
    out += text(entry);
  }
  return out + "]";
}

std::string joined(const std::vector<std::string>& texts, const char* between);

}  // namespace pawl::core::testing
