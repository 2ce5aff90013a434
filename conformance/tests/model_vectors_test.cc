// The model against the vectors: two readings of the contract that were made apart.
#include <gtest/gtest.h>

#include "model/vectors.h"

namespace pawl::model {
namespace {

TEST(ModelVectors, TheModelAnswersAsTheVectorsSay) {
  const auto files = vector_files(PAWL_SOURCE_DIR "/conformance/vectors");
  ASSERT_FALSE(files.empty());
  for (const std::string& file : files) {
    const VectorRun run = run_vectors(file, model_line_party, Texts::kAsJson);
    EXPECT_GT(run.lines, 0) << file;
    for (const VectorFailure& failure : run.failures) {
      ADD_FAILURE() << failure.file << ":" << failure.line << ": " << failure.scenario << "\n  "
                    << failure.message;
    }
  }
}

}  // namespace
}  // namespace pawl::model
