// Parties made of lines, and of the model.
#include "model/party.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "model/model.h"

namespace pawl::model {

Party from_lines(LineParty lines) {
  return [lines = std::move(lines)](const nlohmann::json& op) {
    return nlohmann::json::parse(lines(op.dump()));
  };
}

Party model_party() {
  return
      [model = std::make_shared<Model>()](const nlohmann::json& op) { return model->answer(op); };
}

LineParty model_line_party(const std::map<std::string, std::string>& options) {
  ModelOptions parsed;
  const auto read = [&](const char* name, std::int64_t& value) {
    const auto given = options.find(name);
    if (given != options.end()) value = std::stoll(given->second);
  };
  read("max_payload_bytes", parsed.max_payload_bytes);
  read("max_call_bytes", parsed.max_call_bytes);
  return [model = std::make_shared<Model>(parsed)](std::string_view line) {
    return model->answer_line(line);
  };
}

}  // namespace pawl::model
