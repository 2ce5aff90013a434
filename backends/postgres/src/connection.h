// One connection, in pipeline mode: statements are sent as they come, and their answers fetched
// together. It belongs to one thread at a time.
#pragma once

#include <libpq-fe.h>

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "composed.h"
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
  std::chrono::milliseconds busy_timeout{10'000};
  bool relaxed = false;
  bool prepare = true;
};

std::shared_ptr<const ConnectionOptions> connection_options(const EngineOptions& engine,
                                                            const OpenOptions& options,
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

  // Makes the settings that transactions need for as long as the connection lives, if nobody else
  // can come to use the server's session: a transaction then needs neither these nor a BEGIN, for
  // what stands between two syncs is one. A round trip.
  void adopt_session();
  bool is_adopted() const { return adopted_; }

  // The frame of a transaction: the first before all else, one of the others before the fetch()
  // that finishes.
  void begin_read();
  void begin_write();
  void commit();
  void roll_back();

  // Sends a statement. `handler` gets each row of its answer in fetch().
  void send(Sql sql, const Params& params = {}, Handler handler = {});
  void send(const Composed& statement, Handler handler);
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
  // trip. What is sent next is another transaction.
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
  static constexpr std::size_t kNothing = static_cast<std::size_t>(-1);

  struct Sent {
    std::size_t prepares = kNothing;  // the answer tells that this text is prepared
    Handler handler;
  };

  void send_prepared(std::size_t id, const std::string& text, const Params& params, Handler handler,
                     bool one_row);
  Result next_result();
  void take_answer(const Sent& sent);
  void send_sync();
  void take_sync();
  void take_rest();
  void allow_time();
  Params settings() const;
  [[noreturn]] void throw_broken();

  const std::shared_ptr<const ConnectionOptions> options_;
  Handle handle_;
  std::vector<bool> prepared_ = std::vector<bool>(kTexts);
  // By their keys: where they stand behind the others in `prepared_`, and their texts.
  std::map<std::string, std::pair<std::size_t, std::string>> composed_;
  std::deque<Sent> sent_;
  std::chrono::steady_clock::time_point deadline_;
  int syncs_ = 0;      // sent, and not yet answered
  bool open_ = false;  // something was sent behind the last sync
  bool adopted_ = false;
  bool framed_ = false;  // the transaction began by BEGIN, so that a sync does not end it
  bool committing_ = false;
  bool broken_ = false;
  std::int64_t round_trips_ = 0;
};

}  // namespace pawl::postgres
