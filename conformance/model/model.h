// The model: the store contract written a second time, as plainly as it can be said.
//
// It keeps everything in vectors, finds by looking at each, and answers operations of the JSON
// Lines interface (contract section 12). It shares no code with the core: where a store and the
// model differ, one of them has misread the contract. Its clock is manual and starts at 1, its
// ids are id-1, id-2, ...
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace pawl::model {

struct ModelOptions {
  std::int64_t max_payload_bytes = std::int64_t{64} << 20;
  std::int64_t max_call_bytes = std::int64_t{256} << 20;
};

class Rules;

class Model {
 public:
  explicit Model(ModelOptions options = {});
  ~Model();
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;

  // Carries the operation out: {"ok": ...} or {"error": {"code", "message"}}.
  nlohmann::json answer(const nlohmann::json& op);

  // The same for a line. Exact texts (spelling of numbers, order of keys) are not modelled.
  std::string answer_line(std::string_view line);

 private:
  std::unique_ptr<Rules> rules_;
};

}  // namespace pawl::model
