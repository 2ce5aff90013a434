# Helpers that every folder uses: libraries, backends, programs and tests, built and installed alike.
include_guard(GLOBAL)
include(CMakePackageConfigHelpers)

if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  find_program(PAWL_CCACHE ccache)
  if(PAWL_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${PAWL_CCACHE}")
  endif()
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
  set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
endif()

# A library found in one folder is linked from others.
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
set(THREADS_PREFER_PTHREAD_FLAG TRUE)
find_package(Threads REQUIRED)

if(PAWL_SANITIZE MATCHES "thread")
  # g++ 12's runtime refuses the address spaces that newer kernels randomise: run without that.
  execute_process(COMMAND setarch -R true RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(failed EQUAL 0)
    set(CMAKE_CROSSCOMPILING_EMULATOR setarch -R)
  endif()
endif()

# pawl_require(PACKAGE DEBIAN_PACKAGE OPTION): finds the package, or says what to install or turn off.
macro(pawl_require package debian option)
  find_package(${package} QUIET)
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "${package} was not found. Install it (Debian: apt-get install ${debian}) "
                        "or configure with -D${option}=OFF.")
  endif()
endmacro()

# Adds the folders that are there already.
function(pawl_add_folders)
  foreach(folder IN LISTS ARGN)
    if(EXISTS "${PROJECT_SOURCE_DIR}/${folder}/CMakeLists.txt")
      add_subdirectory("${PROJECT_SOURCE_DIR}/${folder}" "${PROJECT_BINARY_DIR}/${folder}")
    endif()
  endforeach()
endfunction()

# What all code of the project is compiled with.
function(pawl_compile_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                           -Wno-sign-conversion)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # Wrong on inlined std::string: https://gcc.gnu.org/PR105651
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
  if(PAWL_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${PAWL_SANITIZE} -fno-sanitize-recover=all
                                             -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${PAWL_SANITIZE})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # The instrumented code confuses it.
      target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
    endif()
  endif()
endfunction()

# Makes test code quick to compile: what it includes most is compiled once, and nothing of it is
# optimised in debug builds (the libraries under test are). Halves the time of a sanitizer build.
function(pawl_quick_to_compile target)
  get_target_property(sources ${target} SOURCES)
  list(LENGTH sources count)
  if(count GREATER 3)
    target_precompile_headers(${target} PRIVATE <gtest/gtest.h> <functional> <map> <optional> <set>
                              <string> <vector> <pawl/store.h>)
  endif()
  target_compile_options(${target} PRIVATE $<$<CONFIG:Debug>:-O0>)
endfunction()

# pawl_missing(OUT libs): which of the libs are libraries of the project that are not built. A
# backend counts before its folder has been read.
function(pawl_missing out)
  set(missing "")
  foreach(library IN LISTS ARGN)
    string(REGEX REPLACE "^pawl::" "" name "${library}")
    if(library MATCHES "^pawl::" AND NOT TARGET ${library} AND NOT name IN_LIST PAWL_BACKENDS)
      list(APPEND missing ${library})
    endif()
  endforeach()
  set(${out} "${missing}" PARENT_SCOPE)
endfunction()

# pawl_add_library(NAME name [SOURCES files] [DEPENDS public libs] [PRIVATE_DEPENDS libs]
#                  [PACKAGES packages])
# Builds pawl_<name> (alias pawl::<name>) from src/**/*.cc or SOURCES, with the headers of include/.
# PACKAGES are what a static build makes its users find.
function(pawl_add_library)
  cmake_parse_arguments(arg "" "NAME" "SOURCES;DEPENDS;PRIVATE_DEPENDS;PACKAGES" ${ARGN})
  set(target pawl_${arg_NAME})
  if(NOT arg_SOURCES)
    file(GLOB_RECURSE arg_SOURCES CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/src/*.cc")
  endif()
  if(NOT arg_SOURCES)
    message(STATUS "pawl: ${arg_NAME} has no sources yet")
    return()
  endif()
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/include/*.h")

  add_library(${target} ${arg_SOURCES})
  add_library(pawl::${arg_NAME} ALIAS ${target})
  pawl_compile_options(${target})
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS "${CMAKE_CURRENT_SOURCE_DIR}/include"
                                  FILES ${headers})
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/src"
                                               "${CMAKE_CURRENT_SOURCE_DIR}")
  target_link_libraries(${target} PUBLIC ${arg_DEPENDS} PRIVATE ${arg_PRIVATE_DEPENDS})
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${arg_NAME} INSTALL_RPATH "$ORIGIN" VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  set_property(GLOBAL APPEND PROPERTY PAWL_PUBLIC_HEADERS ${headers})
  set_property(GLOBAL APPEND PROPERTY PAWL_INCLUDE_DIRS "${CMAKE_CURRENT_SOURCE_DIR}/include")
  if(PAWL_INSTALL)
    install(TARGETS ${target} EXPORT pawl-${arg_NAME} FILE_SET HEADERS)
    install(EXPORT pawl-${arg_NAME} NAMESPACE pawl::
            DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/pawl" FILE pawl-${arg_NAME}.cmake)
    pawl_write_component(${arg_NAME} "${arg_DEPENDS}" "${arg_PACKAGES}")
  endif()
endfunction()

# pawl-<name>-needs.cmake says which components and packages must be found before this one.
function(pawl_write_component name depends packages)
  set(text "# What pawl::${name} needs. Generated.\n")
  foreach(library IN LISTS depends)
    if(library MATCHES "^pawl::(.+)$")
      string(APPEND text "pawl_load_component(${CMAKE_MATCH_1})\n")
    elseif(library MATCHES "^Threads::")
      string(APPEND text "find_dependency(Threads)\n")
    elseif(library MATCHES "^GTest::")
      string(APPEND text "find_dependency(GTest)\n")
    endif()
  endforeach()
  if(NOT BUILD_SHARED_LIBS)
    foreach(package IN LISTS packages)
      string(APPEND text "find_dependency(${package})\n")
    endforeach()
  endif()
  file(WRITE "${PROJECT_BINARY_DIR}/package/pawl-${name}-needs.cmake" "${text}")
  install(FILES "${PROJECT_BINARY_DIR}/package/pawl-${name}-needs.cmake"
          DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/pawl")
endfunction()

function(pawl_install_package)
  set(destination "${CMAKE_INSTALL_LIBDIR}/cmake/pawl")
  configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/pawl-config.cmake.in"
                                "${PROJECT_BINARY_DIR}/package/pawl-config.cmake"
                                INSTALL_DESTINATION "${destination}")
  write_basic_package_version_file("${PROJECT_BINARY_DIR}/package/pawl-config-version.cmake"
                                   COMPATIBILITY SameMinorVersion)
  install(FILES "${PROJECT_BINARY_DIR}/package/pawl-config.cmake"
                "${PROJECT_BINARY_DIR}/package/pawl-config-version.cmake"
          DESTINATION "${destination}")
endfunction()

# pawl_add_program(TARGET target [OUTPUT_NAME name] SOURCES files [LIBS libs] [INSTALL])
function(pawl_add_program)
  cmake_parse_arguments(arg "INSTALL" "TARGET;OUTPUT_NAME" "SOURCES;LIBS" ${ARGN})
  pawl_missing(missing ${arg_LIBS})
  if(missing)
    message(STATUS "pawl: no ${arg_TARGET} without ${missing}")
    return()
  endif()
  add_executable(${arg_TARGET} ${arg_SOURCES})
  pawl_compile_options(${arg_TARGET})
  target_include_directories(${arg_TARGET} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
  target_link_libraries(${arg_TARGET} PRIVATE ${arg_LIBS})
  if(arg_OUTPUT_NAME)
    set_target_properties(${arg_TARGET} PROPERTIES OUTPUT_NAME ${arg_OUTPUT_NAME})
  endif()
  if(arg_INSTALL AND PAWL_INSTALL)
    set_target_properties(${arg_TARGET} PROPERTIES
                          INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
    install(TARGETS ${arg_TARGET})
  endif()
endfunction()

# Links every backend that is built.
function(pawl_link_all_backends target)
  if(TARGET ${target})
    list(TRANSFORM PAWL_BACKENDS PREPEND pawl:: OUTPUT_VARIABLE libraries)
    target_link_libraries(${target} PRIVATE ${libraries})
  endif()
endfunction()

# pawl_add_test(NAME name SOURCES files [LIBS libs] [MAIN] [SHARDS n] [TIMEOUT seconds]
#               [TSAN_FILTER tests])
# One GoogleTest program for a folder, run in n shards. MAIN: the sources have a main().
# TSAN_FILTER: which of the tests are run under ThreadSanitizer. It makes all ten times slower, and
# finds nothing in long ones of one thread.
function(pawl_add_test)
  cmake_parse_arguments(arg "MAIN" "NAME;SHARDS;TIMEOUT;TSAN_FILTER" "SOURCES;LIBS" ${ARGN})
  if(NOT PAWL_BUILD_TESTS OR NOT arg_SOURCES)
    return()
  endif()
  pawl_missing(missing ${arg_LIBS})
  if(missing)
    message(STATUS "pawl: no ${arg_NAME} without ${missing}")
    return()
  endif()
  pawl_require(GTest libgtest-dev PAWL_BUILD_TESTS)
  add_executable(${arg_NAME} ${arg_SOURCES})
  pawl_compile_options(${arg_NAME})
  set_target_properties(${arg_NAME} PROPERTIES
                        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  target_include_directories(${arg_NAME} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}"
                                                 "${CMAKE_CURRENT_SOURCE_DIR}/src")
  target_link_libraries(${arg_NAME} PRIVATE ${arg_LIBS} GTest::gtest)
  if(NOT arg_MAIN)
    target_link_libraries(${arg_NAME} PRIVATE GTest::gtest_main)
  endif()
  pawl_quick_to_compile(${arg_NAME})
  target_compile_definitions(${arg_NAME} PRIVATE
    PAWL_SOURCE_DIR="${PROJECT_SOURCE_DIR}" PAWL_BIN_DIR="${PROJECT_BINARY_DIR}/bin")
  if(NOT arg_SHARDS)
    set(arg_SHARDS 1)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  if(PAWL_SANITIZE)
    math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * 4")
  endif()
  set(filter "")
  if(arg_TSAN_FILTER AND PAWL_SANITIZE MATCHES "thread")
    # Not by the environment, which tests that start programs hand on.
    set(filter "--gtest_filter=${arg_TSAN_FILTER}")
    set(arg_SHARDS 1)
  endif()
  math(EXPR last "${arg_SHARDS} - 1")
  foreach(shard RANGE ${last})
    set(test ${arg_NAME})
    if(arg_SHARDS GREATER 1)
      set(test ${arg_NAME}.${shard})
    endif()
    add_test(NAME ${test} COMMAND ${arg_NAME} ${filter})
    # GoogleTest exits 0 when it has registered nothing.
    set_tests_properties(${test} PROPERTIES TIMEOUT ${arg_TIMEOUT}
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${arg_SHARDS};GTEST_SHARD_INDEX=${shard}"
      FAIL_REGULAR_EXPRESSION "Running 0 tests from")
  endforeach()
endfunction()

include(PawlBackend)
