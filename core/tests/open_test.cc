// From a URI and options to a store: schemes, the linked backends, and options as text. Two
// backends are linked here, `fake` (also as `fake2`) and `other`; one alone and none are the
// programs of tests/link.
#include "pawl/open.h"

#include <gtest/gtest.h>

#include "pawl/backend.h"
#include "pawl/registry.h"

namespace pawl {
namespace {

// Answers nothing but where it was opened, and with what.
class Fake final : public Backend {
 public:
  Fake(std::string scheme, std::string_view place, const OpenOptions& options)
      : scheme_(std::move(scheme)), place_(place), options_(options) {}

  driver::Facts look(const driver::Query&) override { return {}; }
  driver::Readings transact(const driver::Query&, const Decide&) override { return {}; }
  std::uint64_t changes() override { return 0; }
  void wait(std::uint64_t, std::chrono::steady_clock::time_point) override {}
  void close() override {}
  Info info() const override {
    return {scheme_, place_, options_.durability == Durability::kFull ? "full" : "relaxed",
            options_.engine};
  }

 private:
  std::string scheme_;
  std::string place_;
  OpenOptions options_;
};

std::unique_ptr<Backend> open_fake(std::string_view place, const OpenOptions& options) {
  if (place == "nowhere") throw Error(ErrorCode::kNotConfigured, "there is no such place");
  return std::make_unique<Fake>("fake", place, options);
}
std::unique_ptr<Backend> open_other(std::string_view place, const OpenOptions& options) {
  return std::make_unique<Fake>("other", place, options);
}

}  // namespace
}  // namespace pawl

PAWL_REGISTER_BACKEND(fake, "fake", pawl::open_fake);
PAWL_REGISTER_SCHEME("fake2", pawl::open_fake);
PAWL_REGISTER_SCHEME("other", pawl::open_other);

namespace pawl {
namespace {

// "scheme place", or the code and what is refused.
std::string opened(std::string_view uri) {
  try {
    const Info info = open(uri).info();
    return info.scheme + " " + info.engine;
  } catch (const Error& error) {
    return std::string(to_string(error.code())) + ": " + error.what();
  }
}

TEST(Open, TheSchemePicksTheBackend) {
  struct Case {
    const char* uri;
    const char* opened;
  };
  const std::vector<Case> cases{
      {"fake:", "fake "},
      {"fake:a.db", "fake a.db"},
      {"fake2:a.db", "fake a.db"},
      {"other:a.db", "other a.db"},
      {"fake:/a b%20c?d=e#f", "fake /a b%20c?d=e#f"},
      {"fake:other:x", "fake other:x"},
      {"other://user@host/db", "other //user@host/db"},
      {"fake:nowhere", "not_configured: there is no such place"},
      {"sqlite:a.db",
       "not_configured: no backend is linked for the scheme `sqlite`; linked are: fake, fake2, "
       "other"},
      {"fak:a.db",
       "not_configured: no backend is linked for the scheme `fak`; linked are: fake, fake2, "
       "other"},
      {"", "invalid_argument: uri is empty"},
  };
  for (const Case& c : cases) EXPECT_EQ(opened(c.uri), c.opened) << "open.1: " << c.uri;
  EXPECT_EQ(opened(std::string_view("fake:a\0b", 8)),
            "invalid_argument: uri holds the character U+0000");
}

TEST(Open, APlainPathIsAmbiguousWhereSeveralAreLinked) {
  for (const char* path : {"a.db", "/dir/a.db", "dir/a:b", "c:", "C:/a.db", "FAKE:a", ":a"}) {
    EXPECT_EQ(opened(path),
              "invalid_argument: uri has no scheme, and several backends are linked: fake, fake2, "
              "other")
        << path;
  }
}

TEST(Registry, ListsSchemes) {
  EXPECT_EQ(linked_schemes(), (std::vector<std::string>{"fake", "fake2", "other"}));
  ASSERT_NE(find_backend("fake2"), nullptr);
  EXPECT_EQ(find_backend("fake2")->open, &open_fake);
  EXPECT_EQ(find_backend("fake3"), nullptr);
  EXPECT_EQ(find_backend(""), nullptr);
  EXPECT_EQ(only_backend(), nullptr) << "there are two, under three schemes";
}

// The field that is refused, and why; or nothing.
std::string refused(OpenOptions& options, std::string_view name, std::string_view value) {
  try {
    options.set(name, value);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
    return error.what();
  }
  return "";
}

TEST(OpenOptions, AreSetByNameFromText) {
  OpenOptions options;
  EXPECT_EQ(refused(options, "durability", "relaxed"), "");
  EXPECT_EQ(options.durability, Durability::kRelaxed);
  EXPECT_EQ(refused(options, "durability", "full"), "");
  EXPECT_EQ(options.durability, Durability::kFull);
  EXPECT_EQ(refused(options, "max_payload_bytes", "0"), "");
  EXPECT_EQ(options.max_payload_bytes, 0);
  EXPECT_EQ(refused(options, "max_call_bytes", "9007199254740992"), "");
  EXPECT_EQ(options.max_call_bytes, kMaxTimeMs);
  EXPECT_EQ(refused(options, "busy_timeout_ms", "7"), "");
  EXPECT_EQ(options.busy_timeout, Duration(7));
  EXPECT_EQ(refused(options, "wake_poll_ms", "8"), "");
  EXPECT_EQ(options.wake_poll, Duration(8));
  EXPECT_EQ(refused(options, "cache", "a=b"), "");
  EXPECT_EQ(refused(options, "cache", "c"), "");
  EXPECT_EQ(options.engine, (std::map<std::string, std::string>{{"cache", "c"}}));
}

TEST(OpenOptions, RefuseWhatTheyDoNotKnow) {
  OpenOptions options;
  for (const char* value : {"", "Full", "none", "full "}) {
    EXPECT_EQ(refused(options, "durability", value), "durability is neither `full` nor `relaxed`");
  }
  for (const char* name :
       {"max_payload_bytes", "max_call_bytes", "busy_timeout_ms", "wake_poll_ms"}) {
    for (const char* value : {"", "-1", "+1", "1.5", "1e3", " 1", "1 ", "0x10", "ten",
                              "9007199254740993", "99999999999999999999"}) {
      EXPECT_EQ(refused(options, name, value),
                std::string(name) + " is not a whole number from 0 to 2^53")
          << value;
    }
  }
  EXPECT_EQ(options.max_payload_bytes, std::int64_t{64} << 20) << "nothing was set";
}

TEST(Open, HandsItsOptionsOver) {
  OpenOptions options;
  options.durability = Durability::kRelaxed;
  options.engine["cache"] = "7";
  Store store = open("other:x", options);
  EXPECT_EQ(store.info().durability, "relaxed");
  EXPECT_EQ(store.info().details, (std::map<std::string, std::string>{{"cache", "7"}}));
}

}  // namespace
}  // namespace pawl
