// Encoded lists: hostile names come back, damaged bytes are refused.
#include "codec.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace pawl::sqlite {
namespace {

using driver::Completion;
using driver::TargetRow;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

const std::vector<std::string> kHostile = {"a",
                                           "'",
                                           "\"; DROP TABLE event; --",
                                           "\n\t\x01\x7f",
                                           "%s%n",
                                           "a/b\\c",
                                           "\x1f\x1e,;:|",
                                           "\xc3\xa9\xf0\x9f\x90\xbe",
                                           std::string(512, 'x'),
                                           std::string("nul\0inside", 10),
                                           ""};

TEST(Codec, NamesComeBack) {
  EXPECT_EQ(decode_names(encode_names(kHostile)), kHostile);
  EXPECT_EQ(decode_names(encode_names({})), std::vector<std::string>());
  const std::vector<std::string> many(1'000, std::string(512, 'y'));
  EXPECT_EQ(decode_names(encode_names(many)), many);
}

TEST(Codec, TargetsComeBack) {
  std::vector<TargetRow> targets;
  for (const std::string& name : kHostile) {
    targets.push_back({name, std::nullopt});
    targets.push_back({name, name});
  }
  EXPECT_EQ(decode_targets(encode_targets(targets)), targets);
}

TEST(Codec, CausesComeBack) {
  for (const std::string& name : kHostile) {
    const Cause with_all{name, name, kMost, kMost, kMost};
    const Cause with_least{name, std::nullopt, 1, 1, std::nullopt};
    EXPECT_EQ(decode_cause(encode_cause(with_all)), with_all);
    EXPECT_EQ(decode_cause(encode_cause(with_least)), with_least);
  }
}

TEST(Codec, CompletionsComeBack) {
  for (const std::int64_t number :
       {std::int64_t{0}, std::int64_t{127}, std::int64_t{128}, std::int64_t{1} << 35, kMost}) {
    const Completion completion{number, number, kHostile};
    EXPECT_EQ(decode_completion(encode_completion(completion)), completion);
  }
}

TEST(Codec, DistinctListsHaveDistinctBytes) {
  EXPECT_NE(encode_names({"ab", "c"}), encode_names({"a", "bc"}));
  EXPECT_NE(encode_names({"", "a"}), encode_names({"a", ""}));
  EXPECT_NE(encode_targets({{"a", std::nullopt}}), encode_targets({{"a", ""}}));
}

TEST(Codec, EveryPrefixAndEveryLongerTextIsRefused) {
  const std::string bytes = encode_targets({{"consumer", "lane"}, {"other", std::nullopt}});
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(decode_targets(bytes.substr(0, size)), BadEncoding) << size;
  }
  EXPECT_THROW(decode_targets(bytes + "x"), BadEncoding);
}

TEST(Codec, AnotherVersionIsRefused) {
  std::string bytes = encode_names({"a"});
  bytes[0] = 2;
  EXPECT_THROW(decode_names(bytes), BadEncoding);
}

TEST(Codec, HugeCountsAndLengthsAskForNoMemory) {
  const std::string huge = "\xff\xff\xff\xff\xff\xff\xff\xff\x7f";
  EXPECT_THROW(decode_names("\x01" + huge), BadEncoding);
  EXPECT_THROW(decode_names("\x01\x01" + huge + "abc"), BadEncoding);
  EXPECT_THROW(decode_names("\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), BadEncoding);
}

TEST(Codec, DamagedBytesAreRefusedOrDecodeButNeverCrash) {
  std::mt19937 random(20'240'131);
  const std::string bytes = encode_completion({300, 7, {"one", "two", "three"}});
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string damaged = bytes;
    for (int flips = 1 + static_cast<int>(random() % 3); flips > 0; --flips) {
      damaged[random() % damaged.size()] ^= static_cast<char>(1 << (random() % 8));
    }
    try {
      decode_completion(damaged);
    } catch (const BadEncoding&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1'000);
}

}  // namespace
}  // namespace pawl::sqlite
