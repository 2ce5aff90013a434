// The conformance suite on PostgreSQL: each case in a schema of its own. Variables choose another
// way to it: PAWL_TEST_POSTGRES=URI a database of the user's, PAWL_TEST_POSTGRES_POOLER says that
// the URI is that of a pooler in transaction mode ("start": one that the program starts), and
// PAWL_TEST_POSTGRES_NOTIFY that stores listen to one another.
#pragma once

namespace pawl::postgres::testing {

// What main does, of a program that may be started again with these arguments and some more.
int run_suite(int argc, char** argv);

}  // namespace pawl::postgres::testing
