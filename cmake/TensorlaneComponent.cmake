# One call per component (folder) of src/tensorlane:
#
#   tensorlane_component(layout
#     SOURCES layout.cc fold.cc
#     DEPS    base tensor            # components below this one
#     LIBS    fmt::fmt               # third-party targets
#     TESTS   layout_test.cc)
#
# It makes the static library tensorlane_<name> (alias tensorlane::<name>) and, when tests are on,
# one test program <name>_test whose cases ctest lists one by one.

add_library(tensorlane_options INTERFACE)
target_compile_options(tensorlane_options INTERFACE
  -Wall -Wextra
  # The chips round every product and every sum on its own: a fused multiply-add is a wrong result.
  -ffp-contract=off
  $<$<BOOL:${TENSORLANE_WERROR}>:-Werror>)
if(TENSORLANE_SANITIZE)
  target_compile_options(tensorlane_options INTERFACE
    -fsanitize=${TENSORLANE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(tensorlane_options INTERFACE -fsanitize=${TENSORLANE_SANITIZE})
endif()
install(TARGETS tensorlane_options EXPORT tensorlaneTargets)

function(tensorlane_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;LIBS" ${ARGN})
  if(NOT TENSORLANE_TESTS)
    return()
  endif()
  add_executable(${name} ${ARG_SOURCES})
  list(TRANSFORM ARG_DEPS PREPEND tensorlane_)
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} ${ARG_LIBS} GTest::gtest_main GTest::gmock tensorlane_options)
  target_compile_definitions(${name} PRIVATE TENSORLANE_TESTDATA="${PROJECT_SOURCE_DIR}/testdata")
  gtest_discover_tests(${name} TEST_PREFIX ${name}/ DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600)
endfunction()

function(tensorlane_component name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;LIBS;TESTS;TEST_DEPS;TEST_LIBS" ${ARGN})
  add_library(tensorlane_${name} STATIC ${ARG_SOURCES})
  add_library(tensorlane::${name} ALIAS tensorlane_${name})
  set_property(GLOBAL APPEND PROPERTY TENSORLANE_COMPONENTS ${name})
  set_target_properties(tensorlane_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(tensorlane_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(tensorlane_${name} PUBLIC cxx_std_20)
  list(TRANSFORM ARG_DEPS PREPEND tensorlane_ OUTPUT_VARIABLE deps)
  target_link_libraries(tensorlane_${name} PUBLIC ${deps} ${ARG_LIBS} PRIVATE tensorlane_options)
  install(TARGETS tensorlane_${name} EXPORT tensorlaneTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/src OUTPUT_VARIABLE folder)
  install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder}
    FILES_MATCHING PATTERN "*.h" PATTERN "*_internal.h" EXCLUDE PATTERN "*_test_support.h" EXCLUDE)
  if(ARG_TESTS)
    tensorlane_test(${name}_test SOURCES ${ARG_TESTS} DEPS ${name} ${ARG_TEST_DEPS} LIBS ${ARG_TEST_LIBS})
  endif()
endfunction()
