// The server's keeper is a process between it and the test: when the test's end of the pipe
// closes, however that comes, it stops the server and removes the folder.
#include "tests/support/server.h"

#include <fcntl.h>
#include <libpq-fe.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "statements.h"
#include "tests/support/process.h"

namespace pawl::postgres::testing {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVariable = "PAWL_TEST_POSTGRES";

constexpr const char* kSettings = R"(
listen_addresses = ''
fsync = off
full_page_writes = off
max_connections = 200
shared_buffers = 64MB
deadlock_timeout = 200ms
wal_retrieve_retry_interval = 50ms
)";

// The folder of the server's programs.
std::optional<fs::path> find_programs() {
  const auto initdb = find_program("initdb");
  return initdb ? std::optional(initdb->parent_path()) : std::nullopt;
}

pid_t start_program(const fs::path& program, const std::vector<std::string>& arguments,
                    const std::string& log) {
  const pid_t pid = fork();
  if (pid == 0) exec_program(program, arguments, log);
  return pid;
}

bool succeeded(pid_t pid) {
  int status = 0;
  return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// What the keeper does; it never returns.
class Keeper {
 public:
  Keeper(fs::path programs, std::string folder, int commands, int answers)
      : programs_(std::move(programs)),
        folder_(std::move(folder)),
        data_(folder_ + "/data"),
        commands_(commands),
        answers_(answers) {}

  [[noreturn]] void run() {
    signal(SIGPIPE, SIG_IGN);
    setpgid(0, 0);  // an interrupt at the terminal is the test's, which then closes the pipe
    std::string line;
    char next = 0;
    while (read(commands_, &next, 1) == 1) {
      if (next != '\n') {
        line += next;
      } else {
        answer(obey(std::exchange(line, {})));
      }
    }
    if (server_ > 0) stop(SIGQUIT);
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
    _exit(0);
  }

 private:
  void answer(bool fine) {
    const char text = fine ? 'y' : 'n';
    [[maybe_unused]] const auto written = write(answers_, &text, 1);
  }

  // A locale whose order is not that of bytes, so that a forgotten collation shows.
  bool make_cluster() {
    const std::vector<std::string> common{
        "-N", "-A", "trust", "-U", "pawl", "-E", "UTF8", "--locale=C.UTF-8", "-D", data_};
    std::vector<std::string> with_icu = common;
    with_icu.insert(with_icu.end(), {"--locale-provider=icu", "--icu-locale=en"});
    const std::string log = folder_ + "/initdb.log";
    if (!succeeded(start_program(programs_ / "initdb", with_icu, log)) &&
        !succeeded(start_program(programs_ / "initdb", common, log))) {
      return false;
    }
    std::ofstream(data_ + "/postgresql.conf", std::ios::app) << kSettings;
    return true;
  }

  // A standby's copy of the server whose socket is in the folder.
  bool copy_cluster(const std::string& from) {
    std::error_code error;
    fs::remove_all(data_, error);
    return succeeded(
        start_program(programs_ / "pg_basebackup",
                      {"-h", from, "-U", "pawl", "-D", data_, "-R", "-X", "stream", "-c", "fast"},
                      folder_ + "/basebackup.log"));
  }

  // A command's letter, and what it is about.
  bool obey(const std::string& command) {
    switch (command.empty() ? '\0' : command[0]) {
      case 'i':
        return make_cluster();
      case 'c':
        return copy_cluster(command.substr(1));
      case 's':
        return stop(SIGINT);
      case 'k':
        return stop(SIGQUIT);
      default:
        server_ = start_program(programs_ / "postgres", {"-D", data_, "-k", folder_},
                                folder_ + "/server.log");
        return server_ > 0;
    }
  }

  bool stop(int how) {
    kill(server_, how);
    int status = 0;
    const bool ended = waitpid(server_, &status, 0) == server_;
    server_ = -1;
    return ended;
  }

  const fs::path programs_;
  const std::string folder_;
  const std::string data_;
  const int commands_;
  const int answers_;
  pid_t server_ = -1;
};

[[noreturn]] void keep(const fs::path& programs, const std::string& folder, int commands,
                       int answers) {
  for (int fd = 3; fd < 1024; ++fd) {
    if (fd != commands && fd != answers) close(fd);
  }
  fcntl(commands, F_SETFD, FD_CLOEXEC);
  fcntl(answers, F_SETFD, FD_CLOEXEC);
  become_server_user();
  setenv("LC_ALL", "C", 1);
  Keeper(programs, folder, commands, answers).run();
}

struct Finish {
  void operator()(PGconn* connection) const { PQfinish(connection); }
};

// Nobody listens there, at the moment.
int free_port() {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const bool bound = bind(probe, reinterpret_cast<const sockaddr*>(&address), size) == 0 &&
                     getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  close(probe);
  if (!bound) throw std::runtime_error("no free port");
  return ntohs(address.sin_port);
}

// The first column of the answer's first row.
std::string ask(const std::string& uri, const std::string& text) {
  const std::unique_ptr<PGconn, Finish> connection(PQconnectdb(uri.c_str()));
  const std::unique_ptr<PGresult, void (*)(PGresult*)> result(
      PQexec(connection.get(), text.c_str()), PQclear);
  return PQntuples(result.get()) > 0 ? PQgetvalue(result.get(), 0, 0) : "";
}

}  // namespace

