// What an operation that loads its facts leaves to be remembered for the next one.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "connection.h"
#include "known.h"
#include "loader.h"
#include "look_ups.h"

namespace pawl::postgres {

class Learning {
 public:
  // All must outlive it. `before`: what was known of the query's only session.
  Learning(KnownSessions& known, const driver::Query& query, std::optional<KnownSession>& before)
      : known_(known), query_(query), before_(before) {}

  // How many more heads the load is to find than are asked for, for the claims to come.
  std::int64_t look_ahead() const;
  void note(const driver::Facts& facts, const Loader& loader);
  // Sends what finds out what follows the heads that are claimed, behind the writes.
  void send_look_ups(Connection& connection, const driver::Effects& effects);
  // After the commit, which gave the sessions it wrote to this revision.
  void keep(const driver::Effects& effects, std::int64_t revision);

 private:
  KnownSession session_of(const driver::SessionFacts& facts, std::int64_t revision,
                          const std::vector<driver::CursorQuery>& queries);

  KnownSessions& known_;
  const driver::Query& query_;
  std::optional<KnownSession>& before_;
  std::vector<KnownSession> sessions_;
  LookUps look_ups_;
};

}  // namespace pawl::postgres
