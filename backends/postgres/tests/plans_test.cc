// The plan of every statement: which indexes it seeks in, and by which columns. It must be the same
// whatever the tables hold while it is made, and whatever their statistics say of that.
// PAWL_TEST_POSTGRES_ROWS=1000000 fills them with as many rows, in place of 20,000 that are said to
// be a million: that takes a minute, and the planner sees the same but for the height of the trees.
#include <array>
#include <cstdlib>
#include <map>
#include <regex>

#include "place.h"
#include "tests/support/fixture.h"

namespace pawl::postgres::testing {
namespace {

// For each index scan in order "index(columns of its condition)", and "sort" for a sort.
const std::map<Sql, std::string>& expected_plans();
// Where the text for one row has another.
const std::map<Sql, std::string>& expected_for_one_row();

class Plans : public PostgresTest {
 protected:
  void SetUp() override {
    PostgresTest::SetUp();
    if (IsSkipped()) return;
    open();
    OpenOptions options = this->options();
    connection_ =
        open_connection(connection_options(read_engine_options(options), options, read_uri(uri_)));
  }

  std::vector<std::string> explain(const std::string& of_any_schema) {
    const std::string text = in_schema(of_any_schema, schema_.name());
    int parameters = 0;
    const std::regex parameter("\\$([0-9]+)");
    for (std::sregex_iterator it(text.begin(), text.end(), parameter), end; it != end; ++it) {
      parameters = std::max(parameters, std::stoi((*it)[1]));
    }
    std::string nulls;
    for (int i = 0; i < parameters; ++i) nulls += i == 0 ? "(NULL" : ",NULL";
    if (parameters > 0) nulls += ")";
    std::vector<std::string> lines;
    connection_->begin_write();
    connection_->send_text(
        "SELECT set_config('pawl.now', '1', true), set_config('pawl.picked', '{}', true)");
    connection_->send_text("PREPARE explained AS " + text);
    connection_->send_text("EXPLAIN (COSTS OFF) EXECUTE explained " + nulls, {},
                           [&lines](const Row& row) { lines.push_back(row.text(0)); });
    connection_->send_text("DEALLOCATE explained");
    connection_->roll_back();
    connection_->fetch(Connection::End::kFinish);
    return lines;
  }

  static std::string columns_of(const std::string& condition) {
    std::string columns;
    const std::regex column("\\(?ROW\\(([^)]*)\\)|\\((?:[a-z_0-9]+\\.)?([a-z_]+) (?:=|<|>|IS)");
    for (std::sregex_iterator it(condition.begin(), condition.end(), column), end; it != end;
         ++it) {
      const std::string name = (*it)[1].matched ? "row" : (*it)[2].str();
      if (name == "row" && (*it)[1].str().find('$') != std::string::npos) continue;
      if (!columns.empty()) columns += ",";
      columns += name;
    }
    return columns;
  }

  static std::string summary(const std::vector<std::string>& plan) {
    std::string summary;
    const std::regex scan("Index (?:Only )?Scan(?: Backward)? using ([a-z_]+) on");
    for (const std::string& line : plan) {
      std::smatch match;
      std::string word;
      if (std::regex_search(line, match, scan)) {
        word = match[1];
      } else if (line.find("Index Cond: ") != std::string::npos) {
        summary += "(" + columns_of(line) + ")";
      } else if (line.find("-> Sort") != std::string::npos ||
                 line.find("->  Sort") != std::string::npos || line.starts_with("Sort") ||
                 line.find("Incremental Sort") != std::string::npos) {
        word = "sort";
      }
      if (!word.empty()) summary += (summary.empty() ? "" : " ") + word;
    }
    return summary;
  }

  static bool has_plan(const StatementText& statement) {
    const std::string text = statement.text;
    return text != "COMMIT" && text != "ROLLBACK" && !text.starts_with("BEGIN") &&
           statement.id != Sql::kSettings && statement.id != Sql::kAdoptSession;
  }

  void check(const StatementText& statement, const std::string& text, const std::string& expected,
             const std::string& when) {
    const std::vector<std::string> plan = explain(text);
    std::string whole;
    for (const std::string& line : plan) whole += line + "\n";
    for (const char* scan : {"Seq Scan", "Hash Join", "Merge Join", "Bitmap", "JIT"}) {
      EXPECT_EQ(whole.find(scan), std::string::npos) << when << ": " << statement.name << "\n"
                                                     << whole;
    }
    EXPECT_EQ(summary(plan), expected) << when << ": " << statement.name << "\n" << whole;
  }

