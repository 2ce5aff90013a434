// See answers.h.
#include "answers.h"

#include "json.h"

namespace pawl::jsonl {

void Fields::name(std::string_view name) {
  if (!first_) out_ += ',';
  first_ = false;
  out_ += '"';
  out_ += name;
  out_ += "\":";
}

void Fields::text(std::string_view name, std::string_view value) {
  this->name(name);
  out_ += quoted(value);
}

void Fields::text_if(std::string_view name, const std::optional<std::string>& value) {
  if (value) text(name, *value);
}

void Fields::integer(std::string_view name, std::int64_t value) {
  this->name(name);
  out_ += std::to_string(value);
}

void Fields::integer_if(std::string_view name, const std::optional<std::int64_t>& value) {
  if (value) integer(name, *value);
}

void Fields::time_if(std::string_view name, const std::optional<Time>& value) {
  if (value) time(name, *value);
}

void Fields::flag(std::string_view name, bool value) {
  this->name(name);
  out_ += value ? "true" : "false";
}

void Fields::json(std::string_view name, const std::string& value) {
  if (value.find_first_of("\r\n") != std::string::npos) {
    text(std::string(name) + "_text", value);
    return;
  }
  this->name(name);
  out_ += value;
}

namespace {

void event_fields(Fields& fields, const Event& event) {
  fields.text("session", event.session);
  fields.integer("index", event.index);
  fields.text("id", event.id);
  fields.text("type", event.type);
  fields.json("payload", event.payload);
  fields.time("created_at", event.created_at);
  if (event.cause) fields.field("cause", *event.cause);
}

void dispatch_fields(Fields& fields, const Dispatch& dispatch) {
  fields.integer("attempt_count", dispatch.attempt_count);
  fields.time_if("first_claimed_at", dispatch.first_claimed_at);
  fields.time_if("last_claimed_at", dispatch.last_claimed_at);
  fields.text_if("claim_holder", dispatch.claim_holder);
  fields.time_if("claim_expires_at", dispatch.claim_expires_at);
  fields.integer("failure_count", dispatch.failure_count);
  fields.time_if("last_failed_at", dispatch.last_failed_at);
  fields.integer_if("last_failed_attempt", dispatch.last_failed_attempt);
  fields.text_if("last_error", dispatch.last_error);
  fields.time_if("failed_at", dispatch.failed_at);
}

std::string_view name_of(FinishOutcome outcome) {
  switch (outcome) {
    case FinishOutcome::kCompleted:
      return "completed";
    case FinishOutcome::kFailed:
      return "failed";
    case FinishOutcome::kDeadLettered:
      return "dead_lettered";
    case FinishOutcome::kReleased:
      return "released";
    case FinishOutcome::kSuperseded:
      break;
  }
  return "superseded";
}

void head_fields(Fields& fields, std::int64_t last_index, std::int64_t clear_index) {
  fields.integer("last_index", last_index);
  fields.integer("clear_index", clear_index);
}

void claims_fields(Fields& fields, const std::vector<Head>& heads,
                   const std::vector<Head>& dead_lettered, std::int64_t last_index) {
  fields.field("heads", heads);
  fields.field("dead_lettered", dead_lettered);
  fields.integer("last_index", last_index);
}

}  // namespace

void write(std::string& out, const Event& event) {
  Fields fields(out);
  event_fields(fields, event);
  fields.end();
}

void write(std::string& out, const Head& head) {
  Fields fields(out);
  event_fields(fields, head.event);
  fields.text("consumer", head.consumer);
  fields.text("kind", to_string(head.kind));
  fields.text_if("lane", head.lane);
  dispatch_fields(fields, head);
  if (head.clear_index > 0) fields.integer("clear_index", head.clear_index);
  fields.end();
}

void write(std::string& out, const Cursor& cursor) {
  Fields fields(out);
  fields.text("consumer", cursor.consumer);
  fields.text("kind", to_string(cursor.kind));
  fields.text_if("lane", cursor.lane);
  fields.integer("position", cursor.position);
  fields.integer_if("head", cursor.head);
  dispatch_fields(fields, cursor);
  fields.end();
}

void write(std::string& out, const HeadRef& ref) {
  Fields fields(out);
  fields.text("consumer", ref.consumer);
  fields.text_if("lane", ref.lane);
  fields.integer("index", ref.index);
  fields.end();
}

void write(std::string& out, const Cause& cause) {
  Fields fields(out);
  fields.text("consumer", cause.consumer);
  fields.text_if("lane", cause.lane);
  fields.integer("index", cause.index);
  fields.integer("attempt", cause.attempt);
  fields.integer_if("batch_size", cause.batch_size);
  fields.end();
}

void write(std::string& out, const AppendResult& result) {
  Fields fields(out);
  fields.field("events", result.events);
  fields.flag("has_pending", result.has_pending);
  fields.end();
}

void write(std::string& out, const WakeLogResult& result) {
  Fields fields(out);
  fields.field("cursor", result.cursor);
  fields.integer("last_index", result.last_index);
  fields.end();
}

void write(std::string& out, const SessionHead& head) {
  Fields fields(out);
  head_fields(fields, head.last_index, head.clear_index);
  fields.end();
}

void write(std::string& out, const SessionInfo& session) {
  Fields fields(out);
  fields.text("session", session.session);
  head_fields(fields, session.last_index, session.clear_index);
  fields.end();
}

void write(std::string& out, const ClaimResult& result) {
  Fields fields(out);
  switch (result.outcome) {
    case ClaimOutcome::kClaimed:
      fields.text("outcome", "claimed");
      claims_fields(fields, result.heads, result.dead_lettered, result.last_index);
      break;
    case ClaimOutcome::kBusy:
      fields.text("outcome", "busy");
      fields.time_if("retry_at", result.retry_at);
      break;
    case ClaimOutcome::kSettled:
      fields.text("outcome", "settled");
      break;
  }
  fields.end();
}

void write(std::string& out, const RenewResult& result) {
  Fields fields(out);
  fields.field("renewed", result.renewed);
  fields.field("superseded", result.superseded);
  fields.end();
}

void write(std::string& out, const SessionClaims& claims) {
  Fields fields(out);
  fields.text("session", claims.session);
  claims_fields(fields, claims.heads, claims.dead_lettered, claims.last_index);
  fields.end();
}

void write(std::string& out, const ClaimReadyResult& result) {
  Fields fields(out);
  fields.field("claims", result.claims);
  fields.time_if("next_at", result.next_at);
  fields.end();
}

void write(std::string& out, const FinishResult& result, SettleAction action) {
  Fields fields(out);
  fields.text("outcome", name_of(result.outcome));
  if (result.outcome == FinishOutcome::kCompleted) fields.field("events", result.events);
  if (action == SettleAction::kFail) fields.integer("failure_count", result.failure_count);
  fields.end();
}

void write(std::string& out, const SettleResult& result, const std::vector<SettleItem>& items) {
  out += "{\"results\":[";
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += ',';
    write(out, result.results.at(i), items[i].action);
  }
  out += ']';
  if (result.claims) {
    out += ",\"claims\":";
    write(out, *result.claims);
  }
  if (result.next_at) {
    out += ",\"next_at\":" + std::to_string(result.next_at->time_since_epoch().count());
  }
  out += '}';
}

