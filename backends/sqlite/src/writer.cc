// Effects -> rows, and the read-back.
#include "writer.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "codec.h"
#include "loader.h"
#include "pawl/backend.h"
#include "readiness.h"
#include "session_cache.h"

namespace pawl::sqlite {
namespace {

using Consumer = std::pair<std::int64_t, std::int64_t>;  // (session, consumer)

// A statement that writes `rows` rows.
struct Bulk {
  std::size_t rows;
  Sql id;
};
using Bulks = std::array<Bulk, 3>;

constexpr Bulks kInsertEvents{
    {{16, Sql::kInsertEvents16}, {4, Sql::kInsertEvents4}, {1, Sql::kInsertEvent}}};
constexpr Bulks kPutCursors{
    {{16, Sql::kPutCursors16}, {4, Sql::kPutCursors4}, {1, Sql::kPutCursor}}};
constexpr Bulks kPutWork{{{16, Sql::kPutWorks16}, {4, Sql::kPutWorks4}, {1, Sql::kPutWork}}};

// As few statements as will do: write(id, the rows that it takes).
template <typename Row, typename Write>
void in_bulk(const Bulks& bulks, std::span<const Row> rows, const Write& write) {
  for (const Bulk& bulk : bulks) {
    for (; rows.size() >= bulk.rows; rows = rows.subspan(bulk.rows)) {
      write(bulk.id, rows.first(bulk.rows));
    }
  }
}

// A cursor that is not stored yet.
struct Fresh {
  const driver::CursorRow& row;
  std::int64_t consumer;
};

NumberOrNull unless(std::int64_t value, std::int64_t nothing) {
  return value == nothing ? NumberOrNull{std::nullopt} : NumberOrNull{value};
}

class Writer {
 public:
  Writer(Scope& scope, std::vector<Session>& sessions) : scope_(scope), sessions_(sessions) {}

  driver::Readings apply(const driver::Effects& effects) {
    for (const driver::SessionEffects& session : effects.sessions) {
      if (!session.empty()) write_session(session);
    }
    for (const auto& [name_space, row] : effects.presence.drop) {
      run(Sql::kDeletePresence, name_space, row.participant, row.field);
    }
    for (const auto& [name_space, row] : effects.presence.put) {
      run(Sql::kPutPresence, name_space, row.participant, row.field, std::int64_t{row.tombstone},
          NumberOrNull{row.seen}, row.at, row.expires_at, row.value);
    }
    return read_back(effects.read);
  }

 private:
  template <typename... Args>
  void run(Sql id, const Args&... args) {
    scope_.connection.run(id, args...);
  }

  Session& session_of(const std::string& name) {
    for (Session& session : sessions_) {
      if (session.name == name) return session;
    }
    sessions_.push_back(find_session(scope_, name));
    return sessions_.back();
  }

  void write_session(const driver::SessionEffects& effects) {
    Session& session = session_of(effects.session);
    if (effects.row) put_row(session, *effects.row);
    if (!session.stored()) throw std::logic_error("effects on a session that is not stored");
    std::vector<std::int64_t> touched;
    if (effects.new_era) {
      run(Sql::kDeleteReadyOfSession, session.id);
      scope_.cache->forget_consumers(session);
    }
    drop(session, effects, touched);
    append(session, effects.append);
    put(session, effects.put, touched);
    put(session, effects.put_work);
    for (const driver::SnapshotRow& row : effects.put_snapshots) put(session, row);
    for (const driver::PinRow& row : effects.put_pins) {
      run(Sql::kPutPin, session.id, row.era, scope_.names.intern(row.cursor.consumer),
          Lane{row.cursor.lane}, row.cursor.index, row.head, row.reducer, row.snapshot);
    }
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    for (const std::int64_t consumer : touched) {
      const auto behind = key_behind(session, effects, consumer);
      first_keys_[{session.id, consumer}] = put_first_key(
          scope_, session, behind ? *behind : find_first_key(scope_, session, consumer));
    }
  }

  // The first key, if it is the head that a window met behind those that it took: all of them are
  // gone or wait for a time now, and nothing else is due at any time.
  std::optional<FirstKey> key_behind(const Session& session, const driver::SessionEffects& effects,
                                     std::int64_t consumer) const {
    const auto behind = std::ranges::find_if(scope_.behind, [&](const Behind& met) {
      return met.session == session.id && met.consumer == consumer;
    });
    if (behind == scope_.behind.end() || effects.new_era) return std::nullopt;
    const auto is_free = [&](const driver::CursorRow& row) {
      return row.due == 0 && scope_.names.find(row.key.consumer) == consumer;
    };
    if (std::ranges::any_of(effects.put, is_free)) return std::nullopt;
    std::size_t gone = 0;
    for (const auto* rows : {&effects.put, &effects.drop}) {
      for (const driver::CursorRow& row : *rows) {
        if (row.handle == behind->handle) return std::nullopt;
        gone += std::ranges::binary_search(behind->before, row.handle) ? 1 : 0;
      }
    }
    if (gone != behind->before.size()) return std::nullopt;
    return FirstKey{consumer, 0, behind->since};
  }

