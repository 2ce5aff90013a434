// The thread that listens.
#include "notifier.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace pawl::postgres {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kBetweenBells{5};
constexpr milliseconds kBeforeReconnect{1'000};
constexpr milliseconds kForever{60'000};
constexpr milliseconds kAnswerTime{10'000};

// A name that needs no quotes and fits, whatever the schema's is (FNV-1a).
std::string channel_of(const std::string& schema) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : schema) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  std::string name = "pawl_";
  for (int shift = 60; shift >= 0; shift -= 4) name += "0123456789abcdef"[hash >> shift & 15];
  return name;
}

int make_bell() {
  const int bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (bell < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  return bell;
}

}  // namespace

Notifier::Notifier(Target target, milliseconds connect_timeout, const std::string& schema,
                   std::function<void()> heard)
    : target_(std::move(target)),
      connect_timeout_(connect_timeout),
      channel_(channel_of(schema)),
      heard_(std::move(heard)),
      bell_(make_bell()) {}

Notifier::~Notifier() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_thread();
  if (thread_.joinable()) thread_.join();
  close(bell_);
}

void Notifier::start() {
  const std::lock_guard lock(mutex_);
  if (thread_.joinable()) return;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {
    // No more threads are to be had now. Polling serves until the next call.
  }
}

void Notifier::ring() {
  start();
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(rung_, true)) return;
  }
  wake_thread();
}

bool Notifier::is_started() {
  const std::lock_guard lock(mutex_);
  return thread_.joinable();
}

bool Notifier::is_listening() {
  const std::lock_guard lock(mutex_);
  return listening_;
}

bool Notifier::stopped() {
  const std::lock_guard lock(mutex_);
  return stop_;
}

void Notifier::wake_thread() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = write(bell_, &one, sizeof one);
}

void Notifier::run() {
  while (!stopped()) {
    try {
      const Handle connection = connect(target_, connect_timeout_);
      serve(connection.get());
    } catch (const Broken&) {
      // Until there is a connection again, waiting stores poll.
    }
    {
      const std::lock_guard lock(mutex_);
      listening_ = false;
    }
    if (!stopped()) sleep(nullptr, kBeforeReconnect);
  }
}

void Notifier::serve(PGconn* connection) {
  execute(connection, "LISTEN " + channel_);
  {
    const std::lock_guard lock(mutex_);
    listening_ = true;
  }
  heard_();  // what was committed before cannot be heard any more
  while (!stopped()) {
    bool rung = false;
    {
      const std::lock_guard lock(mutex_);
      rung = std::exchange(rung_, false);
    }
    if (rung) {
      // A transaction that writes. What it tells is nothing that could be lost.
      execute(connection, "SET LOCAL synchronous_commit = off; NOTIFY " + channel_);
      std::this_thread::sleep_for(kBetweenBells);  // what is committed meanwhile is told as one
    }
    hear(connection);
    if (!rung) sleep(connection, kForever);
  }
}

// Until the bell rings, something can be read from the connection (if there is one), or `timeout`.
bool Notifier::sleep(PGconn* connection, milliseconds timeout) {
  pollfd sockets[2] = {};
  sockets[0].fd = bell_;
  sockets[0].events = POLLIN;
  sockets[1].fd = connection == nullptr ? -1 : PQsocket(connection);
  sockets[1].events = POLLIN;
  poll(sockets, 2, static_cast<int>(timeout.count()));
  std::uint64_t count = 0;
  return read(bell_, &count, sizeof count) > 0;
}

void Notifier::execute(PGconn* connection, const std::string& text) {
  if (PQsendQuery(connection, text.c_str()) != 1) throw Broken("cannot send", "", false);
  const auto until = steady_clock::now() + kAnswerTime;
  while (true) {
    while (PQisBusy(connection) != 0) {
      if (!wait_for_socket(connection, false, until) || PQconsumeInput(connection) == 0) {
        throw Broken("no answer", "", false);
      }
    }
    const Result result(PQgetResult(connection));
    if (!result) return;
    if (PQresultStatus(result.get()) != PGRES_COMMAND_OK) throw Broken("refused", "", false);
  }
}

void Notifier::hear(PGconn* connection) {
  if (PQconsumeInput(connection) == 0) throw Broken("the connection broke", "", false);
  bool heard = false;
  while (PGnotify* notification = PQnotifies(connection)) {
    heard = heard || notification->be_pid != PQbackendPID(connection);
    PQfreemem(notification);
  }
  if (heard) heard_();
}

}  // namespace pawl::postgres
