// Lists that are stored in one column.
#include "codec.h"

#include <cstdint>

namespace pawl::sqlite {
namespace {

constexpr char kVersion = 1;

class Writer {
 public:
  Writer() { bytes_.push_back(kVersion); }

  void number(std::int64_t value) {
    auto rest = static_cast<std::uint64_t>(value);
    while (rest >= 0x80) {
      bytes_.push_back(static_cast<char>(rest | 0x80));
      rest >>= 7;
    }
    bytes_.push_back(static_cast<char>(rest));
  }

  void text(std::string_view text) {
    number(static_cast<std::int64_t>(text.size()));
    bytes_.append(text);
  }

  void optional_text(const std::optional<std::string>& value) {
    number(value ? 1 : 0);
    if (value) text(*value);
  }

  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {
    if (rest_.empty() || rest_.front() != kVersion) fail("version");
    rest_.remove_prefix(1);
  }

  std::int64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 63; shift += 7) {
      if (rest_.empty()) fail("number");
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return static_cast<std::int64_t>(value);
    }
    fail("number");
  }

  std::string text() {
    const std::int64_t size = number();
    if (static_cast<std::uint64_t>(size) > rest_.size()) fail("length");
    std::string text(rest_.substr(0, static_cast<std::size_t>(size)));
    rest_.remove_prefix(static_cast<std::size_t>(size));
    return text;
  }

  std::optional<std::string> optional_text() {
    const std::int64_t flag = number();
    if (flag == 0) return std::nullopt;
    if (flag != 1) fail("flag");
    return text();
  }

  // Every entry takes at least a byte, so that a damaged count cannot ask for memory.
  std::size_t count() {
    const std::int64_t count = number();
    if (static_cast<std::uint64_t>(count) > rest_.size()) fail("count");
    return static_cast<std::size_t>(count);
  }

  void end() const {
    if (!rest_.empty()) fail("end");
  }

 private:
  [[noreturn]] static void fail(const char* what) {
    throw BadEncoding(std::string("encoded list: ") + what);
  }

  std::string_view rest_;
};

void write_names(Writer& writer, const std::vector<std::string>& names) {
  writer.number(static_cast<std::int64_t>(names.size()));
  for (const std::string& name : names) writer.text(name);
}

std::vector<std::string> read_names(Reader& reader) {
  std::vector<std::string> names(reader.count());
  for (std::string& name : names) name = reader.text();
  return names;
}

}  // namespace

std::string encode_names(const std::vector<std::string>& names) {
  Writer writer;
  write_names(writer, names);
  return writer.take();
}

std::vector<std::string> decode_names(std::string_view bytes) {
  Reader reader(bytes);
  std::vector<std::string> names = read_names(reader);
  reader.end();
  return names;
}

std::string encode_targets(const std::vector<driver::TargetRow>& targets) {
  Writer writer;
  writer.number(static_cast<std::int64_t>(targets.size()));
  for (const driver::TargetRow& target : targets) {
    writer.text(target.consumer);
    writer.optional_text(target.lane);
  }
  return writer.take();
}

std::vector<driver::TargetRow> decode_targets(std::string_view bytes) {
  Reader reader(bytes);
  std::vector<driver::TargetRow> targets(reader.count());
  for (driver::TargetRow& target : targets) {
    target.consumer = reader.text();
    target.lane = reader.optional_text();
  }
  reader.end();
  return targets;
}

std::string encode_cause(const Cause& cause) {
  Writer writer;
  writer.text(cause.consumer);
  writer.optional_text(cause.lane);
  writer.number(cause.index);
  writer.number(cause.attempt);
  writer.number(cause.batch_size.value_or(0));
  return writer.take();
}

Cause decode_cause(std::string_view bytes) {
  Reader reader(bytes);
  Cause cause;
  cause.consumer = reader.text();
  cause.lane = reader.optional_text();
  cause.index = reader.number();
  cause.attempt = reader.number();
  if (const std::int64_t batch_size = reader.number()) cause.batch_size = batch_size;
  reader.end();
  return cause;
}

std::string encode_completion(const driver::Completion& completion) {
  Writer writer;
  writer.number(completion.index);
  writer.number(completion.attempt);
  write_names(writer, completion.ids);
  return writer.take();
}

driver::Completion decode_completion(std::string_view bytes) {
  Reader reader(bytes);
  driver::Completion completion;
  completion.index = reader.number();
  completion.attempt = reader.number();
  completion.ids = read_names(reader);
  reader.end();
  return completion;
}

}  // namespace pawl::sqlite