  void put_row(Session& session, const driver::SessionRow& row) {
    driver::SessionRow moved = session.row;
    moved.last_index = row.last_index;
    if (!session.stored()) {
      run(Sql::kInsertSession, session.name, row.last_index, row.clear_index, row.era,
          row.first_index, row.deleted_index, row.deleted_era, row.finished_since,
          std::int64_t{row.upkeep}, std::int64_t{row.deleting}, std::int64_t{row.listed()});
      session.id = scope_.connection.last_row_id();
    } else if (row == moved && row.listed() == session.row.listed()) {
      run(Sql::kMoveLastIndex, session.id, row.last_index);  // touches no index
    } else {
      run(Sql::kUpdateSession, session.id, row.last_index, row.clear_index, row.era,
          row.first_index, row.deleted_index, row.deleted_era, row.finished_since,
          std::int64_t{row.upkeep}, std::int64_t{row.deleting}, std::int64_t{row.listed()});
    }
    session.row = row;
    scope_.cache->write(session);
  }

  void drop(const Session& session, const driver::SessionEffects& effects,
            std::vector<std::int64_t>& touched) {
    for (const driver::EventKey& key : effects.erase) {
      run(Sql::kDeleteEvent, session.id, key.index);
    }
    for (const driver::CursorRow& row : effects.drop) {
      run(Sql::kDeleteCursor, row.handle);
      const bool was_key = row.era == session.row.era && row.due != driver::kNever;
      if (was_key) touched.push_back(scope_.names.intern(row.key.consumer));
    }
    for (const driver::WorkRow& row : effects.drop_work) {
      const auto consumer = scope_.names.find(row.consumer);
      if (consumer) run(Sql::kDeleteWork, session.id, *consumer, Lane{row.lane}, row.index);
    }
    for (const driver::SnapshotRow& row : effects.drop_snapshots) {
      run(Sql::kDeleteSnapshot, session.id, row.era, row.reducer, row.index);
    }
    for (const driver::PinRow& row : effects.drop_pins) {
      const auto consumer = scope_.names.find(row.cursor.consumer);
      if (!consumer) continue;
      run(Sql::kDeletePin, session.id, row.era, *consumer, Lane{row.cursor.lane}, row.cursor.index,
          row.head, row.reducer, row.snapshot);
    }
  }

  void append(const Session& session, const std::vector<driver::EventRow>& events) {
    in_bulk(kInsertEvents, std::span(events), [&](Sql id, std::span<const driver::EventRow> rows) {
      forget_blobs(2 * rows.size());
      Statement statement = scope_.connection.use(id);
      for (const driver::EventRow& row : rows) {
        const BlobOrNull cause = row.cause ? blob(encode_cause(*row.cause)) : BlobOrNull{};
        const BlobOrNull targets =
            row.targets.empty() ? BlobOrNull{} : blob(encode_targets(row.targets));
        statement.bind_next(session.id, row.index, row.id, scope_.names.intern(row.type),
                            row.created_at, row.era, cause, targets, row.payload);
      }
      statement.run();
      if (scope_.connection.changed_rows() != std::ssize(rows)) throw IdTaken();
    });
  }

  void put(const Session& session, const std::vector<driver::CursorRow>& cursors,
           std::vector<std::int64_t>& touched) {
    std::vector<Fresh> fresh;
    for (const driver::CursorRow& row : cursors) {
      const std::int64_t consumer = scope_.names.intern(row.key.consumer);
      if (touched.empty() || touched.back() != consumer) touched.push_back(consumer);
      scope_.cache->lower_least_due(session, consumer, row.due);
      if (row.handle > 0) {
        update(row);
      } else {
        fresh.push_back({row, consumer});
      }
    }
    in_bulk(kPutCursors, std::span<const Fresh>(fresh), [&](Sql id, std::span<const Fresh> rows) {
      forget_blobs(2 * rows.size());
      Statement statement = scope_.connection.use(id);
      for (const auto& [row, consumer] : rows) {
        statement.bind_next(session.id, row.era, consumer, Lane{row.key.lane}, row.key.index,
                            static_cast<std::int64_t>(row.kind));
        bind_state(statement, row);
      }
      statement.run();
    });
  }

  void update(const driver::CursorRow& row) {
    forget_blobs(2);
    Statement statement = scope_.connection.use(Sql::kUpdateCursor, row.handle);
    bind_state(statement, row);
    statement.run();
    if (scope_.connection.changed_rows() == 0) {
      throw std::logic_error("a cursor with a handle that is not stored");
    }
  }

