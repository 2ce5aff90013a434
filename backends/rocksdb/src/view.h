// The database as of one moment: get, and bounded scans.
#pragma once

#include <rocksdb/db.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "errors.h"
#include "keys.h"

namespace pawl::rocksdb {

inline ::rocksdb::Slice slice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }
inline std::string_view view(const ::rocksdb::Slice& bytes) { return {bytes.data(), bytes.size()}; }

class View {
 public:
  // With `snapshot`, everything is read as of now; else as of each call, which is the same
  // for what the caller has locked.
  View(::rocksdb::DB& db, bool snapshot) : db_(db) {
    if (snapshot) options_.snapshot = db.GetSnapshot();
  }
  View of_now() const { return {db_, false}; }
  ~View() {
    if (options_.snapshot != nullptr) db_.ReleaseSnapshot(options_.snapshot);
  }
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  std::optional<std::string> get(std::string_view key) const {
    std::string value;
    const ::rocksdb::Status status = db_.Get(options_, slice(key), &value);
    if (status.IsNotFound()) return std::nullopt;
    check(status, Phase::kRunning, "reading a row");
    return value;
  }

  // Calls visit(key, value) for the keys in [from, until), in order, until it returns false.
  template <class Visit>
  void scan(std::string_view from, std::string_view until, const Visit& visit) const {
    if (from >= until) return;
    ::rocksdb::ReadOptions options = options_;
    const ::rocksdb::Slice lower = slice(from);
    const ::rocksdb::Slice upper = slice(until);
    options.iterate_lower_bound = &lower;
    options.iterate_upper_bound = &upper;
    const std::unique_ptr<::rocksdb::Iterator> it(db_.NewIterator(options));
    for (it->Seek(lower); it->Valid(); it->Next()) {
      if (!visit(view(it->key()), view(it->value()))) break;
    }
    check(it->status(), Phase::kRunning, "reading a range");
  }

  // The last key in [from, until), if any.
  template <class Visit>
  void last(std::string_view from, std::string_view until, const Visit& visit) const {
    if (from >= until) return;
    ::rocksdb::ReadOptions options = options_;
    const ::rocksdb::Slice lower = slice(from);
    const ::rocksdb::Slice upper = slice(until);
    options.iterate_lower_bound = &lower;
    options.iterate_upper_bound = &upper;
    const std::unique_ptr<::rocksdb::Iterator> it(db_.NewIterator(options));
    it->SeekToLast();
    if (it->Valid()) visit(view(it->key()), view(it->value()));
    check(it->status(), Phase::kRunning, "reading a range");
  }

 private:
  ::rocksdb::DB& db_;
  ::rocksdb::ReadOptions options_;
};

}  // namespace pawl::rocksdb
