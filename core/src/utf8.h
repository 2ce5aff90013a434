// utf8.h: checking and mending UTF-8 (RFC 3629: no overlong forms, no surrogates).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pawl::core {

// The length of the character that `text` begins with, 1 to 4; 0 if it is not UTF-8.
std::size_t utf8_length(std::string_view text);

bool is_utf8(std::string_view text);

// `text` with every byte that is not UTF-8, and U+0000, replaced by U+FFFD, cut at a
// character's edge to at most `max_bytes`.
std::string mend_utf8(std::string_view text, std::size_t max_bytes);

}  // namespace pawl::core
