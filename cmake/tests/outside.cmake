# Builds cmake/tests/outside in SCRATCH with the Pawl that is installed in PREFIX, and runs it.
include("${CMAKE_CURRENT_LIST_DIR}/run_or_fail.cmake")

configure_scratch("${SOURCE}/cmake/tests/outside" "-DCMAKE_PREFIX_PATH=${PREFIX}")
run_or_fail(${CMAKE_COMMAND} --build "${SCRATCH}")
file(REMOVE "${SCRATCH}/outside.db")
run_or_fail("${SCRATCH}/outside" "${SCRATCH}/outside.db")
