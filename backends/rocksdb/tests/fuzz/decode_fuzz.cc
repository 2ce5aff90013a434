// A libFuzzer target: whatever bytes stand in the database, decoding them gives a row or
// BadEncoding. The first byte chooses the decoder. Built where the compiler is clang, by
// -DPAWL_BUILD_FUZZERS=ON.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "keys.h"
#include "values.h"

namespace pawl::rocksdb {
namespace {

// What was decoded from a value of ours encodes to the same bytes again, or they were another
// form of the same row: then that form is stable.
template <class Decode>
void decode_twice(std::string_view bytes, const Decode& decode) {
  const auto row = decode(bytes);
  const std::string again = encode(row);
  if (!(decode(again) == row)) std::abort();
}

void read_key(std::string_view bytes) {
  KeyReader reader(bytes, "");
  while (!bytes.empty()) {
    reader.name();
    reader.lane();
    reader.number();
  }
  reader.end();
}

void decode_one(unsigned char which, std::string_view bytes) {
  switch (which % 8) {
    case 0:
      return decode_twice(bytes, [](std::string_view b) { return decode_session(b); });
    case 1:
      return decode_twice(bytes, [](std::string_view b) { return decode_event(1, b); });
    case 2:
      return decode_twice(bytes, [](std::string_view b) {
        return decode_cursor(0, {"c", "l", 0}, b);
      });
    case 3:
      return decode_twice(bytes, [](std::string_view b) { return decode_work("c", "l", 1, b); });
    case 4:
      return decode_twice(bytes, [](std::string_view b) { return decode_snapshot("r", 0, 1, b); });
    case 5:
      return decode_twice(bytes, [](std::string_view b) { return decode_presence("p", "f", b); });
    case 6:
      return decode_twice(bytes, [](std::string_view b) { return decode_front(b); });
    default:
      return read_key(bytes);
  }
}

}  // namespace
}  // namespace pawl::rocksdb

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  try {
    pawl::rocksdb::decode_one(data[0], bytes);
  } catch (const pawl::rocksdb::BadEncoding&) {
  }
  return 0;
}
