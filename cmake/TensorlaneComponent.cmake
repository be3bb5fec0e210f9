# One call per component (folder) of src/tensorlane:
#
#   tensorlane_component(layout
#     HOT                            # its loops run over elements: -O3. COLD: it makes texts, files or lists, -O1
#     SOURCES layout.cc fold.cc
#     PUBLIC_HEADERS layout.h        # what programs may include; `cmake --install` lays down these and no other
#     DEPS    base tensor            # components below this one
#     LIBS    fmt::fmt               # third-party targets
#     TESTS   layout_test.cc)
#
# It makes the static library tensorlane_<name> (alias tensorlane::<name>) and, when tests are on,
# one test program <name>_test whose cases ctest lists one by one. A component without public headers is ours alone:
# it is not installed and no component of the CMake package.

add_library(tensorlane_options INTERFACE)
target_compile_options(tensorlane_options INTERFACE
  -Wall -Wextra $<$<COMPILE_LANGUAGE:CXX>:-Woverloaded-virtual>
  # The chips round every product and every sum on its own: a fused multiply-add is a wrong result.
  -ffp-contract=off
  # GCC 12 sees std::string overflow where it does not (its bug 105329), more so with precompiled headers.
  "$<$<BOOL:${TENSORLANE_PCH}>:-Wno-array-bounds;-Wno-stringop-overread;-Wno-stringop-overflow>"
  $<$<BOOL:${TENSORLANE_WERROR}>:-Werror>)
if(TENSORLANE_SANITIZE)
  target_compile_options(tensorlane_options INTERFACE
    -fsanitize=${TENSORLANE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(tensorlane_options INTERFACE -fsanitize=${TENSORLANE_SANITIZE})
endif()
install(TARGETS tensorlane_options EXPORT tensorlaneTargets COMPONENT dev)

# A third of a build is the parsing of the same headers. With TENSORLANE_PCH they are parsed once for the libraries and
# once for the tests. clang-tidy and the preset debug do without, so that a missing #include does not go unseen.
function(tensorlane_precompile target)
  if(NOT TENSORLANE_PCH)
    return()
  endif()
  target_compile_options(${target} PRIVATE -fpch-preprocess) # for ccache
  get_target_property(type ${target} TYPE)
  get_property(first GLOBAL PROPERTY TENSORLANE_PCH_${type})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
    return()
  endif()
  set_property(GLOBAL PROPERTY TENSORLANE_PCH_${type} ${target})
  target_precompile_headers(${target} PRIVATE
    <algorithm> <array> <atomic> <bit> <chrono> <cmath> <cstdint> <cstring> <deque> <filesystem> <fstream> <functional>
    <limits> <map> <memory> <mutex> <numeric> <optional> <random> <set> <span> <sstream> <stdexcept> <string> <string_view>
    <thread> <tuple> <unordered_map> <utility> <variant> <vector> <fmt/format.h> <fmt/ranges.h>)
  if(type STREQUAL EXECUTABLE)
    target_precompile_headers(${target} PRIVATE <gmock/gmock.h> <gtest/gtest.h> <rapidcheck.h>)
  endif()
endfunction()

# Most of the rest is the same headers again and the templates they bring along. With TENSORLANE_UNITY sixteen files are compiled
# as one, so names in anonymous namespaces differ within a component. The preset debug and clang-tidy do without.
function(tensorlane_join target)
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ${TENSORLANE_UNITY} UNITY_BUILD_BATCH_SIZE 16 UNITY_BUILD_UNIQUE_ID TENSORLANE_FILE_ID)
endfunction()

# ctest lists the cases one by one; with SHARDS 4 it has four tests with a quarter of them each, for programs whose many short
# cases take less time than the program's start. `./test.sh -R` finds single cases all the same.
function(tensorlane_test name)
  cmake_parse_arguments(ARG "" "SHARDS" "SOURCES;DEPS;LIBS" ${ARGN})
  if(NOT TENSORLANE_TESTS)
    return()
  endif()
  add_executable(${name} ${ARG_SOURCES})
  list(TRANSFORM ARG_DEPS PREPEND tensorlane_)
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} ${ARG_LIBS} GTest::gtest_main GTest::gmock tensorlane_options)
  # What a test does itself need not be fast, what it calls is.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  target_compile_definitions(${name} PRIVATE TENSORLANE_TESTDATA="${PROJECT_SOURCE_DIR}/testdata")
  if(TENSORLANE_VECTORS_LEFT_OUT) # what tests that go through the instruction sets go past
    target_compile_definitions(${name} PRIVATE "HWY_DISABLED_TARGETS=(HWY_SSSE3|${TENSORLANE_VECTORS_LEFT_OUT})")
  endif()
  tensorlane_precompile(${name})
  tensorlane_join(${name})
  set(properties TIMEOUT 600)
  set(variables)
  if(TENSORLANE_SANITIZE)
    # Ten times slower: fewer inputs per law show a sanitizer as much. Some tests ask for 50.
    set(properties TIMEOUT 1800)
    set(variables RC_PARAMS=max_success=50)
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/sanitizers/defaults.cc)
  endif()
  if(ARG_SHARDS)
    foreach(shard RANGE 1 ${ARG_SHARDS})
      set(part ${name}/${shard}_of_${ARG_SHARDS})
      math(EXPR index "${shard} - 1")
      add_test(NAME ${part} COMMAND ${name} --gtest_brief=1)
      set_tests_properties(${part} PROPERTIES ${properties})
      set_property(TEST ${part} PROPERTY ENVIRONMENT
        ${variables} GTEST_TOTAL_SHARDS=${ARG_SHARDS} GTEST_SHARD_INDEX=${index})
    endforeach()
    file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/sharded/${name} CONTENT "$<TARGET_FILE:${name}>\n")
    return()
  endif()
  if(variables)
    list(APPEND properties ENVIRONMENT ${variables})
  endif()
  gtest_discover_tests(${name} TEST_PREFIX ${name}/ DISCOVERY_TIMEOUT 60 PROPERTIES ${properties})
