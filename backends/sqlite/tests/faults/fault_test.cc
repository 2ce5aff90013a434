// Every call to the storage that an operation makes is made to fail: the operation has happened
// or it has not, its error says which, and afterwards everything works.
#include <gtest/gtest.h>

#include <functional>
#include <iostream>
#include <iterator>

#include "fixture.h"
#include "schema.h"

namespace pawl::sqlite {
namespace {

#define ALL R"("consumers":[{"name":"all","log":{"types":["t"],"backfill":true}},{"name":"w"}])"

// What every operation starts from: at least something of each kind.
// NOLINTBEGIN(bugprone-suspicious-missing-comma): ALL stands amid literals
constexpr const char* kWorld[] = {
    R"({"op":"append","session":"s","events":[
      {"id":"a1","type":"t","payload":1,"targets":[{"consumer":"w","lane":"k"}]},
      {"id":"a2","type":"t","payload":2,"targets":[{"consumer":"w","lane":"k"}]},
      {"id":"a3","type":"t","payload":3,"targets":[{"consumer":"w"}]},
      {"id":"a4","type":"t","payload":4,"targets":[{"consumer":"w","lane":"dead"}]}],)" ALL "}",
    R"({"op":"claim","session":"s","holder":"h","ttl_ms":5000,"consumers":[{"name":"w"}]})",
    R"({"op":"fail","session":"s","consumer":"w","lane":"dead","index":4,"attempt":1,"error":"no",
      "max_failures":1})",
    R"({"op":"append","session":"s","events":[
      {"id":"a5","type":"t","payload":5,"targets":[{"consumer":"v"}]}]})",
    R"({"op":"put_snapshots","session":"s","reducer":"r","writes":[{"index":1,"state":1,
      "pins":[{"consumer":"w","lane":"k","index":1}]},{"index":3,"state":3}]})",
    R"({"op":"append","session":"old","events":[
      {"id":"o1","type":"t","payload":1,"targets":[{"consumer":"w","lane":"k"}]},
      {"id":"o2","type":"t","payload":2,"targets":[{"consumer":"w"}]},
      {"id":"o3","type":"t","payload":3,"targets":[{"consumer":"w"}]}],)" ALL "}",
    R"({"op":"put_snapshots","session":"old","reducer":"r","writes":[{"index":2,"state":2}]})",
    R"({"op":"clear","session":"old"})",
    R"({"op":"append","session":"old","events":[{"id":"o5","type":"t","payload":0}],)" ALL "}",
    R"({"op":"append","session":"done","events":[
      {"id":"d1","type":"t","payload":0,"targets":[{"consumer":"w"},{"consumer":"w","lane":"k"}]}]})",
    R"({"op":"claim","session":"done","holder":"h","ttl_ms":5000})",
    R"({"op":"complete","session":"done","consumer":"w","index":1,"attempt":1})",
    R"({"op":"complete","session":"done","consumer":"w","lane":"k","index":1,"attempt":1})",
    R"({"op":"set_presence","namespace":"n","participant":"gone","fields":{"x":1},"at":1000,
      "ttl_ms":10})",
    R"({"op":"set_presence","namespace":"n","participant":"p","fields":{"x":1},"at":1000,
      "ttl_ms":90000})",
};
// NOLINTEND(bugprone-suspicious-missing-comma)

struct Operation {
  const char* name;
  const char* line;
};

