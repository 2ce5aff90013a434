// The operations of the interface: each reads its arguments, calls the store and writes the answer.
#pragma once

#include <string>
#include <string_view>

#include "answers.h"
#include "arguments.h"
#include "pawl/clock.h"
#include "pawl/store.h"

namespace pawl::jsonl {

struct Call {
  Store& store;
  ManualClock* clock;  // null: there is no operation `clock`
  Object& arguments;
  std::string& out;
};

using Operation = void (*)(Call& call);

// Null if there is no operation of that name.
Operation find_operation(std::string_view name);

// Appending and reading.
void append(Call& call);
void append_batch(Call& call);
void wake_log(Call& call);
void cursors(Call& call);
void read(Call& call);
void head(Call& call);
void sessions(Call& call);

// Claiming and finding work.
void claim(Call& call);
void renew(Call& call);
void claim_ready(Call& call);
void ready(Call& call);
void wait(Call& call);
ClaimReadyOptions claim_ready_options(Object& from);  // all but the consumers

// Finishing.
void complete(Call& call);
void fail(Call& call);
void release(Call& call);
void settle(Call& call);
void dead_letters(Call& call);
void redrive(Call& call);

// Snapshots and presence.
void put_snapshots(Call& call);
void load_snapshot(Call& call);
void set_presence(Call& call);
void presence(Call& call);
void reclaim_presence(Call& call);

// Clearing and upkeep, and the clock.
void clear(Call& call);
void reclaim(Call& call);
void prune(Call& call);
void delete_session(Call& call);
void delete_consumer(Call& call);
void maintain(Call& call);
void set_clock(Call& call);

}  // namespace pawl::jsonl
