// One transaction on a connection.
#include "transaction.h"

namespace pawl::sqlite {

Transaction::Transaction(Connection& connection, Sql begin) : connection_(connection) {
  // A rollback that failed is made up for before anything else.
  if (connection_.in_transaction()) connection_.run(Sql::kRollback);
  connection_.run(begin);
}

Transaction::~Transaction() {
  connection_.set_phase(Phase::kRunning);
  // Some errors make SQLite roll back by itself.
  if (!connection_.in_transaction()) return;
  try {
    connection_.run(Sql::kRollback);
  } catch (const Error&) {
    // The connection stays in its transaction, which the next one notices.
  }
}

void Transaction::commit() {
  connection_.set_phase(Phase::kCommitting);
  connection_.run(Sql::kCommit);
  connection_.set_phase(Phase::kRunning);
}

}  // namespace pawl::sqlite
