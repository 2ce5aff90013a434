// pawl/jsonl.h: a store behind one line of JSON in, one line of JSON out.
//
// core/CONTRACT.md, section 12, says what the lines are. `pawl exec` is this class between
// standard input and output; a program that wants to speak the same language to a store of
// its own uses it directly.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "pawl/clock.h"
#include "pawl/store.h"

namespace pawl {

class JsonLines {
 public:
  // Borrows the store, which must outlive this. `clock` is the one that the store was opened
  // with, and the operation `clock` sets it; null: there is no such operation.
  explicit JsonLines(Store& store, std::shared_ptr<ManualClock> clock = nullptr);

  // Carries the operation on `line` out and returns the answer, both without a line's end.
  // A pawl::Error is answered; anything else (std::bad_alloc) is thrown. Any number of threads
  // may call this at once.
  std::string answer(std::string_view line);

 private:
  Store& store_;
  std::shared_ptr<ManualClock> clock_;
};

}  // namespace pawl
