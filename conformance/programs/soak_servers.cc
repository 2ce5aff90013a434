// `pawl_soak servers`: restarts, kills and failovers of the server that a store works on.
#include <array>
#include <atomic>
#include <iostream>
#include <mutex>
#include <thread>

#include "postgres/tests/support/server.h"
#include "soak.h"
#include "soak_crash.h"

namespace pawl::soak {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using SteadyClock = std::chrono::steady_clock;
using postgres::testing::Server;

constexpr const char* kUsage = R"(pawl_soak servers [--count N] [--seed S] [--out FILE]
  --count N            how many disturbances (30): a third of them failovers, the others restarts,
                       fast (connections are ended) or immediate (as in a crash)
  --seed S             of the load and of the moments (a new one); the threads' turns are the
                       system's
  --option NAME=VALUE  an option of the store, as often as needed
  --threads N          that work on the store (4)
  --out FILE           writes the result there as JSON, too
Starts a PostgreSQL server and a synchronous standby, works on a store that knows both, and
disturbs the server at some moment. The same store has to work again within 30 s of there being a
server, and all that was acknowledged has to be there, once. Prints the result as JSON, and exits
with 1 if something was found.
)";

constexpr seconds kLongestOutage{30};

// Two servers, one of which is the primary.
class Pair {
 public:
  Pair() : servers_{std::make_unique<Server>(), nullptr} {
    servers_[1] = std::make_unique<Server>(primary().folder());
    primary().commit_on_standby(true);
    primary().wait_for_standby();
  }

  Server& primary() { return *servers_[at_]; }

  std::string uri() const {
    return "postgres:///postgres?user=pawl&host=" + servers_[0]->folder() + "," +
           servers_[1]->folder();
  }

  void fail_over() {
    Server& lost = primary();
    lost.kill_now();
    at_ = 1 - at_;
    primary().promote();
    primary().commit_on_standby(false);
    lost_ = &lost;
  }

  // After which the pair may be disturbed again.
  void mend() {
    if (lost_ != nullptr) {
      lost_->follow(primary());
      lost_ = nullptr;
      primary().commit_on_standby(true);
    }
    primary().wait_for_standby();
  }

 private:
  std::array<std::unique_ptr<Server>, 2> servers_;
  std::size_t at_ = 0;
  Server* lost_ = nullptr;
};

class ServersRun {
 public:
  ServersRun(const CrashSettings& settings, Pair& servers)
      : settings_(settings),
        servers_(servers),
        place_(servers.uri()),
        run_("servers", settings_, place_),
        random_(settings.seed),
        store_(pawl::open(place_.uri(), settings_.open_options())) {}

  int run() {
    std::cout << "seed " << settings_.seed << std::endl;
    for (std::int64_t i = 1; i <= settings_.count && !run_.has_failed(); ++i) {
      work_and_disturb(i);
      await_recovery(i);
      for (const Acknowledgement& made : acknowledged_) run_.ledger().add(made);
      acknowledged_.clear();
      servers_.mend();
      if (!run_.has_failed()) run_.check(i, true);
      run_.tell_progress(i);
    }
    const Stats stats = store_.stats();
    return run_.finish({{"failovers", failovers_},
                        {"restarts", restarts_},
                        {"kills_of_the_server", kills_},
                        {"unavailable", unavailable_},
                        {"in_doubt", in_doubt_},
                        {"in_one_trip", stats.numbers.at("guarded")},
                        {"guards_failed", stats.numbers.at("guards_failed")},
                        {"longest_outage_ms", longest_outage_.count()}});
  }

 private:
  void work_and_disturb(std::int64_t generation) {
    std::atomic<bool> works = false;
    std::stop_source stop;
    Load load(store_, settings_.seed, generation, [&](const Acknowledgement& made) {
      const std::lock_guard lock(mutex_);
      acknowledged_.push_back(made);
      works = true;
    });
    std::jthread working([&] { load.run(settings_.threads, stop.get_token()); });
    const auto end = SteadyClock::now() + seconds(20);
    while (!works && SteadyClock::now() < end) std::this_thread::sleep_for(milliseconds(1));
    std::this_thread::sleep_for(milliseconds(random_.below(300)));
    disturb(generation);
    stop.request_stop();
    working.join();
    for (const Error& error : load.errors()) note(error);
  }

  void disturb(std::int64_t generation) {
    if (generation % 3 == 0) {
      servers_.fail_over();
      ++failovers_;
    } else if (generation % 3 == 1) {
      servers_.primary().stop();
      servers_.primary().start();
      ++restarts_;
    } else {
      servers_.primary().kill_now();
      servers_.primary().start();
      ++kills_;
    }
  }

  void note(const Error& error) {
    if (error.code() == ErrorCode::kInDoubt) {
      ++in_doubt_;
    } else if (error.code() == ErrorCode::kUnavailable) {
      ++unavailable_;
    } else {
      run_.ledger().find(std::string(to_string(error.code())) + ": " + error.what());
    }
  }

  // By the same store, which has to find the server by itself.
  void await_recovery(std::int64_t generation) {
    const auto begin = SteadyClock::now();
    while (true) {
      try {
        const std::string id = std::to_string(generation) + "-99-1-n";  // of no thread
        store_.append("session 0", {{.id = id, .type = "note", .payload = payload_of(id)}});
        break;
      } catch (const Error& error) {
        note(error);
        if (SteadyClock::now() - begin > kLongestOutage) {
          run_.ledger().find(std::string("no work 30 s after there was a server: ") + error.what());
          return;
        }
        std::this_thread::sleep_for(milliseconds(10));
      }
    }
    longest_outage_ = std::max(
        longest_outage_, std::chrono::duration_cast<milliseconds>(SteadyClock::now() - begin));
  }

  const CrashSettings& settings_;
  Pair& servers_;
  const CrashPlace place_;
  CrashRun run_;
  model::Random random_;
  Store store_;
  std::mutex mutex_;
  std::vector<Acknowledgement> acknowledged_;
  std::int64_t failovers_ = 0;
  std::int64_t restarts_ = 0;
  std::int64_t kills_ = 0;
  std::int64_t unavailable_ = 0;
  std::int64_t in_doubt_ = 0;
  milliseconds longest_outage_{0};
};

}  // namespace

int servers(const std::vector<std::string>& arguments) {
  std::optional<CrashSettings> settings = parse_crash(arguments, 30);
  if (!settings || settings->generation) return tell_usage(kUsage, arguments);
  if (const auto reason = postgres::testing::why_not()) {
    std::cout << "not run: " << *reason << std::endl;
    return 0;
  }
  Pair pair;
  return ServersRun(*settings, pair).run();
}

}  // namespace pawl::soak
