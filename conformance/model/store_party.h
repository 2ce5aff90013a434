// A store behind the JSON Lines interface, as a party to hold against the model.
#pragma once

#include <map>
#include <string>

#include "model/party.h"

namespace pawl::model {

struct StorePlace {
  // "memory:", or a scheme with a folder, "sqlite:FOLDER": each party gets a file of its own in
  // it. Without a folder, one among the system's temporary files. Or a URI of PostgreSQL: each
  // party gets a schema of its own there, pawl-conformance-XXXXXX, which stays.
  std::string uri;
  std::map<std::string, std::string> options;  // by the names of `--option`
};

// Opens a fresh, empty store with a manual clock at 1 and sequential ids at each call. What it
// stores is removed with the party.
PartyFactory store_party(const StorePlace& place);
LinePartyFactory store_line_party(const StorePlace& place);

}  // namespace pawl::model
