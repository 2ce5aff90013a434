// Compares every key that is derived from a row with the rows, from outside: over all keys.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "values.h"
#include "view.h"

namespace pawl::rocksdb {

// Reads all keys; what is wrong with them stands in faults().
class KeyCheck {
 public:
  explicit KeyCheck(::rocksdb::DB& db) {
    const std::unique_ptr<::rocksdb::Iterator> it(db.NewIterator({}));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      stored_[it->key().ToString()] = it->value().ToString();
    }
    check(it->status(), Phase::kRunning, "reading all keys");
    for (const auto& [key, value] : stored_) derive(key, value);
    for (const auto& [name, front] : fronts_) derive_front(name.first, name.second, front);
    compare();
  }

  const std::string& faults() const { return faults_; }

 private:
  using Keys = std::map<std::string, std::string>;

  static std::string readable(const std::string& key) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (const char c : key) {
      if (c >= ' ' && c <= '~') {
        text += c;
      } else {
        text += std::string("\\") + kDigits[static_cast<unsigned char>(c) / 16] +
                kDigits[static_cast<unsigned char>(c) % 16];
      }
    }
    return text;
  }

  void expect(const Key& key, const std::string& value = {}) { derived_[key.bytes()] = value; }
  void expect(const std::string& key, const std::string& value = {}) { derived_[key] = value; }

  void derive(const std::string& key, const std::string& value) {
    KeyReader reader(key, key.substr(0, 1));
    switch (static_cast<Tag>(key.front())) {
      case Tag::kSession:
        return derive_session(reader.name(), decode_session(value));
      case Tag::kEvent:
        return derive_event(reader.name(), reader, value);
      case Tag::kCursor:
        return derive_cursor(reader.name(), reader, value);
      case Tag::kWork:
        return derive_work(reader.name(), reader, value);
      case Tag::kPresence:
        return derive_presence(reader.name(), reader, value);
      case Tag::kSnapshot:
        if (!stored_.contains(static_cast<char>(Tag::kState) + key.substr(1))) {
          faults_ += "no state: " + readable(key) + "\n";
        }
        return;
      default:
        return;
    }
  }

  void derive_session(const std::string& name, const driver::SessionRow& row) {
    eras_[name] = row.era;
    if (row.listed()) expect(Key(Tag::kListed).name(name));
    if (row.upkeep) expect(Key(Tag::kUpkeep).name(name));
    if (row.finished_since > 0) {
      expect(Key(Tag::kFinishedSince).number(row.finished_since).name(name));
    }
  }

  void derive_event(const std::string& session, KeyReader& reader, const std::string& value) {
    const std::int64_t index = reader.number();
    const driver::EventRow row = decode_event(index, value);
    expect(Key(Tag::kType).name(session).name(row.type).number(index));
    // An id that was used again is the later event's: these come in the order of their indexes.
    expect(Key(Tag::kId).name(session).name(row.id), encode_number(index));
  }

  void derive_cursor(const std::string& session, KeyReader& reader, const std::string& value) {
    const std::int64_t era = reader.number();
    driver::CursorKey key;
    key.consumer = reader.name();
    key.lane = reader.lane();
    key.index = reader.number();
    const driver::CursorRow row = decode_cursor(era, key, value);
    if (row.kind == CursorKind::kLog) {
      expect(Key(Tag::kLog).name(session).name(key.consumer).lane(key.lane), encode_number(era));
    }
    if (row.dead()) expect(dead_key(session, row));
    if (row.due == driver::kNever) return;
    expect(due_key(session, row), encode_number(row.since));
    fronts_[{session, key.consumer}][due_key(session, row)] = row;
  }

  void derive_front(const std::string& session, const std::string& consumer,
                    const std::map<std::string, driver::CursorRow>& rows) {
    Front front;
    for (const auto& [key, row] : rows) {
      if (row.era != eras_[session]) continue;
      std::optional<Place>& half = row.due == 0 ? front.free : front.timed;
      if (!half) half = Place{row.due, row.since, row.head, row.key.lane};
    }
    if (front.empty()) return;
    expect(Key(Tag::kFirstKey).name(session).name(consumer), encode(front));
    expect(ready_key(consumer, front.first().due, front.first().since, session));
  }

  void derive_work(const std::string& session, KeyReader& reader, const std::string& value) {
    std::string consumer = reader.name();
    Lane lane = reader.lane();
    const std::int64_t index = reader.number();
    const driver::WorkRow row = decode_work(std::move(consumer), std::move(lane), index, value);
    if (row.finished_at > 0) expect(finished_key(session, row));
  }

  void derive_presence(const std::string& name_space, KeyReader& reader, const std::string& value) {
    const std::string participant = reader.name();
    const std::string field = reader.name();
    const std::int64_t at = decode_presence(participant, field, value).expires_at;
    expect(Key(Tag::kExpiry).name(name_space).number(at).name(participant).name(field));
    expect(Key(Tag::kExpiryOfAll).number(at).name(name_space).name(participant).name(field));
  }

  void compare() {
    static const std::string kDerived = "lunitgqxfryko";
    for (const auto& [key, value] : stored_) {
      if (kDerived.find(key.front()) == std::string::npos) continue;
      const auto found = derived_.find(key);
      if (found == derived_.end()) {
        faults_ += "stale: " + readable(key) + "\n";
      } else if (found->second != value) {
        faults_ += "another value: " + readable(key) + "\n";
      }
    }
    for (const auto& [key, value] : derived_) {
      if (!stored_.contains(key)) faults_ += "missing: " + readable(key) + "\n";
    }
  }

  Keys stored_;
  Keys derived_;
  std::map<std::string, std::int64_t> eras_;
  std::map<std::pair<std::string, std::string>, std::map<std::string, driver::CursorRow>> fronts_;
  std::string faults_;
};

}  // namespace pawl::rocksdb
