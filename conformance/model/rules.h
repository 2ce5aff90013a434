// The rules of the contract, one function for each, over the plain state.
//
// Every operation is a member named as in the contract; it reads its arguments, then follows the
// numbered steps. An operation that throws is undone by perform().
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/arguments.h"
#include "model/model.h"
#include "model/state.h"

namespace pawl::model {

// Who claims, and until when.
struct Lease {
  std::string holder;
  std::int64_t expires_at = 0;
};

struct ClaimRequest {
  Lease lease;
  Served served;
  std::vector<HeadRef> exclude;
  std::optional<std::int64_t> through;
  std::optional<std::int64_t> max_failures;
  std::int64_t limit = 0;
  std::int64_t sessions_limit = 0;  // of claim_ready
};

struct ClaimedHeads {
  Json heads = Json::array();
  Json dead_lettered = Json::array();
  std::int64_t count() const {
    return static_cast<std::int64_t>(heads.size() + dead_lettered.size());
  }
};

enum class Action { kComplete, kFail, kRelease };

// A complete, fail or release.
struct Finish {
  std::string session;
  HeadRef head;
  std::int64_t attempt = 0;
  Action action = Action::kComplete;
  std::vector<NewEvent> events;                // of a complete
  std::string error;                           // of a fail
  std::int64_t max_failures = 0;               // of a fail
  std::optional<std::int64_t> claimable_from;  // of a fail or release that delays
};

// When a consumer has something to claim in a session; both empty: never.
struct Waiting {
  std::optional<std::int64_t> ready_at;  // it has
  std::optional<std::int64_t> next_at;   // it will have
};

struct ReadyList {
  std::vector<std::pair<std::int64_t, std::string>> sessions;  // by time, then name
  std::optional<std::int64_t> next_at;
};

class Rules {
 public:
  explicit Rules(ModelOptions options) : options_(options) {}

  // The contents of "ok". Throws ModelError, and then nothing has changed.
  Json perform(const Json& op);

  // Counts the whole line, of which a store counts the texts.
  bool too_long(std::string_view line) const;

 private:
  using Operation = Json (Rules::*)(Arguments&);
  static const std::map<std::string, Operation>& operations();

  // Section 4, appending: model_append.cc
  Json append(Arguments&);
  Json append_batch(Arguments&);
  Json wake_log(Arguments&);
  Json append_arguments(Arguments&);
  std::vector<Event> append_events(Session&, const std::vector<NewEvent>&, const Served&,
                                   std::int64_t origin_index);
  std::vector<Event> store_and_queue(Session&, const std::vector<NewEvent>&, const Served&);
  std::optional<std::vector<Event>> replayed(const Session&, const std::vector<NewEvent>&) const;
  void check_replay(const Event& stored, const NewEvent& given) const;
  void check_cause(const Session&, const Cause&) const;
  Event store_event(Session&, const NewEvent&, const std::set<std::string>& batch_ids);
  void delete_namesake(Session&, const std::string& id);
  std::string generate_id(const Session&, const std::set<std::string>& batch_ids);
  void queue_target(Session&, std::int64_t index, const Target&);
  void queue_on_lane(Session&, std::int64_t index, const Target&);
  Cursor& wake(Session&, const Consumer&, std::int64_t opening_position);
  void become_head(Cursor&, std::int64_t index, std::optional<std::int64_t> available_at);

  // Section 4, reading, and section 10, sessions: model_read.cc
  Json read(Arguments&);
  Json head(Arguments&);
  Json cursors(Arguments&);
  Json dead_letters(Arguments&);
  Json sessions(Arguments&);
  Json event_json(const Session&, const Event&) const;
  Json cursor_json(const Cursor&) const;
  Json head_json(const Session&, const Cursor&) const;
  Json events_json(const Session&, const std::vector<Event>&) const;

  // Section 5: model_claim.cc
  Json claim(Arguments&);
  Json renew(Arguments&);
  Lease lease(Arguments&);
  bool may_be_claimed_but_for_time(const Session&, const Cursor&, const ClaimRequest&) const;
  bool time_has_come(const Cursor&) const;
  static void keep_longest_due(std::vector<Cursor*>&);
  ClaimedHeads claim_in(Session&, const ClaimRequest&);
  bool claim_one(Session&, Cursor&, const ClaimRequest&);
  std::optional<std::int64_t> retry_at(const Session&, const ClaimRequest&) const;

