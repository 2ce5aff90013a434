// What the runs that crash a store have in common.
#include "soak_crash.h"

#include <cmath>
#include <iostream>
#include <stdexcept>

#include "build_info.h"

namespace pawl::soak {
namespace {

using Json = nlohmann::json;
using SteadyClock = std::chrono::steady_clock;

// Sessions longer than this are cleared after a check.
constexpr std::size_t kLongestSession = 400;
constexpr double kLongestOpeningMs = 1'000;

std::string scheme_of(const std::string& store) {
  const std::size_t colon = store.find(':');
  if (colon == std::string::npos) throw std::invalid_argument("a store is SCHEME:PLACE");
  return store.substr(0, colon);
}

bool is_in_folder(const std::string& scheme) { return scheme == "sqlite" || scheme == "rocksdb"; }

}  // namespace

OpenOptions CrashSettings::open_options() const {
  OpenOptions opened;
  for (const auto& [name, value] : options) opened.set(name, value);
  return opened;
}

std::optional<CrashSettings> parse_crash(const std::vector<std::string>& arguments,
                                         std::int64_t count) {
  CrashSettings settings;
  settings.store = "sqlite:";
  settings.count = count;
  const auto more = [&](const std::string& name, const std::string& value) {
    if (name == "--threads") {
      settings.threads = std::stoi(value);
    } else if (name == "--generation") {
      settings.generation = std::stoll(value);
    } else if (name == "--acknowledgements") {
      settings.acknowledgements = value;
    } else {
      return false;
    }
    return true;
  };
  if (!read_arguments(arguments, settings, more)) return std::nullopt;
  return settings;
}

CrashPlace::CrashPlace(const std::string& store)
    : scheme_(scheme_of(store)),
      scratch_(is_in_folder(scheme_) ? store.substr(scheme_.size() + 1) : ""),
      uri_(is_in_folder(scheme_) ? scheme_ + ":" + scratch_.folder() + "/store" : store) {}

std::string engine_check([[maybe_unused]] const CrashPlace& place) {
#ifdef PAWL_SOAK_SQLITE
  if (place.scheme() == "sqlite") return sqlite_check(place.path());
#endif
  return {};
}

void CrashRun::check(std::int64_t generation, bool all) {
  const auto began = SteadyClock::now();
  Store store = pawl::open(place_.uri(), settings_.open_options());
  store.sessions({.limit = 1});
  const std::chrono::duration<double, std::milli> took = SteadyClock::now() - began;
  slowest_ = std::max(slowest_, took);
  if (took.count() >= kLongestOpeningMs) {
    ledger_.find("opening took " + std::to_string(took.count()) + " ms");
  }
  ledger_.check(store, generation, all);
  const std::string damage = engine_check(place_);
  if (!damage.empty()) ledger_.find("the engine finds damage: " + damage);
  if (!has_failed()) ledger_.trim(store, kLongestSession);
}

void CrashRun::tell_progress(std::int64_t generation) {
  if (!pace_.is_time_for_a_word()) return;
  std::cout << generation << " crashes, " << ledger_.acknowledged() << " acknowledgements"
            << std::endl;
}

int CrashRun::finish(const Json& more) {
  constexpr std::size_t kShown = 20;
  Json result = {{"soak", name_},
                 {"commit", std::string(build_info::commit())},
                 {"store", place_.scheme() + ":"},
                 {"options", settings_.options},
                 {"seed", settings_.seed},
                 {"count", settings_.count},
                 {"threads", settings_.threads},
                 {"acknowledged", ledger_.acknowledged()},
                 {"events_checked", ledger_.checked()},
                 {"lost", ledger_.lost()},
                 {"doubled", ledger_.doubled()},
                 {"slowest_reopening_ms", std::lround(slowest_.count())},
                 {"seconds", pace_.seconds()},
                 {"result", has_failed() ? "difference" : "no difference"}};
  result.update(more);
  if (has_failed()) {
    std::vector<std::string> shown = ledger_.findings();
    if (shown.size() > kShown) shown.resize(kShown);
    result["findings"] = shown;
  }
  publish(result, settings_);
  return has_failed() ? 1 : 0;
}

}  // namespace pawl::soak
