// The conformance suite on PostgreSQL.
#include "tests/suite.h"

int main(int argc, char** argv) { return pawl::postgres::testing::run_suite(argc, argv); }
