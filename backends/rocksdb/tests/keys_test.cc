// The key space: order-preserving, injective, and damaged bytes never crash.
#include "keys.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "values.h"

namespace pawl::rocksdb {
namespace {

// Names that separators, terminators and prefixes of one another could confuse.
const std::vector<std::string> kNames{"a",
                                      "a\x01",
                                      "ab",
                                      "a:b",
                                      "a/b",
                                      "b",
                                      "\x01",
                                      "\x7f",
                                      "\xc2\x80",
                                      "\xef\xbf\xbf",
                                      "\xf4\x8f\xbf\xbf",
                                      std::string(512, 'a'),
                                      std::string(512, '\x01')};
const std::vector<std::int64_t> kNumbers{
    0, 1, 255, 256, (1LL << 31) - 1, 1LL << 32, (1LL << 53) + 1, driver::kNever};

std::string random_name(std::mt19937_64& random) {
  std::string name;
  for (std::uint64_t left = 1 + random() % 6; left > 0; --left) {
    name.push_back(
        static_cast<char>("\x01\x02"
                          "az/:"[random() % 6]));
  }
  return name;
}

TEST(Keys, NamesKeepTheirOrder) {
  for (const std::string& a : kNames) {
    for (const std::string& b : kNames) {
      EXPECT_EQ(a < b, Key(Tag::kWork).name(a).bytes() < Key(Tag::kWork).name(b).bytes());
    }
  }
}

TEST(Keys, NumbersKeepTheirOrder) {
  for (const std::int64_t a : kNumbers) {
    for (const std::int64_t b : kNumbers) {
      EXPECT_EQ(a < b, Key(Tag::kWork).number(a).bytes() < Key(Tag::kWork).number(b).bytes());
    }
  }
}

TEST(Keys, NoLaneComesLast) {
  for (const std::string& name : kNames) {
    EXPECT_LT(Key(Tag::kWork).lane(name).bytes(), Key(Tag::kWork).lane(std::nullopt).bytes());
  }
}

TEST(Keys, CursorKeysHaveTheContractsOrder) {
  const std::uint64_t seed = 7;
  std::mt19937_64 random(seed);
  SCOPED_TRACE("seed " + std::to_string(seed));
  const auto key = [&] {
    driver::CursorKey made{random_name(random), std::nullopt, 0};
    if (random() % 2 == 0) {
      made.lane = random_name(random);
    } else {
      made.index = kNumbers[random() % kNumbers.size()];
    }
    return made;
  };
  for (int i = 0; i < 20'000; ++i) {
    const driver::CursorKey a = key();
    const driver::CursorKey b = key();
    ASSERT_EQ(a < b, cursor_key("s", 1, a) < cursor_key("s", 1, b));
    ASSERT_EQ(a == b, cursor_key("s", 1, a) == cursor_key("s", 1, b));
  }
}

TEST(Keys, TuplesNeverShareAKey) {
  std::set<std::string> keys;
  std::size_t count = 0;
  for (const std::string& session : kNames) {
    for (const std::string& consumer : kNames) {
      for (const std::string& lane : kNames) {
        keys.insert(work_key(session, consumer, lane, 1));
        ++count;
      }
      keys.insert(work_key(session, consumer, std::nullopt, 1));
      ++count;
    }
  }
  EXPECT_EQ(keys.size(), count);
}

TEST(Keys, ARangeHoldsNoOtherNamesKeys) {
  for (const std::string& a : kNames) {
    const std::string prefix = Key(Tag::kEvent).name(a).bytes();
    const std::string end = after_prefix(prefix);
    for (const std::string& b : kNames) {
      for (const std::int64_t index : kNumbers) {
        const std::string key = event_key(b, index);
        EXPECT_EQ(prefix <= key && key < end, a == b);
      }
    }
  }
}

TEST(Keys, ReadingGivesWhatWasWritten) {
  for (const std::string& name : kNames) {
    for (const std::int64_t number : kNumbers) {
      const std::string key =
          Key(Tag::kPin).name("s").number(number).lane(name).lane(std::nullopt).bytes();
      KeyReader reader(key, Key(Tag::kPin).name("s"));
      EXPECT_EQ(reader.number(), number);
      EXPECT_EQ(reader.lane(), name);
      EXPECT_EQ(reader.lane(), std::nullopt);
      EXPECT_NO_THROW(reader.end());
    }
  }
}

TEST(Keys, DamagedKeysAreRefused) {
  const std::string prefix(1, static_cast<char>(Tag::kWork));
  EXPECT_THROW(KeyReader("x", prefix), BadEncoding);
  EXPECT_THROW(KeyReader(prefix + "abc", prefix).name(), BadEncoding);
  EXPECT_THROW(KeyReader(prefix + std::string("\0", 1), prefix).name(), BadEncoding);
  EXPECT_THROW(KeyReader(prefix + "1234567", prefix).number(), BadEncoding);
  EXPECT_THROW(KeyReader(prefix + std::string(8, '\xff'), prefix).number(), BadEncoding);
  EXPECT_THROW(KeyReader(prefix + "1", prefix).end(), BadEncoding);
}

driver::CursorRow full_cursor() {
  driver::CursorRow row;
  row.key = {"consumer", "lane", 0};
  row.kind = CursorKind::kLog;
  row.era = 3;
  row.position = 8;
  row.head = 9;
  row.due = driver::kNever;
  row.since = 4;
  row.attempt_count = 70'000;
  row.first_claimed_at = 1;
  row.last_claimed_at = kMaxTimeMs;
  row.claim_holder = "holder";
  row.failure_count = 2;
  row.last_failed_at = 5;
  row.last_failed_attempt = 6;
  row.last_error = "";
  row.failed_at = 7;
  row.last_released_attempt = 8;
  row.pins = 256;
  row.types = std::vector<std::string>{"a", "b"};
  row.completion = driver::Completion{9, 2, {"x", "y"}};
  return row;
}

driver::EventRow full_event() {
  return {5,
          "id",
          "type",
          "{\"a\":1}",
          kMaxTimeMs,
          Cause{"consumer", std::nullopt, 3, 2, 4},
          {{"consumer", "lane"}, {"other", std::nullopt}}};
}

TEST(Values, DecodingGivesWhatWasEncoded) {
  const driver::CursorRow cursor = full_cursor();
  EXPECT_EQ(decode_cursor(3, cursor.key, encode(cursor)), cursor);
  driver::CursorRow idle;
  idle.key = {"c", std::nullopt, 4};
  idle.kind = CursorKind::kEvent;
  for (const std::int64_t due : {std::int64_t{0}, std::int64_t{1}, kMaxTimeMs, driver::kNever}) {
    idle.due = due;
    EXPECT_EQ(decode_cursor(0, idle.key, encode(idle)), idle);
  }
  const driver::EventRow event = full_event();
  EXPECT_EQ(decode_event(5, encode(event)), event);
  const driver::SessionRow session{9, 4, 2, 3, 4, 2, 77, true, true};
  EXPECT_EQ(decode_session(encode(session)), session);
  const driver::WorkRow work{"c", "l", 3, 4, 5, driver::Completion{3, 1, {}}};
  EXPECT_EQ(decode_work("c", "l", 3, encode(work)), work);
  const driver::PresenceRow presence{"p", "f", "1", false, -5, 6, 7};
  EXPECT_EQ(decode_presence("p", "f", encode(presence)), presence);
  const Front front{Place{0, 4, 5, "lane"}, Place{9, 0, 6, std::nullopt}};
  EXPECT_EQ(decode_front(encode(front)), front);
  EXPECT_EQ(decode_number(encode_number(driver::kNever)), driver::kNever);
}

// Every byte flipped and every end cut: decoded to something, or refused. Never a crash.
template <class Decode>
void damage(const std::string& good, const Decode& decode) {
  const auto survives = [&](const std::string& bytes) {
    try {
      decode(bytes);
    } catch (const BadEncoding&) {
    }
  };
  for (std::size_t i = 0; i < good.size(); ++i) {
    EXPECT_THROW(decode(good.substr(0, i)), BadEncoding) << "cut to " << i;
    for (int bit = 0; bit < 8; ++bit) {
      std::string bytes = good;
      bytes[i] = static_cast<char>(bytes[i] ^ (1 << bit));
      survives(bytes);
    }
  }
  EXPECT_THROW(decode(good + "x"), BadEncoding);
}

TEST(Values, DamagedBytesAreRefusedOrDecoded) {
  const driver::CursorRow cursor = full_cursor();
  damage(encode(cursor), [&](std::string_view bytes) { decode_cursor(3, cursor.key, bytes); });
  damage(encode(full_event()), [](std::string_view bytes) { decode_event(5, bytes); });
  damage(encode(driver::SessionRow{9, 4, 2, 3, 4, 2, 77, true, true}),
         [](std::string_view bytes) { decode_session(bytes); });
  damage(encode(driver::WorkRow{"c", "l", 3, 4, 5, driver::Completion{3, 1, {"a"}}}),
         [](std::string_view bytes) { decode_work("c", "l", 3, bytes); });
  damage(encode(driver::PresenceRow{"p", "f", "1", false, -5, 6, 7}),
         [](std::string_view bytes) { decode_presence("p", "f", bytes); });
}

}  // namespace
}  // namespace pawl::rocksdb
