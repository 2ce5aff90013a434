// What PostgreSQL and libpq report as pawl::Error: one table.
#pragma once

#include <libpq-fe.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "pawl/error.h"

namespace pawl::postgres {

// What was going on: a missing schema is a wrong place when opening, and damage later.
enum class Phase { kOpening, kRunning };

ErrorCode error_code(std::string_view sqlstate, Phase phase);

// Whether the transaction that got it may succeed when it is decided again on fresh facts.
bool is_worth_another_try(std::string_view sqlstate);

// A statement that the server refused; the connection may go on after a rollback.
struct Refused : std::runtime_error {
  explicit Refused(const PGresult* result);
  Refused(std::string state, const std::string& message)
      : std::runtime_error(message), sqlstate(std::move(state)) {}

  std::string sqlstate;
  std::string constraint;  // the one that was violated
  bool fatal = false;      // the server ends the connection
};

// The connection is gone, or what is on it can no longer be told.
struct Broken : std::runtime_error {
  Broken(const std::string& message, std::string state, bool doubt)
      : std::runtime_error(message), sqlstate(std::move(state)), in_doubt(doubt) {}

  std::string sqlstate;  // if the server said why
  bool in_doubt;         // the commit may have happened
};

[[noreturn]] void throw_error(const Refused& refused, Phase phase);
[[noreturn]] void throw_error(const Broken& broken, Phase phase);

// The SQLSTATE in what libpq says of a failed attempt to connect, if the server gave one, and
// the text without it. libpq has no other way to tell them apart.
std::string sqlstate_of_connect(std::string_view message);
std::string text_of_connect(std::string_view message);

}  // namespace pawl::postgres
