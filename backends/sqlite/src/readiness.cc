// First keys: kept up, and looked for.
#include "readiness.h"

#include "loader.h"

namespace pawl::sqlite {
namespace {

// As in the window: passes over (due, since, session) that skip what is more than enough.
class ReadyReader {
 public:
  ReadyReader(Scope& scope, std::int64_t limit, std::vector<driver::ReadyRow>& rows)
      : scope_(scope), limit_(limit), rows_(rows) {}

  void read(std::int64_t consumer) {
    const std::string name = scope_.names.text(consumer);
    free_ = due_ = 0;
    for (std::int64_t from = 0; from != driver::kNever;) from = pass(consumer, name, from);
  }

 private:
  std::int64_t pass(std::int64_t consumer, const std::string& name, std::int64_t from) {
    Statement statement = scope_.connection.use(Sql::kReadyRange, consumer, from);
    while (statement.next()) {
      driver::ReadyRow row{statement.text(0), name, statement.count(1), statement.count(2)};
      if (row.due == 0) {
        if (free_ >= limit_) return 1;
        ++free_;
      } else if (row.due <= scope_.now) {
        if (due_ >= limit_) return scope_.now + 1;
        ++due_;
      } else {
        rows_.push_back(std::move(row));
        return driver::kNever;
      }
      rows_.push_back(std::move(row));
    }
    return driver::kNever;
  }

  Scope& scope_;
  std::int64_t limit_;
  std::vector<driver::ReadyRow>& rows_;
  std::int64_t free_ = 0;
  std::int64_t due_ = 0;
};

}  // namespace

std::vector<driver::ReadyRow> ready_rows(Scope& scope, const driver::ReadyQuery& query) {
  std::vector<driver::ReadyRow> rows;
  ReadyReader reader(scope, query.limit, rows);
  if (query.consumers) {
    for (const std::string& name : *query.consumers) {
      if (const auto consumer = scope.names.find(name)) reader.read(*consumer);
    }
    return rows;
  }
  for (const std::int64_t consumer : ready_consumers(scope)) reader.read(consumer);
  return rows;
}

std::vector<std::int64_t> ready_consumers(Scope& scope) {
  std::vector<std::int64_t> consumers;
  for (std::int64_t last = 0;;) {
    Statement statement = scope.connection.use(Sql::kReadyConsumers, last);
    if (!statement.next()) return consumers;
    consumers.push_back(last = statement.number(0));
  }
}

FirstKey find_first_key(Scope& scope, const Session& session, std::int64_t consumer) {
  FirstKey key{consumer, driver::kNever, 0};
  Statement statement = scope.connection.use(Sql::kFirstKey, session.id, session.row.era, consumer);
  if (statement.next()) {
    key.due = statement.count(0);
    key.since = key.due == 0 ? statement.count(1) : 0;
  }
  return key;
}

bool put_first_key(Scope& scope, const Session& session, const FirstKey& key) {
  const bool has_key = key.due != driver::kNever;
  if (scope.cache->has(session, key)) return has_key;
  if (has_key) {
    scope.connection.run(Sql::kPutReady, session.id, key.consumer, key.due, key.since,
                         session.name);
  } else {
    scope.connection.run(Sql::kDeleteReady, session.id, key.consumer);
  }
  scope.cache->write(session, key);
  return has_key;
}

}  // namespace pawl::sqlite
