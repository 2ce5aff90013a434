// pawl/postgres.h: opens a store in one schema of a PostgreSQL database (13 or newer), for any
// number of machines.
//
// The storage clock is the server's. (An injected one is read under the locks, which costs a round
// trip more.) Nothing of a store outlives a transaction but its rows: no function, no session
// lock, and settings only of sessions that are found to be its own. So it works through PgBouncer
// in transaction mode; there, set the option `prepare` to off and `notify_uri` to the server
// itself. The role needs to own the schema, or to have the right to create it in the database.
//
// Options of the engine (OpenOptions::engine):
//   schema              the schema's name, 1 to 63 bytes (default pawl)
//   connections         operations that run at the same time, 1 to 1000 (default 8); others wait
//   connect_timeout_ms  for each host, 1 to 3600000 (default 10000)
//   statement_timeout_ms  the longest that one statement may take, 1 to 86400000 (default 60000).
//                       The server notices after a minute that a machine was lost amid an
//                       operation; a process that is stopped amid one holds its sessions until it
//                       goes on or is killed, and others find them busy
//   prepare             on (default) or off: whether statements are kept prepared by name
//   notify              on (default) or off: whether commits are told to other stores at once by
//                       LISTEN and NOTIFY, on one more connection; off, they are found by polling
//                       every wake_poll
//   notify_uri          where that connection goes (default: where the others do)
//   remember_kib        how much of what it has written last the store keeps in memory, so that
//                       the next operation on the session need not load it: 0 to 1048576 KiB
//                       (default 4096; 0 is none)
//
// Store::stats:
//   connections_in_use, connections_idle   of this store, but for the one that listens
//   tried_again         transactions that were decided again: after a conflict that the server
//                       saw, or on another connection because theirs was found broken
//   guarded             operations in one round trip, on rows that the store remembered
//   guards_failed       the same that found others had written there, and began anew
//   listening           1 where commits of others are heard at once; absent when `notify` is off
// A connection that should listen and does not is a warning.
#pragma once

#include <memory>
#include <string_view>

#include "pawl/open.h"
#include "pawl/store.h"

namespace pawl::postgres {

// `uri` is one that libpq accepts, or the part after "postgres:". What it leaves open is taken
// from libpq's environment variables, with two exceptions: a host that is not this machine is
// asked for sslmode=verify-full unless a sslmode is given, and of several hosts the first that is
// read-write is taken unless target_session_attrs is given. An empty place is initialised. A
// busy_timeout or wake_poll above 2,000,000,000 ms counts as that.
//
// Throws kNotConfigured when there is no such database, no permission, a standby, an encoding
// other than UTF8, a schema that is not a Pawl store, or a layout that this version does not
// know; kUnavailable when the server cannot be reached; kInvalidArgument for a malformed URI or
// option.
Store open(std::string_view uri, const OpenOptions& options = {});

// The same, without the Store around it. For tools and tests.
std::unique_ptr<Backend> open_backend(std::string_view uri, const OpenOptions& options = {});

}  // namespace pawl::postgres
