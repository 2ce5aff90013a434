// Writes what the operations answer, each structure with its fields in the contract's order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/error.h"
#include "pawl/store.h"

namespace pawl::jsonl {

// Appends one JSON object to a text: opened when made, closed by end().
class Fields {
 public:
  explicit Fields(std::string& out) : out_(out) { out_ += '{'; }

  void text(std::string_view name, std::string_view value);
  void integer(std::string_view name, std::int64_t value);
  void flag(std::string_view name, bool value);
  // In place as it is, or as a string under `name`_text if it would break the line.
  void json(std::string_view name, const std::string& value);
  void time(std::string_view name, Time value) { integer(name, value.time_since_epoch().count()); }
  // Left out when absent.
  void text_if(std::string_view name, const std::optional<std::string>& value);
  void integer_if(std::string_view name, const std::optional<std::int64_t>& value);
  void time_if(std::string_view name, const std::optional<Time>& value);

  // A value that is written by `write(out, value)`.
  template <class T>
  void field(std::string_view name, const T& value);

  void end() { out_ += '}'; }

 private:
  void name(std::string_view name);

  std::string& out_;
  bool first_ = true;
};

void write(std::string& out, const Event& event);
void write(std::string& out, const Head& head);
void write(std::string& out, const Cursor& cursor);
void write(std::string& out, const HeadRef& ref);
void write(std::string& out, const Cause& cause);
void write(std::string& out, const AppendResult& result);
void write(std::string& out, const WakeLogResult& result);
void write(std::string& out, const SessionHead& head);
void write(std::string& out, const SessionInfo& session);
void write(std::string& out, const ClaimResult& result);
void write(std::string& out, const RenewResult& result);
void write(std::string& out, const SessionClaims& claims);
void write(std::string& out, const ClaimReadyResult& result);
void write(std::string& out, const RedriveResult& result);
void write(std::string& out, const Snapshot& snapshot);
void write(std::string& out, const LoadSnapshotResult& result);
void write(std::string& out, const PresenceEntry& entry);
void write(std::string& out, const ClearResult& result);
void write(std::string& out, const DeletedResult& result);
void write(std::string& out, const ReadyEntry& entry);
void write(std::string& out, const ReadyResult& result);
void write(std::string& out, const Error& error);

// An outcome, with the fields that the item's action gives.
void write(std::string& out, const FinishResult& result, SettleAction action);
void write(std::string& out, const SettleResult& result, const std::vector<SettleItem>& items);

template <class T>
void write(std::string& out, const std::vector<T>& list) {
  out += '[';
  for (const T& entry : list) {
    if (&entry != &list.front()) out += ',';
    write(out, entry);
  }
  out += ']';
}

template <class T>
void Fields::field(std::string_view name, const T& value) {
  this->name(name);
  write(out_, value);
}

}  // namespace pawl::jsonl
