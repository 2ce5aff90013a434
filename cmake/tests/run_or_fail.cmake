# For the scripts beside it.

# run_or_fail(COMMAND...): runs it, showing its output if it fails.
function(run_or_fail)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE output
                  RESULT_VARIABLE failed)
  if(failed)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "failed (${failed}): ${command}\n${output}")
  endif()
endfunction()

# configure_scratch(SOURCE_DIR OPTIONS...): configures a project in SCRATCH.
function(configure_scratch source)
  run_or_fail(${CMAKE_COMMAND} -S "${source}" -B "${SCRATCH}" -G "${GENERATOR}"
              -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} ${ARGN})
endfunction()