endfunction()

function(tensorlane_component name)
  cmake_parse_arguments(ARG "HOT;COLD" "TEST_SHARDS" "SOURCES;PUBLIC_HEADERS;DEPS;LIBS;TESTS;TEST_DEPS;TEST_LIBS" ${ARGN})
  add_library(tensorlane_${name} STATIC ${ARG_SOURCES})
  add_library(tensorlane::${name} ALIAS tensorlane_${name})
  set_property(GLOBAL APPEND PROPERTY TENSORLANE_ALL_COMPONENTS ${name})
  set_target_properties(tensorlane_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(tensorlane_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(tensorlane_${name} PUBLIC cxx_std_20)
  list(TRANSFORM ARG_DEPS PREPEND tensorlane_ OUTPUT_VARIABLE deps)
  target_link_libraries(tensorlane_${name} PUBLIC ${deps} ${ARG_LIBS} PRIVATE tensorlane_options)
  # -O3 for what is neither would cost a tenth more time to compile.
  if(ARG_HOT)
    set(level -O3)
  elseif(ARG_COLD)
    set(level -O1)
  else()
    set(level -O2)
  endif()
  target_compile_options(tensorlane_${name} PRIVATE $<$<CONFIG:Release>:${level}>)
  if(TENSORLANE_VECTORS_LEFT_OUT AND "hwy::hwy" IN_LIST ARG_LIBS)
    target_compile_definitions(tensorlane_${name} PRIVATE "TENSORLANE_VECTORS_LEFT_OUT=${TENSORLANE_VECTORS_LEFT_OUT}")
  endif()
  tensorlane_precompile(tensorlane_${name})
  tensorlane_join(tensorlane_${name})
  if(ARG_HOT) # few headers, and each file has its own Sink, Sources, ...: half as many
    set_target_properties(tensorlane_${name} PROPERTIES UNITY_BUILD_BATCH_SIZE 8)
  endif()
  foreach(source IN LISTS ARG_SOURCES) # Highway includes such a file itself, once per instruction set
    if(NOT IS_ABSOLUTE ${source}) # those are made by the build
      file(STRINGS ${source} vectors REGEX "hwy/foreach_target.h" LIMIT_COUNT 1)
      if(vectors)
        set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
        # Every vector of every function that is inlined is a variable, whose address is held against null and whose end is marked:
        # a quarter of an hour for the largest files. Bounds, lifetimes of memory and arithmetic are what there is to find here.
        if(TENSORLANE_SANITIZE MATCHES address)
          set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS
            -fno-sanitize-address-use-after-scope -fno-sanitize=null,object-size,vptr)
        endif()
      endif()
    endif()
  endforeach()
  if(ARG_PUBLIC_HEADERS)
    set_property(GLOBAL APPEND PROPERTY TENSORLANE_COMPONENTS ${name})
    install(TARGETS tensorlane_${name} EXPORT tensorlaneTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
    install(FILES ${ARG_PUBLIC_HEADERS} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder} COMPONENT dev)
  endif()
  if(ARG_TESTS)
    tensorlane_test(${name}_test SOURCES ${ARG_TESTS} DEPS ${name} ${ARG_TEST_DEPS} LIBS ${ARG_TEST_LIBS} SHARDS ${ARG_TEST_SHARDS})
  endif()
endfunction()

# tensorlane_signatures(okk sdk/okkernel/include/okk.h): the header tensorlane/okk/signatures.h, from which the entries of a
# front end know what functions its public headers declare.
function(tensorlane_signatures name pattern)
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${pattern})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${headers})
  list(JOIN headers "," headers)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/signatures)
  execute_process(COMMAND_ERROR_IS_FATAL ANY COMMAND ${CMAKE_COMMAND} -D OUTPUT=${folder}/tensorlane/${name}/signatures.h
    -D HEADERS=${headers} -P ${PROJECT_SOURCE_DIR}/cmake/signatures.cmake)
  target_include_directories(tensorlane_${name} PUBLIC $<BUILD_INTERFACE:${folder}>)
endfunction()
