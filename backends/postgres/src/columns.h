// Rows of the core as the columns of a statement's parameters: one array for each column.
#pragma once

#include <string>
#include <vector>

#include "known_heads.h"
#include "pawl/driver/rows.h"
#include "wire.h"

namespace pawl::postgres {

// The columns of a pin's whole key.
class PinColumns {
 public:
  void add(const std::string& session, const driver::PinRow& pin);
  bool empty() const { return sessions_.empty(); }
  Params take();

 private:
  Array sessions_ = Array::of_texts();
  Array eras_ = Array::of_numbers();
  Array consumers_ = Array::of_texts();
  Array slots_ = Array::of_numbers();
  Array lanes_ = Array::of_texts();
  Array heads_ = Array::of_numbers();
  Array reducers_ = Array::of_texts();
  Array snapshots_ = Array::of_numbers();
};

// The columns of SESSION_VALUES.
class SessionColumns {
 public:
  void add(const std::string& name, const driver::SessionRow& row);
  bool empty() const { return names_.empty(); }
  Params take();

 private:
  Array names_ = Array::of_texts();
  std::vector<Array> numbers_ = std::vector<Array>(7, Array::of_numbers());
  std::vector<Array> flags_ = std::vector<Array>(3, Array::of_flags());
};

// The columns of kOfferReady, kKeepReady and kPutReady.
class FirstKeyColumns {
 public:
  // Since when it is due, or the session's era.
  void add(const std::string& session, const std::string& consumer, std::int64_t number);
  bool empty() const { return sessions_.empty(); }
  Params take();

 private:
  Array sessions_ = Array::of_texts();
  Array consumers_ = Array::of_texts();
  Array numbers_ = Array::of_numbers();
};

// The columns of kSetReady.
class KnownFirstColumns {
 public:
  void add(const std::string& session, const std::string& consumer, const KnownFirst& first);
  bool empty() const { return sessions_.empty(); }
  Params take();

 private:
  Array sessions_ = Array::of_texts();
  Array consumers_ = Array::of_texts();
  std::vector<Array> numbers_ = std::vector<Array>(3, Array::of_numbers());
};

// The columns of kInsertEventCursors.
class EventCursorColumns {
 public:
  void add(const std::string& session, const driver::CursorRow& row);
  bool empty() const { return slots_.empty(); }
  Params take();

 private:
  Array sessions_ = Array::of_texts();
  Array eras_ = Array::of_numbers();
  Array consumers_ = Array::of_texts();
  Array slots_ = Array::of_numbers();
  Array dues_ = Array::of_numbers();
  Array since_ = Array::of_numbers();
};

// The columns of CURSOR_VALUES, in their order.
class CursorColumns {
 public:
  void add(const std::string& session, const driver::CursorRow& row);
  bool empty() const { return columns_.empty(); }
  Params take();

 private:
  Array& at(std::size_t column, bool texts = false);

  std::vector<Array> columns_;
};

}  // namespace pawl::postgres
