// Binary parameters and results. Numbers are big-endian on the wire.
#include "wire.h"

#include "pawl/error.h"

namespace pawl::postgres {
namespace {

// Types of the server's catalogue; they never change.
constexpr std::uint32_t kBoolType = 16;
constexpr std::uint32_t kInt8Type = 20;
constexpr std::uint32_t kTextType = 25;

constexpr std::uint32_t kNullLength = 0xffffffff;
constexpr std::size_t kArrayHead = 20;  // of an array that has elements

template <std::size_t kBytes>
void store(char* at, std::uint64_t value) {
  for (std::size_t i = 0; i < kBytes; ++i) {
    at[i] = static_cast<char>(value >> (8 * (kBytes - 1 - i)));
  }
}

// Several at once: appending is what costs.
template <class... Values>
void put32(std::string& bytes, Values... values) {
  char big_endian[4 * sizeof...(values)];
  char* at = big_endian;
  ((store<4>(at, static_cast<std::uint32_t>(values)), at += 4), ...);
  bytes.append(big_endian, sizeof big_endian);
}

void put64(std::string& bytes, std::int64_t value) {
  char big_endian[8];
  store<8>(big_endian, static_cast<std::uint64_t>(value));
  bytes.append(big_endian, sizeof big_endian);
}

std::uint64_t get(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

// Walks the elements of an array on the wire.
class ArrayReader {
 public:
  explicit ArrayReader(std::string_view bytes) : rest_(bytes) {
    const std::int64_t dimensions = number32();
    number32();  // whether there are nulls
    number32();  // the element type
    if (dimensions == 0) return;
    if (dimensions != 1) throw_corrupt("an array's dimensions");
    count_ = number32();
    number32();  // the lower bound
    // Every element has a length, so that a damaged count cannot ask for memory.
    if (count_ < 0 || static_cast<std::uint64_t>(count_) * 4 > rest_.size()) {
      throw_corrupt("an array's length");
    }
  }

  std::int64_t count() const { return count_; }

  std::optional<std::string_view> next() {
    const std::int32_t length = number32();
    if (length < 0) return std::nullopt;
    return take(static_cast<std::size_t>(length));
  }

 private:
  std::int32_t number32() { return static_cast<std::int32_t>(get(take(4))); }

  std::string_view take(std::size_t length) {
    if (length > rest_.size()) throw_corrupt("an array's bytes");
    const std::string_view taken = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return taken;
  }

  std::string_view rest_;
  std::int64_t count_ = 0;
};

}  // namespace

// ---- arrays

Array Array::of_texts() { return Array(kTextType); }
Array Array::of_numbers() { return Array(kInt8Type); }
Array Array::of_flags() { return Array(kBoolType); }

void Array::text(std::string_view value) {
  put32(elements_, static_cast<std::uint32_t>(value.size()));
  elements_ += value;
  ++count_;
}

void Array::number(std::int64_t value) {
  put32(elements_, 8);
  put64(elements_, value);
  ++count_;
}

void Array::flag(bool value) {
  put32(elements_, 1);
  elements_.push_back(value ? '\1' : '\0');
  ++count_;
}

void Array::null() {
  put32(elements_, kNullLength);
  has_null_ = true;
  ++count_;
}

void Array::list(const std::vector<std::string>& values) {
  list(std::vector<std::optional<std::string>>(values.begin(), values.end()));
}

void Array::list(const std::vector<std::optional<std::string>>& values) {
  std::string literal = "{";
  for (const auto& value : values) {
    if (literal.size() > 1) literal += ',';
    if (!value) {
      literal += "NULL";
      continue;
    }
    literal += '"';
    for (const char c : *value) {
      if (c == '"' || c == '\\') literal += '\\';
      literal += c;
    }
    literal += '"';
  }
  text(literal + "}");
}

// The dimensions, whether there are nulls, the type; and, if there is a dimension, the count and
// the lower bound.
void Array::write_to(std::string& bytes) const {
  const int has_null = has_null_ ? 1 : 0;
  if (count_ == 0) return put32(bytes, 0, has_null, element_type_);
  put32(bytes, 1, has_null, element_type_, count_, 1);
  bytes += elements_;
}

Array texts_of(const std::vector<std::string>& values) {
  Array array = Array::of_texts();
  for (const std::string& value : values) array.text(value);
  return array;
}

// ---- parameters

namespace {

// Beyond this the server refuses a value, and libpq cannot state its length.
constexpr std::size_t kMostBytes = (std::size_t{1} << 30) - (std::size_t{1} << 16);

void refuse_longer(std::size_t bytes) {
  if (bytes <= kMostBytes) return;
  throw Error(ErrorCode::kInvalidArgument, "postgres: a call may bear at most 1 GiB");
}

}  // namespace

Params& Params::end(bool is_array) {
  refuse_longer(bytes_.size() - (values_.empty() ? 0 : values_.back().end));
  values_.push_back({bytes_.size(), false, is_array});
  return *this;
}

Params& Params::text(std::string_view value) {
  bytes_ += value;
  return end(false);
}

Params& Params::number(std::int64_t value) {
  put64(bytes_, value);
  return end(false);
}

Params& Params::flag(bool value) {
  bytes_ += value ? '\1' : '\0';
  return end(false);
}

Params& Params::null() {
  values_.push_back({bytes_.size(), true, false});
  return *this;
}

Params& Params::maybe_text(const std::optional<std::string>& value) {
  return value ? text(*value) : null();
}

Params& Params::maybe_number(std::optional<std::int64_t> value) {
  return value ? number(*value) : null();
}

Params& Params::array(const Array& value) {
  ++arrays_;
  if (value.has_one()) ++single_arrays_;
  value.write_to(bytes_);
  return end(true);
}

Params& Params::maybe_texts(const std::optional<std::vector<std::string>>& values) {
  return values ? array(texts_of(*values)) : null();
}

void Params::join(const Params& others, bool of_one_row) {
  const std::size_t shift = bytes_.size();
  bytes_ += others.bytes_;
  for (const Value& value : others.values_) {
    values_.push_back({value.end + shift, value.is_null, value.is_array && of_one_row});
  }
}

std::optional<std::string_view> Params::view(std::size_t at, bool one_row) const {
  const Value& value = values_[at];
  if (value.is_null) return std::nullopt;
  const std::size_t begin = at == 0 ? 0 : values_[at - 1].end;
  const std::string_view bytes = std::string_view(bytes_).substr(begin, value.end - begin);
  if (!one_row || !value.is_array) return bytes;
  // The element's length, and the element, follow the array's head.
  const std::string_view element = bytes.substr(kArrayHead);
  if (get(element.substr(0, 4)) == kNullLength) return std::nullopt;
  return element.substr(4);
}

Params::Views Params::views(bool one_row) const {
  Views views;
  views.pointers.reserve(values_.size());
  views.lengths.reserve(values_.size());
  for (std::size_t at = 0; at < values_.size(); ++at) {
    const auto seen = view(at, one_row);
    views.pointers.push_back(seen ? seen->data() : nullptr);
    views.lengths.push_back(seen ? static_cast<int>(seen->size()) : 0);
  }
  return views;
}

// ---- rows

bool Row::is_null(int column) const { return PQgetisnull(result_, row_, column) != 0; }

std::string_view Row::bytes(int column) const {
  if (is_null(column)) throw_corrupt("nothing where a value belongs");
  return {PQgetvalue(result_, row_, column),
          static_cast<std::size_t>(PQgetlength(result_, row_, column))};
}

std::int64_t Row::number(int column) const {
  const std::string_view value = bytes(column);
  if (value.size() == 2) return static_cast<std::int16_t>(get(value));
  if (value.size() == 4) return static_cast<std::int32_t>(get(value));
  if (value.size() != 8) throw_corrupt("a number's length");
  return static_cast<std::int64_t>(get(value));
}

std::int64_t Row::count(int column) const {
  const std::int64_t value = number(column);
  if (value < 0) throw_corrupt("a negative number");
  return value;
}

std::int64_t Row::count_or(int column, std::int64_t when_null) const {
  return is_null(column) ? when_null : count(column);
}

std::optional<std::int64_t> Row::maybe_number(int column) const {
  if (is_null(column)) return std::nullopt;
  return number(column);
}

bool Row::flag(int column) const {
  const std::string_view value = bytes(column);
  if (value.size() != 1) throw_corrupt("a flag's length");
  return value[0] != '\0';
}

std::string Row::text(int column) const { return std::string(bytes(column)); }

std::optional<std::string> Row::maybe_text(int column) const {
  if (is_null(column)) return std::nullopt;
  return text(column);
}

std::vector<std::optional<std::string>> Row::maybe_texts(int column) const {
  ArrayReader reader(bytes(column));
  std::vector<std::optional<std::string>> texts;
  for (std::int64_t i = 0; i < reader.count(); ++i) {
    const auto value = reader.next();
    texts.push_back(value ? std::optional<std::string>(*value) : std::nullopt);
  }
  return texts;
}

std::vector<std::string> Row::texts(int column) const {
  std::vector<std::string> texts;
  for (auto& value : maybe_texts(column)) {
    if (!value) throw_corrupt("nothing where a name belongs");
    texts.push_back(*std::move(value));
  }
  return texts;
}

std::vector<std::int64_t> Row::numbers(int column) const {
  ArrayReader reader(bytes(column));
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < reader.count(); ++i) {
    const auto value = reader.next();
    if (!value || value->size() != 8) throw_corrupt("an array's number");
    numbers.push_back(static_cast<std::int64_t>(get(*value)));
  }
  return numbers;
}

void throw_corrupt(std::string_view what) {
  throw Error(ErrorCode::kCorrupt,
              "postgres: what is stored cannot be what was written: " + std::string(what));
}

}  // namespace pawl::postgres