  // Section 6: model_finish.cc
  Json complete(Arguments&);
  Json fail(Arguments&);
  Json release(Arguments&);
  Json settle(Arguments&);
  Json redrive(Arguments&);
  Finish finish_arguments(Arguments&, Action, Arguments& details);
  Finish settle_item(Arguments&);
  std::vector<NewEvent> follow_ups(Arguments&);
  Json finish(const Finish&, const Served&);
  Json complete_one(Session&, const Finish&, const Served&);
  Json complete_again(Session&, const Cursor&, const Finish&);
  Json fail_one(Session&, const Finish&);
  Json release_one(Session&, const Finish&);
  void let_go(Cursor&, std::optional<std::int64_t> claimable_from);
  void die(Session&, Cursor&);
  void finish_head(Session&, Cursor&, const std::optional<Completion>&);
  void advance(Session&, Cursor&);
  void check_event_exists(const Session&, std::int64_t index) const;

  // Section 7: model_snapshots.cc
  Json put_snapshots(Arguments&);
  Json load_snapshot(Arguments&);
  void put_snapshot(Session&, const std::string& reducer, const Snapshot&,
                    const std::vector<HeadRef>& pins);
  void record_pin(Session&, const Pin&);
  void release_pins(Session&, const HeadRef&);

  // Section 8: model_presence.cc
  Json set_presence(Arguments&);
  Json presence(Arguments&);
  Json reclaim_presence(Arguments&);

  // Section 9: model_clear.cc
  Json clear(Arguments&);
  void append_marker(Session&);
  void idle_log_cursors(Session&, std::int64_t position);
  Json reclaim(Arguments&);
  Json prune(Arguments&);
  Json delete_session(Arguments&);
  Json delete_consumer(Arguments&);
  Json maintain(Arguments&);
  void begin_deletion(Session&);
  std::int64_t delete_events(Session&, std::int64_t up_to, std::int64_t limit);
  bool delete_superseded(Session&, std::int64_t limit);
  Json reclaim_session(Session&, std::int64_t limit);
  Json delete_old_life(Session&, std::int64_t limit);
  Json prune_session(Session&, std::int64_t finished_before, std::int64_t limit);

  // Section 10: model_ready.cc
  Json ready(Arguments&);
  Json claim_ready(Arguments&);
  Json wait(Arguments&);
  ClaimRequest claim_ready_arguments(Arguments&);
  void claim_ready_into(Json& answer, const ClaimRequest&);
  Waiting waiting(const Session&, const std::string& consumer) const;
  ReadyList ready_list(const Served&) const;

  // What many rules need: rules.cc
  void cut_short(const std::string& verb, Json& answer) const;
  Json clock(Arguments&);
  const Session& look(const std::string& name) const;
  Session& change(const std::string& name);
  static bool visible(const Session&, const Event&);
  static bool exists(const Session&, const Cursor&);
  static const Event* find_event(const Session&, std::int64_t index);
  static const Event* find_id(const Session&, const std::string& id);
  static bool names(const Cursor&, const HeadRef&);
  static Cursor* find_cursor(Session&, const HeadRef&);
  static const Cursor* find_cursor(const Session&, const HeadRef&);
  static HeadRef ref_of_head(const Cursor&);
  static bool has_live_head(const Session&, const Cursor&);
  static bool serves(const Served&, const std::string& consumer);
  static bool has_pending(const Session&, const Served&);
  static void refresh_types(Session&, const Served&);
  static std::optional<std::int64_t> first_of_types(const Session&, std::int64_t above,
                                                    const Types&);

  ModelOptions options_;
  std::int64_t now_ = 1;
  std::int64_t ids_drawn_ = 0;
  std::map<std::string, Session> sessions_;
  Presence presence_;
  std::map<std::string, Session> before_;  // what the operation under way has changed
};

// With the text in place, or as a string where it holds a line break.
void put_text(Json& object, const std::string& key, const Text& text);

template <typename T>
void put_optional(Json& object, const char* key, const std::optional<T>& value) {
  if (value) object[key] = *value;
}

Json ref_json(const HeadRef& ref);

}  // namespace pawl::model
