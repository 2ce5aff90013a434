// Looks at a whole store, through its own interface and from outside.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <memory>
#include <string>
#include <vector>

#include "check_first_keys.h"
#include "pawl/clock.h"
#include "pawl/jsonl.h"
#include "pawl/sqlite.h"

namespace pawl::sqlite {

// Gives the same id again, so that an operation that is repeated gives the same answer.
class OneId final : public IdSource {
 public:
  std::string next() override { return "generated"; }
};

// A store that is spoken to in JSON Lines, with a clock that stands still.
class LineStore {
 public:
  LineStore(const std::string& path, std::int64_t now_ms, OpenOptions options = {})
      : clock_(std::make_shared<ManualClock>(now_ms)),
        store_(sqlite::open(path, with_sources(std::move(options)))),
        lines_(store_, clock_) {}

  std::string answer(const std::string& line) { return lines_.answer(line); }

 private:
  OpenOptions with_sources(OpenOptions options) {
    options.clock = clock_;
    options.ids = std::make_shared<OneId>();
    return options;
  }

  std::shared_ptr<ManualClock> clock_;
  Store store_;
  JsonLines lines_;
};

// Everything that these reads can see.
inline std::string view_of(LineStore& store, const std::vector<std::string>& sessions) {
  std::string view;
  const auto look = [&](const std::string& line) {
    view += line + "\n  " + store.answer(line) + "\n";
  };
  look(R"({"op":"sessions"})");
  look(R"({"op":"ready"})");
  look(R"({"op":"presence","namespace":"n"})");
  for (const std::string& session : sessions) {
    const std::string of = R"(,"session":")" + session + R"("})";
    for (const char* op : {"head", "read", "cursors", "dead_letters"}) {
      look(R"({"op":")" + std::string(op) + "\"" + of);
    }
    for (const char* through : {"", R"(,"through":1)"}) {
      look(R"({"op":"load_snapshot","reducer":"r")" + std::string(through) + of);
    }
  }
  return view;
}

// The answers to a statement, as text.
inline std::string ask(sqlite3* db, const std::string& sql) {
  std::string answers;
  const auto add = [](void* to, int count, char** values, char**) {
    for (int i = 0; i < count; ++i) {
      *static_cast<std::string*>(to) += values[i] != nullptr ? values[i] : "NULL";
      *static_cast<std::string*>(to) += i + 1 < count ? "|" : "\n";
    }
    return 0;
  };
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), add, &answers, nullptr), SQLITE_OK)
      << sqlite3_errmsg(db) << ": " << sql;
  return answers;
}

// All rows of the file, from outside. With `check` its integrity is checked, and that the first
// keys agree with the cursors.
inline std::string rows_of(const std::string& file, bool check = true) {
  sqlite3* opened = nullptr;
  EXPECT_EQ(sqlite3_open_v2(file.c_str(), &opened, SQLITE_OPEN_READWRITE, nullptr), SQLITE_OK);
  const std::unique_ptr<sqlite3, int (*)(sqlite3*)> db(opened, sqlite3_close);
  // This connection may be the last to close: it must not write the log back.
  sqlite3_db_config(opened, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  std::string rows;
  for (const char* table :
       {"session", "name", "event", "cursor", "work", "ready", "snapshot", "pin", "presence"}) {
    rows += std::string(table) + "\n" + ask(opened, "SELECT * FROM " + std::string(table));
  }
  if (check) {
    EXPECT_EQ(ask(opened, "PRAGMA integrity_check"), "ok\n");
    check_first_keys(opened);
  }
  return rows;
}

}  // namespace pawl::sqlite
