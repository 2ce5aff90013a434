// demo.cc: replays a package log into a store, works it off with several threads and a second
// process, kills that process in the middle, and proves from the store that nothing was lost or
// done twice.
//
//   pawl_demo [FILE] [--store URI]
//
// A session per package, an event per line of the log. Three consumers finish every event:
//
//   fold   reads each session's log: folds a package's lines, in order, into snapshots
//   arch   works by lanes, one per architecture: in order on a lane, lanes beside one another
//   check  takes every event on its own, in any order; it refuses some of them until somebody
//          has looked at the dead letters and redriven them
//
// Whoever finishes an event appends a "done" event to the session in the same transaction. So
// the log itself tells in the end what was finished, how often, by whom and at which attempt,
// and that is what prove() counts.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "demo_report.h"
#include "pawl/error.h"
#include "pawl/open.h"

namespace {

using nlohmann::json;
using namespace std::chrono_literals;

constexpr std::size_t kMaxLines = 6'000;  // of the log: enough for a demonstration
constexpr std::size_t kLinesPerCommit = 200;
constexpr std::int64_t kRefusedEvery = 50;  // `check` refuses every so many-th line at first
constexpr std::int64_t kMaxFailures = 3;    // from then on an event is a dead letter
constexpr pawl::Duration kLease = 1'500ms;  // how long a silent worker keeps its claims
constexpr pawl::Duration kHandling = 3ms;   // what a handler would wait for elsewhere
constexpr int kOwnWorkers = 4;
constexpr int kOtherWorkers = 2;  // of the second process
constexpr double kPatience = 60;  // seconds without any progress
constexpr const char* kSystemLog = "/var/log/dpkg.log";

// What dpkg writes. The log consumer takes these types only, so that "done" does not wake it.
const std::vector<std::string> kActions{"startup",  "install", "upgrade", "configure", "status",
                                        "trigproc", "remove",  "purge",   "conffile",  "disappear"};
const std::array<pawl::Consumer, 3> kConsumers{
    pawl::Consumer{.name = "fold", .log = pawl::Log{.types = kActions, .backfill = true}},
    pawl::Consumer{.name = "arch"},
    pawl::Consumer{.name = "check"},
};

// ---- the package log

struct Line {
  std::string session;
  pawl::NewEvent event;
};

// Lines that dpkg did not write are passed over. The id is the line's number: replaying the file
// again, after a crash say, appends nothing twice.
std::optional<Line> parse_line(const std::string& text, std::int64_t number) {
  if (text.size() > 500 || std::ranges::any_of(text, [](char c) { return c < ' ' || c > '~'; })) {
    return {};
  }
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  if (words.size() < 4 || std::ranges::find(kActions, words[2]) == kActions.end()) return {};

  const std::string& action = words[2];
  json payload{{"line", number}, {"text", text}};
  std::string session = "dpkg", arch = "none";
  if (action != "startup" && action != "conffile") {
    const std::size_t at = action == "status" ? 4 : 3;
    if (words.size() < at + 2) return {};
    const std::size_t colon = words[at].find(':');
    session = words[at].substr(0, colon);
    if (colon != std::string::npos) arch = words[at].substr(colon + 1);
    if (action == "status") payload.update({{"status", words[3]}, {"version", words[5]}});
  }
  if (session.empty() || arch.empty()) return {};
  payload["arch"] = arch;
  return Line{session,
              {.id = "line-" + std::to_string(number),
               .type = action,
               .payload = payload.dump(),
               .targets = {{.consumer = "arch", .lane = arch}, {.consumer = "check"}}}};
}

std::vector<Line> read_log(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::vector<Line> lines;
  std::int64_t number = 0;
  for (std::string text; lines.size() < kMaxLines && std::getline(in, text);) {
    if (const std::optional<Line> line = parse_line(text, ++number)) lines.push_back(*line);
  }
  return lines;
}

// One step of folding a package's lines: what is known of it on each architecture.
void fold(json& state, const std::string& type, const std::string& payload) {
  const json line = json::parse(payload);
  state["lines"] = state.value("lines", 0) + 1;
  if (type == "status") {
    state["on"][line["arch"]] = {{"status", line["status"]}, {"version", line["version"]}};
  }
}

// Appends the lines, a few hundred in one transaction. Returns in how many.
int replay(pawl::Store& store, const std::vector<Line>& lines) {
  int commits = 0;
  for (std::size_t begin = 0; begin < lines.size(); begin += kLinesPerCommit, ++commits) {
    std::map<std::string, pawl::AppendItem> items;
    for (std::size_t i = begin; i < std::min(begin + kLinesPerCommit, lines.size()); ++i) {
      pawl::AppendItem& item = items[lines[i].session];
      item.session = lines[i].session;
      item.events.push_back(lines[i].event);
      item.consumers = kConsumers;
    }
    std::vector<pawl::AppendItem> batch;
    batch.reserve(items.size());
    for (auto& [session, item] : items) batch.push_back(std::move(item));
    store.append_batch(batch);
  }
  return commits;
}

// ---- working

// The state at `event`: the newest snapshot below it, and the lines from there on. Any worker may
// do this for any event, and comes to the same state; so a snapshot written twice does no harm.
void fold_into_snapshot(pawl::Store& store, const pawl::Event& event) {
  const pawl::LoadSnapshotResult loaded =
      store.load_snapshot(event.session, "package", {.through = event.index, .limit = 10'000});
  json state = loaded.snapshot ? json::parse(loaded.snapshot->state) : json::object();
  for (const pawl::Event& e : loaded.events) {
    if (e.type != "done") fold(state, e.type, e.payload);
  }
  const json line = json::parse(event.payload);
  if (line.value("status", "") == "installed" || loaded.events.size() > 20) {
    store.put_snapshots(event.session, "package", {{event.index, state.dump()}});
  }
}

// `check` cannot do some lines at first. That three attempts were not enough and that somebody
// has redriven the event shows in its attempts, which go on counting.
bool refuses(const pawl::Head& head) {
  return head.attempt_count <= kMaxFailures &&
         json::parse(head.event.payload)["line"].get<std::int64_t>() % kRefusedEvery == 0;
}

pawl::SettleItem handle(pawl::Store& store, const pawl::Head& head, const std::string& holder) {
  std::this_thread::sleep_for(kHandling);
  pawl::SettleItem item{.session = head.event.session, .claim = head};
  if (head.consumer == "check" && refuses(head)) {
    item.action = pawl::SettleAction::kFail;
    item.fail = {.error = "not accepted yet", .max_failures = kMaxFailures, .retry_after = 100ms};
    return item;
  }
  if (head.consumer == "fold") fold_into_snapshot(store, head.event);
  // The id names the attempt. Were an event finished at two attempts, both would stand in the log.
  item.events = {{.id = head.consumer + "/" + std::to_string(head.event.index) + "/" +
                        std::to_string(head.attempt_count),
                  .type = "done",
                  .payload = json{{"by", holder}, {"failures", head.failure_count}}.dump()}};
  return item;
}

// A worker: settles what it has done and claims anew, in one transaction, until it is stopped.
// Then it drops what it holds, as a crash would. What comes back superseded has been taken over
// by another, and is that one's to finish.
void work(pawl::Store& store, const std::string& holder, const std::stop_token& stop) {
  const pawl::ClaimReadyOptions claim{.holder = holder,
                                      .ttl = kLease,
                                      .max_failures = kMaxFailures,
                                      .sessions_limit = 20,
                                      .limit = 40};
  std::vector<pawl::SettleItem> finished;
  while (!stop.stop_requested()) {
    try {
      const pawl::SettleResult settled =
          store.settle(finished, {.consumers = kConsumers, .claim = claim});
      finished.clear();
      for (const pawl::SessionClaims& claims : *settled.claims) {
        for (const pawl::Head& head : claims.heads) {
          if (stop.stop_requested()) return;
          finished.push_back(handle(store, head, holder));
        }
      }
      if (finished.empty()) store.wait(kConsumers, 500ms);
    } catch (const pawl::Error& error) {
      if (!error.retryable()) throw;  // else what is finished is settled again
    }
  }
}

class Workers {
 public:
  Workers(pawl::Store& store, const std::string& name, int count) {
    for (int i = 1; i <= count; ++i) {
      running_.push_back(std::async(std::launch::async, work, std::ref(store),
                                    name + std::to_string(i), stop_.get_token()));
    }
  }
  ~Workers() { stop_.request_stop(); }

  // Throws what a worker has thrown.
  void check() {
    for (std::future<void>& worker : running_) {
      if (worker.wait_for(0s) == std::future_status::ready) worker.get();
    }
  }

 private:
  std::stop_source stop_;
  std::vector<std::future<void>> running_;
};

// The second process: this program again, with --worker. Where a store serves one process only,
// two more threads stand for it, and killing them leaves their claims behind just so.
class Other {
 public:
  Other(pawl::Store& store, const std::string& uri, std::string name) : name_(std::move(name)) {
    const std::string scheme = store.info().scheme;
    if (scheme == "memory" || scheme == "rocksdb") {
      threads_.emplace(store, name_, kOtherWorkers);
      return;
    }
    const std::string parent = std::to_string(getpid());
    const std::array args{
        "pawl_demo",    "--worker", name_.c_str(), "--parent",
        parent.c_str(), "--store",  uri.c_str(),   static_cast<const char*>(nullptr)};
    if (posix_spawn(&pid_, "/proc/self/exe", nullptr, nullptr,
                    const_cast<char* const*>(args.data()), environ) != 0) {
      throw std::runtime_error("the second process does not start");
    }
  }
  ~Other() { kill(); }
  Other(const Other&) = delete;
  Other& operator=(const Other&) = delete;

  void kill() {
    threads_.reset();
    if (pid_ == 0) return;
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

  const std::string& name() const { return name_; }
  std::string what() const {
    return pid_ == 0 ? "thread pair " + name_
                     : "process " + name_ + " (pid " + std::to_string(pid_) + ")";
  }

 private:
  std::string name_;
  pid_t pid_ = 0;
  std::optional<Workers> threads_;
};

// ---- watching

struct Held {  // by the second process when it was killed
  std::string session;
  pawl::Claim claim;
  bool taken_over = false;  // and finished by another
};

struct Run {
  pawl::Store& store;
  const std::string& uri;
  const std::vector<Line>& lines;
  std::map<std::string, std::vector<Line>> sessions = {};
  Timeline timeline = {};
  std::string killed = {};
  std::vector<Held> held = {};
  Report report = {};

  std::int64_t to_finish() const {
    return static_cast<std::int64_t>(lines.size() * kConsumers.size());
  }
};

// Every completion appends one event, and nothing but the replay appends others.
std::int64_t count_finished(Run& run) {
  std::int64_t stored = 0;
  pawl::SessionsOptions page;
  for (;;) {
    const std::vector<pawl::SessionInfo> sessions = run.store.sessions(page);
    if (sessions.empty()) return stored - static_cast<std::int64_t>(run.lines.size());
    for (const pawl::SessionInfo& session : sessions) stored += session.last_index;
    page.after = sessions.back().session;
  }
}

std::vector<Held> claims_of(Run& run, const std::string& worker) {
  std::vector<Held> held;
  for (const auto& [session, lines] : run.sessions) {
    for (const pawl::Cursor& c : run.store.cursors(session, {.limit = 10'000})) {
      if (c.head && c.claim_holder && c.claim_holder->starts_with(worker)) {
        held.push_back({session, {c.consumer, c.lane, *c.head, c.attempt_count}, false});
      }
    }
  }
  return held;
}

// Kills the second process, once it is seen to hold claims, and starts another.
void kill_and_restart(Run& run, std::optional<Other>& other) {
  const std::string name = other->name(), what = other->what();
  if (claims_of(run, name).empty()) return;
  other->kill();
  run.killed = name;
  run.held = claims_of(run, name);
  run.timeline.say("killed " + what + ", which held " + grouped(run.held.size()) +
                   " claims; they lapse within " + std::to_string(kLease.count()) + " ms");
  other.emplace(run.store, run.uri, std::string(1, static_cast<char>(name[0] + 1)));
  run.timeline.say(other->what() + " takes its place");
}

// Returns how many there were.
std::size_t redrive_dead_letters(Run& run) {
  std::vector<pawl::Head> dead;
  for (const auto& [session, lines] : run.sessions) {
    std::ranges::move(run.store.dead_letters(session, {.limit = 10'000}), std::back_inserter(dead));
  }
  if (dead.empty()) return 0;
  for (const pawl::Head& head : dead) {
    const pawl::RedriveResult result = run.store.redrive(
        head.event.session, head.consumer, head.event.index, pawl::RedriveAction::kRetry,
        {.lane = head.lane, .consumers = kConsumers});
    run.report.dead_letters += 1;
    run.report.redriven += result.redriven;
    run.report.failures += head.failure_count;
  }
  run.timeline.say(grouped(dead.size()) + " dead letters are redriven, such as " +
                   dead[0].event.session + " #" + std::to_string(dead[0].event.index) + " of " +
                   dead[0].consumer + " (\"" + dead[0].last_error.value_or("lapsed") + "\")");
  return dead.size();
}

// Returns when no consumer has anything left to do.
void watch(Run& run, Workers& own, std::optional<Other>& other) {
  std::int64_t finished = -1;
  bool waits_for_lapse = true;
  double moved = run.timeline.seconds(), told = moved;
  for (;;) {
    own.check();
    const std::int64_t before = std::exchange(finished, count_finished(run));
    const double now = run.timeline.seconds();
    if (finished != before) moved = now;
    if (now - moved > kPatience) throw std::runtime_error("the work has come to a halt");
    if (now - told >= 1) {
      run.timeline.say(grouped(finished) + " of " + grouped(run.to_finish()) + " finished");
      told = now;
      if (waits_for_lapse && !run.held.empty() && claims_of(run, run.killed).empty()) {
        run.timeline.say("the claims of " + run.killed + " have lapsed; others have taken over");
        waits_for_lapse = false;
      }
    }
    if (run.held.empty() && finished >= run.to_finish() / 4) kill_and_restart(run, other);
    const pawl::ReadyResult ready = run.store.ready({.consumers = kConsumers, .limit = 1});
    if (ready.sessions.empty() && !ready.next_at && redrive_dead_letters(run) == 0) return;
    std::this_thread::sleep_for(50ms);
  }
}

// ---- proving

class Proof {
 public:
  void expect(bool holds, const std::string& what) {
    if (!holds && ++wrong_ <= 10) std::printf("  WRONG: %s\n", what.c_str());
  }
  bool holds() const { return wrong_ == 0; }

 private:
  std::int64_t wrong_ = 0;
};

std::vector<pawl::Event> read_all(pawl::Store& store, const std::string& session) {
  std::vector<pawl::Event> events;
  for (;;) {
    std::vector<pawl::Event> page =
        store.read(session, {.after = events.empty() ? 0 : events.back().index});
    if (page.empty()) return events;
    std::ranges::move(page, std::back_inserter(events));
  }
}

// What the killed process would still send, were it only slow, is refused.
void prove_fencing(Run& run, Proof& proof) {
  for (const Held& held : run.held) {
    const pawl::FinishResult late = run.store.complete(
        held.session, held.claim, {{.id = "late", .type = "done"}}, {.consumers = kConsumers});
    proof.expect(late.superseded(), held.session + ": a late completion was accepted");
  }
}

// A session holds its lines as they came, and for each line and each consumer exactly one
// completion; those of a log or a lane are in the order of the lines.
void prove_session(Run& run, const std::string& session, const std::vector<Line>& lines,
                   Proof& proof) {
  std::map<std::pair<std::string, std::int64_t>, int> finished;         // (consumer, index)
  std::map<std::pair<std::string, std::string>, std::int64_t> reached;  // (consumer, lane)
  std::vector<std::int64_t> indexes;
  for (const pawl::Event& event : read_all(run.store, session)) {
    const std::string place = session + " #" + std::to_string(event.index);
    if (!event.cause) {
      const std::size_t i = indexes.size();
      proof.expect(i < lines.size() && event.id == lines[i].event.id &&
                       event.payload == lines[i].event.payload,
                   place + " is not the line of the file");
      indexes.push_back(event.index);
      continue;
    }
    const pawl::Cause& cause = *event.cause;
    const json done = json::parse(event.payload);
    finished[{cause.consumer, cause.index}] += 1;
    run.report.completions += 1;
    run.report.claims += cause.attempt;
    run.report.failures += done["failures"].get<std::int64_t>();
    for (Held& held : run.held) {
      const pawl::Claim& claim = held.claim;
      if (held.session == session && claim.consumer == cause.consumer &&
          claim.index == cause.index) {
        held.taken_over =
            cause.attempt > claim.attempt && !done["by"].get<std::string>().starts_with(run.killed);
      }
    }
    if (cause.lane) {
      std::int64_t& last = reached[{cause.consumer, *cause.lane}];
      proof.expect(std::exchange(last, cause.index) < cause.index, place + " is out of order");
    }
  }
  proof.expect(indexes.size() == lines.size(), session + " holds other lines than the file");
  for (const std::int64_t index : indexes) {
    for (const pawl::Consumer& consumer : kConsumers) {
      const int times = finished[{consumer.name, index}];
      proof.expect(times == 1, session + " #" + std::to_string(index) + " was finished " +
                                   std::to_string(times) + " times by " + consumer.name);
    }
  }
  proof.expect(finished.size() == indexes.size() * kConsumers.size(), session + ": stray work");
}

// The snapshot and the lines after it give the state that the file gives.
void prove_state(Run& run, const std::string& session, const std::vector<Line>& lines,
                 Proof& proof) {
  const pawl::LoadSnapshotResult loaded =
      run.store.load_snapshot(session, "package", {.limit = 10'000});
  json stored = loaded.snapshot ? json::parse(loaded.snapshot->state) : json::object();
  for (const pawl::Event& event : loaded.events) {
    if (!event.cause) fold(stored, event.type, event.payload);
  }
  json expected = json::object();
  for (const Line& line : lines) fold(expected, line.event.type, line.event.payload);
  proof.expect(stored == expected, session + " was folded to " + stored.dump());
}

bool prove(Run& run) {
  Proof proof;
  prove_fencing(run, proof);
  replay(run.store, run.lines);  // once more: the ids are there, so nothing is appended
  for (const auto& [session, lines] : run.sessions) {
    prove_session(run, session, lines, proof);
    prove_state(run, session, lines, proof);
  }
  for (const Held& held : run.held) {
    run.report.takeovers += held.taken_over;
    proof.expect(held.taken_over, held.session + ": a claim of the killed worker is not done");
  }
  proof.expect(run.report.completions == run.to_finish(), "the number of completions");
  proof.expect(count_finished(run) == run.to_finish(), "the number of events in the store");
  return proof.holds();
}

// ---- the run

void replay_and_work(Run& run) {
  const Timeline& timeline = run.timeline;
  std::optional<Other> other(std::in_place, run.store, run.uri, "B");
  timeline.say(other->what() + " waits for work");
  const double began = timeline.seconds();
  const int transactions = replay(run.store, run.lines);
  const double replayed = timeline.seconds();
  const double rate = static_cast<double>(run.lines.size()) / (replayed - began);
  timeline.say("replayed the lines in " + std::to_string(transactions) + " transactions, " +
               grouped(std::llround(rate)) + " a second");
  while (count_finished(run) == 0 && timeline.seconds() < replayed + 10) {
    std::this_thread::sleep_for(10ms);
  }
  timeline.say(other->what() + " has begun; " + std::to_string(kOwnWorkers) + " threads join it");
  Workers own(run.store, "A", kOwnWorkers);
  watch(run, own, other);
  run.report.seconds = timeline.seconds() - replayed;
}

int run_demo(const std::string& file, const std::string& uri) {
  const std::vector<Line> lines = read_log(file);
  if (lines.empty()) {
    std::fprintf(stderr, "pawl_demo: there is no package log in %s\n", file.c_str());
    return 2;
  }
  pawl::Store store = pawl::open(uri);
  Run run{.store = store, .uri = uri, .lines = lines};
  for (const Line& line : lines) run.sessions[line.session].push_back(line);
  // The sessions of an earlier run are welcome: the work goes on where it stood.
  for (const pawl::SessionInfo& found : store.sessions({.limit = 10'000})) {
    if (run.sessions.contains(found.session)) continue;
    std::fprintf(stderr, "pawl_demo: the store holds something else; give an empty one\n");
    return 2;
  }
  run.report.sessions = static_cast<std::int64_t>(run.sessions.size());
  run.report.events = static_cast<std::int64_t>(lines.size());
  run.report.durability = store.info().durability;
  run.report.engine = store.info().engine;
  std::printf("%s lines of %s, %s packages; %s\n", grouped(run.report.events).c_str(), file.c_str(),
              grouped(run.report.sessions).c_str(), run.report.engine.c_str());
  replay_and_work(run);
  run.timeline.say("all is finished; reading the logs from the store to prove it");
  const bool proven = prove(run);
  print_table(run.report);
  print_verdict(run.report, proven);
  return proven ? 0 : 1;
}

// The second process: works until it is killed or its parent is gone.
int run_worker(const std::string& name, const std::string& uri, pid_t parent) {
  pawl::Store store = pawl::open(uri);
  Workers workers(store, name, kOtherWorkers);
  while (getppid() == parent) {
    workers.check();
    std::this_thread::sleep_for(100ms);
  }
  return 0;
}

// A folder for the store, removed at the end, also when the program is interrupted.
class Scratch {
 public:
  Scratch() {
    std::string path = std::filesystem::temp_directory_path() / "pawl-demo-XXXXXX";
    if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("no folder for the store");
    path_ = path;
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGTERM);
    // Before any other thread is started, so that all of them leave the signals to this one.
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    interrupted_ = std::jthread([this](const std::stop_token& stop) { await_signal(stop); });
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string uri() const { return "sqlite:" + (path_ / "demo.db").string(); }

 private:
  void await_signal(const std::stop_token& stop) const {
    constexpr timespec kPoll{.tv_sec = 0, .tv_nsec = 50'000'000};
    while (!stop.stop_requested()) {
      const int signal = sigtimedwait(&signals_, nullptr, &kPoll);
      if (signal <= 0) continue;
      std::error_code ignored;
      std::filesystem::remove_all(path_, ignored);
      _exit(128 + signal);
    }
  }

  std::filesystem::path path_;
  sigset_t signals_ = {};
  std::jthread interrupted_;
};

int run_main(const std::vector<std::string>& args) {
  std::string file, uri, worker;
  pid_t parent = 0;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const bool has_value = i + 1 < args.size();
    if (args[i] == "--help") return print_usage(stdout), 0;
    if (args[i] == "--store" && has_value) {
      uri = args[++i];
    } else if (args[i] == "--worker" && has_value) {
      worker = args[++i];
    } else if (args[i] == "--parent" && has_value) {
      parent = std::stoi(args[++i]);
    } else if (args[i].starts_with("-") || !file.empty()) {
      return print_usage(stderr), 2;
    } else {
      file = args[i];
    }
  }
  if (!worker.empty()) return run_worker(worker, uri, parent);
  if (file.empty()) file = read_log(kSystemLog).empty() ? PAWL_DEMO_SAMPLE : kSystemLog;
  if (!uri.empty()) return run_demo(file, uri);
  const Scratch scratch;
  return run_demo(file, scratch.uri());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_main({argv + 1, argv + argc});
  } catch (const pawl::Error& error) {
    std::fprintf(stderr, "pawl_demo: %s: %s\n", std::string(to_string(error.code())).c_str(),
                 error.what());
    const bool usage_error = error.code() == pawl::ErrorCode::kInvalidArgument ||
                             error.code() == pawl::ErrorCode::kNotConfigured;
    return usage_error ? 2 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "pawl_demo: %s\n", error.what());
    return 1;
  }
}
