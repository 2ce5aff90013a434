// A store, a copy of it for each fault, and what is expected of every one.
#pragma once

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "scratch.h"
#include "store_view.h"
#include "vfs/vfs_faults.h"

namespace pawl::sqlite {

namespace fs = std::filesystem;
using Lasting = Fault::Lasting;

inline std::string one_line(std::string text) {
  std::erase(text, '\n');
  return text;
}

inline bool is_error(const std::string& answer) { return answer.starts_with(R"({"error")"); }

// As a crash would leave the store: without the shared memory, and nobody has tidied up.
inline void copy_store(const std::string& from, const std::string& to) {
  for (const char* suffix : {"", "-wal", "-journal", "-lock", "-shm"}) {
    fs::remove(to + suffix);
    if (std::string(suffix) == "-lock" || std::string(suffix) == "-shm") continue;
    if (fs::exists(from + suffix)) fs::copy_file(from + suffix, to + suffix);
  }
}

struct State {
  std::string view, rows;
  bool operator==(const State&) const = default;
};

// A checkpoint has work to do, and a crashed store has a log to recover.
enum class Start { kClosed, kCrashed };

class Faults : public ::testing::Test {
 protected:
  static constexpr std::int64_t kNow = 2'000;

  Faults() {
    // Each store takes a few megabytes and gives them back, hundreds of times.
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
    mallopt(M_TOP_PAD, 16 << 20);
    options_.busy_timeout = Duration(0);
    options_.engine["checkpoint_pages"] = "16";  // most operations end in a checkpoint
  }

  // What every operation starts from.
  void make_world(const std::vector<std::string>& lines) {
    LineStore store(world_, kNow / 2, options_);
    for (const std::string& line : lines) {
      const std::string answer = store.answer(one_line(line));
      if (is_error(answer)) throw std::runtime_error(answer);
    }
    copy_store(world_, crashed_world_);
  }

  void start_from(Start start) {
    copy_store(start == Start::kClosed ? world_ : crashed_world_, scratch_.path());
  }

  // What its store and its file tell.
  State state_of(LineStore& store) {
    return {view_of(store, sessions_), rows_of(scratch_.path(), false)};
  }

  // Without faults: the states before and after, and the calls that are made.
  void rehearse(const std::string& line, Start start) {
    start_from(start);
    {
      LineStore store(scratch_.path(), kNow, options_);
      before_ = state_of(store);
    }
    start_from(start);
    {
      LineStore store(scratch_.path(), kNow, options_);
      faults_.start({});
      answer_ = store.answer(line);
      calls_ = faults_.heal();
      if (is_error(answer_)) throw std::runtime_error(answer_);
      after_ = state_of(store);
      probe(store);
    }
    rows_at_last_ = rows_of(scratch_.path());
  }

  // Of many calls of a kind in a row the first and the last stand for all where these are reads, or
  // where all fails from then on.
  bool is_covered(std::size_t call, Lasting lasting) const {
    if (calls_[call] != VfsCall::kRead && lasting != Lasting::kAllCalls) return false;
    return call > 0 && call + 1 < calls_.size() && calls_[call - 1] == calls_[call] &&
           calls_[call + 1] == calls_[call];
  }

  void sweep(const std::string& line, Start start, Lasting lasting, int variant) {
    rehearse(line, start);
    for (std::size_t call = 0; call < calls_.size(); ++call) {
      if (!fault_code(calls_[call], variant)) continue;
      if (is_covered(call, lasting)) continue;
      SCOPED_TRACE(std::string(to_string(calls_[call])) + ", call " + std::to_string(call) +
                   " of " + std::to_string(calls_.size()) + ", variant " + std::to_string(variant) +
                   ", lasting " + std::to_string(static_cast<int>(lasting)));
      inject(line, start, {call, variant, lasting});
      if (HasFailure()) return;
      ++injected_;
    }
  }

  void inject(const std::string& line, Start start, const Fault& fault) {
    start_from(start);
    const std::string crashed = scratch_.path("crashed.db");
    {
      LineStore store(scratch_.path(), kNow, options_);
      faults_.start(fault);
      const std::string answer = store.answer(line);
      copy_store(scratch_.path(), crashed);
      const auto failed = faults_.failed();
      faults_.heal();
      ASSERT_EQ(failed, calls_[fault.call]) << "the calls are not the rehearsed ones";
      SCOPED_TRACE(answer);
      check_answer(answer, fault);
      const State state = state_of(store);
      check_rows(state.rows, answer);
      EXPECT_EQ(state.view, state.rows == before_.rows ? before_.view : after_.view);
      check_rows(rows_of(crashed), answer);
      if (HasFailure()) return;
      // The same store works again: an operation that has not happened is repeated.
      if (is_error(answer) && state.rows == before_.rows) {
        EXPECT_EQ(store.answer(line), answer_);
        EXPECT_EQ(view_of(store, sessions_), after_.view);
      }
      probe(store);
    }
    EXPECT_EQ(rows_of(scratch_.path()), rows_at_last_);
  }

  void probe(LineStore& store) {
    const std::string answer = store.answer(
        R"({"op":"append","session":"probe","events":[{"id":"p","type":"t","payload":0}]})");
    EXPECT_FALSE(is_error(answer)) << answer;
  }

  // An error says whether the operation has happened, and a doubt is the exception: of calls that
  // may fail when all that makes a commit has been written.
  void check_answer(const std::string& answer, const Fault& fault) {
    if (!is_error(answer)) {
      EXPECT_EQ(answer, answer_);
      return;
    }
    const std::string code = answer.substr(18, answer.find('"', 18) - 18);
    ++codes_[code];
    if (code == "in_doubt") {
      const auto first = calls_.begin() + static_cast<std::ptrdiff_t>(fault.call);
      const auto last = fault.lasting == Lasting::kAllCalls ? calls_.end() : first + 1;
      EXPECT_TRUE(std::any_of(first, last, [](VfsCall call) {
        return call == VfsCall::kSync || call == VfsCall::kFileControl || call == VfsCall::kShmMap;
      }));
    } else if (code == "busy") {
      EXPECT_EQ(fault_code(calls_[fault.call], fault.variant), SQLITE_BUSY);
    } else {
      EXPECT_EQ(code, "unavailable");
    }
  }

  void check_rows(const std::string& rows, const std::string& answer) {
    if (!is_error(answer)) {
      EXPECT_EQ(rows, after_.rows) << "acknowledged, and not there";
    } else if (answer.find("in_doubt") == std::string::npos) {
      EXPECT_EQ(rows, before_.rows) << "nothing was to happen";
    } else {
      EXPECT_TRUE(rows == before_.rows || rows == after_.rows) << "a half of it happened:\n"
                                                               << rows;
    }
  }

  OpenOptions options_;
  std::vector<std::string> sessions_;
  VfsFaults faults_;
  VfsShim shim_{faults_};
  Scratch scratch_;
  const std::string world_ = scratch_.path("world.db");
  const std::string crashed_world_ = scratch_.path("crashed-world.db");
  State before_, after_;
  std::string answer_, rows_at_last_;
  std::vector<VfsCall> calls_;
  std::map<std::string, int> codes_;
  int injected_ = 0;
};

}  // namespace pawl::sqlite
