// `pawl_soak damage`: flips bits in the files of a closed store. Only for RocksDB, which keeps
// checksums of all it writes.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "build_info.h"
#include "model/random.h"
#include "pawl/jsonl.h"
#include "soak.h"
#include "soak_crash.h"

namespace pawl::soak {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kUsage =
    R"(pawl_soak damage --store rocksdb:FOLDER [--count N] [--seed S] [--out FILE]
  --store rocksdb:FOLDER  a store is made in a new folder there, or among the temporary files when
                          FOLDER is left out
  --option NAME=VALUE     an option of the store, as often as needed
  --count N               how many bits are flipped, one at a time, each in a fresh copy (100)
  --seed S                of what is stored, and of the bits (a new one)
  --out FILE              writes the result there as JSON, too
Flips a bit of a closed store, opens it and reads all of it: that gives the code `corrupt`, or what
was stored, and never less. Prints the result as JSON, and exits with 1 if something was found.
)";

constexpr int kSessions = 8;

class DamageRun {
 public:
  explicit DamageRun(const CrashSettings& settings)
      : settings_(settings), place_(settings.store), random_(settings.seed) {}

  int run() {
    std::cout << "seed " << settings_.seed << " on " << settings_.store << std::endl;
    make_store();
    copy_ = place_.path() + "-copy";
    expected_ = read_all(take_copy());
    if (!expected_) throw std::runtime_error("the store cannot be read as it is");
    for (std::int64_t i = 0; i < settings_.count && findings_.empty(); ++i) {
      flip_and_look();
      if (pace_.is_time_for_a_word()) std::cout << i << " bits" << std::endl;
    }
    const Json result = {{"soak", "damage"},
                         {"commit", std::string(build_info::commit())},
                         {"store", place_.scheme() + ":"},
                         {"options", settings_.options},
                         {"seed", settings_.seed},
                         {"count", settings_.count},
                         {"intact", intact_},
                         {"refused", refused_},
                         {"kinds_of_file", kinds_},
                         {"seconds", pace_.seconds()},
                         {"findings", findings_},
                         {"result", findings_.empty() ? "no difference" : "difference"}};
    publish(result, settings_);
    return findings_.empty() ? 0 : 1;
  }

 private:
  // Some in table files, some in the log only.
  void make_store() {
    for (int part = 0; part < 3; ++part) {
      Store store = pawl::open(place_.uri(), settings_.open_options());
      for (int i = 0; i < kSessions; ++i) fill(store, "s" + std::to_string(i));
    }
  }

