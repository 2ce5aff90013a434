// main.cc: pawl_bench. Registers every work on every linked backend, beside raw loops.
//
//   pawl_bench [--growth[=SIZE] | --queue[=DONE]] [--benchmark_filter=REGEX]
//   [--benchmark_repetitions=N] ...
//
// PAWL_BENCH_POSTGRES=URI has it use PostgreSQL, too: schemas in that database, which it drops
// again. "pawl-loading" there is Pawl without its memory, in two round trips an operation.
//
// With --growth, what each operation costs in a store of 100, 10,000 and SIZE (1,000,000)
// things of a kind, in place of the rest. With --queue, what claiming costs after DONE
// (10,000,000) events have been worked off, beside a fresh store.
//
// Compare only within one run: unless other flags are given, every loop runs five times, in an
// order drawn at random, and the medians are compared (report.h).
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "build_info.h"
#include "growth.h"
#include "loop.h"
#include "pawl/open.h"
#include "pawl/registry.h"
#include "place.h"
#include "queue.h"
#include "report.h"
#ifdef PAWL_BENCH_POSTGRES
#include "raw_postgres.h"
#endif
#ifdef PAWL_BENCH_SQLITE
#include "raw_sqlite.h"
#endif
#ifdef PAWL_BENCH_ROCKSDB
#include "raw_rocksdb.h"
#endif

namespace pawl::bench {
namespace {

// One benchmark: the loop is made and prepared by the first thread, outside the timing.
struct Bench {
  Settings settings;
  MakeLoop make;
  std::unique_ptr<Loop> loop;

