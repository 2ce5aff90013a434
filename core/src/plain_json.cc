// plain_json.cc: see plain_json.h. One function for each form of RFC 8259's grammar.
#include "plain_json.h"

#include <cstdint>
#include <cstring>

namespace pawl::core {
namespace {

constexpr int kDeepest = 32;
constexpr int kMostDigits = 18;  // of either part of a number: far from a double's limits

class Scanner {
 public:
  explicit Scanner(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  bool document() { return value(0) && at_ == end_; }

 private:
  // With the white space around it.
  bool value(int depth) {
    space();
    if (at_ == end_ || depth > kDeepest) return false;
    const bool is_value = form(depth);
    space();
    return is_value;
  }

  bool form(int depth) {
    switch (*at_) {
      case '"':
        return string();
      case '{':
        return list('}', [&] { return member(depth); });
      case '[':
        return list(']', [&] { return value(depth + 1); });
      case 't':
        return word("true");
      case 'f':
        return word("false");
      case 'n':
        return word("null");
      default:
        return number();
    }
  }

  template <class Entry>
  bool list(char close, const Entry& entry) {
    ++at_;
    space();
    if (next(close)) return true;
    do {
      if (!entry()) return false;
    } while (next(','));
    return next(close);
  }

  bool member(int depth) {
    space();
    if (at_ == end_ || *at_ != '"' || !string()) return false;
    space();
    return next(':') && value(depth + 1);
  }

  bool string() {
    for (++at_; end_ - at_ >= 8 && is_harmless(at_); at_ += 8) {
    }
    for (; at_ != end_; ++at_) {
      const char c = *at_;
      if (c == '"') {
        ++at_;
        return true;
      }
      if (c < ' ' || c > '~' || c == '\\') return false;  // `<` also where char is signed
    }
    return false;
  }

  // Whether none of eight bytes ends a string or makes it other than plain. One bit per byte, its
  // highest, tells: of the byte itself if it is not ASCII, else of a sum or difference, none of
  // which then carries into the next byte (https://graphics.stanford.edu/~seander/bithacks.html).
  static bool is_harmless(const char* bytes) {
    constexpr std::uint64_t kOnes = 0x0101010101010101;
    std::uint64_t word = 0;
    std::memcpy(&word, bytes, sizeof word);
    const auto is_zero = [](std::uint64_t ascii) { return (kOnes * 0x80 - ascii) & kOnes * 0x80; };
    const std::uint64_t above_ascii = word;
    const std::uint64_t low = ~(word + kOnes * (0x80 - ' '));
    const std::uint64_t is_delete = is_zero(word ^ kOnes * 0x7F);
    const std::uint64_t is_quote = is_zero(word ^ kOnes * '"');
    const std::uint64_t is_escape = is_zero(word ^ kOnes * '\\');
    return ((above_ascii | low | is_delete | is_quote | is_escape) & kOnes * 0x80) == 0;
  }

  bool number() {
    next('-');
    if (!next('0') && !digits()) return false;
    return !next('.') || digits();
  }

  bool digits() {
    const char* const first = at_;
    while (at_ != end_ && *at_ >= '0' && *at_ <= '9') ++at_;
    return at_ != first && at_ - first <= kMostDigits;
  }

  bool word(std::string_view text) {
    if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(text)) {
      return false;
    }
    at_ += text.size();
    return true;
  }

  void space() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_;
  }

  bool next(char c) {
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }

  const char* at_;
  const char* end_;
};

}  // namespace

bool is_plain_json(std::string_view text) { return Scanner(text).document(); }

}  // namespace pawl::core
