// A PgBouncer in transaction mode before a test's server, on a socket in a scratch folder.
#pragma once

#include <optional>
#include <string>

#include "tests/support/server.h"

namespace pawl::postgres::testing {

class Pooler {
 public:
  // Starts it with so many connections to the server, and returns when it serves.
  Pooler(const Server& server, int connections);
  ~Pooler();
  Pooler(const Pooler&) = delete;
  Pooler& operator=(const Pooler&) = delete;

  std::string uri() const;

 private:
  std::string folder_;
  int pid_ = -1;
};

// Why there can be none; nothing where there can.
std::optional<std::string> why_no_pooler();

}  // namespace pawl::postgres::testing
