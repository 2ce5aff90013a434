# Builds core/tests/link in SCRATCH with OPTIONS, FLAGS and LINK_FLAGS, runs its programs, and
# expects the one without a backend to fail to link, naming the cure.
include("${CMAKE_CURRENT_LIST_DIR}/run_or_fail.cmake")

string(REPLACE "|" ";" OPTIONS "${OPTIONS}")
configure_scratch("${SOURCE}/core/tests/link" ${OPTIONS} "-DCMAKE_CXX_FLAGS=${FLAGS}"
                  "-DCMAKE_EXE_LINKER_FLAGS=${LINK_FLAGS}")
run_or_fail(${CMAKE_COMMAND} --build "${SCRATCH}" --parallel 2)
run_or_fail("${SCRATCH}/unopened")
run_or_fail("${SCRATCH}/one")
run_or_fail("${SCRATCH}/several" "${SCRATCH}/several.d/several.db")

execute_process(COMMAND ${CMAKE_COMMAND} --build "${SCRATCH}" --target none
                OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE failed)
if(NOT failed)
  message(FATAL_ERROR "a program without a backend linked")
endif()
if(NOT output MATCHES "pawl_link_a_backend_as_in_target_link_libraries_app_PRIVATE_pawl_sqlite")
  message(FATAL_ERROR "the linker does not name the cure:\n${output}")
endif()
