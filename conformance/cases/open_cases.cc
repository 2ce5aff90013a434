// Opening and closing.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>

#include "cases/case.h"
#include "cases/fixture.h"

namespace pawl::conformance {
namespace {

struct Operation {
  const char* name;
  void (*call)(Store& store);
};

// Every operation there is.
constexpr Operation kOperations[] = {
    {"append", [](Store& s) { s.append("s", {{.type = "t"}}); }},
    {"append of nothing", [](Store& s) { s.append("s", {}); }},
    {"append_batch", [](Store& s) { s.append_batch({{.session = "s", .events = {}}}); }},
    {"wake_log", [](Store& s) { s.wake_log("s", {.name = "l", .log = Log{}}); }},
    {"cursors", [](Store& s) { s.cursors("s"); }},
    {"read", [](Store& s) { s.read("s"); }},
    {"head", [](Store& s) { s.head("s"); }},
    {"sessions", [](Store& s) { s.sessions(); }},
    {"claim", [](Store& s) { s.claim("s", {.holder = "w", .ttl = Duration(9)}); }},
    {"renew",
     [](Store& s) {
       s.renew("s", {{"c", {}, 1, 1}}, {.holder = "w", .ttl = Duration(9)});
     }},
    {"claim_ready", [](Store& s) { s.claim_ready({.holder = "w", .ttl = Duration(9)}); }},
    {"complete",
     [](Store& s) {
       (void)s.complete("s", {"c", {}, 1, 1});
     }},
    {"fail",
     [](Store& s) {
       (void)s.fail("s", {"c", {}, 1, 1}, {"e", 1});
     }},
    {"release",
     [](Store& s) {
       (void)s.release("s", {"c", {}, 1, 1});
     }},
    {"settle",
     [](Store& s) {
       (void)s.settle({{.session = "s", .claim = {"c", {}, 1, 1}}});
     }},
    {"dead_letters", [](Store& s) { s.dead_letters("s"); }},
    {"redrive", [](Store& s) { s.redrive("s", "c", 1, RedriveAction::kRetry); }},
    {"put_snapshots",
     [](Store& s) {
       s.put_snapshots("s", "r", {{1, "1"}});
     }},
    {"load_snapshot", [](Store& s) { s.load_snapshot("s", "r"); }},
    {"set_presence",
     [](Store& s) {
       s.set_presence("n", "p", {{"f", "1"}}, {.at = ms(1), .ttl = Duration(9)});
     }},
    {"presence", [](Store& s) { s.presence("n"); }},
    {"reclaim_presence", [](Store& s) { s.reclaim_presence("n"); }},
    {"clear", [](Store& s) { s.clear("s"); }},
    {"reclaim", [](Store& s) { s.reclaim("s"); }},
    {"prune", [](Store& s) { s.prune("s", ms(9)); }},
    {"delete_session", [](Store& s) { s.delete_session("s"); }},
    {"delete_consumer", [](Store& s) { s.delete_consumer("s", "c"); }},
    {"maintain", [](Store& s) { s.maintain(); }},
    {"ready", [](Store& s) { s.ready(); }},
    {"wait", [](Store& s) { s.wait(Served(), Duration(9)); }},
    {"wait for a session", [](Store& s) { s.wait("s", 0, Duration(9)); }},
    {"tail", [](Store& s) { s.tail("s", 0, [](const Event&) { return false; }); }},
};

constexpr CaseRow kCases[] = {
    {"Open.AnEmptyPlaceIsInitialised", "open.3",
     [](Fixture& f) {
       EXPECT_EQ(f.sessions(), "");
       EXPECT_EQ(f.add("a"), "a#1 settled");
     }},

    {"Open.StoresOnOnePlaceShareIt", "open.1 atomicity.3",
     [](Fixture& f) {
       f.add("a>c");
       Store other = f.open();
       EXPECT_EQ(Fixture::on(other).read(), "a#1");
       EXPECT_EQ(Fixture::on(other).claim(), "claimed c#1@1");
       EXPECT_EQ(f.complete("c#1@1", "x"), "completed x#2");
       EXPECT_EQ(Fixture::on(other).add("b"), "b#3 settled");
       EXPECT_EQ(f.read(), "a#1 x#2 b#3");
       other.close();
       EXPECT_EQ(f.add("d"), "d#4 settled");
     }},

    {"Open.ManyAtOnceAllSucceed", "open.3",
     [](Fixture& f) {
       std::mutex mutex;
       std::vector<std::unique_ptr<Store>> stores;
       run_threads(6, [&](int i) {
         auto store = std::make_unique<Store>(f.open());
         Fixture::on(*store).add("e" + std::to_string(i));
         const std::lock_guard lock(mutex);
         stores.push_back(std::move(store));
       });
       ASSERT_EQ(stores.size(), 6u);
       EXPECT_EQ(Fixture::on(*stores[0]).head(), "last 6 clear 0");
     }},

    {"Open.TellsWhatItIs", "open.2",
     [](Fixture& f) {
       const Info info = f->info();
       EXPECT_NE(info.scheme, "");
       EXPECT_NE(info.engine, "");
       EXPECT_EQ(info.durability, f.harness().durable ? "relaxed" : "none");
       f.options().durability = Durability::kFull;
       f.reopen();
       EXPECT_EQ(f->info().durability, f.harness().durable ? "full" : "none");
     }},

    {"Open.AnUnknownOptionIsInvalid", "open.2 errors.1",
     [](Fixture& f) {
       f.options().engine["no_such_option"] = "1";
       try {
         f.open();
         ADD_FAILURE() << "opened";
       } catch (const Error& error) {
         EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
         EXPECT_NE(std::string(error.what()).find("no_such_option"), std::string::npos)
             << error.what();
       }
     }},

    {"Open.AnUnknownSchemeIsNotConfigured", "open.1 errors.1",
     [](Fixture&) {
       try {
         pawl::open("nosuchscheme:place");
         ADD_FAILURE() << "opened";
       } catch (const Error& error) {
         EXPECT_EQ(error.code(), ErrorCode::kNotConfigured);
       }
     }},

    {"Close.LaterCallsThrowClosed", "open.4 errors.1",
     [](Fixture& f) {
       f.add("a>c");
       f.close();
       for (const Operation& operation : kOperations) {
         try {
           operation.call(f.store());
           ADD_FAILURE() << operation.name << " did not throw";
         } catch (const Error& error) {
           EXPECT_EQ(error.code(), ErrorCode::kClosed) << operation.name << ": " << error.what();
         }
       }
       f.close();  // once more does nothing
     }},

    {"Close.OfOneStoreLeavesTheOthers", "open.4",
     [](Fixture& f) {
       f.add("a");
       {
         Store other = f.open();
         Fixture::on(other).add("b");
       }
       EXPECT_EQ(f.read(), "a#1 b#2");
     }},

    {"Close.LetsOperationsUnderWayFinish", "open.4 atomicity.1",
     [](Fixture& f) {
       Store other = f.open();
       f->head("s");
       std::atomic<int> acknowledged = 0;
       std::atomic<int> refused = 0;
       run_threads(5, [&](int i) {
         if (i == 4) {
           while (acknowledged < 20) std::this_thread::yield();
           f.close();
           return;
         }
         try {
           for (;;) {
             f.add("-");
             ++acknowledged;
           }
         } catch (const Error& error) {
           EXPECT_EQ(error.code(), ErrorCode::kClosed) << error.what();
           ++refused;
         }
       });
       EXPECT_EQ(refused, 4);
       EXPECT_EQ(Fixture::on(other).head(), "last " + std::to_string(acknowledged) + " clear 0");
     }},

    {"Close.AMovedStoreGoesOn", "open.4",
     [](Fixture& f) {
       Store first = f.open();
       Fixture::on(first).add("a");
       Store second = std::move(first);
       EXPECT_EQ(Fixture::on(second).add("b"), "b#2 settled");
       first = std::move(second);
       EXPECT_EQ(Fixture::on(first).read(), "a#1 b#2");
     }},
};

}  // namespace

std::span<const CaseRow> open_cases() { return kCases; }

}  // namespace pawl::conformance