void write(std::string& out, const RedriveResult& result) {
  Fields fields(out);
  fields.flag("redriven", result.redriven);
  fields.flag("has_pending", result.has_pending);
  fields.end();
}

void write(std::string& out, const Snapshot& snapshot) {
  Fields fields(out);
  fields.integer("index", snapshot.index);
  fields.json("state", snapshot.state);
  fields.time("updated_at", snapshot.updated_at);
  fields.end();
}

void write(std::string& out, const LoadSnapshotResult& result) {
  Fields fields(out);
  fields.integer("clear_index", result.clear_index);
  fields.integer("last_index", result.last_index);
  fields.integer_if("newest_index", result.newest_index);
  if (result.snapshot) fields.field("snapshot", *result.snapshot);
  fields.field("events", result.events);
  fields.end();
}

void write(std::string& out, const PresenceEntry& entry) {
  Fields fields(out);
  fields.text("participant", entry.participant);
  fields.text("field", entry.field);
  fields.json("value", entry.value);
  fields.integer_if("seen", entry.seen);
  fields.time("at", entry.at);
  fields.time("expires_at", entry.expires_at);
  fields.end();
}

void write(std::string& out, const ClearResult& result) {
  Fields fields(out);
  fields.flag("cleared", result.cleared);
  fields.integer("index", result.index);
  fields.integer("clear_index", result.clear_index);
  fields.end();
}

void write(std::string& out, const DeletedResult& result) {
  Fields fields(out);
  fields.integer("deleted", result.deleted);
  fields.flag("done", result.done);
  fields.end();
}

void write(std::string& out, const ReadyEntry& entry) {
  Fields fields(out);
  fields.text("session", entry.session);
  fields.time("ready_at", entry.ready_at);
  fields.end();
}

void write(std::string& out, const ReadyResult& result) {
  Fields fields(out);
  fields.field("sessions", result.sessions);
  fields.time_if("next_at", result.next_at);
  fields.end();
}

void write(std::string& out, const Error& error) {
  Fields fields(out);
  fields.text("code", to_string(error.code()));
  fields.text("message", error.what());
  fields.end();
}

}  // namespace pawl::jsonl
