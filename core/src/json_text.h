// json_text.h: what counts as JSON text, and when two texts are equal.
//
// Text is valid if nlohmann/json parses it, begins with no byte order mark and nests no
// deeper than kMaxJsonDepth. This is the only place of the core that knows the parser.
#pragma once

#include <string_view>

namespace pawl::core {

// Null if `text` is valid, else what is wrong with it, for a message. Static storage.
const char* json_fault(std::string_view text);

// Whether two valid texts are the same, or equal as parsed JSON.
bool json_equal(std::string_view a, std::string_view b);

// Whether valid text holds the JSON value null.
bool json_is_null(std::string_view text);

}  // namespace pawl::core
