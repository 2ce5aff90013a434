// A guarded write as one statement: WITH the guard's row `g`, and the writes behind it.
//
//   WITH g AS (kGuardSession), p1 AS (kInsertEvents), p2 AS (kPutWork) SELECT ... FROM g
//
// All parts see the tables as they were when the statement began, and it may have had to wait for
// the session's lock since. So a part may only do what does not depend on that: insert, or change
// rows that it looks for by what they hold, since the server looks again at one that has changed.
// What reads is a statement of its own, behind this one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "statements.h"
#include "wire.h"

namespace pawl::postgres {

class Composed {
 public:
  // `guard` is kGuardSession or kGuardAndAppend.
  Composed(Sql guard, const Params& params);

  void add(Sql part, const Params& params);
  // A part for one row, that is to change a row or the guard fails.
  void add_guard(Sql part, const Params& params);
  // Ends it: the decision holds from and before these times. With `tells_time`, the statements
  // behind it can read the time that it answers.
  void finish(std::int64_t from, std::int64_t before, bool tells_time);

  // Of the same key, the same text.
  const std::string& key() const { return key_; }
  std::string text(const std::string& schema) const;
  // To be taken as for one row.
  const Params& params() const { return params_; }

 private:
  struct Part {
    Sql sql;
    bool one_row;
    std::size_t first;  // how many parameters stand before its own
    bool counted;
  };
  void add(Sql sql, const Params& params, bool counted);

  std::vector<Part> parts_;
  Params params_;
  std::int64_t rows_ = 0;
  bool tells_time_ = false;
  std::string key_;
};

}  // namespace pawl::postgres