  // A guarded write with all that can be a part of one.
  std::string composed(bool one_row) const {
    const auto columns = [one_row](int count) {
      Params params;
      for (int i = 0; i < count; ++i) {
        Array array = Array::of_numbers();
        array.number(1);
        if (!one_row) array.number(1);
        params.array(array);
      }
      return params;
    };
    Params of_guard;
    for (int i = 0; i < 5; ++i) of_guard.null();
    Composed whole(of_guard);
    whole.add(Sql::kDeleteCursors, columns(5));
    whole.add(Sql::kInsertEvents, columns(14));
    whole.add(Sql::kInsertEventCursors, columns(6));
    whole.add(Sql::kChangeCursors, columns(25));
    whole.add(Sql::kPutLogs, columns(25));
    whole.add(Sql::kPutCursors, columns(25));
    whole.add(Sql::kPutWork, columns(10));
    whole.add(Sql::kOfferReady, columns(3));
    whole.add(Sql::kSetReady, columns(5));
    whole.add(Sql::kDropReady, columns(2));
    whole.read_event("s", 1);
    whole.finish(1, 2, true);
    return whole.text(schema_.name());
  }

  void check_composed(const std::string& when) {
    const std::string cursor = "cursor_key(session,era,consumer,slot,lane)";
    for (const bool one_row : {false, true}) {
      const StatementText statement{Sql::kGuardSession,
                                    one_row ? "composed, for one row" : "composed", ""};
      check(statement, composed(one_row),
            "session_key(name) " + cursor + " " + cursor + " ready_key(row" +
                (one_row ? "" : ",row") + ") event_key(session,idx)",
            when);
    }
  }

  void check_all(const std::string& when) {
    check_composed(when);
    for (const StatementText& statement : kStatements) {
      if (!has_plan(statement)) continue;
      const auto found = expected_plans().find(statement.id);
      std::string expected = found == expected_plans().end() ? "" : found->second;
      check(statement, statement.text, expected, when);
      const std::string for_one = for_one_row(statement.text);
      if (for_one.empty()) continue;
      const auto other = expected_for_one_row().find(statement.id);
      if (other != expected_for_one_row().end()) expected = other->second;
      check(statement, for_one, expected, when + ", for one row");
    }
  }

  // How the rows of a table differ: one session has them all, or each has one; and cursors wait for
  // several things, or are all free, or all dead.
  struct Content {
    bool one_session = true;
    const char* due = "CASE i % 3 WHEN 0 THEN 0 WHEN 1 THEN i END";
    const char* failed_at = "CASE i % 3 WHEN 2 THEN 1 END";
    const char* flag = "i % 100 = 0";
  };

  // A table, and what a row gets: %s its session, %n its namespace, and the others as in Content.
  struct Filling {
    const char* table;
    const char* columns;
  };
  static constexpr std::array<Filling, 8> kFillings{{
      {"session", "'s' || i, 9, 0, 0, 1, 0, 0, 0, %flag, false, true, 0"},
      {"event", "%s, i, 1, 0, 'e' || i, 't', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{}'"},
      {"cursor", "%s, 0, i, 0, i, %due, 0, 0, 0, 0, 0, 0, 0, %failed_at, 0, 0, 2, 'c', ''"},
      {"work", "%s, i, 0, i, 2, 'c', ''"},
      {"ready", "'s' || i, 'c', i % 2, 0"},
      {"snapshot", "%s, 0, 'r', i, 1, 1, '{}'"},
      {"pin", "%s, 0, 'c', i, '', i, 'r', i"},
      {"presence", "%n, 'p' || i, 'f', false, NULL, 1, i, '1'"},
  }};

  void on_all(const std::string& command) {
    for (const Filling& filling : kFillings) sql(command + quoted_schema() + "." + filling.table);
  }

  void fill(const Content& content) {
    const std::map<std::string, std::string> words{
        {"%s", content.one_session ? "'s1'" : "'s' || i"},
        {"%n", content.one_session ? "'n'" : "'n' || i"},
        {"%due", content.due},
        {"%failed_at", content.failed_at},
        {"%flag", content.flag},
    };
    for (const Filling& filling : kFillings) {
      std::string columns = filling.columns;
      for (const auto& [word, text] : words) {
        const std::size_t at = columns.find(word);
        if (at != std::string::npos) columns.replace(at, word.size(), text);
      }
      sql("INSERT INTO " + quoted_schema() + "." + filling.table + " SELECT " + columns +
          " FROM generate_series(1, " + std::to_string(rows_) + ") i");
    }
  }

  // The planner takes the size of the files times the rows that a page is said to have.
  void pretend_a_million() {
    sql("UPDATE pg_class SET reltuples = reltuples * " +
        std::to_string(std::max(1L, 1'000'000 / rows_)) +
        " WHERE relkind = 'r' AND relnamespace "
        "= '" +
        quoted_schema() + "'::regnamespace");
  }

