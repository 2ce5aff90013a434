// The table of SQLSTATEs.
#include "errors.h"

#include <algorithm>

namespace pawl::postgres {
namespace {

constexpr ErrorCode kBusy = ErrorCode::kBusy;
constexpr ErrorCode kBadPlace = ErrorCode::kNotConfigured;
constexpr ErrorCode kPasses = ErrorCode::kUnavailable;
constexpr ErrorCode kDoubt = ErrorCode::kInDoubt;
constexpr ErrorCode kCorrupt = ErrorCode::kCorrupt;
constexpr ErrorCode kInvalid = ErrorCode::kInvalidArgument;

struct Entry {
  std::string_view state;  // a class is its first two characters
  ErrorCode opening;
  ErrorCode running;
};

// A state that is not listed is looked up by its class, and a class that is not passes.
constexpr Entry kEntries[] = {
    {"08", kPasses, kPasses},         // connection exceptions
    {"08007", kDoubt, kDoubt},        // transaction_resolution_unknown
    {"0A", kBadPlace, kBadPlace},     // feature_not_supported: another server than is needed
    {"22", kCorrupt, kCorrupt},       // data exceptions: no parameter can cause one
    {"23", kCorrupt, kCorrupt},       // constraints, but for those that mean something
    {"25", kPasses, kPasses},         // transaction states
    {"25006", kBadPlace, kPasses},    // read_only_sql_transaction: a standby, or became one
    {"26", kPasses, kPasses},         // an unknown prepared statement: a pooler (option "prepare")
    {"28", kBadPlace, kBadPlace},     // authorization
    {"3D", kBadPlace, kBadPlace},     // no such database
    {"3F", kBadPlace, kCorrupt},      // no such schema
    {"40", kPasses, kPasses},         // rollbacks
    {"40001", kBusy, kBusy},          // serialization_failure, as often as it was tried
    {"40003", kDoubt, kDoubt},        // statement_completion_unknown
    {"40P01", kBusy, kBusy},          // deadlock_detected
    {"42", kBadPlace, kCorrupt},      // no such table or column: a foreign or damaged layout
    {"42501", kBadPlace, kBadPlace},  // insufficient_privilege
    {"42P05", kPasses, kPasses},      // duplicate_prepared_statement: a pooler
    {"53", kPasses, kPasses},         // disk full, out of memory, too many connections
    {"54", kInvalid, kInvalid},       // beyond a limit of the server
    {"55", kPasses, kPasses},         // not in the right state
    {"55006", kBusy, kBusy},          // object_in_use
    {"55P03", kBusy, kBusy},          // lock_not_available
    {"57", kPasses, kPasses},         // an operator's intervention, a time limit
    {"57P04", kBadPlace, kBadPlace},  // database_dropped
    {"58", kPasses, kPasses},         // the server's system
    {"F0", kBadPlace, kPasses},       // the server's configuration
    {"XX", kPasses, kPasses},         // internal errors
    {"XX001", kCorrupt, kCorrupt},    // data_corrupted
    {"XX002", kCorrupt, kCorrupt},    // index_corrupted
};

const Entry* find(std::string_view state) {
  for (const Entry& entry : kEntries) {
    if (entry.state == state) return &entry;
  }
  return nullptr;
}

std::string field(const PGresult* result, int code) {
  const char* value = PQresultErrorField(result, code);
  return value == nullptr ? "" : value;
}

std::string text(std::string_view what, std::string_view sqlstate) {
  std::string message = "postgres: " + std::string(what);
  if (!sqlstate.empty()) message += " (SQLSTATE " + std::string(sqlstate) + ")";
  return message;
}

// Where the last "XXXXX: " stands behind a severity, whose name is in the server's language; npos
// if nowhere.
std::size_t find_state(std::string_view message) {
  constexpr std::string_view kBehindSeverity = ":  ";
  std::size_t at = message.rfind(kBehindSeverity);
  while (at != std::string_view::npos) {
    const std::size_t begin = at + kBehindSeverity.size();
    const bool is_state = message.size() > begin + 6 && message[begin + 5] == ':' &&
                          message.substr(begin, 5).find_first_not_of(
                              "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string_view::npos;
    if (is_state) return begin;
    at = at == 0 ? std::string_view::npos : message.rfind(kBehindSeverity, at - 1);
  }
  return std::string_view::npos;
}

}  // namespace

ErrorCode error_code(std::string_view sqlstate, Phase phase) {
  const Entry* entry = find(sqlstate);
  if (entry == nullptr) entry = find(sqlstate.substr(0, 2));
  if (entry == nullptr) return kPasses;
  return phase == Phase::kOpening ? entry->opening : entry->running;
}

bool is_worth_another_try(std::string_view sqlstate) {
  return sqlstate == "40001" || sqlstate == "40P01";
}

// The primary message only: a detail would show what is stored.
Refused::Refused(const PGresult* result)
    : std::runtime_error(field(result, PG_DIAG_MESSAGE_PRIMARY)),
      sqlstate(field(result, PG_DIAG_SQLSTATE)),
      constraint(field(result, PG_DIAG_CONSTRAINT_NAME)) {
  const std::string severity = field(result, PG_DIAG_SEVERITY_NONLOCALIZED);
  fatal = severity == "FATAL" || severity == "PANIC";
}

void throw_error(const Refused& refused, Phase phase) {
  throw Error(error_code(refused.sqlstate, phase), text(refused.what(), refused.sqlstate),
              refused.sqlstate);
}

void throw_error(const Broken& broken, Phase phase) {
  const ErrorCode code = broken.in_doubt ? kDoubt : error_code(broken.sqlstate, phase);
  throw Error(code, text(broken.what(), broken.sqlstate), broken.sqlstate);
}

std::string sqlstate_of_connect(std::string_view message) {
  const std::size_t at = find_state(message);
  return at == std::string_view::npos ? "" : std::string(message.substr(at, 5));
}

std::string text_of_connect(std::string_view message) {
  std::string text;
  while (!message.empty()) {
    const std::size_t end = std::min(message.find('\n'), message.size());
    std::string line(message.substr(0, end));
    message.remove_prefix(std::min(end + 1, message.size()));
    if (line.starts_with("LOCATION:")) continue;
    if (const std::size_t at = find_state(line); at != std::string::npos) line.erase(at, 7);
    if (!text.empty()) text += "; ";
    text += line;
  }
  return text;
}

}  // namespace pawl::postgres
