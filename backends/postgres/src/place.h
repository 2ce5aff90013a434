// Opening: is this a server that can hold a store, and does the schema hold one? An empty place
// is laid out, once, however many open it at the same time.
#pragma once

#include <memory>
#include <string>

#include "connection.h"

namespace pawl::postgres {

// Connects, and refuses a server that cannot hold a store: too old, another encoding than UTF8, a
// standby. Throws Refused or Broken.
std::unique_ptr<Connection> open_connection(
    const std::shared_ptr<const ConnectionOptions>& options);

// Makes the layout if there is none. Throws kNotConfigured where there is another, and Refused or
// Broken.
void prepare_place(Connection& connection, const std::string& schema);

}  // namespace pawl::postgres
