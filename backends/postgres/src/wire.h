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
  // An array of texts as the text of an array, which the statement casts to text[].
  void list(const std::vector<std::string>& values);
  void list(const std::vector<std::optional<std::string>>& values);

  bool empty() const { return count_ == 0; }
  bool has_one() const { return count_ == 1; }
  // Behind other bytes.
  void write_to(std::string& bytes) const;

 private:
  explicit Array(std::uint32_t element_type) : element_type_(element_type) {}

  std::uint32_t element_type_;
  std::string elements_;
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
  Params& array(const Array& value);
  Params& maybe_texts(const std::optional<std::vector<std::string>>& values);
  // Behind these, those of others, whose arrays are to be taken for their elements if they are
  // `of_one_row`. All are then to be taken as for one row.
  void reserve(std::size_t values, std::size_t bytes) {
    values_.reserve(values);
    bytes_.reserve(bytes);
  }
  void join(const Params& others, bool of_one_row);

  std::size_t size() const { return values_.size(); }
  // Whether there are arrays, and each has one element: then they can be taken for that.
  bool is_one_row() const { return arrays_ > 0 && arrays_ == single_arrays_; }
  struct Views {
    std::vector<const char*> pointers;
    std::vector<int> lengths;
  };
  // Valid until the next change. With `one_row`, of the elements in place of the arrays.
  Views views(bool one_row) const;

 private:
  struct Value {
    std::size_t end = 0;  // in `bytes_`; it begins where the one before ends
    bool is_null = false;
    bool is_array = false;
  };
  Params& end(bool is_array);
  std::optional<std::string_view> view(std::size_t at, bool one_row) const;

  std::string bytes_;
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
