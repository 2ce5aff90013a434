// plain_json.cc: see plain_json.h. One function for each form of RFC 8259's grammar.
#include "plain_json.h"

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
    for (++at_; at_ != end_; ++at_) {
      const char c = *at_;
      if (c == '"') {
        ++at_;
        return true;
      }
      if (c < ' ' || c > '~' || c == '\\') return false;  // `<` also where char is signed
    }
    return false;
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
