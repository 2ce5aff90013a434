// What an operation that loads its facts leaves to be remembered for the next one.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "connection.h"
#include "known.h"
#include "loader.h"

namespace pawl::postgres {

class Learning {
 public:
  // All must outlive it. `before`: what was known of the query's only session.
  Learning(KnownSessions& known, const driver::Query& query, std::optional<KnownSession>& before)
      : known_(known), query_(query), before_(before) {}

  void note(const driver::Facts& facts);
  // What a claim's holder needs to know to finish it: sends what finds out what follows the claimed
  // heads, behind the writes.
  void send_look_ups(Connection& connection, const driver::Effects& effects);
  // After the commit.
  void keep(const driver::Effects& effects);

 private:
  KnownSession session_of(const driver::SessionFacts& facts,
                          const std::vector<driver::CursorQuery>& queries);

  KnownSessions& known_;
  const driver::Query& query_;
  std::optional<KnownSession>& before_;
  std::vector<KnownSession> sessions_;
  driver::Query look_ups_;
  std::optional<Loader> loader_;
};

}  // namespace pawl::postgres
