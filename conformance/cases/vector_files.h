// The files of conformance/vectors, compiled into the library so that it runs where it is
// installed.
#pragma once

#include <span>

namespace pawl::conformance {

struct VectorFile {
  const char* name;  // "append.jsonl"
  const char* text;
};

std::span<const VectorFile> vector_files();

}  // namespace pawl::conformance
