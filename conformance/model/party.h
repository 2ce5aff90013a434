// Whoever answers operations: the model, or a store behind the JSON Lines interface.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace pawl::model {

using Party = std::function<nlohmann::json(const nlohmann::json& op)>;
using LineParty = std::function<std::string(std::string_view line)>;

// Each call gives a fresh, empty one: manual clock at 1, sequential ids.
using PartyFactory = std::function<Party()>;
using LinePartyFactory =
    std::function<LineParty(const std::map<std::string, std::string>& options)>;

Party from_lines(LineParty lines);

// The model as a party. Options: max_payload_bytes, max_call_bytes.
Party model_party();
LineParty model_line_party(const std::map<std::string, std::string>& options);

}  // namespace pawl::model
