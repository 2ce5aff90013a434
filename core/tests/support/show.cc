// See show.h.
#include "tests/support/show.h"

namespace pawl::core::testing {
namespace {

using driver::kNever;

std::string text(std::int64_t number) { return std::to_string(number); }

// " name=value", if the value says something.
std::string field(const char* name, std::int64_t value) {
  return value == 0 ? "" : std::string(" ") + name + "=" + text(value);
}
std::string field(const char* name, const std::optional<std::string>& value) {
  return value ? std::string(" ") + name + "=" + *value : "";
}

std::string show_completion(const std::optional<driver::Completion>& completion) {
  if (!completion) return "";
  return " completed=" + text(completion->index) + "/" + text(completion->attempt) + "[" +
         joined(completion->ids, " ") + "]";
}

std::string show_target(const driver::TargetRow& target) {
  return target.consumer + (target.lane ? "/" + *target.lane : "");
}

std::string show_cause(const Cause& cause) {
  return show(HeadRef{cause.consumer, cause.lane, cause.index}) + ":" + text(cause.attempt) +
         (cause.batch_size ? "x" + text(*cause.batch_size) : "");
}

std::string show_due(const driver::CursorRow& row) {
  if (row.due == kNever) return field("since", row.since);
  if (row.due == 0) return " since=" + text(row.since);
  return " due=" + text(row.due);
}

}  // namespace

std::string joined(const std::vector<std::string>& texts, const char* between) {
  std::string out;
  for (std::size_t i = 0; i < texts.size(); ++i) out += (i > 0 ? between : "") + texts[i];
  return out;
}

std::string show(const driver::CursorKey& key) {
  return key.consumer + (key.lane ? "/" + *key.lane : "@" + text(key.index));
}

std::string show(const HeadRef& ref) {
  return ref.consumer + (ref.lane ? "/" + *ref.lane : "") + "#" + text(ref.index);
}

std::string show(const driver::CursorRow& row) {
  std::string out = show(row.key) + field("era", row.era) + field("pos", row.position) +
                    field("head", row.head) + show_due(row) + field("tries", row.attempt_count);
  if (row.first_claimed_at > 0) {
    out += " claimed=" + text(row.first_claimed_at) + ".." + text(row.last_claimed_at);
  }
  out += field("by", row.claim_holder) + field("failures", row.failure_count);
  if (row.last_failed_at > 0) {
    out += " failed=" + text(row.last_failed_at) + "/" + text(row.last_failed_attempt);
  }
  out += field("error", row.last_error) + field("dead", row.failed_at) +
         field("released", row.last_released_attempt) + field("pins", row.pins);
  if (row.kind == CursorKind::kLog) {
    out += " types=" + (row.types ? "[" + joined(*row.types, " ") + "]" : "*");
  }
  return out + show_completion(row.completion);
}

std::string show(const driver::WorkRow& row) {
  return show(HeadRef{row.consumer, row.lane, row.index}) + field("available", row.available_at) +
         field("finished", row.finished_at) + show_completion(row.completion);
}

std::string show(const driver::EventRow& row) {
  std::string out = text(row.index) + ":" + row.id + " " + row.type + " " + row.payload;
  if (row.created_at != 0) out += " at=" + text(row.created_at);
  if (row.cause) out += " cause=" + show_cause(*row.cause);
  if (!row.targets.empty()) out += " for=" + show_all<driver::TargetRow>(row.targets, show_target);
  return out;
}

std::string show(const driver::SnapshotRow& row) {
  return row.reducer + "@" + text(row.index) + field("era", row.era) +
         field("updated", row.updated_at) + field("pins", row.pins) + field("state", row.state);
}

std::string show(const driver::PinRow& row) {
  return show(HeadRef{row.cursor.consumer, row.cursor.lane, row.head}) + "->" + row.reducer + "@" +
         text(row.snapshot) + field("era", row.era);
}

std::string show(const driver::PresenceRow& row) {
  std::string out = row.participant + "." + row.field + "=" + row.value;
  if (row.tombstone) out += " gone";
  if (row.seen) out += " seen=" + text(*row.seen);
  return out + field("at", row.at) + field("expires", row.expires_at);
}

std::string show(const driver::SessionRow& row, const driver::SessionRow& before) {
  std::string out;
  const auto add = [&](const char* name, std::int64_t value, std::int64_t old) {
    if (value != old) out += std::string(out.empty() ? "" : " ") + name + "=" + text(value);
  };
  add("last", row.last_index, before.last_index);
  add("clear", row.clear_index, before.clear_index);
  add("era", row.era, before.era);
  add("first", row.first_index, before.first_index);
  add("deleted", row.deleted_index, before.deleted_index);
  add("deleted_era", row.deleted_era, before.deleted_era);
  add("finished_since", row.finished_since, before.finished_since);
  add("upkeep", row.upkeep, before.upkeep);
  add("deleting", row.deleting, before.deleting);
  return out;
}

std::string show(const driver::SessionEffects& effects, const driver::SessionRow& before) {
  std::vector<std::string> parts;
  const auto each = [&](const char* verb, const auto& rows) {
    for (const auto& row : rows) parts.push_back(std::string(verb) + " " + show(row));
  };
  if (effects.row) parts.push_back("row " + show(*effects.row, before));
  if (effects.new_era) parts.emplace_back("new era");
  for (const driver::EventKey& event : effects.erase) {
    parts.push_back("erase " + text(event.index) + ":" + event.id + " " + event.type);
  }
  for (const driver::CursorRow& row : effects.drop) {
    parts.push_back("drop " + show(row.key) + field("era", row.era));
  }
  each("unqueue", effects.drop_work);
  each("drop", effects.drop_snapshots);
  each("unpin", effects.drop_pins);
  each("append", effects.append);
  each("put", effects.put);
  each("work", effects.put_work);
  each("put", effects.put_snapshots);
  each("pin", effects.put_pins);
  return joined(parts, " | ");
}

}  // namespace pawl::core::testing
