// How cases write values in a word: parsing what they give and showing what they get.
//
//   head reference  c/k#1 (consumer c, lane k, index 1), c#1 (no lane)
//   claim           c/k#1@2 (the second attempt)
//   events          ID[:TYPE][=PAYLOAD][<CAUSE][>TARGETS]: "a b:paid=1 d<c#1@2>c/k,e+50"; the id
//                   "-" is none; the type is t unless given, the payload null; e+50 is a target
//                   that is available at 50
//   consumers       NAME, NAME+ (a log of all types), NAME+a,b (of these), NAME+- (of none), with
//                   %LANE if the log's lane is not "log", and ! to backfill: "c l+ m+a,b%k!".
//                   "*" leaves the list out, "" is the empty one
//
// Lists are separated by blanks. Times are shown as milliseconds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pawl/store.h"

namespace pawl::conformance {

inline Time ms(std::int64_t t) { return Time(Duration(t)); }
inline std::int64_t ms(Time t) { return t.time_since_epoch().count(); }

std::vector<std::string> words(std::string_view text, char separator = ' ');

HeadRef parse_ref(std::string_view text);
std::vector<HeadRef> parse_refs(std::string_view text);
Claim parse_claim(std::string_view text);
std::vector<Claim> parse_claims(std::string_view text);
std::vector<NewEvent> parse_events(std::string_view text);

// Served consumers that own what `get` points to.
class ServedList {
 public:
  ServedList(std::string_view text);  // NOLINT: cases write the text
  ServedList(const char* text) : ServedList(std::string_view(text)) {}         // NOLINT
  ServedList(const std::string& text) : ServedList(std::string_view(text)) {}  // NOLINT
  Served get() const { return absent_ ? Served() : Served(std::span<const Consumer>(consumers_)); }
  const std::vector<Consumer>& consumers() const { return consumers_; }

 private:
  bool absent_ = false;
  std::vector<Consumer> consumers_;
};

std::string show(const HeadRef& ref);
std::string show(const std::vector<HeadRef>& refs);
std::string show(const Claim& claim);
// "a#1 pawl.clear#2": ids, but the type of a clear marker.
std::string show(const std::vector<Event>& events);
// All fields: "1 a t null at=1 cause=c/k#1@1".
std::string show_full(const Event& event);
// "c/k#1@1 c#2@1".
std::string show(const std::vector<Head>& heads);
// "c/k lane pos=0 head=1 attempts=1 first=1 last=1 by=w until=101 failures=1 failed=5@1:e
// dead=5", without what is absent or 0.
std::string show(const Cursor& cursor);
std::string show(const Dispatch& dispatch);
// "claimed c/k#1@1 dead c#2@3", "busy 101", "settled".
std::string show(const ClaimResult& result);
// "completed a#1", "failed 1", "dead_lettered 2", "released", "superseded", for a fail with the
// count behind it.
std::string show(const FinishResult& result, bool with_count);
std::string show(const RenewResult& result);       // "renewed c#1 superseded c#2"
std::string show(const ReadyResult& result);       // "s@1 u@5 next 9"
std::string show(const ClaimReadyResult& result);  // "s: c#1@1; u: c#1@1 dead c#2@2; next 9"
std::string show(const std::vector<SessionClaims>& claims);
std::string show(const DeletedResult& result);       // "3 done", "3 more"
std::string show(const LoadSnapshotResult& result);  // "2=X@5 newest 4 events c#3 (clear 0 last 3)"

}  // namespace pawl::conformance
