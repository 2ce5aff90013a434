// Sessions and the first keys of their consumers, as the connection that writes knows them.
//
// What it has read or written stays true until another connection writes to the file. SQLite tells
// of that by the file's data version, which is as good as its own page cache: both go by the same
// sign. Not thread-safe: it belongs to the connection.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rows.h"

namespace pawl::sqlite {

// The row of `ready`; due == kNever: there is none.
struct FirstKey {
  std::int64_t consumer = 0;
  std::int64_t due = 0;
  std::int64_t since = 0;

  bool operator==(const FirstKey&) const = default;
};

class SessionCache {
 public:
  // From behind the BEGIN of a transaction until its end. All is forgotten if it wrote and was not
  // committed: what was read behind a write is as little a fact as what was written.
  class Use {
   public:
    Use(SessionCache& cache, const Connection& connection);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    void committed();

   private:
    SessionCache& cache_;
    const Connection& connection_;
  };

  // Null: not known. Valid until the next call of another method.
  const Session* find(std::string_view name) const;
  bool has(const Session& session, const FirstKey& key) const;
  // No cursor of the consumer in the present era has a `due` from 1 to below this.
  std::int64_t least_due(const Session& session, std::int64_t consumer) const;

  // The transaction under way is about to write: all that is noted from here on may be undone.
  void will_write() { is_written_ = true; }
  void note(const Session& session);   // as it is stored
  void write(const Session& session);  // as this transaction has written it
  void write(const Session& session, const FirstKey& key);
  void note_least_due(const Session& session, std::int64_t consumer, std::int64_t due);
  // A cursor of the consumer has been written with this `due`.
  void lower_least_due(const Session& session, std::int64_t consumer, std::int64_t due);
  void forget_consumers(const Session& session);  // their cursors are of an older era now

 private:
  // At most about 10 MB, with names of the greatest length. Whoever works on more at a time is
  // served from SQLite's page cache.
  static constexpr std::size_t kMost = 4'096;
  static constexpr std::size_t kMostConsumers = 32;  // of a session

  struct OfConsumer {
    std::int64_t consumer = 0;
    std::optional<FirstKey> first_key = {};
    std::int64_t least_due = 1;
  };
  struct Known {
    Session session;
    std::vector<OfConsumer> consumers;  // in no order; few

    const OfConsumer* find(std::int64_t consumer) const;
    OfConsumer& get(std::int64_t consumer);
  };
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the standard library's
  };

  void clear();
  // Null: not known.
  const OfConsumer* known(const Session& session, std::int64_t consumer) const;

  std::unordered_map<std::string, Known, Hash, std::equal_to<>> sessions_;
  std::uint32_t version_ = 0;  // of the file, when this was true
  bool is_written_ = false;    // by the transaction under way
};

}  // namespace pawl::sqlite