  static long wanted_rows() {
    const char* wanted = std::getenv("PAWL_TEST_POSTGRES_ROWS");
    return wanted == nullptr ? 20'000 : std::max(1'000L, std::atol(wanted));
  }

  const long rows_ = wanted_rows();
  std::unique_ptr<Connection> connection_;
};

TEST_F(Plans, SeekInTheirIndexesWhateverTheTablesHold) {
  check_all("new tables");
  on_all("VACUUM ANALYZE ");
  check_all("tables known to be empty");
  fill({});
  check_all("full tables, with statistics of empty ones");
  on_all("VACUUM ANALYZE ");
  check_all("one session with everything");
  pretend_a_million();
  check_all("a million rows of it");
  on_all("TRUNCATE ");
  check_all("empty tables, with statistics of full ones");
  fill({.one_session = false, .flag = "true"});
  check_all("many sessions, with statistics of one");
  on_all("VACUUM ANALYZE ");
  check_all("many sessions with a row each");
  pretend_a_million();
  check_all("a million of them");
  on_all("TRUNCATE ");
  fill({.due = "0", .failed_at = "NULL"});
  check_all("one session where all is free, with statistics of many");
  on_all("VACUUM ANALYZE ");
  check_all("all is free");
  on_all("TRUNCATE ");
  fill({.due = "NULL", .failed_at = "1"});
  check_all("all is dead, with statistics of when it was free");
  on_all("VACUUM ANALYZE ");
  check_all("all is dead");
}

// NOLINTNEXTLINE(readability-function-size): a table
const std::map<Sql, std::string>& expected_plans() {
  static const std::map<Sql, std::string> plans = {
      {Sql::kFindSessions, "session_key(name)"},
      {Sql::kLockSessions, "session_key(name)"},
      {Sql::kLockSessionsAndClock, "session_key(name)"},
      {Sql::kGuardSession, "session_key(name)"},
      {Sql::kReviseSessions, "session_key(name)"},
      {Sql::kDropReady, "ready_key(row,row)"},
      {Sql::kChangeCursors, "cursor_key(session,era,consumer,slot,lane)"},
      {Sql::kKeepReady, "cursor_due(session,era,consumer,due)"},
      {Sql::kReadBackOne, "event_key(session,idx)"},
      {Sql::kPick,
       "sort sort ready_due ready_due(consumer,due) sort ready_due(consumer,due,due) "
       "session_key(name)"},
      {Sql::kPickedSessions, "session_key(name)"},
      {Sql::kListSessions, "session_listed(row)"},
      {Sql::kUpkeepSessions, "session_upkeep"},
      {Sql::kFinishedSessions, "session_finished(finished_since)"},
      {Sql::kCursors,
       "session_key(name) sort cursor_key(session,era,consumer,slot,lane) "
       "cursor_log(session,consumer,lane) cursor_key(session,era,consumer,slot,lane) "
       "work_key(session,consumer,kind,lane,idx) event_type(session,row,row) "
       "pin_key(session,era,consumer,slot,lane,head) "
       "snapshot_key(session,era,reducer,idx) snapshot_key(session,era,reducer)"},
      {Sql::kPickedCursors,
       "session_key(name) sort cursor_key(session,era,consumer,slot,lane) "
       "cursor_log(session,consumer,lane) cursor_key(session,era,consumer,slot,lane) "
       "work_key(session,consumer,kind,lane,idx) event_type(session,row,row) "
       "pin_key(session,era,consumer,slot,lane,head) "
       "snapshot_key(session,era,reducer,idx) snapshot_key(session,era,reducer)"},
      {Sql::kWindows,
       "session_key(name) ready_key(session,session) "
       "cursor_due(session,era,consumer,due,head) "
       "cursor_due(session,era,consumer,due,due,head) "
       "cursor_due(session,era,consumer,due,head) "
       "pin_key(session,era,consumer,slot,lane,head) "
       "snapshot_key(session,era,reducer,idx) snapshot_key(session,era,reducer)"},
      {Sql::kPickedWindows,
       "session_key(name) ready_key(session,session) "
       "cursor_due(session,era,consumer,due,head) "
       "cursor_due(session,era,consumer,due,due,head) "
       "cursor_due(session,era,consumer,due,head) "
       "pin_key(session,era,consumer,slot,lane,head) "
       "snapshot_key(session,era,reducer,idx) snapshot_key(session,era,reducer)"},
      {Sql::kWork, "work_key(session,consumer,kind,lane,idx)"},
      {Sql::kIds, "event_id(session,id)"},
      {Sql::kDead,
       "session_key(name) cursor_dead(session,era,row,row,row,row) "
       "cursor_key(session,era,consumer,slot,lane) "
       "work_key(session,consumer,kind,lane,idx,era,head,era) "
       "event_type(session,row,row,head,era)"},
      {Sql::kSnapshots, "session_key(name) snapshot_key(session,era,reducer,idx,idx)"},
      {Sql::kHasPins,
       "session_key(name) pin_key(session,era,consumer,slot,lane,head,reducer,snapshot)"},
      {Sql::kEvents,
       "sort session_key(name) snapshot_key(session,era,reducer,idx) "
       "event_key(session,idx,deleted_index,idx)"},
      {Sql::kEventsOfTypes,
       "sort session_key(name) snapshot_key(session,era,reducer,idx) sort "
       "event_type(session,row,deleted_index,row) event_key(session,idx)"},
      {Sql::kListCursors,
       "sort session_key(name) cursor_key(session,era,row) sort "
       "cursor_log(session,consumer,consumer)"},
      {Sql::kListDead,
       "sort sort session_key(name) cursor_dead(session,era,row) event_key(session,idx) "
       "event_key(session,idx)"},
      {Sql::kFinishedWork, "work_finished(session)"},
      {Sql::kFinishedLanes,
       "sort work_finished(session,finished_at) session_key(name) "
       "cursor_key(session,era,consumer,slot,lane) "
       "work_key(session,consumer,kind,lane,idx)"},
      {Sql::kLogsOfConsumer,
       "session_key(name) cursor_log(session,consumer) "
       "pin_key(session,era,consumer,slot,lane,head) "
       "snapshot_key(session,era,reducer,idx) snapshot_key(session,era,reducer)"},
      {Sql::kCursorsOfConsumer,
       "sort session_key(name) cursor_key(session,era,consumer) "
       "pin_key(session,era,consumer,slot,lane,head) "
       "snapshot_key(session,era,reducer,idx) snapshot_key(session,era,reducer)"},
      {Sql::kWorkOfConsumer, "work_key(session,consumer)"},
      {Sql::kSupersededEvents, "sort session_key(name) event_key(session,idx,idx)"},
      {Sql::kSupersededEventCursors,
       "session_key(name) event_key(session,idx,idx) "
       "cursor_key(session,era,consumer,slot,lane)"},
      {Sql::kSupersededCursors,
       "session_key(name) session_key(name) event_key(session,idx,idx) "
       "cursor_key(session,era)"},
      {Sql::kSupersededSnapshots, "session_key(name) snapshot_key(session,era)"},
      {Sql::kSupersededPins, "session_key(name) pin_key(session,era)"},
      {Sql::kReady,
       "ready_due ready_due(consumer,due) sort ready_due(consumer,due,due) "
       "ready_due(consumer,due)"},
      {Sql::kPresenceFields, "presence_key(ns,participant,field)"},
      {Sql::kPresenceAll, "presence_key(ns,participant)"},
      {Sql::kPresenceExpired, "presence_expiry(ns,ns,row)"},
      {Sql::kPresenceOldest, "presence_oldest(expires_at)"},
      {Sql::kDeleteReadyOfSessions, "ready_key(session,session)"},
      {Sql::kDeleteEvents, "event_key(session,idx)"},
      {Sql::kDeleteCursors, "cursor_key(session,era,consumer,slot,lane)"},
      {Sql::kDeleteWork, "work_key(session,consumer,kind,lane,idx)"},
      {Sql::kDeleteSnapshots, "snapshot_key(session,era,reducer,idx)"},
      {Sql::kDeletePins, "pin_key(session,era,consumer,slot,lane,head,reducer,snapshot)"},
      {Sql::kKeepStates, "snapshot_key(session,era,reducer,idx)"},
      {Sql::kPutReady, "cursor_due(session,era,consumer,due) ready_key(row,row)"},
      {Sql::kDeletePresence, "presence_key(ns,participant,field)"},
      {Sql::kReadBack, "event_key(session,idx)"},
      {Sql::kPayloadSizes, "event_key(session,idx)"},
      {Sql::kPending, "sort ready_key(row,row)"},
      {Sql::kNextDue, "ready_due ready_due(consumer)"},
  };
  return plans;
}

const std::map<Sql, std::string>& expected_for_one_row() {
  static const std::map<Sql, std::string> plans = {
      {Sql::kDead,
       "session_key(name) cursor_dead(session,era,row,row) "
       "cursor_key(session,era,consumer,slot,lane) "
       "work_key(session,consumer,kind,lane,idx,era,head,era) "
       "event_type(session,row,row,head,era)"},
      {Sql::kPending, "ready_key(row)"},
      {Sql::kDropReady, "ready_key(row)"},
  };
  return plans;
}

}  // namespace
}  // namespace pawl::postgres::testing
