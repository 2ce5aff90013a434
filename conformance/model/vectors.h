// Runs vector files (conformance/vectors/README.md) against anything that answers lines.
#pragma once

#include <string>
#include <vector>

#include "model/party.h"

namespace pawl::model {

struct VectorFailure {
  std::string file;
  int line = 0;
  std::string scenario;
  std::string message;  // the input, what was expected, what came
};

struct VectorRun {
  int scenarios = 0;
  int lines = 0;
  std::vector<VectorFailure> failures;
};

enum class Texts {
  kExact,   // a line's "text" is compared byte by byte
  kAsJson,  // as JSON, for parties that do not keep spelling
};

// Throws std::runtime_error when the file can't be read or is no vector file.
VectorRun run_vectors(const std::string& file, const LinePartyFactory& open,
                      Texts texts = Texts::kExact);

// The *.jsonl files of a folder, sorted.
std::vector<std::string> vector_files(const std::string& folder);

}  // namespace pawl::model