constexpr Operation kOperations[] = {
    {"append", R"({"op":"append","session":"s","events":[
       {"id":"b1","type":"t","payload":"x","targets":[{"consumer":"w","lane":"k"}]},
       {"id":"b2","type":"fresh","payload":0,"targets":[{"consumer":"w"}]}],)" ALL "}"},
    {"append_to_new", R"({"op":"append","session":"new","events":[
       {"id":"b1","type":"t","payload":0,"targets":[{"consumer":"w","lane":"k"}]}],)" ALL "}"},
    {"append_batch", R"({"op":"append_batch","items":[
       {"session":"s","events":[{"id":"b1","type":"t","payload":0}],)" ALL R"(},
       {"session":"new","events":[{"id":"b2","type":"t","payload":0}],)" ALL "}]}"},
    {"wake_log", R"({"op":"wake_log","session":"s","consumer":{"name":"late","log":{}}})"},
    {"claim", R"({"op":"claim","session":"s","holder":"h","ttl_ms":7,)" ALL "}"},
    {"renew", R"({"op":"renew","session":"s","holder":"h","ttl_ms":9000,"claims":[
       {"consumer":"w","lane":"k","index":1,"attempt":1},{"consumer":"w","index":3,"attempt":1}]})"},
    {"claim_ready", R"({"op":"claim_ready","holder":"h","ttl_ms":7,)" ALL "}"},
    {"complete", R"({"op":"complete","session":"s","consumer":"w","lane":"k","index":1,"attempt":1,
       "events":[{"id":"f1","type":"t","payload":7,"targets":[{"consumer":"w","lane":"k"}]}],)" ALL
                 "}"},
    {"fail", R"({"op":"fail","session":"s","consumer":"w","index":3,"attempt":1,"error":"boom",
       "max_failures":3,"retry_after_ms":50})"},
    {"release",
     R"({"op":"release","session":"s","consumer":"w","lane":"k","index":1,"attempt":1})"},
    {"settle", R"({"op":"settle","items":[
       {"session":"s","consumer":"w","lane":"k","index":1,"attempt":1,
        "complete":{"events":[{"id":"f1","type":"t","payload":0}]}},
       {"session":"s","consumer":"w","index":3,"attempt":1,"release":{}}],)" ALL
               R"(,"claim":{"holder":"h","ttl_ms":7}})"},
    {"redrive", R"({"op":"redrive","session":"s","consumer":"w","index":4,"action":"skip"})"},
    {"put_snapshots", R"({"op":"put_snapshots","session":"s","reducer":"r","writes":[
       {"index":3,"state":33,"pins":[{"consumer":"w","index":3}]},{"index":5,"state":5}]})"},
    {"set_presence", R"({"op":"set_presence","namespace":"n","participant":"p","fields":{"x":2,
       "y":null},"at":1500,"ttl_ms":1000})"},
    {"clear", R"({"op":"clear","session":"s"})"},
    {"reclaim", R"({"op":"reclaim","session":"old","limit":2})"},
    {"reclaim_presence", R"({"op":"reclaim_presence","namespace":"n"})"},
    {"prune", R"({"op":"prune","session":"done","finished_before":1500})"},
    {"delete_session", R"({"op":"delete_session","session":"s","limit":3})"},
    {"delete_consumer", R"({"op":"delete_consumer","session":"s","consumer":"w"})"},
    {"maintain", R"({"op":"maintain","limit":4,"finished_before":1500})"},
    {"read", R"({"op":"read","session":"s"})"},
    {"ready", R"({"op":"ready"})"},
};

#undef ALL

class EachOperation : public Faults, public ::testing::WithParamInterface<Operation> {
 protected:
  EachOperation() {
    sessions_ = {"s", "old", "done", "new", "probe"};
    // One whose pages do not all fit: some are written before the commit.
    if (std::string(GetParam().name) == "complete") options_.engine["cache_kib"] = "64";
    make_world({std::begin(kWorld), std::end(kWorld)});
  }
};

TEST_P(EachOperation, HasHappenedOrNotAndTheStoreGoesOn) {
  const std::string line = one_line(GetParam().line);
  sweep(line, Start::kCrashed, Lasting::kOnce, 0);
  sweep(line, Start::kClosed, Lasting::kOnce, 1);
  sweep(line, Start::kClosed, Lasting::kAllCalls, 0);
  sweep(line, Start::kCrashed, Lasting::kCallsOfThisKind, 1);
  std::cout << injected_ << " faults";
  for (const auto& [code, count] : codes_) std::cout << ", " << count << " " << code;
  std::cout << "\n";
  EXPECT_GT(injected_, 10);
}

