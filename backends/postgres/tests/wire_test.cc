// Values on the wire: what goes to the server comes back, and what cannot be a value is refused.
#include "wire.h"

#include "tests/support/fixture.h"

namespace pawl::postgres::testing {
namespace {

using Texts = std::vector<std::string>;
using MaybeTexts = std::vector<std::optional<std::string>>;

class Wire : public PostgresTest {
 protected:
  // Sends `params` through a statement and reads its one row.
  void ask(const std::string& text, const Params& params,
           const std::function<void(const Row&)>& read) {
    OpenedStore opened(uri_, options());
    const Pool::Lease lent =
        opened.backend.pool().take(std::chrono::steady_clock::now() + std::chrono::seconds(1));
    int rows = 0;
    lent->send_text(text, params, [&](const Row& row) {
      ++rows;
      read(row);
    });
    lent->fetch(Connection::End::kFinish);
    EXPECT_EQ(rows, 1);
  }
};

TEST_F(Wire, ArraysComeBackAsTheyWent) {
  const Texts texts{"",     "a", "\"quoted\"",  "back\\slash", "{brace,comma}", "NULL",
                    "null", " ", "line\nbreak", "K\xc3\xa4se", "\x01\x7f"};
  Array numbers = Array::of_numbers();
  numbers.number(0);
  numbers.number(-1);
  numbers.number(std::numeric_limits<std::int64_t>::max());
  Array with_nulls = Array::of_texts();
  with_nulls.null();
  with_nulls.text("x");
  Array lists = Array::of_texts();
  lists.list(texts);
  lists.list(MaybeTexts{std::nullopt, "NULL", ""});
  lists.list(Texts{});
  Params params;
  params.array(texts_of(texts))
      .array(numbers)
      .array(with_nulls)
      .array(Array::of_texts())
      .array(lists);
  ask("SELECT $1::text[], $2::bigint[], $3::text[], $4::text[], ($5::text[])[1]::text[], "
      "($5::text[])[2]::text[], ($5::text[])[3]::text[]",
      params, [&](const Row& row) {
        EXPECT_EQ(row.texts(0), texts);
        EXPECT_EQ(row.numbers(1),
                  (std::vector<std::int64_t>{0, -1, std::numeric_limits<std::int64_t>::max()}));
        EXPECT_EQ(row.maybe_texts(2), (MaybeTexts{std::nullopt, "x"}));
        EXPECT_EQ(row.texts(3), Texts{});
        EXPECT_EQ(row.texts(4), texts);
        EXPECT_EQ(row.maybe_texts(5), (MaybeTexts{std::nullopt, "NULL", ""}));
        EXPECT_EQ(row.texts(6), Texts{});
      });
}

TEST_F(Wire, SingleValuesComeBackAsTheyWent) {
  Params params;
  params.text("t'x").number(-5).flag(true).null().maybe_text(std::nullopt).maybe_texts({{"a"}});
  ask("SELECT $1::text, $2::bigint, $3::boolean, $4::bigint, $5::text, $6::text[], 7::smallint, "
      "8::integer",
      params, [](const Row& row) {
        EXPECT_EQ(row.text(0), "t'x");
        EXPECT_EQ(row.number(1), -5);
        EXPECT_TRUE(row.flag(2));
        EXPECT_EQ(row.maybe_number(3), std::nullopt);
        EXPECT_EQ(row.count_or(3, 9), 9);
        EXPECT_EQ(row.maybe_text(4), std::nullopt);
        EXPECT_EQ(row.texts(5), Texts{"a"});
        EXPECT_EQ(row.number(6), 7);
        EXPECT_EQ(row.number(7), 8);
      });
}

TEST_F(Wire, AMillionNumbersAreOneParameter) {
  Array numbers = Array::of_numbers();
  for (int i = 0; i < 1'000'000; ++i) numbers.number(i);
  ask("SELECT sum(u)::bigint FROM unnest($1::bigint[]) u", Params().array(numbers),
      [](const Row& row) { EXPECT_EQ(row.number(0), 499'999'500'000); });
}

// A result that no server would give.
class Damaged {
 public:
  explicit Damaged(std::string bytes)
      : bytes_(std::move(bytes)), result_(PQmakeEmptyPGresult(nullptr, PGRES_TUPLES_OK)) {
    PGresAttDesc column{};
    column.name = name_.data();
    PQsetResultAttrs(result_.get(), 1, &column);
    PQsetvalue(result_.get(), 0, 0, bytes_.data(), static_cast<int>(bytes_.size()));
  }
  Row row() const { return {result_.get(), 0}; }

 private:
  std::string name_ = "x";
  std::string bytes_;
  Result result_;
};

TEST(WireDamage, IsCorrupt) {
  const auto is_corrupt = [](const std::function<void()>& read) {
    try {
      read();
    } catch (const Error& error) {
      return error.code() == ErrorCode::kCorrupt;
    }
    return false;
  };
  EXPECT_TRUE(is_corrupt([] { Damaged("abc").row().number(0); }));
  EXPECT_TRUE(is_corrupt([] { Damaged("\xff\xff\xff\xff\xff\xff\xff\xff").row().count(0); }));
  EXPECT_TRUE(is_corrupt([] { Damaged("ab").row().flag(0); }));
  std::string whole;
  texts_of({"a", "b"}).write_to(whole);
  EXPECT_EQ(Damaged(whole).row().texts(0), (Texts{"a", "b"}));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_TRUE(is_corrupt([&] { Damaged(whole.substr(0, length)).row().texts(0); })) << length;
  }
  whole[15] = '\x7f';  // the count of elements
  EXPECT_TRUE(is_corrupt([&] { Damaged(whole).row().texts(0); }));
  whole[3] = '\2';  // dimensions
  EXPECT_TRUE(is_corrupt([&] { Damaged(whole).row().texts(0); }));
}

}  // namespace
}  // namespace pawl::postgres::testing
