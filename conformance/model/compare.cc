// Equality of answers.
#include "model/compare.h"

#include <nlohmann/json.hpp>

namespace pawl::model {

bool same_answer(const nlohmann::json& a, const nlohmann::json& b) {
  const bool both_errors = a.is_object() && b.is_object() && a.contains("error") &&
                           b.contains("error") && a.size() == 1 && b.size() == 1;
  if (!both_errors) return a == b;
  return a["error"]["code"] == b["error"]["code"];
}

}  // namespace pawl::model
