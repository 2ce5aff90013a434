// An operation in one round trip: decided on what is remembered, and written behind a guard.
#pragma once

#include <cstdint>
#include <optional>

#include "connection.h"
#include "known.h"
#include "look_ups.h"
#include "pawl/backend.h"
#include "writer.h"

namespace pawl::postgres {

class GuardedWrite {
 public:
  // All must outlive it.
  GuardedWrite(KnownSession& known, const driver::Query& query, const Backend::Decide& decide)
      : known_(known), query_(query), decide_(decide) {}

  // Decides for a time that has come already. False where a load is needed: facts are not known,
  // the decision refuses or has nothing to write (on fresh facts it may be another), or it is of
  // many rows.
  bool decide(std::int64_t from);

  // Writes, with the server's clock unless `now` is given, and brings what is known up to date.
  // The session has this revision then. Throws Refused, after which the connection has to skip, or
  // Broken.
  driver::Readings write(Connection& connection, std::optional<std::int64_t> now,
                         std::int64_t revision);
  // Whether this refusal tells that the decision does not hold, or cannot be answered so.
  static bool is_miss(const Refused& refused);

  // After write(): what was written.
  const driver::Effects& effects() const { return effects_; }
  std::int64_t now() const { return now_; }

 private:
  driver::Effects decide_for(std::int64_t now) const;

  KnownSession& known_;
  const driver::Query& query_;
  const Backend::Decide& decide_;
  std::optional<KnownFacts> facts_;
  driver::Effects effects_;
  std::int64_t from_ = 0;
  std::int64_t before_ = 0;
  std::int64_t now_ = 0;
};

}  // namespace pawl::postgres
