// Lists that are stored in one column.
#include "codec.h"

#include <cstdint>

namespace pawl::sqlite {
namespace {

constexpr char kVersion = 1;

class Encoder {
 public:
  Encoder() { bytes_.push_back(kVersion); }

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

class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : rest_(bytes) {
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

void write_names(Encoder& encoder, const std::vector<std::string>& names) {
  encoder.number(static_cast<std::int64_t>(names.size()));
  for (const std::string& name : names) encoder.text(name);
}

std::vector<std::string> read_names(Decoder& decoder) {
  std::vector<std::string> names(decoder.count());
  for (std::string& name : names) name = decoder.text();
  return names;
}

}  // namespace

std::string encode_names(const std::vector<std::string>& names) {
  Encoder encoder;
  write_names(encoder, names);
  return encoder.take();
}

std::vector<std::string> decode_names(std::string_view bytes) {
  Decoder decoder(bytes);
  std::vector<std::string> names = read_names(decoder);
  decoder.end();
  return names;
}

std::string encode_targets(const std::vector<driver::TargetRow>& targets) {
  Encoder encoder;
  encoder.number(static_cast<std::int64_t>(targets.size()));
  for (const driver::TargetRow& target : targets) {
    encoder.text(target.consumer);
    encoder.optional_text(target.lane);
  }
  return encoder.take();
}

std::vector<driver::TargetRow> decode_targets(std::string_view bytes) {
  Decoder decoder(bytes);
  std::vector<driver::TargetRow> targets(decoder.count());
  for (driver::TargetRow& target : targets) {
    target.consumer = decoder.text();
    target.lane = decoder.optional_text();
  }
  decoder.end();
  return targets;
}

std::string encode_cause(const Cause& cause) {
  Encoder encoder;
  encoder.text(cause.consumer);
  encoder.optional_text(cause.lane);
  encoder.number(cause.index);
  encoder.number(cause.attempt);
  encoder.number(cause.batch_size.value_or(0));
  return encoder.take();
}

Cause decode_cause(std::string_view bytes) {
  Decoder decoder(bytes);
  Cause cause;
  cause.consumer = decoder.text();
  cause.lane = decoder.optional_text();
  cause.index = decoder.number();
  cause.attempt = decoder.number();
  if (const std::int64_t batch_size = decoder.number()) cause.batch_size = batch_size;
  decoder.end();
  return cause;
}

std::string encode_completion(const driver::Completion& completion) {
  Encoder encoder;
  encoder.number(completion.index);
  encoder.number(completion.attempt);
  write_names(encoder, completion.ids);
  return encoder.take();
}

driver::Completion decode_completion(std::string_view bytes) {
  Decoder decoder(bytes);
  driver::Completion completion;
  completion.index = decoder.number();
  completion.attempt = decoder.number();
  completion.ids = read_names(decoder);
  decoder.end();
  return completion;
}

}  // namespace pawl::sqlite
