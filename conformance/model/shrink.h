// Makes a list of operations that shows a difference short.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace pawl::model {

using History = std::vector<nlohmann::json>;

// Removes operations, then fields and list entries inside them, as long as `differs` stays true
// of what is left, in at most `most_tries` tries. `differs(history)` must hold.
History shrink(History history, const std::function<bool(const History&)>& differs,
               int most_tries = 6'000);

}  // namespace pawl::model
