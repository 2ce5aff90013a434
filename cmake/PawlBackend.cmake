# pawl_add_backend(): a library for one storage engine. Linking it is choosing it.
include_guard(GLOBAL)

# pawl_add_backend(NAME name [PRIVATE_DEPENDS engine libs] [PACKAGES packages]
#                  [TEST_SHARDS n])
# Builds pawl_<name> from src/, its tests from tests/*_test.cc, and, if tests/conformance_test.cc is
# there, the conformance run, which has its own main(). One source file of src/ holds
# PAWL_REGISTER_BACKEND(name, "scheme", opener).
function(pawl_add_backend)
  cmake_parse_arguments(arg "" "NAME;TEST_SHARDS" "PRIVATE_DEPENDS;PACKAGES" ${ARGN})
  set(target pawl_${arg_NAME})
  pawl_add_library(NAME ${arg_NAME} DEPENDS pawl::core PRIVATE_DEPENDS ${arg_PRIVATE_DEPENDS}
                   PACKAGES ${arg_PACKAGES})
  if(NOT TARGET ${target})
    return()
  endif()
  # Nothing in the program names the backend: its registration would stay in the archive, and
  # under --as-needed a shared library would be dropped.
  target_link_options(
    ${target} INTERFACE
    $<IF:$<STREQUAL:$<TARGET_PROPERTY:${target},TYPE>,SHARED_LIBRARY>,LINKER:--no-as-needed,LINKER:--undefined=pawl_backend_${arg_NAME}>)

  file(GLOB tests CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/tests/*_test.cc")
  set(conformance "${CMAKE_CURRENT_SOURCE_DIR}/tests/conformance_test.cc")
  list(REMOVE_ITEM tests "${conformance}")
  pawl_add_test(NAME ${target}_test SHARDS ${arg_TEST_SHARDS} SOURCES ${tests}
                LIBS ${target} ${arg_PRIVATE_DEPENDS})
  if(TARGET pawl_conformance AND EXISTS "${conformance}")
    pawl_add_test(NAME ${target}_conformance_test MAIN SHARDS 4 SOURCES "${conformance}"
                  LIBS ${target} pawl::conformance)
  endif()
endfunction()
