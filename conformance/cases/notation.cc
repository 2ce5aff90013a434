// Parsing and showing values in the words that notation.h describes.
#include "cases/notation.h"

#include <charconv>
#include <stdexcept>

namespace pawl::conformance {
namespace {

// Cuts `text` at the first `mark`: what is before stays, what follows is returned.
std::optional<std::string_view> cut(std::string_view& text, char mark) {
  const size_t at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(at + 1);
  text = text.substr(0, at);
  return rest;
}

std::int64_t number(std::string_view text) {
  std::int64_t n = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), n);
  if (end.ec != std::errc() || end.ptr != text.data() + text.size()) {
    throw std::logic_error("not a number in a case: " + std::string(text));
  }
  return n;
}

Target parse_target(std::string_view text) {
  Target target;
  if (const auto at = cut(text, '+')) target.available_at = ms(number(*at));
  if (const auto lane = cut(text, '/')) target.lane = *lane;
  target.consumer = text;
  return target;
}

NewEvent parse_event(std::string_view text) {
  NewEvent event;
  event.type = "t";
  if (const auto targets = cut(text, '>')) {
    for (const std::string& target : words(*targets, ',')) {
      event.targets.push_back(parse_target(target));
    }
  }
  if (const auto cause = cut(text, '<')) {
    const Claim c = parse_claim(*cause);
    event.cause = Cause{c.consumer, c.lane, c.index, c.attempt, {}};
  }
  if (const auto payload = cut(text, '=')) event.payload = *payload;
  if (const auto type = cut(text, ':')) event.type = *type;
  if (text != "-") event.id = text;
  return event;
}

Consumer parse_consumer(std::string_view text) {
  Consumer consumer;
  if (auto types = cut(text, '+')) {
    Log log;
    if (types->ends_with('!')) {
      log.backfill = true;
      types->remove_suffix(1);
    }
    if (const auto lane = cut(*types, '%')) log.lane = *lane;
    if (*types == "-") {
      log.types.emplace();
    } else if (!types->empty()) {
      log.types = words(*types, ',');
    }
    consumer.log = log;
  }
  consumer.name = text;
  return consumer;
}

template <class T, class Parse>
std::vector<T> parse_list(std::string_view text, Parse parse) {
  std::vector<T> list;
  for (const std::string& word : words(text)) list.push_back(parse(word));
  return list;
}

void join(std::string& text, const std::string& more, const char* separator = " ") {
  if (!text.empty() && !more.empty()) text += separator;
  text += more;
}

void add_field(std::string& text, const char* name, std::int64_t value) {
  join(text, name + std::to_string(value));
}

std::string show_claims(const std::vector<Head>& heads, const std::vector<Head>& dead) {
  std::string text = show(heads);
  if (!dead.empty()) join(text, "dead " + show(dead));
  return text;
}

}  // namespace

std::vector<std::string> words(std::string_view text, char separator) {
  std::vector<std::string> list;
  while (!text.empty()) {
    const std::optional<std::string_view> rest = cut(text, separator);
    if (!text.empty()) list.emplace_back(text);
    text = rest.value_or("");
  }
  return list;
}

HeadRef parse_ref(std::string_view text) {
  HeadRef ref;
  if (const auto index = cut(text, '#')) ref.index = number(*index);
  if (const auto lane = cut(text, '/')) ref.lane = *lane;
  ref.consumer = text;
  return ref;
}

Claim parse_claim(std::string_view text) {
  Claim claim;
  if (const auto attempt = cut(text, '@')) claim.attempt = number(*attempt);
  const HeadRef ref = parse_ref(text);
  claim.consumer = ref.consumer;
  claim.lane = ref.lane;
  claim.index = ref.index;
  return claim;
}

std::vector<HeadRef> parse_refs(std::string_view text) {
  return parse_list<HeadRef>(text, parse_ref);
}

std::vector<Claim> parse_claims(std::string_view text) {
  return parse_list<Claim>(text, parse_claim);
}

std::vector<NewEvent> parse_events(std::string_view text) {
  return parse_list<NewEvent>(text, parse_event);
}

ServedList::ServedList(std::string_view text) : absent_(text == "*") {
  if (!absent_) consumers_ = parse_list<Consumer>(text, parse_consumer);
}

std::string show(const HeadRef& ref) {
  return ref.consumer + (ref.lane ? "/" + *ref.lane : "") + "#" + std::to_string(ref.index);
}

std::string show(const std::vector<HeadRef>& refs) {
  std::string text;
  for (const HeadRef& ref : refs) join(text, show(ref));
  return text;
}

std::string show(const Claim& claim) {
  return show(HeadRef{claim.consumer, claim.lane, claim.index}) + "@" +
         std::to_string(claim.attempt);
}

std::string show(const std::vector<Event>& events) {
  std::string text;
  for (const Event& event : events) {
    const bool marker = event.type == "pawl.clear";
    join(text, (marker ? event.type : event.id) + "#" + std::to_string(event.index));
  }
  return text;
}

