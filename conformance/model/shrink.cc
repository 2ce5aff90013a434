// Delta debugging over operations and their fields.
#include "model/shrink.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace pawl::model {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLongText = 40;

std::size_t count_events(const Json& value) {
  std::size_t count = 0;
  for (const auto& [key, item] : value.items()) {
    if (key == "events" && item.is_array()) count += item.size();
    if (item.is_structured()) count += count_events(item);
  }
  return count;
}

// After events went, what named later ones names them at lower indexes.
void lower_indexes(Json& value, std::int64_t by) {
  for (auto item = value.begin(); item != value.end(); ++item) {
    if (item->is_structured()) {
      lower_indexes(*item, by);
    } else if (value.is_object() && item.key() == "index" && item->is_number_integer()) {
      *item = std::max<std::int64_t>(1, item->get<std::int64_t>() - by);
    }
  }
}

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

  // The same, or else with the indexes in what follows operation `i` lowered.
  bool accept_renumbered(const History& candidate, std::size_t i, std::size_t events) {
    if (accept(candidate)) return true;
    if (events == 0) return false;
    History lowered = candidate;
    for (std::size_t j = i; j < lowered.size(); ++j) {
      lower_indexes(lowered[j], static_cast<std::int64_t>(events));
    }
    return accept(std::move(lowered));
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
        std::size_t events = 0;
        for (std::size_t i = begin; i < end; ++i) events += count_events(history_[i]);
        any = accept_renumbered(candidate, begin, events) || any;
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
      const Json& part = node.at(Json::json_pointer() / key);
      History candidate = history_;
      Json& parent = candidate[i].at(where);
      if (parent.is_array()) {
        parent.erase(std::stoul(key));
      } else {
        parent.erase(key);
      }
      const bool is_event = node.is_array() && !where.empty() && where.back() == "events";
      if (accept_renumbered(candidate, i + 1, is_event ? 1 : 0)) {
        any = true;
      } else if (part.is_structured()) {
        any = simplify(i, where / key) || any;
      } else if (part.is_string() && part.get_ref<const std::string&>().size() > kLongText) {
        any = shorten(i, where / key) || any;
      }
    }
    return any;
  }

  bool shorten(std::size_t i, const Json::json_pointer& where) {
    History candidate = history_;
    candidate[i].at(where) = "x";
    return accept(std::move(candidate));
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
