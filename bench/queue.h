// queue.h: what claiming costs after very many events have been worked off. A store that deletes at
// the front of its ranges may have to pass over what it has deleted.
#pragma once

#include <string>

namespace pawl::bench {

// Registers SCHEME/queue/OPERATION: what it takes in the middle and at the 99th percentile in a
// store with `done` events worked off before, and, turn by turn, in a fresh one. Stores are filled
// when they are first needed.
void add_queue(const std::string& scheme, long done);

}  // namespace pawl::bench
