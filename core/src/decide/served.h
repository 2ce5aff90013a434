// decide/served.h: the consumers that a call serves, as the decisions see them.
#pragma once

#include <string>
#include <vector>

#include "pawl/driver/query.h"
#include "pawl/types.h"

namespace pawl::core {

struct ServedLog {
  std::string consumer;
  driver::LogTypes log;
  bool backfill = false;
  std::int64_t place = -1;  // in the call's list of consumers; -1: it is the call's `consumer`

  driver::CursorKey key() const { return {consumer, log.lane, 0}; }
};

struct ServedSet {
  driver::ConsumerNames names;  // absent: all, and then no logs
  std::vector<ServedLog> logs;

  bool serves(const std::string& consumer) const;
  const ServedLog* log_of(const driver::CursorKey& key) const;
};

ServedLog served_log(const Consumer& consumer);  // whose `log` is there

ServedSet served_set(const Served& consumers);

// `types` sorted and without repeats.
driver::Types type_set(const std::optional<std::vector<std::string>>& types);
bool takes(const driver::Types& types, const std::string& type);

}  // namespace pawl::core
