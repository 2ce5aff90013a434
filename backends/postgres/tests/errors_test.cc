// Every SQLSTATE and every end of a connection has one code.
#include "errors.h"

#include <gtest/gtest.h>

#include <map>

namespace pawl::postgres {
namespace {

struct Codes {
  ErrorCode opening;
  ErrorCode running;
};

constexpr ErrorCode kBusy = ErrorCode::kBusy;
constexpr ErrorCode kPlace = ErrorCode::kNotConfigured;
constexpr ErrorCode kPasses = ErrorCode::kUnavailable;
constexpr ErrorCode kDoubt = ErrorCode::kInDoubt;
constexpr ErrorCode kCorrupt = ErrorCode::kCorrupt;
constexpr ErrorCode kInvalid = ErrorCode::kInvalidArgument;

TEST(Errors, EveryStateHasACode) {
  const std::map<std::string, Codes> expected = {
      {"08000", {kPasses, kPasses}},    // connection_exception
      {"08006", {kPasses, kPasses}},    // connection_failure
      {"08007", {kDoubt, kDoubt}},      // transaction_resolution_unknown
      {"0A000", {kPlace, kPlace}},      // feature_not_supported
      {"22P02", {kCorrupt, kCorrupt}},  // invalid_text_representation
      {"23502", {kCorrupt, kCorrupt}},  // not_null_violation
      {"23505", {kCorrupt, kCorrupt}},  // unique_violation of rows that are locked
      {"25006", {kPlace, kPasses}},     // read_only_sql_transaction
      {"25P03", {kPasses, kPasses}},    // idle_in_transaction_session_timeout
      {"26000", {kPasses, kPasses}},    // invalid_sql_statement_name
      {"28000", {kPlace, kPlace}},      // invalid_authorization_specification
      {"28P01", {kPlace, kPlace}},      // invalid_password
      {"3D000", {kPlace, kPlace}},      // invalid_catalog_name
      {"3F000", {kPlace, kCorrupt}},    // invalid_schema_name
      {"40001", {kBusy, kBusy}},        // serialization_failure
      {"40002", {kPasses, kPasses}},    // transaction_integrity_constraint_violation
      {"40003", {kDoubt, kDoubt}},      // statement_completion_unknown
      {"40P01", {kBusy, kBusy}},        // deadlock_detected
      {"42501", {kPlace, kPlace}},      // insufficient_privilege
      {"42703", {kPlace, kCorrupt}},    // undefined_column
      {"42P01", {kPlace, kCorrupt}},    // undefined_table
      {"42P05", {kPasses, kPasses}},    // duplicate_prepared_statement
      {"53100", {kPasses, kPasses}},    // disk_full
      {"53200", {kPasses, kPasses}},    // out_of_memory
      {"53300", {kPasses, kPasses}},    // too_many_connections
      {"54000", {kInvalid, kInvalid}},  // program_limit_exceeded
      {"55006", {kBusy, kBusy}},        // object_in_use
      {"55P03", {kBusy, kBusy}},        // lock_not_available
      {"57014", {kPasses, kPasses}},    // query_canceled
      {"57P01", {kPasses, kPasses}},    // admin_shutdown
      {"57P02", {kPasses, kPasses}},    // crash_shutdown
      {"57P03", {kPasses, kPasses}},    // cannot_connect_now
      {"57P04", {kPlace, kPlace}},      // database_dropped
      {"57P05", {kPasses, kPasses}},    // idle_session_timeout
      {"58030", {kPasses, kPasses}},    // io_error
      {"F0000", {kPlace, kPasses}},     // config_file_error
      {"XX000", {kPasses, kPasses}},    // internal_error
      {"XX001", {kCorrupt, kCorrupt}},  // data_corrupted
      {"XX002", {kCorrupt, kCorrupt}},  // index_corrupted
      {"ZZ999", {kPasses, kPasses}},    // what no server has said yet
      {"", {kPasses, kPasses}},         // a link that broke without a word
  };
  for (const auto& [state, codes] : expected) {
    EXPECT_EQ(error_code(state, Phase::kOpening), codes.opening) << state;
    EXPECT_EQ(error_code(state, Phase::kRunning), codes.running) << state;
  }
}

TEST(Errors, OnlyTheServersOwnConflictsAreTriedAgain) {
  EXPECT_TRUE(is_worth_another_try("40001"));
  EXPECT_TRUE(is_worth_another_try("40P01"));
  for (const char* state : {"40003", "23505", "55P03", "57014", "53100", ""}) {
    EXPECT_FALSE(is_worth_another_try(state)) << state;
  }
}

TEST(Errors, ABrokenLinkIsInDoubtOnlyInsideTheCommit) {
  const auto code_of = [](const Broken& broken) {
    try {
      throw_error(broken, Phase::kRunning);
    } catch (const Error& error) {
      return error.code();
    }
  };
  EXPECT_EQ(code_of(Broken("the connection broke", "", false)), kPasses);
  EXPECT_EQ(code_of(Broken("the connection broke", "", true)), kDoubt);
  EXPECT_EQ(code_of(Broken("terminating connection", "57P01", false)), kPasses);
  EXPECT_EQ(code_of(Broken("terminating connection", "57P01", true)), kDoubt);
}

TEST(Errors, AnErrorNamesItsState) {
  try {
    throw_error(Refused("53100", "could not extend file"), Phase::kRunning);
  } catch (const Error& error) {
    EXPECT_EQ(error.native(), "53100");
    EXPECT_STREQ(error.what(), "postgres: could not extend file (SQLSTATE 53100)");
  }
}

TEST(Errors, TheStateIsFoundInWhatConnectingSays) {
  const std::string said =
      "connection to server on socket \"/s/.s.PGSQL.5432\" failed: FATAL:  3D000: database "
      "\"x\" does not exist\nLOCATION:  InitPostgres, postinit.c:907";
  EXPECT_EQ(sqlstate_of_connect(said), "3D000");
  EXPECT_EQ(text_of_connect(said),
            "connection to server on socket \"/s/.s.PGSQL.5432\" failed: FATAL:  database "
            "\"x\" does not exist");
  EXPECT_EQ(sqlstate_of_connect("connection to server failed: Connection refused"), "");
  EXPECT_EQ(sqlstate_of_connect("FATAL:  database \"12345: \" does not exist"), "");
  EXPECT_EQ(text_of_connect("first\nsecond\n"), "first; second");
  EXPECT_EQ(sqlstate_of_connect("failed: ВАЖНО:  28P01: wrong:  password"), "28P01");
}

}  // namespace
}  // namespace pawl::postgres