  void fill(Store& store, const std::string& session) {
    const std::vector<Consumer> served{{.name = "log", .log = Log{.backfill = true}},
                                       {.name = "c"}};
    for (int i = 0; i < 10; ++i) {
      std::string payload;
      for (std::int64_t left = random_.below(1'000); left > 0; --left) {
        payload += static_cast<char>('a' + random_.below(26));
      }
      NewEvent event{.type = "t", .payload = '"' + payload + '"', .targets = {{.consumer = "c"}}};
      if (random_.chance(50)) event.targets.front().lane = "k";
      store.append(session, {event}, {.consumers = served});
    }
    const ClaimResult claim = store.claim(
        session, {.holder = "w", .ttl = std::chrono::hours(1), .consumers = served, .limit = 4});
    for (std::size_t i = 0; i < claim.heads.size(); ++i) {
      if (i == 0) {
        (void)store.fail(session, claim.heads[i], {.error = "e", .max_failures = 1});
      } else {
        (void)store.complete(session, claim.heads[i], {}, {.consumers = served});
      }
    }
    store.put_snapshots(session, "r", {{.index = 1 + random_.below(5), .state = "[1]"}});
    store.set_presence("n", session, {{"f", "1"}},
                       {.at = Time(Duration(1)), .ttl = std::chrono::hours(10'000'000)});
  }

  std::string take_copy() const {
    fs::remove_all(copy_);
    fs::copy(place_.path(), copy_, fs::copy_options::recursive);
    return copy_;
  }

  // All that can be seen. None: the store is said to be corrupt.
  std::optional<std::string> read_all(const std::string& path) {
    try {
      OpenOptions options = settings_.open_options();
      options.clock = clock_;
      Store store = pawl::open(place_.scheme() + ":" + path, options);
      JsonLines lines(store);
      std::string all;
      const auto look = [&](const std::string& line) {
        const std::string answer = lines.answer(line);
        const Json read = Json::parse(answer);
        if (read.contains("error")) {
          throw Error(
              read["error"]["code"] == "corrupt" ? ErrorCode::kCorrupt : ErrorCode::kInDoubt,
              answer);
        }
        all += answer + "\n";
      };
      look(R"({"op":"sessions"})");
      look(R"({"op":"ready"})");
      look(R"({"op":"presence","namespace":"n"})");
      for (int i = 0; i < kSessions; ++i) {
        const std::string session = R"("session":"s)" + std::to_string(i) + R"("})";
        for (const char* op : {"head", "read", "cursors", "dead_letters"}) {
          look(R"({"op":")" + std::string(op) + R"(",)" + session);
        }
        look(R"({"op":"load_snapshot","reducer":"r",)" + session);
      }
      return all;
    } catch (const Error& error) {
      // A changed number in the file that tells the layout is another layout.
      if (error.code() == ErrorCode::kCorrupt) return std::nullopt;
      if (error.code() == ErrorCode::kNotConfigured && file_ == "PAWL") return std::nullopt;
      findings_.push_back(std::string(to_string(error.code())) + ": " + error.what());
      return std::nullopt;
    }
  }

  // Small files get their share.
  fs::path choose_file() {
    std::vector<fs::path> files;
    std::int64_t bytes = 0;
    for (const auto& entry : fs::directory_iterator(copy_)) {
      if (!entry.is_regular_file() || entry.file_size() == 0) continue;
      files.push_back(entry.path());
      bytes += static_cast<std::int64_t>(entry.file_size());
    }
    std::sort(files.begin(), files.end());
    if (random_.chance(50))
      return files[static_cast<std::size_t>(random_.below(std::ssize(files)))];
    std::int64_t at = random_.below(bytes);
    for (const fs::path& file : files) {
      at -= static_cast<std::int64_t>(fs::file_size(file));
      if (at < 0) return file;
    }
    return files.back();
  }

  void flip_and_look() {
    take_copy();
    const fs::path path = choose_file();
    file_ = path.filename();
    ++kinds_[path.has_extension() ? path.extension().string() : file_.substr(0, file_.find('-'))];
    const std::int64_t at = random_.below(static_cast<std::int64_t>(fs::file_size(path)));
    const int bit = static_cast<int>(random_.below(8));
    {
      std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
      file.seekg(at);
      const char byte = static_cast<char>(file.get() ^ (1 << bit));
      file.seekp(at).put(byte);
    }
    const auto seen = read_all(copy_);
    if (!seen) {
      ++refused_;
    } else if (*seen == *expected_) {
      ++intact_;
    } else {
      findings_.emplace_back("something else is stored");
    }
    if (!findings_.empty()) {
      findings_.push_back("bit " + std::to_string(bit) + " of byte " + std::to_string(at) + " of " +
                          file_);
    }
  }

  const CrashSettings& settings_;
  const CrashPlace place_;
  model::Random random_;
  Pace pace_;
  const std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>(2'000'000'000'000);
  std::string copy_;
  std::string file_;
  std::optional<std::string> expected_;
  std::int64_t intact_ = 0;
  std::int64_t refused_ = 0;
  std::map<std::string, std::int64_t> kinds_;
  std::vector<std::string> findings_;
};

}  // namespace

int damage(const std::vector<std::string>& arguments) {
  const std::optional<CrashSettings> settings = parse_crash(arguments);
  if (!settings || settings->generation || !settings->store.starts_with("rocksdb:")) {
    return tell_usage(kUsage, arguments);
  }
  return DamageRun(*settings).run();
}

}  // namespace pawl::soak
