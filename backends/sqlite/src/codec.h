// Lists that are stored in one column: a version byte, then length-prefixed pieces.
//
//   list     = version count piece*           types, completion ids
//   piece    = length bytes
//   flagged  = 0 | 1 piece                    a lane: none, or a name
//   numbers  = base-128, low part first (LEB128)
//
// Decoding checks everything and throws BadEncoding: the bytes come from a disk.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/driver/rows.h"

namespace pawl::sqlite {

struct BadEncoding : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string encode_names(const std::vector<std::string>& names);
std::vector<std::string> decode_names(std::string_view bytes);

std::string encode_targets(const std::vector<driver::TargetRow>& targets);
std::vector<driver::TargetRow> decode_targets(std::string_view bytes);

std::string encode_cause(const Cause& cause);
Cause decode_cause(std::string_view bytes);

std::string encode_completion(const driver::Completion& completion);
driver::Completion decode_completion(std::string_view bytes);

}  // namespace pawl::sqlite
