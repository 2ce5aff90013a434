// Operations on a World, as far as the pure part goes: plan, find the facts, decide. What comes
// out is shown as text; nothing is applied.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decide/append.h"
#include "decide/claim.h"
#include "decide/clear.h"
#include "decide/finish.h"
#include "decide/presence.h"
#include "decide/settle.h"
#include "decide/snapshot.h"
#include "tests/support/world.h"

namespace pawl::core::testing {

struct Decided {
  std::string answer;       // or "throws CODE", with the field where the code names one
  driver::Effects effects;  // none if it throws
  std::string written;      // the effects as text

  bool throws() const { return answer.starts_with("throws "); }
  // The answer, then what is written: "superseded", "failed 1 | put c/k ...".
  std::string text() const { return written.empty() ? answer : answer + " | " + written; }
};

// One operation: how to plan it, and how to decide it on facts, which may be done several times.
// Texts and lists that it names must live as long as it does.
class Operation {
 public:
  std::int64_t first_id = 1;  // generated ids are id-1, id-2, ...

  virtual ~Operation() = default;
  virtual driver::Query plan() const = 0;
  // Puts what it answers into `answer`.
  virtual driver::Effects decide(const driver::Query& query, driver::Facts&& facts,
                                 std::string& answer) const = 0;
};

Decided decide(const World& world, const Operation& operation);

// The text of effects on a world.
std::string show(const driver::Effects& effects, const World& world);

// ---- the operations. Sessions are "s" where a name is not given.

struct Append final : Operation {
  std::vector<NewEvent> events;
  std::vector<Consumer> served;
  bool serves_all = false;
  std::int64_t origin_index = 0;
  std::string session = "s";

  explicit Append(std::vector<NewEvent> given, std::vector<Consumer> consumers = {},
                  std::int64_t origin = 0)
      : events(std::move(given)), served(std::move(consumers)), origin_index(origin) {}
  driver::Query plan() const override;
  driver::Effects decide(const driver::Query& query, driver::Facts&& facts,
                         std::string& answer) const override;
};

struct AppendBatch final : Operation {
  std::vector<Append> items;

  explicit AppendBatch(std::vector<Append> given) : items(std::move(given)) {}
  driver::Query plan() const override;
  driver::Effects decide(const driver::Query& query, driver::Facts&& facts,
                         std::string& answer) const override;
};

// An operation on one session by a plan of its query and a decision on its workspace.
class OnSession : public Operation {
 public:
  std::string session = "s";

  driver::Query plan() const override;
  driver::Effects decide(const driver::Query& query, driver::Facts&& facts,
                         std::string& answer) const override;

 protected:
  virtual void plan(driver::SessionQuery& query) const = 0;
  virtual std::string decide(Workspace& space) const = 0;
};

struct WakeLog final : OnSession {
  Consumer consumer;

  explicit WakeLog(Consumer given) : consumer(std::move(given)) {}

 private:
  void plan(driver::SessionQuery& query) const override;
  std::string decide(Workspace& space) const override;
};

struct ClaimHeads final : OnSession {
  ClaimRequest request;

  explicit ClaimHeads(ClaimRequest given) : request(std::move(given)) {}

 private:
  void plan(driver::SessionQuery& query) const override;
  std::string decide(Workspace& space) const override;
};

struct Renew final : OnSession {
  RenewRequest request;

  explicit Renew(RenewRequest given) : request(std::move(given)) {}

 private:
  void plan(driver::SessionQuery& query) const override;
  std::string decide(Workspace& space) const override;
};

// complete, fail and release, and many of them.
struct Settle final : Operation {
  struct Item {
    Claim claim;
    SettleAction action = SettleAction::kComplete;
    std::vector<NewEvent> events = {};
    std::int64_t max_failures = 0;
    std::optional<std::int64_t> delay_ms = {};
    std::string session = "s";
  };
  std::vector<Item> items;
  std::vector<Consumer> served;
  std::optional<ClaimReadyRequest> claim;
  bool is_settle = true;

  driver::Query plan() const override;
  driver::Effects decide(const driver::Query& query, driver::Facts&& facts,
                         std::string& answer) const override;

 private:
  SettleRequest request() const;
};

Settle complete(Claim claim, std::vector<NewEvent> events = {}, std::vector<Consumer> served = {});
Settle fail(Claim claim, std::int64_t max_failures, std::optional<std::int64_t> retry_after = {});
Settle release(Claim claim, std::optional<std::int64_t> delay = {});
Settle claim_ready(ClaimReadyRequest request);

struct Redrive final : OnSession {
  RedriveRequest request;

  explicit Redrive(RedriveRequest given) : request(std::move(given)) {}

 private:
  void plan(driver::SessionQuery& query) const override;
  std::string decide(Workspace& space) const override;
};

struct PutSnapshots final : OnSession {
  std::string reducer;
  std::vector<SnapshotWrite> writes;  // ascending

  PutSnapshots(std::string of, std::vector<SnapshotWrite> given)
      : reducer(std::move(of)), writes(std::move(given)) {}

 private:
  PutSnapshotsRequest request() const;
  void plan(driver::SessionQuery& query) const override;
  std::string decide(Workspace& space) const override;
};

struct Clear final : OnSession {
  ClearRequest request;

  explicit Clear(ClearRequest given = {}) : request(std::move(given)) {}

 private:
  void plan(driver::SessionQuery& query) const override;
  std::string decide(Workspace& space) const override;
};

struct Reclaim final : OnSession {
  std::int64_t limit;

  explicit Reclaim(std::int64_t given) : limit(given) {}

 private:
  void plan(driver::SessionQuery& query) const override;
  std::string decide(Workspace& space) const override;
};

struct DeleteSession final : OnSession {
  std::int64_t limit;
  bool only_go_on;

  explicit DeleteSession(std::int64_t given, bool goes_on = false)
      : limit(given), only_go_on(goes_on) {}

 private:
  void plan(driver::SessionQuery& query) const override;
  std::string decide(Workspace& space) const override;
};

struct Prune final : OnSession {
  std::int64_t finished_before;
  std::int64_t limit;

  Prune(std::int64_t before, std::int64_t most) : finished_before(before), limit(most) {}

 private:
  void plan(driver::SessionQuery& query) const override;
  std::string decide(Workspace& space) const override;
};

struct DeleteConsumer final : OnSession {
  std::string consumer;
  std::int64_t limit;

  DeleteConsumer(std::string name, std::int64_t most) : consumer(std::move(name)), limit(most) {}

 private:
  void plan(driver::SessionQuery& query) const override;
  std::string decide(Workspace& space) const override;
};

struct SetPresence final : Operation {
  SetPresenceRequest request;
  std::vector<PresenceField> fields;

  SetPresence(std::vector<PresenceField> given, std::int64_t at, std::int64_t ttl_ms,
              std::optional<std::int64_t> seen = {});
  driver::Query plan() const override;
  driver::Effects decide(const driver::Query& query, driver::Facts&& facts,
                         std::string& answer) const override;
};

// ---- requests

ServedSet serving(const std::vector<Consumer>& consumers);

// By holder w, until now + 50, of all consumers.
ClaimRequest claiming(std::int64_t limit = 100);
ClaimRequest claiming(const std::vector<Consumer>& served, std::int64_t limit = 100);

}  // namespace pawl::core::testing
