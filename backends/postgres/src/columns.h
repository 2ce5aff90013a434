// Rows as the parameters of a statement: one array for each column.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/driver/rows.h"
#include "wire.h"

namespace pawl::postgres {

class Columns {
 public:
  // Adds a row: for each column a text, a number, a flag or a list of texts (Array::list), or an
  // optional one of these. All rows have the same kinds of values.
  template <class... Values>
  void add(const Values&... values) {
    if (arrays_.empty()) {
      arrays_.reserve(sizeof...(values));
      (arrays_.push_back(array_of(kind_of(values))), ...);
    }
    auto array = arrays_.begin();
    (append(*array++, values), ...);
  }

  bool empty() const { return arrays_.empty(); }
  // Of one row at least, since without any nobody knows the columns.
  Params params() const {
    Params params;
    for (const Array& array : arrays_) params.array(array);
    return params;
  }

 private:
  enum class Kind { kText, kNumber, kFlag };

  static Kind kind_of(std::string_view) { return Kind::kText; }
  static Kind kind_of(const std::string&) { return Kind::kText; }
  static Kind kind_of(std::int64_t) { return Kind::kNumber; }
  static Kind kind_of(bool) { return Kind::kFlag; }
  template <class Text>
  static Kind kind_of(const std::vector<Text>&) {
    return Kind::kText;
  }
  template <class Value>
  static Kind kind_of(const std::optional<Value>&) {
    return kind_of(Value());
  }
  static Array array_of(Kind kind) {
    return kind == Kind::kText     ? Array::of_texts()
           : kind == Kind::kNumber ? Array::of_numbers()
                                   : Array::of_flags();
  }

  static void append(Array& array, std::string_view value) { array.text(value); }
  static void append(Array& array, const std::string& value) { array.text(value); }
  static void append(Array& array, std::int64_t value) { array.number(value); }
  static void append(Array& array, bool value) { array.flag(value); }
  template <class Text>
  static void append(Array& array, const std::vector<Text>& value) {
    array.list(value);
  }
  template <class Value>
  static void append(Array& array, const std::optional<Value>& value) {
    value ? append(array, *value) : array.null();
  }

  std::vector<Array> arrays_;
};

// A row of SESSION_VALUES.
void add_session(Columns& columns, const std::string& name, const driver::SessionRow& row);
// A row of CURSOR_VALUES.
void add_cursor(Columns& columns, const std::string& session, const driver::CursorRow& row);
// A row of kInsertEventCursors.
void add_event_cursor(Columns& columns, const std::string& session, const driver::CursorRow& row);
// A row of kInsertEvents.
void add_event(Columns& columns, const std::string& session, const driver::EventRow& row);
// A row of kPutWork.
void add_work(Columns& columns, const std::string& session, const driver::WorkRow& row);
// A pin's whole key.
void add_pin(Columns& columns, const std::string& session, const driver::PinRow& row);

}  // namespace pawl::postgres
