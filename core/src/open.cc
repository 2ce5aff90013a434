// open.cc: from a URI to a store, by the list of linked backends.
#include "pawl/open.h"

#include <charconv>

#include "decide/decision.h"
#include "pawl/backend.h"
#include "pawl/registry.h"

namespace pawl {
namespace {

std::int64_t to_number(std::string_view name, std::string_view text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, number);
  if (fault != std::errc() || stop != end || number < 0 || number > kMaxTimeMs) {
    core::refuse_argument(std::string(name), "is not a whole number from 0 to 2^53");
  }
  return number;
}

std::string listed(const std::vector<std::string>& schemes) {
  std::string text;
  for (const std::string& scheme : schemes) text += (text.empty() ? "" : ", ") + scheme;
  return text;
}

// What stands before a URI's first colon, if that has the form of a scheme. A single
// letter is not one, nor is anything before a slash: "dir/a:b" is a path.
std::string_view scheme_of(std::string_view uri) {
  const std::size_t colon = uri.find(':');
  if (colon == std::string_view::npos || colon < 2) return {};
  const std::string_view scheme = uri.substr(0, colon);
  for (const char c : scheme) {
    if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '+' && c != '-' && c != '.') return {};
  }
  return scheme;
}

struct Place {
  const BackendRegistration* backend;
  std::string_view place;
};

Place find_place(std::string_view uri) {
  const std::string_view scheme = scheme_of(uri);
  if (!scheme.empty()) {
    const BackendRegistration* backend = find_backend(scheme);
    if (!backend) {
      throw Error(ErrorCode::kNotConfigured, "no backend is linked for the scheme `" +
                                                 std::string(scheme) +
                                                 "`; linked are: " + listed(linked_schemes()));
    }
    return {backend, uri.substr(scheme.size() + 1)};
  }
  const BackendRegistration* only = only_backend();
  if (!only) {
    core::refuse_argument(
        "uri", "has no scheme, and several backends are linked: " + listed(linked_schemes()));
  }
  return {only, uri};
}

}  // namespace

void OpenOptions::set(std::string_view name, std::string_view value) {
  if (name == "durability") {
    if (value != "full" && value != "relaxed") {
      core::refuse_argument("durability", "is neither `full` nor `relaxed`");
    }
    durability = value == "full" ? Durability::kFull : Durability::kRelaxed;
  } else if (name == "max_payload_bytes") {
    max_payload_bytes = to_number(name, value);
  } else if (name == "max_call_bytes") {
    max_call_bytes = to_number(name, value);
  } else if (name == "busy_timeout_ms") {
    busy_timeout = Duration(to_number(name, value));
  } else if (name == "wake_poll_ms") {
    wake_poll = Duration(to_number(name, value));
  } else {
    engine.insert_or_assign(std::string(name), std::string(value));
  }
}

namespace detail {

Store open(std::string_view uri, const OpenOptions& options, void (*linked)()) {
  keep_linked(linked);
  if (uri.empty()) core::refuse_argument("uri", "is empty");
  if (uri.find('\0') != std::string_view::npos) {
    core::refuse_argument("uri", "holds the character U+0000");
  }
  const Place place = find_place(uri);
  return Store(place.backend->open(place.place, options),
               {options.max_payload_bytes, options.max_call_bytes, options.ids});
}

}  // namespace detail
}  // namespace pawl
