// Delta debugging over operations and their fields.
#include "model/shrink.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace pawl::model {
namespace {

using Json = nlohmann::json;

class Shrinker {
 public:
  Shrinker(History history, const std::function<bool(const History&)>& differs, int most_tries)
      : history_(std::move(history)), differs_(differs), tries_left_(most_tries) {}

  History run() {
    bool shorter = true;
    while (shorter && tries_left_ > 0) {
      shorter = drop_operations();
      shorter = simplify_operations() || shorter;
    }
    return history_;
  }

 private:
  bool accept(History candidate) {
    if (--tries_left_ < 0 || !differs_(candidate)) return false;
    history_ = std::move(candidate);
    return true;
  }

  // Large pieces first, then smaller ones, from the end.
  bool drop_operations() {
    bool any = false;
    for (std::size_t size = std::max<std::size_t>(history_.size() / 2, 1);; size /= 2) {
      for (std::size_t end = history_.size(); end > 0;) {
        const std::size_t begin = end > size ? end - size : 0;
        History candidate = history_;
        candidate.erase(candidate.begin() + static_cast<std::ptrdiff_t>(begin),
                        candidate.begin() + static_cast<std::ptrdiff_t>(end));
        any = accept(std::move(candidate)) || any;
        end = std::min(begin, history_.size());
      }
      if (size == 1) return any;
    }
  }

  bool simplify_operations() {
    bool any = false;
    for (std::size_t i = history_.size(); i-- > 0;) any = simplify(i, Json::json_pointer()) || any;
    return any;
  }

  // Tries to do without each part below `where`, deepest last.
  bool simplify(std::size_t i, const Json::json_pointer& where) {
    bool any = false;
    std::vector<std::string> keys;
    const Json node = history_[i].at(where);
    for (const auto& [key, value] : node.items()) keys.push_back(key);
    std::reverse(keys.begin(), keys.end());
    for (const std::string& key : keys) {
      if (where.empty() && key == "op") continue;
      History candidate = history_;
      Json& parent = candidate[i].at(where);
      if (parent.is_array()) {
        parent.erase(std::stoul(key));
      } else {
        parent.erase(key);
      }
      if (accept(std::move(candidate))) {
        any = true;
      } else if (node.is_array() ? node.at(std::stoul(key)).is_structured()
                                 : node.at(key).is_structured()) {
        any = simplify(i, where / key) || any;
      }
    }
    return any;
  }

  History history_;
  const std::function<bool(const History&)>& differs_;
  int tries_left_;
};

}  // namespace

History shrink(History history, const std::function<bool(const History&)>& differs,
               int most_tries) {
  return Shrinker(std::move(history), differs, most_tries).run();
}

}  // namespace pawl::model
