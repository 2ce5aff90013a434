// Checks any backend's first keys (ReadyRow) against its cursors, from outside.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "pawl/backend.h"

namespace pawl::testing {

namespace first_keys {

inline constexpr std::int64_t kPage = 1'000;

// The first key of each consumer of a session, from all cursors of the present era.
inline std::map<std::string, driver::ReadyRow> from_cursors(Backend& backend,
                                                            const std::string& session) {
  std::map<std::string, driver::CursorRow> least;
  std::optional<HeadRef> after;
  for (;;) {
    driver::Query query;
    driver::SessionQuery& asked = query.sessions.emplace_back();
    asked.session = session;
    asked.list_cursors = driver::HeadPage{after, kPage};
    const driver::Facts facts = backend.look(query);
    for (const driver::CursorRow& row : facts.sessions[0].list) {
      if (row.era != facts.sessions[0].row.era || row.due == driver::kNever) continue;
      const auto [found, inserted] = least.emplace(row.key.consumer, row);
      const auto order = [](const driver::CursorRow& r) {
        return std::tuple{r.due, r.head, r.key};
      };
      if (!inserted && order(row) < order(found->second)) found->second = row;
    }
    if (facts.sessions[0].list.size() < kPage) break;
    const driver::CursorRow& last = facts.sessions[0].list.back();
    after = HeadRef{last.key.consumer, last.key.lane, last.head};
  }
  std::map<std::string, driver::ReadyRow> rows;
  for (const auto& [consumer, row] : least) {
    rows[consumer] = {session, consumer, row.due, row.due == 0 ? row.since : 0};
  }
  return rows;
}

inline std::string name_of(const driver::ReadyRow& row) {
  return row.session + "/" + row.consumer + " due " + std::to_string(row.due) + " since " +
         std::to_string(row.since);
}

}  // namespace first_keys

// Empty, or what is wrong: a session that is never served again, or served for nothing.
inline std::string first_key_faults(Backend& backend) {
  using first_keys::from_cursors;
  using first_keys::name_of;
  std::map<std::pair<std::string, std::string>, driver::ReadyRow> expected;
  std::string faults;
  driver::Query sessions;
  sessions.list = {std::nullopt, first_keys::kPage};
  for (;;) {
    const driver::Facts page = backend.look(sessions);
    for (const auto& [session, row] : page.list) {
      std::set<std::string> consumers;
      for (const auto& [consumer, ready] : from_cursors(backend, session)) {
        expected[{session, consumer}] = ready;
        consumers.insert(consumer);
      }
      // A window over all consumers visits exactly those that have a first key.
      driver::Query window;
      driver::SessionQuery& asked = window.sessions.emplace_back();
      asked.session = session;
      asked.window = driver::Window{std::nullopt, driver::kNever, 1, 1, 1};
      std::set<std::string> visited;
      const driver::Facts all = backend.look(window);
      for (const driver::FoundCursor& found : all.sessions[0].window) {
        visited.insert(found.row->key.consumer);
      }
      if (visited != consumers) faults += session + ": other consumers have a first key\n";
    }
    if (page.list.size() < first_keys::kPage) break;
    sessions.list->after = page.list.back().first;
  }

  driver::Query all;
  all.ready = driver::ReadyQuery{std::nullopt, driver::kNever - 1};
  const driver::Facts facts = backend.look(all);
  std::map<std::string, std::int64_t> later;  // each consumer's first that is not yet due
  std::size_t due = 0;
  for (const auto& [key, row] : expected) {
    if (row.due <= facts.now) {
      ++due;
      continue;
    }
    const auto [first, inserted] = later.emplace(key.second, row.due);
    if (!inserted) first->second = std::min(first->second, row.due);
  }
  if (facts.ready.size() != due + later.size()) faults += "another number of first keys\n";
  for (driver::ReadyRow row : facts.ready) {
    if (row.due > 0) row.since = 0;
    const auto found = expected.find({row.session, row.consumer});
    if (found == expected.end() || !(found->second == row)) {
      faults += "stored: " + name_of(row) + ", from the cursors: " +
                (found == expected.end() ? "none" : name_of(found->second)) + "\n";
    } else if (row.due > facts.now && row.due != later.at(row.consumer)) {
      faults += "not the first to come: " + name_of(row) + "\n";
    }
  }
  return faults;
}

// Passes everything on, and checks first keys after each write; `fault` takes what it finds.
class CheckedBackend final : public Backend {
 public:
  using Fault = std::function<void(const std::string&)>;
  CheckedBackend(std::unique_ptr<Backend> backend, Fault fault)
      : backend_(std::move(backend)), fault_(std::move(fault)) {}

  driver::Facts look(const driver::Query& query) override { return backend_->look(query); }
  driver::Readings transact(const driver::Query& query, const Decide& decide) override {
    driver::Readings readings = backend_->transact(query, decide);
    if (const std::string faults = first_key_faults(*backend_); !faults.empty()) fault_(faults);
    return readings;
  }
  std::uint64_t changes() override { return backend_->changes(); }
  void wait(std::uint64_t seen, std::chrono::steady_clock::time_point until) override {
    backend_->wait(seen, until);
  }
  void close() override { backend_->close(); }
  Info info() const override { return backend_->info(); }

 private:
  std::unique_ptr<Backend> backend_;
  Fault fault_;
};

}  // namespace pawl::testing
