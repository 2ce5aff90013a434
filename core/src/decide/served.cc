// decide/served.cc: see served.h.
#include "decide/served.h"

#include <algorithm>

namespace pawl::core {

bool ServedSet::serves(const std::string& consumer) const {
  return !names || std::binary_search(names->begin(), names->end(), consumer);
}

const ServedLog* ServedSet::log_of(const driver::CursorKey& key) const {
  for (const ServedLog& log : logs) {
    if (log.consumer == key.consumer && key.lane == log.log.lane) return &log;
  }
  return nullptr;
}

ServedLog served_log(const Consumer& consumer) {
  return {
      consumer.name, {consumer.log->lane, type_set(consumer.log->types)}, consumer.log->backfill};
}

ServedSet served_set(const Served& consumers) {
  ServedSet set;
  if (!consumers) return set;
  set.names.emplace();
  for (const Consumer& consumer : *consumers) {
    if (consumer.log) {
      set.logs.push_back(served_log(consumer));
      set.logs.back().place = std::ssize(*set.names);
    }
    set.names->push_back(consumer.name);
  }
  std::sort(set.names->begin(), set.names->end());
  return set;
}

driver::Types type_set(const std::optional<std::vector<std::string>>& types) {
  driver::Types set = types;
  if (set) {
    std::sort(set->begin(), set->end());
    set->erase(std::unique(set->begin(), set->end()), set->end());
  }
  return set;
}

bool takes(const driver::Types& types, const std::string& type) {
  return !types || std::binary_search(types->begin(), types->end(), type);
}

}  // namespace pawl::core