std::string show_full(const Event& event) {
  std::string text = std::to_string(event.index) + " " + event.id + " " + event.type + " " +
                     event.payload + " at=" + std::to_string(ms(event.created_at));
  if (event.cause) {
    const Cause& cause = *event.cause;
    text += " cause=" + show(Claim{cause.consumer, cause.lane, cause.index, cause.attempt});
    if (cause.batch_size) text += "*" + std::to_string(*cause.batch_size);
  }
  return text;
}

std::string show(const std::vector<Head>& heads) {
  std::string text;
  for (const Head& head : heads) join(text, show(static_cast<Claim>(head)));
  return text;
}

std::string show(const Dispatch& dispatch) {
  std::string text;
  if (dispatch.attempt_count != 0) add_field(text, "attempts=", dispatch.attempt_count);
  if (dispatch.first_claimed_at) add_field(text, "first=", ms(*dispatch.first_claimed_at));
  if (dispatch.last_claimed_at) add_field(text, "last=", ms(*dispatch.last_claimed_at));
  if (dispatch.claim_holder) join(text, "by=" + *dispatch.claim_holder);
  if (dispatch.claim_expires_at) add_field(text, "until=", ms(*dispatch.claim_expires_at));
  if (dispatch.failure_count != 0) add_field(text, "failures=", dispatch.failure_count);
  if (dispatch.last_failed_at) add_field(text, "failed=", ms(*dispatch.last_failed_at));
  if (dispatch.last_failed_attempt) {
    text += "@" + std::to_string(*dispatch.last_failed_attempt);
  }
  if (dispatch.last_error) text += ":" + *dispatch.last_error;
  if (dispatch.failed_at) add_field(text, "dead=", ms(*dispatch.failed_at));
  return text;
}

std::string show(const Cursor& cursor) {
  std::string text = cursor.consumer + (cursor.lane ? "/" + *cursor.lane : "");
  join(text, std::string(to_string(cursor.kind)));
  add_field(text, "pos=", cursor.position);
  if (cursor.head) add_field(text, "head=", *cursor.head);
  join(text, show(static_cast<const Dispatch&>(cursor)));
  return text;
}

std::string show(const ClaimResult& result) {
  if (result.outcome == ClaimOutcome::kSettled) return "settled";
  if (result.outcome == ClaimOutcome::kBusy) {
    return "busy " + (result.retry_at ? std::to_string(ms(*result.retry_at)) : "without a time");
  }
  std::string text = "claimed";
  join(text, show_claims(result.heads, result.dead_lettered));
  return text;
}

std::string show(const FinishResult& result, bool with_count) {
  std::string text;
  switch (result.outcome) {
    case FinishOutcome::kCompleted:
      text = "completed";
      break;
    case FinishOutcome::kFailed:
      text = "failed";
      break;
    case FinishOutcome::kDeadLettered:
      text = "dead_lettered";
      break;
    case FinishOutcome::kReleased:
      text = "released";
      break;
    case FinishOutcome::kSuperseded:
      text = "superseded";
      break;
  }
  if (with_count) add_field(text, "", result.failure_count);
  join(text, show(result.events));
  return text;
}

std::string show(const RenewResult& result) {
  std::string text;
  if (!result.renewed.empty()) text = "renewed " + show(result.renewed);
  if (!result.superseded.empty()) join(text, "superseded " + show(result.superseded));
  return text;
}

std::string show(const ReadyResult& result) {
  std::string text;
  for (const ReadyEntry& entry : result.sessions) {
    join(text, entry.session + "@" + std::to_string(ms(entry.ready_at)));
  }
  if (result.next_at) add_field(text, "next ", ms(*result.next_at));
  return text;
}

std::string show(const std::vector<SessionClaims>& claims) {
  std::string text;
  for (const SessionClaims& c : claims) {
    join(text, c.session + ": " + show_claims(c.heads, c.dead_lettered), "; ");
  }
  return text;
}

std::string show(const ClaimReadyResult& result) {
  std::string text = show(result.claims);
  if (result.next_at) join(text, "next " + std::to_string(ms(*result.next_at)), "; ");
  return text;
}

std::string show(const DeletedResult& result) {
  return std::to_string(result.deleted) + (result.done ? " done" : " more");
}

std::string show(const LoadSnapshotResult& result) {
  std::string text = "none";
  if (result.snapshot) {
    text = std::to_string(result.snapshot->index) + "=" + result.snapshot->state + "@" +
           std::to_string(ms(result.snapshot->updated_at));
  }
  if (result.newest_index) add_field(text, "newest ", *result.newest_index);
  if (!result.events.empty()) join(text, "events " + show(result.events));
  return text + " (clear " + std::to_string(result.clear_index) + " last " +
         std::to_string(result.last_index) + ")";
}

}  // namespace pawl::conformance
