// First keys after every step of random histories: a key that is missing is a session that is
// never served again.
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "check_first_keys.h"
#include "memory/tests/history.h"
#include "pawl/sqlite.h"
#include "scratch.h"
#include "sqlite_backend.h"

namespace pawl::sqlite {
namespace {

// `check` gets the backend after every step, and the path of its file.
template <class Check>
void run_histories(std::initializer_list<unsigned> seeds, int steps, const Check& check) {
  for (const unsigned seed : seeds) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Scratch scratch;
    OpenOptions options;
    const auto clock = pawl::testing::History::clock();
    options.clock = clock;
    options.durability = Durability::kRelaxed;
    auto backend = std::make_unique<SqliteBackend>(find_place(scratch.path()), options);
    SqliteBackend& opened = *backend;
    pawl::testing::History(seed, Store(std::move(backend), {}), clock).run(steps, [&] {
      check(opened, scratch.path());
    });
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(FirstKeys, AreThoseOfTheCursorsAfterEveryStep) {
  run_histories({1, 2, 3, 4, 5, 6}, 200,
                [](SqliteBackend&, const std::string& file) { check_first_keys(file); });
}

// The least `due` above 0 of each session and consumer, as the cursors have it.
void check_least_due(sqlite3* file, const SessionCache& remembered) {
  sqlite3_stmt* prepared = nullptr;
  ASSERT_EQ(sqlite3_prepare_v2(file,
                               "SELECT s.name, c.consumer, min(c.due) FROM cursor c "
                               "JOIN session s ON s.id = c.session AND s.era = c.era "
                               "WHERE c.due > 0 GROUP BY s.name, c.consumer",
                               -1, &prepared, nullptr),
            SQLITE_OK)
      << sqlite3_errmsg(file);
  const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(prepared, sqlite3_finalize);
  while (sqlite3_step(prepared) == SQLITE_ROW) {
    const void* name = sqlite3_column_blob(prepared, 0);
    Session session;
    session.name.assign(static_cast<const char*>(name),
                        static_cast<std::size_t>(sqlite3_column_bytes(prepared, 0)));
    EXPECT_LE(remembered.least_due(session, sqlite3_column_int64(prepared, 1)),
              sqlite3_column_int64(prepared, 2))
        << session.name;
  }
}

TEST(FirstKeys, NothingThatIsDueIsPassedOver) {
  run_histories({11, 12, 13, 14, 15, 16}, 400, [](SqliteBackend& backend, const std::string&) {
    check_least_due(backend.writer().handle(), backend.queue().remembered());
    check_first_keys(backend.writer().handle());
  });
}

}  // namespace
}  // namespace pawl::sqlite
