// A guarded write as one statement: WITH the guard's row `g`, and the writes behind it.
//
//   WITH g AS (kGuardSession), p1 AS (kInsertEvents), p2 AS (kPutWork) SELECT ... FROM g
//
// All parts see the tables as they were when the statement began, and it may have had to wait for
// the session's lock since. But if anybody has written to the session after that, its revision is
// another and all is undone, so that they see what is. They do not see what the others write: what
// is to be read of that is a statement of its own, behind this one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "statements.h"
#include "wire.h"

namespace pawl::postgres {

class Composed {
 public:
  // The parameters are those of kGuardSession.
  explicit Composed(const Params& params);

  void add(Sql part, const Params& params);
  // Answers an event of the tables as they were, too: EVENT_COLUMNS behind the time.
  void read_event(const std::string& session, std::int64_t index);
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
  };

  std::vector<Part> parts_;
  Params params_;
  Params end_;
  bool reads_event_ = false;
  bool tells_time_ = false;
  std::string key_;
};

}  // namespace pawl::postgres
