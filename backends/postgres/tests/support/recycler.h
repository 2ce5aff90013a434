// Stores for suites that open thousands: schemas are emptied and used again, and so are their
// connections with the statements that are prepared on them. A connection's making costs a
// server more than a case's operations do.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "pawl/store.h"
#include "postgres_backend.h"

namespace pawl::postgres::testing {

class Recycler {
 public:
  explicit Recycler(std::string uri) : uri_(std::move(uri)) {}
  ~Recycler();
  Recycler(const Recycler&) = delete;
  Recycler& operator=(const Recycler&) = delete;

  // An empty schema, or one that is yet to be made. `name` is free to be used.
  std::string take_schema(const std::string& name);
  // Empties the schema, after all stores on it are closed.
  void give_back(const std::string& schema);

  Store open(const std::string& schema, OpenOptions options);

  // Of connections that one may be taken for the other: the schema, and what a connection keeps.
  using Key =
      std::tuple<std::string, bool, bool, std::chrono::milliseconds, std::chrono::milliseconds>;

 private:
  using Connections = std::vector<std::unique_ptr<Connection>>;

  ConnectionSource source();

  const std::string uri_;
  std::mutex mutex_;
  std::vector<std::string> free_;
  std::vector<std::string> all_;
  std::map<Key, Connections> connections_;
};

}  // namespace pawl::postgres::testing
