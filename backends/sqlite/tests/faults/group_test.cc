// Storage that fails while several operations share a commit: each is told what became of it.
#include <gtest/gtest.h>

#include <future>
#include <optional>
#include <thread>

#include "driver_rows.h"
#include "fixture.h"
#include "sqlite_backend.h"

namespace pawl::sqlite {
namespace {

constexpr std::size_t kMembers = 3;

class GroupFaults : public Faults {
 protected:
  using Codes = std::vector<std::optional<ErrorCode>>;

  static std::string session(std::size_t member) { return "g" + std::to_string(member); }

  // One operation, and the others queued behind it. Faults are counted from its decision on.
  Codes run_group(SqliteBackend& backend, std::optional<Fault> fault) {
    std::promise<void> entered, go;
    Codes codes(kMembers);
    std::vector<std::thread> threads;
    const auto run = [&](std::size_t member, const Backend::Decide& decide) {
      threads.emplace_back([&, member, decide] {
        try {
          backend.transact(query_of(session(member)), decide);
        } catch (const Error& error) {
          codes[member] = error.code();
        }
      });
    };
    run(0, [&](driver::Facts&& facts) {
      entered.set_value();
      go.get_future().wait();
      faults_.start(fault);
      return append_one(session(0))(std::move(facts));
    });
    entered.get_future().wait();
    for (std::size_t i = 1; i < kMembers; ++i) run(i, append_one(session(i)));
    while (backend.queue().size() < kMembers) std::this_thread::yield();
    go.set_value();
    for (std::thread& thread : threads) thread.join();
    return codes;
  }

  static void check(Backend& backend, const Codes& codes) {
    for (std::size_t i = 0; i < kMembers; ++i) {
      const std::int64_t last_index = row_of(backend, session(i)).last_index;
      if (codes[i] == ErrorCode::kInDoubt) {
        EXPECT_LE(last_index, 1);
      } else {
        EXPECT_EQ(last_index, codes[i] ? 0 : 1) << session(i);
      }
    }
  }

  void inject(const Fault& fault) {
    const std::string crashed = scratch_.path("crashed.db");
    copy_store(crashed_world_, scratch_.path());
    Codes codes;
    {
      SqliteBackend backend(find_place(scratch_.path()), options_);
      codes = run_group(backend, fault);
      copy_store(scratch_.path(), crashed);
      faults_.heal();
      for (const auto& code : codes) {
        EXPECT_TRUE(!code || code == ErrorCode::kUnavailable || code == ErrorCode::kInDoubt);
      }
      check(backend, codes);
      backend.transact(query_of("probe"), append_one("probe"));
    }
    rows_of(scratch_.path());
    SqliteBackend backend(find_place(crashed), options_);
    check(backend, codes);
  }
};

TEST_F(GroupFaults, EachMemberIsToldWhatBecameOfIt) {
  options_.busy_timeout = Duration(5'000);
  make_world({});
  std::vector<VfsCall> calls;
  {
    copy_store(crashed_world_, scratch_.path());
    SqliteBackend backend(find_place(scratch_.path()), options_);
    EXPECT_EQ(run_group(backend, {}), Codes(kMembers));
    calls = faults_.heal();
  }
  for (const Lasting lasting : {Lasting::kOnce, Lasting::kAllCalls}) {
    for (std::size_t call = 0; call < calls.size(); ++call) {
      SCOPED_TRACE(std::string(to_string(calls[call])) + ", call " + std::to_string(call) + " of " +
                   std::to_string(calls.size()));
      inject({call, 0, lasting});
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace pawl::sqlite
