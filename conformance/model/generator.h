// Makes up histories: seeded random operations that collide often and reach deep states.
//
// Each history draws a profile first (how many sessions, consumers and lanes there are, which
// operations are frequent, how times are chosen), so that histories differ in kind. The generator
// looks at the answers to choose heads, attempts and ids that mean something. An operation is a
// plain object, so a history can be replayed without the generator.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "model/random.h"

namespace pawl::model {

class Generator {
 public:
  using Json = nlohmann::json;

  explicit Generator(std::uint64_t seed);

  // True of the operations that there are.
  static bool makes(const std::string& verb);

  Json next();
  void observe(const Json& op, const Json& answer);

 private:
  using Make = Json (Generator::*)();
  struct Kind {
    const char* name;
    int weight;  // the usual one
    Make make;
  };
  struct Known {  // a head that was seen
    std::string session;
    Json ref;  // consumer, lane?, index
    std::int64_t attempt = 0;
    std::string holder;
  };
  struct Indexes {
    std::int64_t last = 0;
    std::int64_t clear = 0;
  };

  static const std::vector<Kind>& kinds();
  void draw_profile();
  std::vector<std::string> draw_names(const std::string& prefix, std::int64_t most);

  // Single values: generator_values.cc
  std::string session() { return random_.pick(sessions_); }
  std::string consumer_name() { return random_.pick(consumers_); }
  std::string fresh_id();
  std::string id();
  std::string lane();
  Json payload();
  void put_payload(Json& object, const std::string& key);
  Json target();
  Json log_of(const std::string& consumer);
  Json consumer(const std::string& name);
  Json types(int absent_percent);
  void put_served(Json& object, int absent_percent);
  void put_lease(Json& object);
  void put_limit(Json& object, const char* key, int percent);
  std::int64_t duration();
  std::int64_t around_now();
  std::int64_t index_in(const std::string& session);
  Json head_ref(const std::string& session);
  Json cause(const std::string& session);
  std::optional<Known> known(const std::string& session);
  std::optional<Known> known();
  std::int64_t attempt_near(std::int64_t attempt);
  Json new_event(const std::string& session, bool follow_up);
  Json new_events(const std::string& session, std::int64_t most, bool follow_up);

  // Operations: generator_ops.cc
  Json append();
  Json append_arguments(const std::string& session);
  Json append_batch();
  Json append_again();
  Json wake_log();
  Json claim();
  Json claim_ready();
  Json claim_ready_arguments();
  Json renew();
  Json finish(const Known& seen, const char* action);
  Json complete();
  Json fail();
  Json release();
  Json finish_again();
  Json settle();
  Json redrive();
  Json put_snapshots();
  Json load_snapshot();
  Json set_presence();
  Json presence();
  Json reclaim_presence();
  Json clear();
  Json reclaim();
  Json prune();
  Json delete_session();
  Json delete_consumer();
  Json maintain();
  Json ready();
  Json wait();
  Json read();
  Json cursors();
  Json dead_letters();
  Json list_sessions();
  Json head();
  Json clock();
  Json spoiled(Json op);

  // What answers tell: generator.cc
  void note_heads(const Json& heads);
  void note_events(const Json& events);
  void note_answer(const Json& op, const Json& ok);
  Indexes& indexes(const std::string& session) { return indexes_[session]; }

  Random random_;
  std::int64_t now_ = 1;
  std::int64_t ids_ = 0;

  // The profile.
  std::vector<int> weights_;
  std::vector<std::string> sessions_, consumers_, lanes_, log_lanes_, types_, holders_, reducers_,
      namespaces_, participants_, fields_, shared_ids_;
  std::vector<Json> logs_;  // each consumer's usual log, or null
  std::int64_t longest_ = 20;
  int max_failures_percent_ = 50;
  int spoiled_percent_ = 2;
  int backward_percent_ = 0;
  int served_absent_percent_ = 30;

  // What has been seen.
  std::deque<Known> claims_;
  std::deque<Known> dead_;
  std::deque<Json> appends_;
  std::deque<Json> finishes_;
  std::map<std::string, Indexes> indexes_;
};

}  // namespace pawl::model