  void run(::benchmark::State& state) {
    if (state.thread_index() == 0) {
      settings.scratch = make_folder();
      loop = make(settings);
      loop->prepare(state.threads(), static_cast<std::int64_t>(state.max_iterations));
    }
    for (auto _ : state) loop->turn(state.thread_index());
    state.SetItemsProcessed(state.iterations() * events_of(settings.work));
    if (state.thread_index() == 0) {
      loop.reset();
      remove_folder(settings.scratch);
    }
  }
};

// Turns of each thread: about half a second of work at either durability.
std::int64_t turns_of(Work work, bool full, int threads) {
  std::int64_t turns = full ? 1'500 : 12'000;
  if (work == Work::kCycle) turns /= 3;
  if (work == Work::kAppend100 || work == Work::kHundreds) turns = full ? 300 : 500;
  return turns / (full ? 1 : threads);
}

void add(const std::string& group, const std::string& loop, Work work, bool full, int threads,
         const MakeLoop& make) {
  auto bench = std::make_shared<Bench>(Bench{{work, full, {}}, make, nullptr});
  ::benchmark::RegisterBenchmark((group + "/" + loop).c_str(),
                                 [bench](::benchmark::State& state) { bench->run(state); })
      ->Iterations(turns_of(work, full, threads))
      ->Threads(threads)
      ->UseRealTime()
      ->MeasureProcessCPUTime()
      ->Unit(::benchmark::kMicrosecond);
}

void add_raw_loops(const std::string& scheme, const std::string& group, Work work, bool full,
                   int threads) {
#ifdef PAWL_BENCH_SQLITE
  if (scheme == "sqlite" && work != Work::kHundreds) {
    add(group, "raw-mutex", work, full, threads, [](const Settings& settings) {
      return make_raw_sqlite_loop(RawLocking::kMutex, settings);
    });
    if (threads > 1) {
      add(group, "raw-group", work, full, threads, [](const Settings& settings) {
        return make_raw_sqlite_loop(RawLocking::kGroupCommit, settings);
      });
    }
  }
#endif
#ifdef PAWL_BENCH_POSTGRES
  if (scheme == "postgres" && work != Work::kHundreds) {
    add(group, "raw-one-trip", work, full, threads, make_raw_postgres_loop);
  }
#endif
#ifdef PAWL_BENCH_ROCKSDB
  if (scheme == "rocksdb" && work != Work::kHundreds) {
    add(group, "raw", work, full, threads, make_raw_rocksdb_loop);
  }
#endif
  (void)scheme, (void)group, (void)work, (void)full, (void)threads;
}

void add_work(const std::string& scheme, Work work, bool full, int threads) {
  const std::string group = scheme + "/" + (full ? "full" : "relaxed") + "/" + name_of(work) + "/" +
                            std::to_string(threads);
  const MakeLoop make = [scheme](const Settings& settings) {
    return make_pawl_loop(scheme, settings);
  };
  add(group, "pawl", work, full, threads, make);
  if (work == Work::kHundreds) add(group, "pawl-one-by-one", Work::kCycle, full, threads, make);
  if (scheme == "postgres") {
    add(group, "pawl-loading", work, full, threads, [](const Settings& settings) {
      return make_pawl_loop("postgres", settings, {{"remember_kib", "0"}});
    });
  }
  add_raw_loops(scheme, group, work, full, threads);
}

void add_all() {
  for (const std::string& scheme : benched_schemes()) {
    for (const bool full : {false, true}) {
      if (scheme == "memory" && full) continue;
      for (const Work work : {Work::kAppend1, Work::kAppend100, Work::kClaim, Work::kComplete}) {
        add_work(scheme, work, full, 1);
      }
      if (scheme == "postgres") add_work(scheme, Work::kAppend1, full, 4);
      for (const int threads : {1, 4, 16}) add_work(scheme, Work::kCycle, full, threads);
      add_work(scheme, Work::kHundreds, full, 1);
    }
  }
}

// Takes `option` out of the arguments. The size that it asks for, `by_default` where it names none;
// 0: it is not there.
long take_size(int& argc, char** argv, const std::string& option, long by_default, long least) {
  long size = 0;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == option) {
      size = by_default;
    } else if (argument.starts_with(option + "=")) {
      size = std::max(least, std::atol(argument.c_str() + option.size() + 1));
    } else {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  return size;
}

// Ahead of the arguments, of which the last counts.
std::vector<char*> with_defaults(int argc, char** argv) {
  static char repetitions[] = "--benchmark_repetitions=5";
  static char interleaving[] = "--benchmark_enable_random_interleaving=true";
  std::vector<char*> arguments{argv[0], repetitions, interleaving};
  arguments.insert(arguments.end(), argv + 1, argv + argc);
  return arguments;
}

// How often a second this disk makes a small write durable.
double fdatasync_rate() {
  const std::string folder = make_folder();
  const int file = ::open((folder + "/sync").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  const std::string block(4096, 'x');
  const auto start = std::chrono::steady_clock::now();
  std::chrono::duration<double> spent{};
  int count = 0;
  for (; spent.count() < 0.5; ++count) {
    if (pwrite(file, block.data(), block.size(), 0) < 0 || fdatasync(file) != 0) break;
    spent = std::chrono::steady_clock::now() - start;
  }
  close(file);
  remove_folder(folder);
  return count / spent.count();
}

void add_context() {
  ::benchmark::AddCustomContext(
      "pawl", std::string(build_info::version()) + " " + std::string(build_info::commit()));
  ::benchmark::AddCustomContext("payload bytes", std::to_string(kPayloadBytes));
  ::benchmark::AddCustomContext("fdatasync per second", std::to_string(fdatasync_rate()));
#ifdef PAWL_BENCH_SQLITE
  ::benchmark::AddCustomContext("raw sqlite carries", raw_sqlite_carries());
#endif
#ifdef PAWL_BENCH_POSTGRES
  ::benchmark::AddCustomContext("raw postgres carries", raw_postgres_carries());
#endif
#ifdef PAWL_BENCH_ROCKSDB
  ::benchmark::AddCustomContext("raw rocksdb carries", raw_rocksdb_carries());
#endif
  for (const std::string& scheme : linked_schemes()) {
    const BackendRegistration* const backend = find_backend(scheme);
    if (backend->engine != nullptr) ::benchmark::AddCustomContext(scheme, backend->engine());
  }
  ::benchmark::AddCustomContext(
      "note", "Debian's Google Benchmark calls itself a DEBUG build; that is about the library");
}

}  // namespace
}  // namespace pawl::bench

int main(int argc, char** argv) {
  const long growth = pawl::bench::take_size(argc, argv, "--growth", 1'000'000, 101);
  const long queue = pawl::bench::take_size(argc, argv, "--queue", 10'000'000, 1'000);
  std::vector<char*> arguments(argv, argv + argc);
  if (queue == 0) arguments = pawl::bench::with_defaults(argc, argv);
  argc = static_cast<int>(arguments.size());
  benchmark::Initialize(&argc, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(argc, arguments.data())) return 2;
  pawl::bench::add_context();
  if (growth > 0) {
    for (const std::string& scheme : pawl::bench::benched_schemes())
      pawl::bench::add_growth(scheme, growth);
  } else if (queue > 0) {
    for (const std::string& scheme : pawl::bench::benched_schemes()) {
      pawl::bench::add_queue(scheme, queue);
    }
  } else {
    pawl::bench::add_all();
  }
  pawl::bench::RatioReporter ratios;
  benchmark::ConsoleReporter all;
  benchmark::RunSpecifiedBenchmarks(queue > 0 ? &all : &ratios);
  // With the stores that they hold, before the engines' own globals go.
  benchmark::ClearRegisteredBenchmarks();
  benchmark::Shutdown();
  return 0;
}
