// One connection, in pipeline mode: statements are sent as they come, and their answers fetched
// together. It belongs to one thread at a time.
#pragma once

#include <libpq-fe.h>

#include <bitset>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "errors.h"
#include "options.h"
#include "statements.h"
#include "wire.h"

namespace pawl::postgres {

// What all connections of a store share. Not changed once made.
struct ConnectionOptions {
  Target target;
  std::string schema;
  std::vector<std::string> texts;  // for the schema: by Sql, then those for one row
  std::chrono::milliseconds connect_timeout{10'000};
  std::chrono::milliseconds statement_timeout{60'000};
  bool prepare = true;
};

std::shared_ptr<const ConnectionOptions> connection_options(const EngineOptions& engine,
                                                            const Target& target);

struct FreeConnection {
  void operator()(PGconn* connection) const { PQfinish(connection); }
};
using Handle = std::unique_ptr<PGconn, FreeConnection>;

// Connects within `timeout` for each host. Throws Broken.
Handle connect(const Target& target, std::chrono::milliseconds timeout);

// Waits until the socket can be read (or, with `write`, written), or for `timeout`. False: neither.
bool wait_for_socket(PGconn* connection, bool write, std::chrono::steady_clock::time_point until);

class Connection {
 public:
  using Handler = std::function<void(const Row&)>;

  // Throws Broken.
  explicit Connection(std::shared_ptr<const ConnectionOptions> options);

  // Sends a statement. `handler` gets each row of its answer in fetch().
  void send(Sql sql, const Params& params = {}, Handler handler = {});
  // The same for a text that is used once.
  void send_text(const std::string& text, const Params& params = {}, Handler handler = {},
                 bool one_row = false);

  // Asks for the answers of all that was sent, and waits for them: a round trip. With `finish`,
  // the pipeline ends there, and `commits` says that its last statement is a COMMIT of writes.
  // Throws Refused, after which recover() is needed, or Broken.
  enum class End { kOpen, kFinish, kCommit };
  void fetch(End end);

  // After Refused, or any exception while a transaction was open: rolls back.
  void recover();
  // After Refused by a fetch that was to finish: takes the answers that are left, without a round
  // trip. A ROLLBACK is to be sent next.
  void skip();

  // Whether the server has said something unasked: mostly that it ends the connection.
  bool has_news() const;

  // Whether it may be handed to somebody else.
  bool is_clean() const;

  bool is_standby() const;
  int server_version() const { return PQserverVersion(handle_.get()); }
  std::string parameter(const char* name) const;
  std::int64_t round_trips() const { return round_trips_; }
  int backend_pid() const { return PQbackendPID(handle_.get()); }
  PGconn* handle() { return handle_.get(); }
  const ConnectionOptions& options() const { return *options_; }

 private:
  static constexpr std::size_t kTexts = 2 * kStatementCount;
  static constexpr std::size_t kNothing = kTexts;

  struct Sent {
    std::size_t prepares = kNothing;  // the answer tells that this text is prepared
    Handler handler;
  };

  Result next_result();
  void take_answer(const Sent& sent);
  void send_sync();
  void take_sync();
  void take_rest();
  void allow_time();
  [[noreturn]] void throw_broken();

  const std::shared_ptr<const ConnectionOptions> options_;
  Handle handle_;
  std::bitset<kTexts> prepared_;
  std::deque<Sent> sent_;
  std::chrono::steady_clock::time_point deadline_;
  int syncs_ = 0;      // sent, and not yet answered
  bool open_ = false;  // something was sent behind the last sync
  bool committing_ = false;
  bool broken_ = false;
  std::int64_t round_trips_ = 0;
};

}  // namespace pawl::postgres
