// loop.h: one kind of work, done over and over by a number of threads: by Pawl, or by an
// engine's own API on the same rows.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace pawl::bench {

// What is measured in one turn of a loop. kAppend100 and the kHundreds parts count single
// events.
enum class Work { kAppend1, kAppend100, kClaim, kComplete, kCycle, kHundreds };

inline constexpr std::int64_t kPayloadBytes = 200;

// A JSON string of kPayloadBytes bytes.
std::string payload();

class Loop {
 public:
  virtual ~Loop() = default;
  // Makes ready for `turns` turns of each thread. Not measured.
  virtual void prepare(int threads, std::int64_t turns) = 0;
  // One turn. Threads are numbered from 0, and each works on a session of its own.
  virtual void turn(int thread) = 0;
};

struct Settings {
  Work work;
  bool full = false;    // durability
  std::string scratch;  // an empty folder of its own
};

using MakeLoop = std::function<std::unique_ptr<Loop>(const Settings&)>;

// How many events one turn works off.
std::int64_t events_of(Work work);
const char* name_of(Work work);

// Pawl on the backend of `scheme`, with these options of its engine.
std::unique_ptr<Loop> make_pawl_loop(const std::string& scheme, const Settings& settings,
                                     const std::map<std::string, std::string>& engine = {});

}  // namespace pawl::bench
