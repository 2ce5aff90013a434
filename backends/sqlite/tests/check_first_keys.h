// Compares every row of `ready` with the cursors, from outside: straight from the file.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <memory>
#include <string>

namespace pawl::sqlite {

// The rows that stand on one side only. `ready` without a cursor: a session that is served for
// nothing; a first key without its row: one that is never served again.
inline void check_first_keys(sqlite3* opened) {
  static constexpr char kDifferences[] = R"sql(
    WITH candidate AS (
      SELECT c.session, c.consumer, c.due, CASE c.due WHEN 0 THEN c.since ELSE 0 END AS since,
             row_number() OVER (PARTITION BY c.session, c.consumer
                                ORDER BY c.due, c.head, c.lane) AS place
      FROM cursor c JOIN session s ON s.id = c.session AND s.era = c.era
      WHERE c.due IS NOT NULL),
    expected AS (
      SELECT c.session, c.consumer, c.due, c.since, s.name
      FROM candidate c JOIN session s ON s.id = c.session WHERE place = 1),
    stored AS (SELECT session, consumer, due, since, session_name FROM ready)
    SELECT 'missing', * FROM (SELECT * FROM expected EXCEPT SELECT * FROM stored)
    UNION ALL SELECT 'stale', * FROM (SELECT * FROM stored EXCEPT SELECT * FROM expected))sql";
  sqlite3_stmt* prepared = nullptr;
  ASSERT_EQ(sqlite3_prepare_v2(opened, kDifferences, -1, &prepared, nullptr), SQLITE_OK)
      << sqlite3_errmsg(opened);
  const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(prepared, sqlite3_finalize);
  int result = 0;
  while ((result = sqlite3_step(prepared)) == SQLITE_ROW) {
    std::string row;
    for (int column = 0; column < sqlite3_column_count(prepared); ++column) {
      const void* data = sqlite3_column_blob(prepared, column);
      const int size = sqlite3_column_bytes(prepared, column);
      row += std::string(static_cast<const char*>(data), static_cast<std::size_t>(size)) + " ";
    }
    ADD_FAILURE() << row;
  }
  EXPECT_EQ(result, SQLITE_DONE) << sqlite3_errmsg(opened);
}

inline void check_first_keys(const std::string& file) {
  sqlite3* opened = nullptr;
  ASSERT_EQ(sqlite3_open_v2(file.c_str(), &opened, SQLITE_OPEN_READWRITE, nullptr), SQLITE_OK);
  const std::unique_ptr<sqlite3, int (*)(sqlite3*)> db(opened, sqlite3_close);
  // This connection may be the last to close: it must not write the log back.
  sqlite3_db_config(opened, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  sqlite3_busy_timeout(opened, 5'000);
  check_first_keys(opened);
}

}  // namespace pawl::sqlite
