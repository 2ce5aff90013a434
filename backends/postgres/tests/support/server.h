// A PostgreSQL server for tests: a private one on a socket in a scratch folder, started by this
// program and gone with it, however it ends. PAWL_TEST_POSTGRES=URI has the tests use that
// database instead; where neither is to be had, why_not() says so.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace pawl::postgres::testing {

class Server {
 public:
  static constexpr int kPort = 5432;  // the name of a socket, until listen()

  // Starts it, and returns when it serves. Throws std::runtime_error.
  Server() : Server("") {}
  // A standby that follows the server whose socket is in that folder.
  explicit Server(const std::string& primary);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // The superuser, on database "postgres" or another, by the socket.
  std::string uri(const std::string& database = "postgres") const;
  const std::string& folder() const { return folder_; }  // of the socket

  void stop();          // open transactions are cut off
  void start();         // and waits until it serves
  void kill_now();      // as in a crash
  void make_standby();  // while it is stopped: from then on it serves reads only
  void promote();       // a standby, which then serves writes
  // Restarts it, so that it serves 127.0.0.1 with TLS, too. The port.
  int listen(const std::string& certificate, const std::string& key);
  // While it is stopped: begins anew as a standby that follows the other, and starts.
  void follow(const Server& primary);
  // Whether a commit waits until a standby has it.
  void commit_on_standby(bool wait);
  // Waits until a standby has all that is committed, and is waited for.
  void wait_for_standby() const;

 private:
  void command(const std::string& what);
  void wait_until_ready() const;

  std::string folder_;
  int port_ = kPort;
  int commands_ = -1;  // to the process that watches over the server
  int answers_ = -1;
  int keeper_ = -1;
};

// Why there can be no server; nothing where there can.
std::optional<std::string> why_not();

// A server of this program's own, which tests may stop and start again. Started when it is first
// asked for.
Server& private_server();

// The database of this run: of PAWL_TEST_POSTGRES, or a private server's, started when it is
// first asked for. A program that is started by this one inherits it.
std::string shared_uri();

// Has shared_uri() give this one, which leads to the private server.
void use_instead(const std::string& uri);

// A schema's name that no other run bears, dropped when it goes if the server is the user's.
class Schema {
 public:
  Schema();
  ~Schema();
  Schema(const Schema&) = delete;
  Schema& operator=(const Schema&) = delete;
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

// Only where the server is the user's: a private one is thrown away.
void drop_schema(const std::string& name);

}  // namespace pawl::postgres::testing
