// Pipelines over libpq. Sockets do not block: a server that waits for its answers to be read
// reads no more statements, and a client that blocks on sending them would wait for ever.
#include "connection.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>

namespace pawl::postgres {
namespace {

using std::chrono::steady_clock;

// What the network may add to the server's own time limits.
constexpr std::chrono::seconds kNetworkSlack{10};

constexpr int kBinary = 1;

std::string in_ms(std::chrono::milliseconds time) {
  return std::to_string(std::max<std::int64_t>(time.count(), 1)) + "ms";
}

std::string message_of(PGconn* connection) {
  std::string message = PQerrorMessage(connection);
  while (!message.empty() && message.back() == '\n') message.pop_back();
  return message;
}

[[noreturn]] void throw_unconnected(PGconn* connection, const char* otherwise) {
  const std::string message = message_of(connection);
  throw Broken(message.empty() ? otherwise : text_of_connect(message), sqlstate_of_connect(message),
               false);
}

}  // namespace

std::shared_ptr<const ConnectionOptions> connection_options(const EngineOptions& engine,
                                                            const OpenOptions& of_store,
                                                            const Target& target) {
  ConnectionOptions options;
  options.schema = engine.schema;
  options.target = target;
  for (const StatementText& statement : kStatements) {
    options.texts.push_back(in_schema(statement.text, engine.schema));
  }
  for (const StatementText& statement : kStatements) {
    options.texts.push_back(in_schema(for_one_row(statement.text), engine.schema));
  }
  options.connect_timeout = engine.connect_timeout;
  options.statement_timeout = engine.statement_timeout;
  options.busy_timeout = of_store.busy_timeout;
  options.relaxed = of_store.durability == Durability::kRelaxed;
  options.prepare = engine.prepare;
  return std::make_shared<const ConnectionOptions>(std::move(options));
}

bool wait_for_socket(PGconn* connection, bool write, steady_clock::time_point until) {
  pollfd socket{};
  socket.fd = PQsocket(connection);
  socket.events = static_cast<short>(POLLIN | (write ? POLLOUT : 0));
  while (true) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until - steady_clock::now()).count();
    if (left <= 0) return false;
    const int ready = poll(&socket, 1, static_cast<int>(std::min<std::int64_t>(left, 60'000)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

namespace {

Handle connect_to_one(const Target& target, std::chrono::milliseconds timeout) {
  std::vector<const char*> keywords;
  std::vector<const char*> values;
  for (const auto& [keyword, value] : target.keywords) {
    keywords.push_back(keyword.c_str());
    values.push_back(value.c_str());
  }
  keywords.push_back(nullptr);
  values.push_back(nullptr);
  Handle handle(PQconnectStartParams(keywords.data(), values.data(), 0));
  if (!handle) throw Broken("out of memory", "53200", false);
  if (PQstatus(handle.get()) == CONNECTION_BAD) throw_unconnected(handle.get(), "cannot connect");
  // So that the message of a failure holds the SQLSTATE.
  PQsetErrorVerbosity(handle.get(), PQERRORS_VERBOSE);
  PQsetNoticeProcessor(
      handle.get(), [](void*, const char*) {}, nullptr);
  const auto until = steady_clock::now() + timeout;
  PostgresPollingStatusType state = PGRES_POLLING_WRITING;
  while (state != PGRES_POLLING_OK) {
    if (state == PGRES_POLLING_FAILED) throw_unconnected(handle.get(), "cannot connect");
    pollfd socket{};
    socket.fd = PQsocket(handle.get());
    socket.events = state == PGRES_POLLING_READING ? POLLIN : POLLOUT;
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until - steady_clock::now()).count();
    const int ready =
        left <= 0 ? 0 : poll(&socket, 1, static_cast<int>(std::min<std::int64_t>(left, 60'000)));
    if (left <= 0) throw Broken("no connection within the time limit", "08001", false);
    if (ready > 0) state = PQconnectPoll(handle.get());
  }
  return handle;
}

}  // namespace

// As libpq does it, but that it would wait for a silent host as long as the system lets it. Who is
// known and refused is not tried elsewhere.
Handle connect(const Target& target, std::chrono::milliseconds timeout) {
  std::string messages;
  std::string sqlstate;
  for (const Target& host : target.hosts()) {
    try {
      return connect_to_one(host, timeout);
    } catch (const Broken& broken) {
      messages += (messages.empty() ? "" : "; ") + std::string(broken.what());
      if (!broken.sqlstate.empty()) sqlstate = broken.sqlstate;
      if (sqlstate.starts_with("28") || sqlstate.starts_with("3D")) break;
    }
  }
  throw Broken(messages, sqlstate, false);
}

Connection::Connection(std::shared_ptr<const ConnectionOptions> options)
    : options_(std::move(options)), handle_(connect(options_->target, options_->connect_timeout)) {
  PQsetnonblocking(handle_.get(), 1);
  PQenterPipelineMode(handle_.get());
}

Params Connection::settings() const {
  return std::move(Params()
                       .text(in_ms(options_->busy_timeout))
                       .text(in_ms(options_->statement_timeout))
                       .flag(options_->relaxed));
}

void Connection::adopt_session() {
  if (!options_->prepare) return;
  Params params = settings();
  params.number(backend_pid());
  send_text(options_->texts[static_cast<std::size_t>(Sql::kAdoptSession)], params,
            [this](const Row&) { adopted_ = true; });
  fetch(End::kFinish);
}

void Connection::begin_read() {
  framed_ = true;
  send(Sql::kBeginRead);
  if (!adopted_) send(Sql::kSettings, settings());
}

void Connection::begin_write() {
  framed_ = !adopted_;
  if (adopted_) return;
  send(Sql::kBeginWrite);
  send(Sql::kSettings, settings());
}

void Connection::commit() {
  if (framed_) send(Sql::kCommit);
}

// A BEGIN that comes late is as good, and lets a ROLLBACK be said.
void Connection::roll_back() {
  if (!framed_) send(Sql::kBegin);
  framed_ = true;
  send(Sql::kRollback);
}

void Connection::send(Sql sql, const Params& params, Handler handler) {
  std::size_t id = static_cast<std::size_t>(sql);
  const bool one_row = params.is_one_row() && !options_->texts[kStatementCount + id].empty();
  if (one_row) id += kStatementCount;
  send_prepared(id, options_->texts[id], params, std::move(handler), one_row);
}

void Connection::send(const Composed& statement, Handler handler) {
  auto found = composed_.find(statement.key());
  if (found == composed_.end()) {
    found =
        composed_
            .emplace(statement.key(), std::pair(prepared_.size(), statement.text(options_->schema)))
            .first;
    prepared_.push_back(false);
  }
  send_prepared(found->second.first, found->second.second, statement.params(), std::move(handler),
                true);
}

void Connection::send_prepared(std::size_t id, const std::string& text, const Params& params,
                               Handler handler, bool one_row) {
  open_ = true;
  if (!options_->prepare) return send_text(text, params, std::move(handler), one_row);
  const std::string name = "pawl_" + std::to_string(id);
  if (!prepared_[id]) {
    if (PQsendPrepare(handle_.get(), name.c_str(), text.c_str(), 0, nullptr) != 1) throw_broken();
    sent_.push_back({id, {}});
  }
  const Params::Views views = params.views(one_row);
  const std::vector<int> formats(params.size(), kBinary);
  if (PQsendQueryPrepared(handle_.get(), name.c_str(), static_cast<int>(params.size()),
                          views.pointers.data(), views.lengths.data(), formats.data(),
                          kBinary) != 1) {
    throw_broken();
  }
  sent_.push_back({kNothing, std::move(handler)});
}

void Connection::send_text(const std::string& text, const Params& params, Handler handler,
                           bool one_row) {
  open_ = true;
  const Params::Views views = params.views(one_row);
  const std::vector<int> formats(params.size(), kBinary);
  if (PQsendQueryParams(handle_.get(), text.c_str(), static_cast<int>(params.size()), nullptr,
                        views.pointers.data(), views.lengths.data(), formats.data(),
                        kBinary) != 1) {
    throw_broken();
  }
  sent_.push_back({kNothing, std::move(handler)});
}

void Connection::fetch(End end) {
  ++round_trips_;
  committing_ = end == End::kCommit;
  if (end == End::kOpen) {
    if (PQsendFlushRequest(handle_.get()) != 1) throw_broken();
  } else {
    send_sync();
  }
  while (!sent_.empty()) {
    const Sent sent = std::move(sent_.front());
    sent_.pop_front();
    take_answer(sent);
  }
  if (end != End::kOpen) take_sync();
  committing_ = false;
}

// A statement's answer is one result and a null.
void Connection::take_answer(const Sent& sent) {
  allow_time();
  const Result result = next_result();
  if (!result) throw_broken();
  const ExecStatusType status = PQresultStatus(result.get());
  if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) {
    if (sent.prepares != kNothing) prepared_[sent.prepares] = true;
    if (next_result()) throw_broken();
    if (!sent.handler) return;
    for (int row = 0; row < PQntuples(result.get()); ++row) sent.handler(Row(result.get(), row));
    return;
  }
  Refused refused(result.get());
  // A server that ends the connection before it has come to the COMMIT, or to the sync that is in
  // its place, has undone everything.
  if (refused.fatal || PQstatus(handle_.get()) != CONNECTION_OK || refused.sqlstate.empty()) {
    broken_ = true;
    const bool before_commit = refused.fatal && (!framed_ || !sent_.empty());
    const bool doubt = committing_ && !before_commit;
    throw Broken(refused.sqlstate.empty() ? "the connection broke" : refused.what(),
                 refused.sqlstate, doubt);
  }
  while (next_result()) {
  }
  throw refused;
}

void Connection::send_sync() {
  if (PQpipelineSync(handle_.get()) != 1) throw_broken();
  ++syncs_;
  open_ = false;
}

// The null behind the sync's result makes libpq see that nothing is under way.
void Connection::take_sync() {
  allow_time();
  const Result result = next_result();
  if (!result || PQresultStatus(result.get()) != PGRES_PIPELINE_SYNC) throw_broken();
  --syncs_;
  if (next_result()) throw_broken();
}

void Connection::allow_time() {
  deadline_ = steady_clock::now() + options_->statement_timeout + kNetworkSlack;
}

Result Connection::next_result() {
  while (PQisBusy(handle_.get()) != 0) {
    const bool write = PQflush(handle_.get()) == 1;
    if (!wait_for_socket(handle_.get(), write, deadline_)) {
      broken_ = true;
      throw Broken("no answer within the time limit", "", committing_);
    }
    if (PQconsumeInput(handle_.get()) == 0) break;  // PQgetResult tells what is wrong
  }
  return Result(PQgetResult(handle_.get()));
}

void Connection::throw_broken() {
  broken_ = true;
  throw Broken("the connection broke", "", committing_);
}

// What was sent behind a refused statement is skipped up to a sync. One that nobody refused is not,
// and without a BEGIN that sync would commit it.
void Connection::recover() {
  ++round_trips_;
  const bool ended = !framed_ && syncs_ > 0;
  if (framed_ && syncs_ == 0) send_sync();
  if (!ended) {
    roll_back();
    send_sync();
  }
  take_rest();
}

void Connection::skip() {
  take_rest();
  if (framed_) send(Sql::kRollback);
}

// Nobody waits for these answers, but what they tell of prepared statements holds.
void Connection::take_rest() {
  committing_ = false;
  allow_time();
  while (syncs_ > 0) {
    const Result result = next_result();
    const ExecStatusType status = PQresultStatus(result.get());
    if (PQstatus(handle_.get()) != CONNECTION_OK) throw_broken();
    if (!result) continue;  // between two answers
    if (status == PGRES_PIPELINE_SYNC) {
      --syncs_;
    } else if (!sent_.empty()) {
      if (status == PGRES_COMMAND_OK && sent_.front().prepares != kNothing) {
        prepared_[sent_.front().prepares] = true;
      }
      sent_.pop_front();
    }
  }
  sent_.clear();
  if (next_result()) throw_broken();
}

bool Connection::has_news() const {
  pollfd socket{};
  socket.fd = PQsocket(handle_.get());
  socket.events = POLLIN;
  return poll(&socket, 1, 0) != 0;
}

bool Connection::is_clean() const {
  return !broken_ && !open_ && sent_.empty() && syncs_ == 0 &&
         PQstatus(handle_.get()) == CONNECTION_OK &&
         PQtransactionStatus(handle_.get()) == PQTRANS_IDLE;
}

// Servers from 14 on say so without being asked, and tell of changes.
bool Connection::is_standby() const { return parameter("in_hot_standby") == "on"; }

std::string Connection::parameter(const char* name) const {
  const char* value = PQparameterStatus(handle_.get(), name);
  return value == nullptr ? "" : value;
}

}  // namespace pawl::postgres