Server::Server(const std::string& primary) {
  const auto programs = find_programs();
  if (!programs || server_user() == nullptr) {
    throw std::runtime_error(why_not().value_or("no server"));
  }
  folder_ = make_folder_for_server("pawl-pg-XXXXXX");
  int commands[2];
  int answers[2];
  if (pipe2(commands, O_CLOEXEC) != 0 || pipe2(answers, O_CLOEXEC) != 0) {
    throw std::runtime_error("pipe2");
  }
  keeper_ = fork();
  if (keeper_ == 0) keep(*programs, folder_, commands[0], answers[1]);
  close(commands[0]);
  close(answers[1]);
  commands_ = commands[1];
  answers_ = answers[0];
  command(primary.empty() ? "i" : "c" + primary);
  start();
}

Server::~Server() {
  close(commands_);
  close(answers_);
  waitpid(keeper_, nullptr, 0);
}

std::string Server::uri(const std::string& database) const {
  const std::string port = port_ == kPort ? "" : "&port=" + std::to_string(port_);
  return "postgres:///" + database + "?user=pawl&host=" + folder_ + port;
}

void Server::command(const std::string& what) {
  const std::string line = what + "\n";
  char fine = 'n';
  if (write(commands_, line.data(), line.size()) != std::ssize(line) ||
      read(answers_, &fine, 1) != 1 || fine != 'y') {
    throw std::runtime_error("the server's keeper failed: see " + folder_);
  }
}

void Server::stop() { command("s"); }
void Server::kill_now() { command("k"); }

// It follows nobody, so it stays as it is.
void Server::make_standby() {
  std::ofstream(folder_ + "/data/standby.signal").flush();
  fs::permissions(folder_ + "/data/standby.signal", fs::perms::all);
}

void Server::start() {
  command("g");
  wait_until_ready();
}

void Server::follow(const Server& primary) {
  command("c" + primary.folder());
  start();
}

void Server::promote() {
  if (ask(uri(), "SELECT pg_promote()") != "t") throw std::runtime_error("pg_promote");
}

int Server::listen(const std::string& certificate, const std::string& key) {
  const int port = free_port();
  for (const std::string& setting :
       {std::string("listen_addresses = '127.0.0.1'"), "port = " + std::to_string(port),
        std::string("ssl = on"), "ssl_cert_file = '" + certificate + "'",
        "ssl_key_file = '" + key + "'"}) {
    ask(uri(), "ALTER SYSTEM SET " + setting);
  }
  stop();
  port_ = port;
  start();
  return port;
}

void Server::commit_on_standby(bool wait) {
  ask(uri(), std::string("ALTER SYSTEM SET synchronous_standby_names = '") + (wait ? "*'" : "'"));
  ask(uri(), "SELECT pg_reload_conf()");
}

void Server::wait_for_standby() const {
  const std::string standby =
      "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync' AND flush_lsn >= "
      "pg_current_wal_flush_lsn()";
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (ask(uri(), standby) != "1") {
    if (std::chrono::steady_clock::now() > until) throw std::runtime_error("no standby follows");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

void Server::wait_until_ready() const {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (PQping(uri().c_str()) != PQPING_OK) {
    if (std::chrono::steady_clock::now() > until) {
      throw std::runtime_error("the server does not serve: see " + folder_);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

std::optional<std::string> why_not() {
  if (std::getenv(kVariable) != nullptr) return std::nullopt;
  if (!find_programs()) return "no PostgreSQL server is installed, and PAWL_TEST_POSTGRES not set";
  if (server_user() == nullptr) return "there is no user but root to run a PostgreSQL server";
  return std::nullopt;
}

Server& private_server() {
  static Server server;
  return server;
}

std::string shared_uri() {
  const char* given = std::getenv(kVariable);
  if (given != nullptr) return given;
  use_instead(private_server().uri());
  return private_server().uri();
}

void use_instead(const std::string& uri) {
  setenv(kVariable, uri.c_str(), 1);
  setenv("PAWL_TEST_POSTGRES_IS_PRIVATE", "1", 1);
}

Schema::Schema() {
  static const std::string run = std::to_string(std::random_device{}());
  static std::atomic<int> count = 0;
  name_ = "pawl_test_" + run + "_" + std::to_string(++count);
}

Schema::~Schema() { drop_schema(name_); }

void drop_schema(const std::string& name) {
  if (std::getenv("PAWL_TEST_POSTGRES_IS_PRIVATE") != nullptr) return;
  const std::unique_ptr<PGconn, Finish> connection(PQconnectdb(shared_uri().c_str()));
  const std::string text = "SET client_min_messages = warning; DROP SCHEMA IF EXISTS " +
                           quote_identifier(name) + " CASCADE";
  PQclear(PQexec(connection.get(), text.c_str()));
}

}  // namespace pawl::postgres::testing
