# Compiles each of HEADERS in a translation unit of its own, and expects none to include an
# engine's header, and only pawl/json.h to include nlohmann's.
string(REPLACE "|" ";" HEADERS "${HEADERS}")
string(REPLACE "|" ";" INCLUDE_DIRS "${INCLUDE_DIRS}")
set(include_flags "")
foreach(dir IN LISTS INCLUDE_DIRS)
  list(APPEND include_flags "-I${dir}")
endforeach()
file(MAKE_DIRECTORY "${SCRATCH}")
list(LENGTH HEADERS count)
if(count EQUAL 0)
  message(FATAL_ERROR "no headers")
endif()

foreach(header IN LISTS HEADERS)
  set(unit "${SCRATCH}/unit.cc")
  file(WRITE "${unit}" "#include \"${header}\"\n#include \"${header}\"\n")
  execute_process(
    COMMAND ${COMPILER} -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Werror
            ${include_flags} -MD -MF "${SCRATCH}/unit.d" "${unit}"
    ERROR_VARIABLE errors RESULT_VARIABLE failed)
  if(failed)
    message(SEND_ERROR "${header} does not compile alone:\n${errors}")
    continue()
  endif()
  file(READ "${SCRATCH}/unit.d" dependencies)
  set(foreign "sqlite3[.]h|libpq|postgresql/|include/rocksdb/|CLI/|nlohmann/")
  if(header MATCHES "/pawl/json[.]h$")
    string(REPLACE "|nlohmann/" "" foreign "${foreign}")
  endif()
  if(dependencies MATCHES "[^ \n]*/(${foreign})[^ \n]*")
    message(SEND_ERROR "${header} includes ${CMAKE_MATCH_0}")
  endif()
endforeach()
