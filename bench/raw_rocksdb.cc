// raw_rocksdb.cc: see raw_rocksdb.h.
#include "raw_rocksdb.h"

#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include <mutex>
#include <stdexcept>
#include <vector>

#include "rocksdb/src/keys.h"
#include "rocksdb/src/options.h"
#include "rocksdb/src/values.h"

namespace pawl::bench {
namespace {

using rocksdb::Key;
using rocksdb::Tag;

constexpr std::int64_t kNow = 1'700'000'000'000;
constexpr std::int64_t kLapse = kNow + 3'600'000;

void check(const ::rocksdb::Status& status) {
  if (!status.ok()) throw std::runtime_error("raw rocksdb: " + status.ToString());
}

driver::CursorRow cursor_row(std::int64_t index, std::int64_t due) {
  driver::CursorRow row;
  row.key = {"worker", std::nullopt, index};
  row.kind = CursorKind::kEvent;
  row.position = index - 1;
  row.head = index;
  row.due = due;
  row.since = due == 0 ? kNow : 0;
  if (due > 0) {
    row.attempt_count = 1;
    row.claim_holder = "bench";
    row.first_claimed_at = row.last_claimed_at = kNow;
  }
  return row;
}

// One session's rows, by one batch a transaction.
class Session {
 public:
  Session(::rocksdb::DB& db, std::string name, bool full) : db_(db), name_(std::move(name)) {
    options_.sync = full;
  }

  void append(std::int64_t count) {
    const std::lock_guard lock(mutex_);
    ::rocksdb::WriteBatch batch;
    const bool is_first = last_ == claimed_;
    for (std::int64_t i = 0; i < count; ++i) {
      put_event(batch, "0192e4a0-0000-7000-8000-" + std::to_string(last_ + 1), "work", true);
      const driver::CursorRow row = cursor_row(last_, 0);
      put(batch, rocksdb::cursor_key(name_, 0, row.key), rocksdb::encode(row));
      put(batch, rocksdb::due_key(name_, row), since_);
    }
    if (is_first) put_front(batch, 0, claimed_ + 1);
    write(batch);
  }

  // `only`: there is nothing else to be claimed.
  void claim(bool only) {
    const std::lock_guard lock(mutex_);
    const std::int64_t index = first_due();
    ::rocksdb::WriteBatch batch;
    remove(batch, rocksdb::due_key(name_, cursor_row(index, 0)));
    const driver::CursorRow row = cursor_row(index, kLapse);
    put(batch, rocksdb::cursor_key(name_, 0, row.key), rocksdb::encode(row));
    put(batch, rocksdb::due_key(name_, row), since_);
    if (only) {
      remove(batch, ready_key(0));
      put_front(batch, kLapse, index);
    } else {
      put_front(batch, 0, index + 1, false);
    }
    write(batch);
    claimed_ = index;
    std::string event;
    check(db_.Get({}, rocksdb::event_key(name_, index), &event));
  }

  void complete(bool follow_up, bool only) {
    const std::lock_guard lock(mutex_);
    const std::int64_t index = ++done_;
    ::rocksdb::WriteBatch batch;
    if (follow_up) put_event(batch, "done-" + std::to_string(index), "done", false);
    const driver::CursorRow row = cursor_row(index, kLapse);
    remove(batch, rocksdb::cursor_key(name_, 0, row.key));
    remove(batch, rocksdb::due_key(name_, row));
    const driver::WorkRow work{"worker", std::nullopt, index,
                               0,        kNow,         driver::Completion{index, 1, {}}};
    put(batch, rocksdb::work_key(name_, "worker", std::nullopt, index), rocksdb::encode(work));
    put(batch, rocksdb::finished_key(name_, work), {});
    if (only) {
      batch.Delete(front_key());
      remove(batch, ready_key(kLapse));
    } else {
      put_front(batch, kLapse, index + 1, false);
    }
    write(batch);
  }

 private:
  static void put(::rocksdb::WriteBatch& batch, const std::string& key, const std::string& value) {
    check(batch.Put(key, value));
  }
  static void remove(::rocksdb::WriteBatch& batch, const std::string& key) {
    check(batch.Delete(key));
  }

  std::string front_key() const { return Key(Tag::kFirstKey).name(name_).name("worker").bytes(); }
  std::string ready_key(std::int64_t due) const {
    return rocksdb::ready_key("worker", due, kNow, name_);
  }

