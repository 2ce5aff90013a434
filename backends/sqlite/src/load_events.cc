// Events: by key, by range, and the next of some types.
#include <algorithm>
#include <queue>

#include "loader.h"

namespace pawl::sqlite {
namespace {

// Takes events until the limit or the budget of bytes is reached, but at least one.
class EventSink {
 public:
  explicit EventSink(const driver::EventRange& range)
      : limit_(range.limit), bytes_left_(range.max_bytes) {}

  // False: no more are wanted, and this one was not taken.
  bool take(driver::EventRow row) {
    const auto size = static_cast<std::int64_t>(row.payload.size());
    if (full() || (!rows_.empty() && size > bytes_left_)) {
      cut_ = true;
      return false;
    }
    bytes_left_ -= size;
    rows_.push_back(std::move(row));
    return true;
  }

  bool full() const { return static_cast<std::int64_t>(rows_.size()) >= limit_; }
  bool cut() const { return cut_ || full(); }
  std::vector<driver::EventRow> take_rows() { return std::move(rows_); }

 private:
  std::int64_t limit_;
  std::int64_t bytes_left_;
  bool cut_ = false;
  std::vector<driver::EventRow> rows_;
};

// From the lowest visible index on there are no gaps.
void read_all_types(Scope& scope, const Session& session, std::int64_t from, std::int64_t through,
                    std::int64_t limit, EventSink& sink) {
  Statement statement = scope.connection.use(Sql::kEventRange, session.id, from, through, limit);
  std::int64_t expected = from;
  while (statement.next()) {
    driver::EventRow row = read_event(scope, statement);
    if (row.index != expected) statement.corrupt("a missing event");
    ++expected;
    if (!sink.take(std::move(row))) return;
  }
  if (!sink.cut() && expected <= through) statement.corrupt("a missing event");
}

// The indexes of one type, read some at a time.
class TypeStream {
 public:
  TypeStream(Scope& scope, const Session& session, std::int64_t type, std::int64_t from,
             std::int64_t through, std::int64_t chunk)
      : scope_(scope),
        session_(session),
        type_(type),
        from_(from),
        through_(through),
        chunk_(chunk) {}

  std::optional<std::int64_t> next() {
    if (at_ == indexes_.size() && !fetch()) return std::nullopt;
    return indexes_[at_++];
  }

 private:
  bool fetch() {
    indexes_.clear();
    at_ = 0;
    if (from_ > through_) return false;
    Statement statement =
        scope_.connection.use(Sql::kTypeRange, session_.id, type_, from_, through_, chunk_);
    while (statement.next()) indexes_.push_back(statement.count(0));
    from_ =
        static_cast<std::int64_t>(indexes_.size()) < chunk_ ? through_ + 1 : indexes_.back() + 1;
    return !indexes_.empty();
  }

  Scope& scope_;
  const Session& session_;
  std::int64_t type_;
  std::int64_t from_;
  std::int64_t through_;
  std::int64_t chunk_;
  std::size_t at_ = 0;
  std::vector<std::int64_t> indexes_;
};

// Merges the types' indexes, so that neither other events are read nor anything sorted.
void read_types(Scope& scope, const Session& session, const std::vector<std::string>& types,
                std::int64_t from, std::int64_t through, std::int64_t limit, EventSink& sink) {
  constexpr std::int64_t kChunk = 64;
  const std::int64_t chunk = types.size() == 1 ? limit : std::min(limit, kChunk);
  std::vector<TypeStream> streams;
  for (const std::string& type : types) {
    if (const auto id = scope.names.find(type)) {
      streams.emplace_back(scope, session, *id, from, through, chunk);
    }
  }
  using Next = std::pair<std::int64_t, std::size_t>;
  std::priority_queue<Next, std::vector<Next>, std::greater<>> heap;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    if (const auto index = streams[i].next()) heap.emplace(*index, i);
  }
  while (!heap.empty() && !sink.full()) {
    const auto [index, stream] = heap.top();
    heap.pop();
    if (!sink.take(event_at(scope, session, index))) return;
    if (const auto following = streams[stream].next()) heap.emplace(*following, stream);
  }
}

}  // namespace

driver::EventRow event_at(Scope& scope, const Session& session, std::int64_t index) {
  Statement statement = scope.connection.use(Sql::kEventAt, session.id, index);
  if (!statement.next()) statement.corrupt("a missing event");
  return read_event(scope, statement);
}

std::optional<driver::EventRow> event_by_id(Scope& scope, const Session& session,
                                            std::string_view id) {
  if (!session.stored()) return std::nullopt;
  Statement statement = scope.connection.use(Sql::kEventById, session.id, id);
  if (!statement.next()) return std::nullopt;
  return read_event(scope, statement);
}

std::optional<std::int64_t> next_event(Scope& scope, const Session& session,
                                       const driver::Types& types, std::int64_t place) {
  if (place >= session.row.last_index) return std::nullopt;
  if (!types) return place + 1;
  std::optional<std::int64_t> least;
  for (const std::string& type : *types) {
    const auto id = scope.names.find(type);
    if (!id) continue;
    Statement statement = scope.connection.use(Sql::kNextOfType, session.id, *id, place);
    if (!statement.next()) continue;
    const std::int64_t index = statement.count(0);
    if (!least || index < *least) least = index;
    if (*least == place + 1) break;
  }
  return least;
}

std::vector<driver::EventRow> events_in(Scope& scope, const Session& session,
                                        const driver::EventRange& range,
                                        std::int64_t snapshot_index) {
  const driver::SessionRow& row = session.row;
  const std::int64_t through = std::min(range.through, row.last_index);
  if (range.after >= through || range.limit <= 0) return {};
  std::int64_t from = std::max({row.visible_from(), range.after + 1, std::int64_t{1}});
  if (range.after_snapshot) from = std::max({from, row.clear_index + 1, snapshot_index + 1});
  if (from > through) return {};
  EventSink sink(range);
  if (range.types) {
    read_types(scope, session, *range.types, from, through, range.limit, sink);
  } else {
    read_all_types(scope, session, from, through, range.limit, sink);
  }
  return sink.take_rows();
}

}  // namespace pawl::sqlite
