// Parameters and results in PostgreSQL's binary formats: no text is escaped or parsed, and no
// setting of the server changes what it means. What a column cannot hold is kCorrupt.
#pragma once

#include <libpq-fe.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pawl::postgres {

// A one-dimensional array under construction.
class Array {
 public:
  static Array of_texts();
  static Array of_numbers();
  static Array of_flags();

  void text(std::string_view value);
  void number(std::int64_t value);
  void flag(bool value);
  void null();
  void maybe_text(const std::optional<std::string>& value);
  void maybe_number(const std::optional<std::int64_t>& value);
  // An array of texts as the text of an array, which the statement casts to text[].
  void list(const std::vector<std::string>& values);
  void list(const std::vector<std::optional<std::string>>& values);
  void maybe_list(const std::optional<std::vector<std::string>>& values);

  bool empty() const { return count_ == 0; }
  bool has_one() const { return count_ == 1; }
  std::string take();

 private:
  explicit Array(std::uint32_t element_type);

  std::string bytes_;
  std::int32_t count_ = 0;
  bool has_null_ = false;
};

Array texts_of(const std::vector<std::string>& values);

// The parameters of one statement, $1 first.
class Params {
 public:
  Params& text(std::string_view value);
  Params& number(std::int64_t value);
  Params& flag(bool value);
  Params& null();
  Params& maybe_text(const std::optional<std::string>& value);
  Params& maybe_number(std::optional<std::int64_t> value);
  Params& array(Array&& value);
  Params& maybe_texts(const std::optional<std::vector<std::string>>& values);

  std::size_t size() const { return values_.size(); }
  // Whether there are arrays, and each has one element: then they can be taken for that.
  bool is_one_row() const { return arrays_ > 0 && arrays_ == single_arrays_; }
  // Valid until the next change. With `one_row`, of the elements in place of the arrays.
  std::vector<const char*> pointers(bool one_row) const;
  std::vector<int> lengths(bool one_row) const;

 private:
  struct Value {
    std::optional<std::string> bytes;
    bool is_array = false;
  };
  static std::optional<std::string_view> view(const Value& value, bool one_row);
  std::string& add(std::string bytes, bool is_array = false);

  std::vector<Value> values_;
  int arrays_ = 0;
  int single_arrays_ = 0;
};

struct FreeResult {
  void operator()(PGresult* result) const { PQclear(result); }
};
using Result = std::unique_ptr<PGresult, FreeResult>;

// One row of a result.
class Row {
 public:
  Row(const PGresult* result, int row) : result_(result), row_(row) {}

  bool is_null(int column) const;
  std::int64_t number(int column) const;
  // A number that may not be negative.
  std::int64_t count(int column) const;
  std::int64_t count_or(int column, std::int64_t when_null) const;
  std::optional<std::int64_t> maybe_number(int column) const;
  bool flag(int column) const;
  std::string text(int column) const;
  std::optional<std::string> maybe_text(int column) const;
  std::vector<std::optional<std::string>> maybe_texts(int column) const;
  std::vector<std::string> texts(int column) const;
  std::vector<std::int64_t> numbers(int column) const;

 private:
  std::string_view bytes(int column) const;

  const PGresult* result_;
  int row_;
};

[[noreturn]] void throw_corrupt(std::string_view what);

}  // namespace pawl::postgres
