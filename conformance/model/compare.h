// When two answers are the same.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace pawl::model {

// As JSON; of errors the code alone counts.
bool same_answer(const nlohmann::json& a, const nlohmann::json& b);

}  // namespace pawl::model