  void put_event(::rocksdb::WriteBatch& batch, const std::string& id, const std::string& type,
                 bool has_target) {
    const std::int64_t index = ++last_;
    driver::EventRow event{index, id, type, payload_, kNow, std::nullopt, {}, 0};
    if (has_target) event.targets = {{"worker", std::nullopt}};
    put(batch, rocksdb::event_key(name_, index), rocksdb::encode(event));
    put(batch, Key(Tag::kId).name(name_).name(id).bytes(), rocksdb::encode_number(index));
    put(batch, Key(Tag::kType).name(name_).name(type).number(index).bytes(), {});
    driver::SessionRow row;
    row.last_index = index;
    if (batch.Count() <= 8)
      put(batch, Key(Tag::kSession).name(name_).bytes(), rocksdb::encode(row));
  }

  // The first key in both of its places, or in the session's only.
  void put_front(::rocksdb::WriteBatch& batch, std::int64_t due, std::int64_t head,
                 bool is_ready = true) {
    rocksdb::Front front;
    (due == 0 ? front.free : front.timed) = rocksdb::Place{due, kNow, head, std::nullopt};
    put(batch, front_key(), rocksdb::encode(front));
    if (is_ready) put(batch, ready_key(due), {});
  }

  std::int64_t first_due() const {
    const std::string from = rocksdb::due_key(name_, cursor_row(claimed_ + 1, 0));
    const std::string prefix = Key(Tag::kDue).name(name_).number(0).name("worker").bytes();
    const std::string end = Key(Tag::kDue).name(name_).number(0).name("worker").number(1).bytes();
    const ::rocksdb::Slice upper(end);
    ::rocksdb::ReadOptions options;
    options.iterate_upper_bound = &upper;
    const std::unique_ptr<::rocksdb::Iterator> it(db_.NewIterator(options));
    it->Seek(from);
    if (!it->Valid()) throw std::runtime_error("raw rocksdb: nothing is due");
    rocksdb::KeyReader reader(std::string_view(it->key().data(), it->key().size()), prefix);
    reader.number();
    return reader.number();
  }

  void write(::rocksdb::WriteBatch& batch) { check(db_.Write(options_, &batch)); }

  ::rocksdb::DB& db_;
  const std::string name_;
  ::rocksdb::WriteOptions options_;
  const std::string payload_ = payload();
  const std::string since_ = rocksdb::encode_number(kNow);
  std::mutex mutex_;
  std::int64_t last_ = 0;
  std::int64_t claimed_ = 0;
  std::int64_t done_ = 0;
};

class RawRocksdbLoop final : public Loop {
 public:
  explicit RawRocksdbLoop(const Settings& settings) : settings_(settings) {
    ::rocksdb::Options options = rocksdb::rocksdb_options(rocksdb::read_engine_options({}));
    options.create_if_missing = true;
    ::rocksdb::DB* opened = nullptr;
    check(::rocksdb::DB::Open(options, settings.scratch + "/raw", &opened));
    db_.reset(opened);
  }

  void prepare(int threads, std::int64_t turns) override {
    for (int thread = 0; thread < threads; ++thread) {
      sessions_.push_back(
          std::make_unique<Session>(*db_, "session-" + std::to_string(thread), settings_.full));
      if (settings_.work != Work::kClaim && settings_.work != Work::kComplete) continue;
      for (std::int64_t left = turns + 1; left > 0; left -= 100) sessions_.back()->append(100);
      for (std::int64_t i = 0; settings_.work == Work::kComplete && i < turns; ++i) {
        sessions_.back()->claim(false);
      }
    }
  }

  void turn(int thread) override {
    Session& session = *sessions_[static_cast<std::size_t>(thread)];
    switch (settings_.work) {
      case Work::kAppend1:
        return session.append(1);
      case Work::kAppend100:
        return session.append(100);
      case Work::kClaim:
        return session.claim(false);
      case Work::kComplete:
        return session.complete(true, false);
      case Work::kCycle:
        session.append(1);
        session.claim(true);
        return session.complete(false, true);
      case Work::kHundreds:
        throw std::logic_error("bench: there is no raw loop by hundreds");
    }
  }

 private:
  const Settings settings_;
  std::unique_ptr<::rocksdb::DB> db_;
  std::vector<std::unique_ptr<Session>> sessions_;
};

}  // namespace

std::unique_ptr<Loop> make_raw_rocksdb_loop(const Settings& settings) {
  return std::make_unique<RawRocksdbLoop>(settings);
}

const char* raw_rocksdb_carries() {
  return "keys and values of backends/rocksdb/src; writes e i t c q s, r y, w f; no look-ups of "
         "the session, ids, types or served consumers";
}

}  // namespace pawl::bench
