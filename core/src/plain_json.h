// plain_json.h: a quick yes for most JSON text.
//
// nlohmann's parser costs about 100 instructions a byte, which was a third of what appending
// 100 events of 200 bytes cost beside SQLite's own work (callgrind). This recognises a part of JSON
// that needs no judgement, and leaves all else to the parser: it never says no.
#pragma once

#include <string_view>

namespace pawl::core {

// True only for text that is valid as json_text.h has it: JSON whose strings are printable
// ASCII without escapes, whose numbers are short and have no exponent, and which nests no
// deeper than 32. False says nothing.
bool is_plain_json(std::string_view text);

}  // namespace pawl::core
