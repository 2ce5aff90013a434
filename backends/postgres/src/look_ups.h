// What the holder of a claim needs to know to finish it in one round trip: what follows the claimed
// heads. It is looked up behind the write that claims them.
#pragma once

#include <optional>

#include "connection.h"
#include "known.h"
#include "loader.h"

namespace pawl::postgres {

class LookUps {
 public:
  LookUps() = default;
  LookUps(const LookUps&) = delete;
  LookUps& operator=(const LookUps&) = delete;

  // Adds what these effects claim, but for what is `known` to be followed by something.
  void add(const driver::SessionEffects& effects, const KnownSession* known);
  void send(Connection& connection);
  // After fetch().
  void take();
  void note_in(KnownSession& session) const;

 private:
  driver::Query query_;
  driver::Facts found_;
  std::optional<Loader> loader_;
};

}  // namespace pawl::postgres
