// A bit of the closed file is turned: what is read then is all there, or an error says so.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "pawl/clock.h"
#include "pawl/sqlite.h"
#include "scratch.h"

namespace pawl::sqlite {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr std::int64_t kEvents = 120;
constexpr int kFlips = 120;
constexpr std::size_t kHeaderBytes = 100;
// Bytes of which none may be another: the file's magic, layout and application, and the kind of
// the schema's page.
constexpr std::size_t kVital[] = {0, 63, 71, 100};

OpenOptions relaxed() {
  OpenOptions options;
  options.durability = Durability::kRelaxed;
  return options;
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void fill(const std::string& path) {
  Store store = sqlite::open(path, relaxed());
  std::vector<NewEvent> events;
  for (std::int64_t i = 1; i <= kEvents; ++i) {
    events.push_back(
        {.type = "t",
         .payload = '"' + std::string(40, 'x') + '"',
         .targets = {{.consumer = "c", .lane = "k" + std::to_string(i % 7)}, {.consumer = "d"}}});
  }
  store.append("s", events);
  const ClaimResult claim = store.claim("s", {.holder = "w", .ttl = 60s, .limit = 20});
  for (const Head& head : claim.heads) (void)store.complete("s", head);
  store.put_snapshots("s", "r", {{.index = 10, .state = "1"}});
}

// Uses all of it. True if nothing is missing; false if the session is not found.
bool is_whole(const std::string& path) {
  Store store = sqlite::open(path, relaxed());
  const SessionHead head = store.head("s");
  // A name that no longer compares equal is another session: only a checksum could tell.
  if (head.last_index == 0) return false;
  std::int64_t after = head.clear_index;
  while (true) {
    const std::vector<Event> page = store.read("s", {.after = after, .limit = 50});
    if (page.empty()) break;
    for (const Event& event : page) EXPECT_EQ(event.index, ++after);
  }
  EXPECT_EQ(after, kEvents);
  store.cursors("s");
  store.load_snapshot("s", "r");
  store.ready();
  store.claim("s", {.holder = "v", .ttl = 60s});
  EXPECT_EQ(store.append("s", {{.type = "t"}}).events.at(0).index, kEvents + 1);
  return true;
}

enum class Outcome { kWhole, kMissing, kRefused };

// What becomes of a store of which this bit was turned. Fails the test if the error is another
// than one of a damaged file, or does not name it.
Outcome turn(const Scratch& scratch, std::string bytes, std::size_t bit) {
  SCOPED_TRACE("bit " + std::to_string(bit));
  bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
  const std::string path = scratch.path("flip" + std::to_string(bit));
  std::ofstream(path, std::ios::binary) << bytes;
  Outcome outcome = Outcome::kRefused;
  try {
    outcome = is_whole(path) ? Outcome::kWhole : Outcome::kMissing;
  } catch (const Error& error) {
    EXPECT_TRUE(error.code() == ErrorCode::kCorrupt || error.code() == ErrorCode::kNotConfigured)
        << error.what();
    EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
  }
  for (const char* suffix : {"", "-wal", "-shm", "-lock"}) fs::remove(path + suffix);
  return outcome;
}

std::string closed_store(const Scratch& scratch) {
  fill(scratch.path());
  EXPECT_EQ(fs::file_size(scratch.path() + "-wal"), 0U);
  return bytes_of(scratch.path());
}

TEST(Damage, AnyBitOfTheHeaderIsRefusedOrHarmless) {
  const Scratch scratch;
  const std::string bytes = closed_store(scratch);
  for (std::size_t bit = 0; bit < kHeaderBytes * 8; ++bit) {
    EXPECT_NE(turn(scratch, bytes, bit), Outcome::kMissing);
  }
  for (const std::size_t byte : kVital) {
    EXPECT_EQ(turn(scratch, bytes, byte * 8), Outcome::kRefused) << byte;
  }
}

TEST(Damage, AFlippedBitIsNeverTakenForFewerEvents) {
  const Scratch scratch;
  const std::string bytes = closed_store(scratch);
  std::mt19937_64 random(20'261'130);
  int whole = 0;
  for (int i = 0; i < kFlips; ++i) {
    // Every other one in the first page, which holds the schema.
    const std::size_t within = i % 2 == 0 ? 4'096 : bytes.size();
    if (turn(scratch, bytes, random() % (within * 8)) == Outcome::kWhole) ++whole;
  }
  EXPECT_GT(whole, kFlips / 10);
}

}  // namespace
}  // namespace pawl::sqlite
