// A thread for each link. It understands as much of the protocol as to know where a message ends.
#include "tests/support/proxy.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace pawl::postgres::testing {
namespace {

constexpr const char* kSocket = "/.s.PGSQL.5432";

sockaddr_un address_of(const std::string& folder) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = folder + kSocket;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

bool send_all(int socket, const std::string& bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t n = send(socket, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) return false;
    sent += static_cast<std::size_t>(n);
  }
  return true;
}

bool receive(int socket, std::string& bytes) {
  char buffer[65'536];
  const ssize_t n = recv(socket, buffer, sizeof buffer, 0);
  if (n <= 0) return false;
  bytes.append(buffer, static_cast<std::size_t>(n));
  return true;
}

// The length of the message at the front of `bytes`; 0: it is not whole.
std::size_t message_length(const std::string& bytes, bool has_type) {
  const std::size_t at = has_type ? 1 : 0;
  if (bytes.size() < at + 4) return 0;
  std::size_t length = 0;
  for (std::size_t i = at; i < at + 4; ++i) {
    length = length << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return bytes.size() < at + length ? 0 : at + length;
}

}  // namespace

struct Proxy::Link {
  int client = -1;
  int server = -1;
  bool started = false;  // the first message has no type
  bool loaded = false;   // the last message asked for the answers of a load
  bool mute = false;     // answers do not come back
  std::string waiting;   // of the client
  std::string coming;    // of the server
};

Proxy::Proxy(const std::string& server) : server_(server) {
  folder_ = (std::filesystem::temp_directory_path() / "pawl-proxy-XXXXXX").string();
  if (mkdtemp(folder_.data()) == nullptr || pipe(stop_) != 0) throw std::runtime_error("proxy");
  listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = address_of(folder_);
  if (bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(listener_, 64) != 0) {
    throw std::runtime_error("proxy: bind");
  }
  threads_.emplace_back([this] { accept_links(); });
}

Proxy::~Proxy() {
  close(stop_[1]);
  threads_.front().join();
  threads_.pop_front();
  for (std::thread& thread : threads_) thread.join();
  close(listener_);
  close(stop_[0]);
  std::filesystem::remove_all(folder_);
}

std::string Proxy::uri() const { return "postgres:///postgres?user=pawl&host=" + folder_; }

void Proxy::accept_links() {
  while (true) {
    pollfd sockets[2] = {{listener_, POLLIN, 0}, {stop_[0], POLLIN, 0}};
    poll(sockets, 2, -1);
    if (sockets[1].revents != 0) return;
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) continue;
    if (refuse_) {
      close(client);
      continue;
    }
    ++connections_;
    Link link;
    link.client = client;
    link.server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_un address = address_of(server_);
    if (connect(link.server, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      close(link.client);
      close(link.server);
      continue;
    }
    threads_.emplace_back([this, link]() mutable { serve(link); });
  }
}

void Proxy::serve(Link& link) {
  while (true) {
    pollfd sockets[3] = {{link.client, POLLIN, 0}, {link.server, POLLIN, 0}, {stop_[0], POLLIN, 0}};
    poll(sockets, 3, -1);
    if (sockets[2].revents != 0) break;
    if (sockets[0].revents != 0 && !from_client(link)) break;
    if (sockets[1].revents != 0 && !from_server(link)) break;
  }
  close(link.client);
  close(link.server);
}

bool Proxy::from_client(Link& link) {
  if (!receive(link.client, link.waiting)) return false;
  while (const std::size_t length = message_length(link.waiting, link.started)) {
    const std::string message = link.waiting.substr(0, length);
    link.waiting.erase(0, length);
    const char type = link.started ? message[0] : '\0';
    link.started = true;
    const bool load = type == 'H';   // Flush
    const bool write = type == 'S';  // Sync
    if (load || write) ++trips_;
    const Cut cut = cut_;
    if (load && cut == Cut::kInLoad) return cut_ = Cut::kNever, false;
    if (link.loaded && cut == Cut::kBeforeCommit) return cut_ = Cut::kNever, false;
    link.loaded = load;
    if (write && cut == Cut::kAfterCommit) {
      cut_ = Cut::kNever;
      link.mute = true;
    }
    if (is_cut(Side::kQuestions) || !send_all(link.server, message)) return false;
  }
  return true;
}

bool Proxy::from_server(Link& link) {
  if (!receive(link.server, link.coming)) return false;
  while (const std::size_t length = message_length(link.coming, true)) {
    const std::string message = link.coming.substr(0, length);
    link.coming.erase(0, length);
    if (is_cut(Side::kAnswers) || (!link.mute && !send_all(link.client, message))) return false;
  }
  return true;
}

void Proxy::cut_at(Side side, std::int64_t message) {
  messages_[0] = messages_[1] = 0;
  cut_at_[0] = cut_at_[1] = -1;
  cut_at_[static_cast<std::size_t>(side)] = message;
}

// Counts a message.
bool Proxy::is_cut(Side side) {
  const auto at = static_cast<std::size_t>(side);
  return messages_[at]++ == cut_at_[at];
}

}  // namespace pawl::postgres::testing
