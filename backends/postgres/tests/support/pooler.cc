// Starting PgBouncer: like the server, it refuses to run as root.
#include "tests/support/pooler.h"

#include <libpq-fe.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "tests/support/process.h"

namespace pawl::postgres::testing {
namespace {

namespace fs = std::filesystem;

}  // namespace

Pooler::Pooler(const Server& server, int connections) {
  folder_ = make_folder_for_server("pawl-bouncer-XXXXXX");
  const std::string settings = folder_ + "/pgbouncer.ini";
  std::ofstream(settings) << "[databases]\n"
                          << "postgres = host=" << server.folder() << " user=pawl\n"
                          << "[pgbouncer]\n"
                          << "pool_mode = transaction\n"
                          << "default_pool_size = " << connections << "\n"
                          << "max_client_conn = 500\n"
                          << "auth_type = any\n"
                          << "listen_port = 5432\n"
                          << "unix_socket_dir = " << folder_ << "\n"
                          << "logfile = " << folder_ << "/pgbouncer.log\n";
  fs::permissions(settings, fs::perms::others_read, fs::perm_options::add);
  const auto program = find_program("pgbouncer");
  if (!program) throw std::runtime_error(why_no_pooler().value_or("no pgbouncer"));
  pid_ = fork();
  if (pid_ == 0) {
    become_server_user();
    exec_program(*program, {"-q", settings}, folder_ + "/output.log");
  }
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (PQping(uri().c_str()) != PQPING_OK) {
    if (std::chrono::steady_clock::now() > until) {
      throw std::runtime_error("pgbouncer does not serve: see " + folder_);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

Pooler::~Pooler() {
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::string Pooler::uri() const { return "postgres:///postgres?user=pawl&host=" + folder_; }

std::optional<std::string> why_no_pooler() {
  if (auto reason = why_not()) return reason;
  if (!find_program("pgbouncer")) return "pgbouncer is not installed";
  return std::nullopt;
}

}  // namespace pawl::postgres::testing
