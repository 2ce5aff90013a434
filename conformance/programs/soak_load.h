// A random load on a store, and what must be there after a crash of whatever runs it.
//
// An event's id tells all about it, so that what a crash has left can be checked without knowing
// what was asked: GENERATION-THREAD-NUMBER-KIND, and a side, -a or -b, where two events were
// appended in one operation. KIND is k0 to k2 (a job on that lane of `worker`), e (a job without
// a lane), n (a note, which nobody gets) or f (the follow-up of a completed job; each has one).
// The log consumer `auditor` visits every job.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <tuple>
#include <vector>

#include "model/random.h"
#include "pawl/store.h"

namespace pawl::soak {

std::string payload_of(const std::string& id);

// What a store has promised by returning. One line of text.
struct Acknowledgement {
  char kind = 0;  // e: an event is there; c: a head is claimed; d: a head is completed
  std::string session;
  std::int64_t index = 0;
  std::string id = "-";        // of e
  std::string consumer = "-";  // of c and d
  std::string lane = "-";      // - for none
  std::int64_t attempt = 0;

  std::string line() const;
  static std::optional<Acknowledgement> parse(const std::string& line);
};

class Load {
 public:
  using Sink = std::function<void(const Acknowledgement&)>;

  // `sink` is called by several threads at once.
  Load(Store& store, std::uint64_t seed, std::int64_t generation, Sink sink)
      : store_(store), seed_(seed), generation_(generation), sink_(std::move(sink)) {}

  // Until stop is requested, or each thread has met an error.
  void run(int threads, const std::stop_token& stop);
  const std::vector<Error>& errors() const { return errors_; }

 private:
  struct Thread {
    std::int64_t number;
    model::Random random;
    std::int64_t events = 0;
  };

  void work(Thread& thread, const std::stop_token& stop);
  void step(Thread& thread);
  void append(Thread& thread);
  void append_batch(Thread& thread);
  void claim_and_finish(Thread& thread);
  void claim_ready_and_settle(Thread& thread);
  void finish(Thread& thread, const std::string& session, const Head& head);
  NewEvent new_event(Thread& thread, const char* side);
  NewEvent follow_up(Thread& thread);
  void acknowledge(const std::vector<Event>& events);
  void acknowledge(char kind, const Head& head);

  Store& store_;
  const std::uint64_t seed_;
  const std::int64_t generation_;
  const Sink sink_;
  std::mutex mutex_;
  std::vector<Error> errors_;
};

// Remembers what was acknowledged, and holds a store against it.
class Ledger {
 public:
  void add(const Acknowledgement& acknowledgement);

  // What `store` may not have lost. With `all` it may have lost nothing that was acknowledged;
  // else each session may have lost its end. `generation` is that of the latest load.
  void check(Store& store, std::int64_t generation, bool all);

  // Clears sessions that have grown long, so that a run of any length stays small.
  void trim(Store& store, std::size_t longest);

  std::int64_t acknowledged() const { return acknowledged_; }
  std::int64_t checked() const { return checked_; }
  std::int64_t lost() const { return lost_; }
  std::int64_t doubled() const { return doubled_; }
  const std::vector<std::string>& findings() const { return findings_; }
  void find(const std::string& finding) { findings_.push_back(finding); }

 private:
  using Place = std::tuple<std::string, std::string, std::int64_t>;  // consumer, lane, index
  struct Session {
    std::map<std::int64_t, std::string> ids;
    std::map<Place, std::int64_t> claims;  // the greatest attempt
    std::set<Place> completions;
    std::size_t length = 0;
  };
  struct Found {  // of a session
    std::vector<Event> events;
    SessionHead head;
    std::set<Place> completed;
    std::map<Place, Cursor> heads;
  };

  void check_session(Store& store, const std::string& name, bool all, std::set<std::string>* ids);
  void check_events(const std::string& name, Found* found);
  void check_acknowledged(const std::string& name, const Found& found, bool all);
  void check_heads(const std::string& name, const Found& found);
  void check_ready(const std::string& name, const Found& found);
  void check_pairs(const std::set<std::string>& ids, std::int64_t generation);
  void lose(const std::string& session, const std::string& what);
  void find_double(const std::string& session, const std::string& what);

  std::map<std::string, Session> sessions_;
  std::set<std::string> ready_;
  std::int64_t acknowledged_ = 0;
  std::int64_t checked_ = 0;
  std::int64_t lost_ = 0;
  std::int64_t doubled_ = 0;
  std::vector<std::string> findings_;
};

}  // namespace pawl::soak
