// One transaction on a connection: rolled back unless it is committed.
#pragma once

#include "connection.h"

namespace pawl::sqlite {

class Transaction {
 public:
  // kBegin for reads, kBeginImmediate for writes: a read that becomes a write fails at once
  // (SQLITE_BUSY_SNAPSHOT) when another process has committed meanwhile.
  Transaction(Connection& connection, Sql begin);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void commit();

 private:
  Connection& connection_;
};

}  // namespace pawl::sqlite