// The index of the log in shared memory grows by a page when the log has 4,062 pages: after the
// commit has been written and synced.
TEST_F(Faults, AnIndexThatCannotGrowLeavesADoubt) {
  constexpr std::uintmax_t kFrame = kPageBytes + 24;
  constexpr std::uintmax_t kFirstPage = 4'062;
  options_.engine["checkpoint_pages"] = "1000000";
  sessions_ = {"s", "probe"};
  const std::string append =
      R"({"op":"append","session":"s","events":[{"id":"a","type":"t","payload":1}]})";
  make_world({append});
  {
    LineStore store(world_, kNow / 2, options_);
    const std::string log = world_ + "-wal";
    for (int n = 0; !fs::exists(log) || fs::file_size(log) / kFrame < kFirstPage - 12; ++n) {
      ASSERT_FALSE(is_error(store.answer(
          R"({"op":"set_presence","namespace":"n","participant":"p","fields":{"x":)" +
          std::to_string(n) + R"(},"at":)" + std::to_string(n + 1) + R"(,"ttl_ms":90000})")));
    }
    ASSERT_LT(fs::file_size(log) / kFrame, kFirstPage);
    copy_store(world_, crashed_world_);
  }
  const std::string line = R"({"op":"append","session":"s","events":[{"id":"b","type":"t",)"
                           R"("payload":")" +
                           std::string(60'000, 'x') + R"("}]})";
  rehearse(line, Start::kCrashed);
  int doubts = 0;
  for (std::size_t call = 0; call < calls_.size(); ++call) {
    if (calls_[call] != VfsCall::kShmMap) continue;
    for (const int variant : {0, 1}) {
      SCOPED_TRACE("call " + std::to_string(call) + ", variant " + std::to_string(variant));
      inject(line, Start::kCrashed, {call, variant, Lasting::kOnce});
    }
  }
  doubts = codes_["in_doubt"];
  EXPECT_GE(doubts, 2);
}

// Opening, and closing with what is left of the storage.
class Opening : public Faults {
 protected:
  void sweep_opening(const std::function<void()>& start, Lasting lasting, int variant) {
    start();
    faults_.start({});
    const std::string view = open_and_look();
    const std::vector<VfsCall> calls = faults_.heal();
    ASSERT_GT(calls.size(), 10U);
    for (std::size_t call = 0; call < calls.size(); ++call) {
      if (!fault_code(calls[call], variant)) continue;
      SCOPED_TRACE(std::string(to_string(calls[call])) + ", call " + std::to_string(call) + " of " +
                   std::to_string(calls.size()) + ", variant " + std::to_string(variant));
      start();
      faults_.start(Fault{call, variant, lasting});
      try {
        const LineStore store(scratch_.path(), kNow, options_);
      } catch (const Error& error) {
        check_code(error, *fault_code(calls[call], variant), lasting);
      }
      faults_.heal();
      EXPECT_EQ(open_and_look(), view);
      rows_of(scratch_.path());
      if (HasFailure()) return;
    }
  }

  std::string open_and_look() {
    LineStore store(scratch_.path(), kNow, options_);
    return view_of(store, sessions_);
  }

  static void check_code(const Error& error, int fault, Lasting lasting) {
    const bool refuses_to_open = fault == SQLITE_CANTOPEN || lasting != Lasting::kOnce;
    const bool is_right = error.code() == ErrorCode::kUnavailable ||
                          (error.code() == ErrorCode::kBusy && fault == SQLITE_BUSY) ||
                          (error.code() == ErrorCode::kNotConfigured && refuses_to_open &&
                           error.native() == "SQLITE_CANTOPEN");
    EXPECT_TRUE(is_right) << to_string(error.code()) << ": " << error.what();
  }

  void sweep_all(const std::function<void()>& start) {
    sweep_opening(start, Lasting::kOnce, 0);
    sweep_opening(start, Lasting::kOnce, 1);
    sweep_opening(start, Lasting::kAllCalls, 0);
    sweep_opening(start, Lasting::kCallsOfThisKind, 1);
  }
};

TEST_F(Opening, OfANewStoreCanBeRepeated) {
  sessions_ = {"s"};
  sweep_all([this] { copy_store(world_, scratch_.path()); });
}

TEST_F(Opening, OfAClosedStoreCanBeRepeated) {
  sessions_ = {"s", "old", "done"};
  make_world({std::begin(kWorld), std::end(kWorld)});
  sweep_all([this] { start_from(Start::kClosed); });
}

TEST_F(Opening, OfACrashedStoreCanBeRepeated) {
  sessions_ = {"s", "old", "done"};
  make_world({std::begin(kWorld), std::end(kWorld)});
  sweep_all([this] { start_from(Start::kCrashed); });
}

INSTANTIATE_TEST_SUITE_P(Faults, EachOperation, ::testing::ValuesIn(kOperations),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace pawl::sqlite