  // All but the key and the kind.
  void bind_state(Statement& statement, const driver::CursorRow& row) {
    const bool has_types = row.kind == CursorKind::kLog && row.types;
    statement.bind_next(row.position, row.head, unless(row.due, driver::kNever), row.since,
                        row.attempt_count, row.first_claimed_at, row.last_claimed_at,
                        OrNull{row.claim_holder}, row.failure_count, row.last_failed_at,
                        row.last_failed_attempt, OrNull{row.last_error}, unless(row.failed_at, 0),
                        row.last_released_attempt, row.pins,
                        has_types ? blob(encode_names(*row.types)) : BlobOrNull{},
                        row.completion ? blob(encode_completion(*row.completion)) : BlobOrNull{});
  }

  void put(const Session& session, const std::vector<driver::WorkRow>& work) {
    in_bulk(kPutWork, std::span(work), [&](Sql id, std::span<const driver::WorkRow> rows) {
      forget_blobs(rows.size());
      Statement statement = scope_.connection.use(id);
      for (const driver::WorkRow& row : rows) {
        statement.bind_next(
            session.id, scope_.names.intern(row.consumer), Lane{row.lane}, row.index,
            row.available_at, unless(row.finished_at, 0),
            row.completion ? blob(encode_completion(*row.completion)) : BlobOrNull{});
      }
      statement.run();
    });
  }

  // Encoded lists are borrowed by the statement that they are bound to: they stay where they are
  // until the next statement's.
  void forget_blobs(std::size_t next) {
    blobs_.clear();
    blobs_.reserve(next);
  }
  BlobOrNull blob(std::string bytes) { return {blobs_.emplace_back(std::move(bytes))}; }

  void put(const Session& session, const driver::SnapshotRow& row) {
    if (row.state) {
      run(Sql::kPutSnapshot, session.id, row.reducer, row.index, row.era, row.updated_at, row.pins,
          *row.state);
      return;
    }
    run(Sql::kKeepState, session.id, row.reducer, row.index, row.era, row.updated_at, row.pins);
    if (scope_.connection.changed_rows() == 0) {
      throw std::logic_error("a snapshot without state that is not stored");
    }
  }

  // ---- read back

  driver::Readings read_back(const driver::ReadBack& read) {
    driver::Readings readings;
    std::int64_t bytes = 0;
    for (const auto& [name, index] : read.events) {
      readings.events.push_back(event_at(scope_, session_of(name), index));
      bytes += static_cast<std::int64_t>(readings.events.back().payload.size());
      const std::int64_t fit = std::ssize(readings.events) - 1;
      if (bytes > read.max_bytes && fit > 0) throw AnswerTooLarge(fit);
    }
    for (const auto& [name, consumers] : read.pending) {
      readings.pending.push_back(is_pending(session_of(name), consumers));
    }
    if (read.next_due) readings.next_due = next_due(*read.next_due);
    return readings;
  }

  bool is_pending(const Session& session, const driver::ConsumerNames& consumers) {
    if (!session.stored()) return false;
    if (!consumers) {
      for (const auto& [key, has_first_key] : first_keys_) {
        if (key.first == session.id && has_first_key) return true;
      }
      return scope_.connection.use(Sql::kHasAnyReady, session.id).next();
    }
    for (const std::string& name : *consumers) {
      const auto id = scope_.names.find(name);
      if (!id) continue;
      const auto known = first_keys_.find({session.id, *id});
      const bool pending = known != first_keys_.end()
                               ? known->second
                               : scope_.connection.use(Sql::kHasReady, session.id, *id).next();
      if (pending) return true;
    }
    return false;
  }

  std::optional<std::int64_t> next_due(const driver::ConsumerNames& names) {
    std::vector<std::int64_t> consumers;
    if (names) {
      for (const std::string& name : *names) {
        if (const auto id = scope_.names.find(name)) consumers.push_back(*id);
      }
    } else {
      consumers = ready_consumers(scope_);
    }
    std::optional<std::int64_t> least;
    for (const std::int64_t consumer : consumers) {
      Statement statement = scope_.connection.use(Sql::kFirstDue, consumer);
      if (!statement.next()) continue;
      const std::int64_t due = statement.count(0);
      if (!least || due < *least) least = due;
    }
    return least;
  }

  Scope& scope_;
  std::vector<Session>& sessions_;
  std::vector<std::string> blobs_;
  std::map<Consumer, bool> first_keys_;  // what this operation has brought up to date
};

}  // namespace

driver::Readings apply(Scope& scope, std::vector<Session>& sessions,
                       const driver::Effects& effects) {
  return Writer(scope, sessions).apply(effects);
}

}  // namespace pawl::sqlite
