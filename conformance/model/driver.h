// Drives two parties side by side and compares every answer, and what can be seen after it.
//
// After each operation the sessions and namespaces that it names are read on both sides; every
// `full_every` operations everything is. Which rows an upkeep operation deletes first is nobody's
// promise, so reclaim_presence, prune, delete_consumer and maintain are repeated until done, and
// so are reclaim and delete_session unless the operation bears a limit: then they are called
// once, and what they leave must be invisible. Presence rows that have expired may be swept or
// not, so they are swept before the clock steps back.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/party.h"

namespace pawl::model {

struct Difference {
  nlohmann::json asked;  // the operation, or the read after it
  nlohmann::json expected;
  nlohmann::json actual;
};

class Driver {
 public:
  using Json = nlohmann::json;

  Driver(Party expected, Party actual, int full_every = 1);

  // Carries the operation out on both sides. A difference, if there is one.
  std::optional<Difference> step(const Json& op);

  // The end of a history: deletions begun are done, and everything is compared.
  std::optional<Difference> finish();

  // The expected answer to the latest step.
  const Json& answer() const { return answer_; }

  // What the actual party was sent but for reads that compare: a script of the history.
  const std::vector<Json>& sent() const { return sent_; }

 private:
  struct Deletion {
    bool expected_begun = false;
    bool actual_begun = false;
  };
  struct Upkeep {
    Json last;
    std::int64_t deleted = 0;
  };

  void perform(const Json& op);
  void perform_upkeep(const Json& op);
  void perform_once(const Json& op);
  void finish_deletion(const std::string& session);
  void sweep_presence();
  Upkeep until_done(const Party& party, const Json& op, bool record);
  Json ask_actual(const Json& op);
  bool same(const Json& asked, const Json& expected, const Json& actual);

  // Reads on both sides. Nothing is asked any more once a difference is known.
  Json compare(const Json& read);
  void compare_touched(const Json& op);
  void compare_session(const std::string& session);
  void compare_everything();
  void compare_session_fully(const std::string& session);
  void compare_pages(const char* verb, const std::string& session);

  void collect(const Json& value, std::set<std::string>* touched_sessions,
               std::set<std::string>* touched_namespaces);

  Party expected_;
  Party actual_;
  int full_every_;
  int steps_ = 0;
  std::int64_t now_ = 1;
  Json answer_;
  std::optional<Difference> difference_;
  std::vector<Json> sent_;
  std::map<std::string, Deletion> deletions_;
  std::set<std::string> sessions_, namespaces_, consumers_, reducers_;
};

}  // namespace pawl::model
