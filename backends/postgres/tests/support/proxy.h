// Stands between a store and the server: counts round trips on the wire, and cuts links.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <thread>

namespace pawl::postgres::testing {

class Proxy {
 public:
  // `server` is the folder of the server's socket.
  explicit Proxy(const std::string& server);
  ~Proxy();
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  std::string uri() const;

  // Where the client asked for answers: each is a round trip. Those of connecting do not count.
  std::int64_t trips() const { return trips_; }
  std::int64_t connections() const { return connections_; }

  enum class Cut {
    kNever,
    kInLoad,        // the next load does not reach the server whole
    kBeforeCommit,  // nothing of the next write reaches it
    kAfterCommit,   // the next write does; its answer does not come back
  };
  void cut_next(Cut cut) { cut_ = cut; }

  // Counts messages from here on, and cuts the link instead of passing on this one, the first being
  // 0: of the client (a question) or of the server (an answer).
  enum class Side { kQuestions, kAnswers };
  void cut_at(Side side, std::int64_t message);
  // How many there were since cut_at.
  std::int64_t messages(Side side) const { return messages_[static_cast<std::size_t>(side)]; }

  // Whether new connections are closed at once.
  void refuse(bool refuse) { refuse_ = refuse; }

 private:
  struct Link;

  bool is_cut(Side side);
  void accept_links();
  void serve(Link& link);
  bool from_client(Link& link);
  bool from_server(Link& link);

  std::string folder_;
  std::string server_;
  int listener_ = -1;
  int stop_[2] = {-1, -1};
  std::atomic<std::int64_t> trips_ = 0;
  std::atomic<std::int64_t> connections_ = 0;
  std::atomic<Cut> cut_ = Cut::kNever;
  std::atomic<bool> refuse_ = false;
  std::array<std::atomic<std::int64_t>, 2> messages_{};
  std::array<std::atomic<std::int64_t>, 2> cut_at_{-1, -1};
  std::list<std::thread> threads_;
};

}  // namespace pawl::postgres::testing
